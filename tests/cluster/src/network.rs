//! Which addresses are there, and how do packets get from one to the other?
//!
//! ```text
//! machine --- 10.89.0.254 ══ veth ══ lan0 10.89.0.1 (the control plane's bridge)
//!                                      ├─ node-a 10.89.0.11, pods 10.244.1.0/24
//!                                      └─ node-b 10.89.0.12, pods 10.244.2.0/24
//! ```
//! Nothing listens on an address of the machine; it reaches pods and services by routes alone.

use std::process::Command;

use crate::call::{call, works};
use crate::error::Error;
use crate::sandbox::Sandbox;

/// The machine's end of the cable into the cluster.
pub(crate) const LINK: &str = "toolsearch0";
/// The API server.
pub(crate) const CONTROL: &str = "10.89.0.1";
pub(crate) const PODS: &str = "10.244.0.0/16";
pub(crate) const SERVICES: &str = "10.96.0.0/16";
pub(crate) const DNS: &str = "10.96.0.10";
const MACHINE: &str = "10.89.0.254";

/// A node's name and its numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seat(u8);

impl Seat {
    /// As many as there are single digits.
    pub(crate) const MOST: u8 = 9;

    /// The seats of a cluster with so many nodes.
    pub(crate) fn first(nodes: u8) -> Result<Vec<Self>, Error> {
        if (1..=Self::MOST).contains(&nodes) {
            Ok((1..=nodes).map(Self).collect())
        } else {
            Err(Error::Invalid(format!(
                "1 to {} nodes, not {nodes}",
                Self::MOST
            )))
        }
    }

    /// `node-a` or `a`.
    pub(crate) fn named(name: &str, nodes: u8) -> Result<Self, Error> {
        let short = name.strip_prefix("node-").unwrap_or(name);
        let seats = Self::first(nodes)?;
        let found = seats
            .into_iter()
            .find(|seat| seat.name() == format!("node-{short}"));
        found.ok_or_else(|| Error::Invalid(format!("there is no node called {name}")))
    }

    pub(crate) fn name(self) -> String {
        format!("node-{}", char::from(b'a' + self.0 - 1))
    }

    pub(crate) fn address(self) -> String {
        format!("10.89.0.{}", 10 + self.0)
    }

    pub(crate) fn pods(self) -> String {
        format!("10.244.{}.0/24", self.0)
    }

    /// The control plane's end of the node's cable.
    pub(crate) fn cable(self) -> String {
        format!("to-{}", self.name())
    }
}

/// What the control plane's namespaces are furnished with, besides the programs' folder.
pub(crate) fn init(programs: &str, bin: &str) -> String {
    // The bridge would take its address from its ports, and change it whenever a node comes or goes:
    // neighbours would hold the old one for half a minute.
    format!(
        "mount --make-rprivate /\n\
         mkdir -p {bin}\n\
         mount --bind '{programs}' {bin}\n\
         ip link set lo up\n\
         ip link add lan0 address 02:00:0a:59:00:01 type bridge forward_delay 0\n\
         ip addr add {CONTROL}/24 dev lan0\n\
         ip link set lan0 up\n\
         echo 1 > /proc/sys/net/ipv4/ip_forward\n"
    )
}

/// Refuses where the addresses are taken already: the cluster of another tool, perhaps.
pub(crate) fn unused() -> Result<(), Error> {
    let routes = call(Command::new("ip").args(["-4", "route", "show"]))?;
    let ours = ["10.89.0.", "10.244.", "10.96."];
    let taken = routes
        .lines()
        .find(|line| ours.iter().any(|range| line.starts_with(range)));
    taken.map_or(Ok(()), |line| {
        Err(Error::Busy(format!(
            "of another tool, for this machine has a route to its addresses: {}",
            line.trim()
        )))
    })
}

/// Lays the cable from the machine into the control plane.
pub(crate) fn connect_machine(control: &Sandbox, seats: &[Seat]) -> Result<(), Error> {
    let pid = control.holder.pid.to_string();
    let peer = ["type", "veth", "peer", "name", "machine", "netns"];
    call(
        Command::new("ip")
            .args(["link", "add", LINK])
            .args(peer)
            .arg(&pid),
    )?;
    control.script("ip link set machine master lan0 up")?;
    call(Command::new("ip").args(["addr", "add", &format!("{MACHINE}/24"), "dev", LINK]))?;
    call(Command::new("ip").args(["link", "set", LINK, "up"]))?;
    for (range, by) in routes(seats) {
        call(Command::new("ip").args(["route", "add", &range, "via", &by, "dev", LINK]))?;
        control.call(&["ip", "route", "add", &range, "via", &by])?;
    }
    Ok(())
}

/// Each node's pods by that node, the services by the first.
fn routes(seats: &[Seat]) -> Vec<(String, String)> {
    let pods = seats.iter().map(|seat| (seat.pods(), seat.address()));
    let services = seats
        .first()
        .map(|seat| (SERVICES.to_owned(), seat.address()));
    pods.chain(services).collect()
}

/// Lays the cable of one node and tells it the ways to the others.
pub(crate) fn connect_node(
    control: &Sandbox,
    node: &Sandbox,
    seat: Seat,
    seats: &[Seat],
) -> Result<(), Error> {
    let (cable, address) = (seat.cable(), seat.address());
    // The two process namespaces differ, so the peer is moved from outside by its number here.
    let pid = node.holder.pid.to_string();
    control.script(&format!("ip link del {cable} 2>/dev/null || true"))?;
    let net = crate::processes::folder(control.holder.pid).join("ns/net");
    let mut add = Command::new("nsenter");
    add.arg(format!("--net={}", net.display())).args([
        "ip", "link", "add", &cable, "type", "veth", "peer", "name", "eth0", "netns", &pid,
    ]);
    call(&mut add)?;
    control.script(&format!("ip link set {cable} master lan0 up"))?;
    let mut script = format!(
        "ip addr add {address}/24 dev eth0\nip link set eth0 up\nip route add default via {CONTROL}\n"
    );
    for other in seats.iter().filter(|other| **other != seat) {
        let (pods, by) = (other.pods(), other.address());
        script.push_str(&format!("ip route add {pods} via {by}\n"));
    }
    node.script(&script).map(drop)
}

/// Cuts a node's cable, or mends it.
pub(crate) fn set_link(control: &Sandbox, seat: Seat, up: bool) -> Result<(), Error> {
    let state = if up { "up" } else { "down" };
    control
        .call(&["ip", "link", "set", &seat.cable(), state])
        .map(drop)
}

/// Takes the machine's end away, and its routes with it; waiting for the kernel takes seconds.
pub(crate) fn disconnect_machine() {
    // It may be gone already, with the control plane.
    works(Command::new("ip").args(["link", "del", LINK]));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seats_have_names_and_numbers() {
        let seats = Seat::first(2).unwrap();
        assert_eq!(seats[1].name(), "node-b");
        assert_eq!(seats[1].address(), "10.89.0.12");
        assert_eq!(Seat::named("b", 2).unwrap(), seats[1]);
        assert!(Seat::named("node-c", 2).is_err());
        assert!(Seat::first(0).is_err());
        assert!(Seat::first(10).is_err());
    }

    #[test]
    fn names_of_links_fit_the_kernel() {
        assert!(LINK.len() <= 15);
        for seat in Seat::first(Seat::MOST).unwrap() {
            assert!(seat.cable().len() <= 15);
        }
    }
}
