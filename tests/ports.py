"""Ports of the loopback that nobody listens at: for programs that cannot be told to choose their own.

usage: ports.py <number>    prints them on one line
"""

import socket
import sys


def free_ports(number):
    """All are held until the last is known: one that is given back could be found again."""
    held = [socket.create_server(("127.0.0.1", 0)) for _ in range(number)]
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


if __name__ == "__main__":
    print(*free_ports(int(sys.argv[1])))
