//! Who may call at all? `Host` and `Origin`, against DNS rebinding and foreign web pages.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use http::uri::Authority;

/// Names and origins that are accepted.
#[derive(Debug, Clone)]
pub struct Policy {
    /// Host names, lower case, without port; `None`: any.
    hosts: Option<Vec<String>>,
    /// Whether loopback names are hosts and origins of ours.
    loopback: bool,
    origins: Vec<String>,
}

impl Policy {
    /// On a loopback address without a list of hosts, loopback names alone are accepted; on other
    /// addresses without a list, any name, since nobody but the operator knows them.
    #[must_use]
    pub fn new(listen: SocketAddr, hosts: &[String], origins: &[String]) -> Self {
        let loopback = listen.ip().is_loopback();
        let hosts: Vec<String> = hosts.iter().map(|host| name(host).to_lowercase()).collect();
        let restricted = loopback || !hosts.is_empty();
        let origins = origins
            .iter()
            .map(|origin| origin.trim_end_matches('/').to_lowercase())
            .collect();
        Self {
            hosts: restricted.then_some(hosts),
            loopback,
            origins,
        }
    }

    /// Whether this `Host` (or `:authority`) is one of ours.
    #[must_use]
    pub fn allows_host(&self, host: Option<&str>) -> bool {
        let Some(hosts) = &self.hosts else {
            return true;
        };
        // HTTP/1.0 has no Host; nothing that a browser sends comes without one.
        let Some(host) = host else { return true };
        let name = name(host).to_lowercase();
        hosts.contains(&name) || (self.loopback && is_loopback(&name))
    }

    /// Whether a web page of this origin may call.
    #[must_use]
    pub fn allows_origin(&self, origin: &str) -> bool {
        let origin = origin.to_lowercase();
        let listed = self
            .origins
            .iter()
            .any(|allowed| *allowed == origin || allowed == "*");
        let host = origin.split_once("://").map(|(_, host)| name(host));
        listed || (self.loopback && host.is_some_and(is_loopback))
    }
}

/// A host without its port; an IPv6 address without its brackets.
fn name(host: &str) -> &str {
    // A user name before it, which no browser sends, is no part of the name.
    let host = host.rsplit('@').next().unwrap_or(host);
    let bare = host
        .parse::<Authority>()
        .map(|authority| authority.host().len());
    let end = bare.unwrap_or(host.len()).min(host.len());
    let (bare, port) = host.split_at(end);
    let digits = port.strip_prefix(':').unwrap_or(port);
    // What is neither name nor port makes it nobody's name.
    let is_port = digits.len() < port.len() && digits.bytes().all(|byte| byte.is_ascii_digit());
    let name = if port.is_empty() || is_port {
        bare
    } else {
        host
    };
    // Brackets hold an address, or they are part of nobody's name.
    let within = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let address = within.filter(|within| within.parse::<Ipv6Addr>().is_ok());
    address.unwrap_or(name)
}

fn is_loopback(name: &str) -> bool {
    name == "localhost"
        || name.ends_with(".localhost")
        || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::Policy;

    fn policy(listen: &str, hosts: &[&str], origins: &[&str]) -> Policy {
        let owned = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
        Policy::new(listen.parse().unwrap(), &owned(hosts), &owned(origins))
    }

    #[test]
    fn hosts() {
        for (listen, hosts, host, allowed) in [
            ("127.0.0.1:8080", &[][..], "localhost:8080", true),
            ("127.0.0.1:8080", &[], "127.0.0.1:9", true),
            ("[::1]:8080", &[], "[::1]:8080", true),
            ("127.0.0.1:8080", &[], "evil.example.com", false),
            ("127.0.0.1:8080", &[], "localhost.evil.example.com", false),
            ("127.0.0.1:8080", &[], "localhost@evil.host", false),
            ("127.0.0.1:8080", &[], "[::1]evil.example.com", false),
            ("127.0.0.1:8080", &[], "localhost:evil.example.com", false),
            ("127.0.0.1:8080", &[], "[::1.localhost]:80", false),
            ("127.0.0.1:8080", &[], "localhost:", true),
            (
                "127.0.0.1:8080",
                &["proxy.internal"],
                "PROXY.internal:80",
                true,
            ),
            ("0.0.0.0:8080", &[], "anything.example.com", true),
            ("0.0.0.0:8080", &["a.example.com"], "b.example.com", false),
            (
                "0.0.0.0:8080",
                &["a.example.com:443"],
                "a.example.com",
                true,
            ),
            ("0.0.0.0:8080", &["a.example.com"], "localhost", false),
        ] {
            assert_eq!(
                policy(listen, hosts, &[]).allows_host(Some(host)),
                allowed,
                "{listen} {hosts:?} {host}"
            );
        }
    }

    #[test]
    fn origins() {
        for (listen, origins, origin, allowed) in [
            ("127.0.0.1:8080", &[][..], "http://localhost:6274", true),
            ("127.0.0.1:8080", &[], "http://evil.example.com", false),
            ("127.0.0.1:8080", &[], "null", false),
            ("127.0.0.1:8080", &[], "http://[::1]evil.example.com", false),
            ("0.0.0.0:8080", &[], "http://localhost:6274", false),
            (
                "0.0.0.0:8080",
                &["https://chat.example.com/"],
                "https://chat.example.com",
                true,
            ),
            (
                "0.0.0.0:8080",
                &["https://chat.example.com"],
                "https://chat.example.com.evil.org",
                false,
            ),
        ] {
            assert_eq!(
                policy(listen, &[], origins).allows_origin(origin),
                allowed,
                "{listen} {origin}"
            );
        }
    }
}
