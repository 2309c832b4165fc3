//! What may a Host or an Origin header say? So that an item of a list that no request can ever
//! match is a mistake, not a silence.

use std::net::Ipv6Addr;

/// A host name or an address, with or without a port: nothing else stands in a `Host` header.
pub(crate) fn is_host(text: &str) -> bool {
    if text.parse::<Ipv6Addr>().is_ok() {
        return true;
    }
    // Only an address in brackets has colons before its port's.
    let name = text
        .find(']')
        .map_or_else(|| text.find(':'), |end| Some(end + 1));
    let (name, port) = text.split_at(name.unwrap_or(text.len()));
    let bracketed = name
        .strip_prefix('[')
        .and_then(|name| name.strip_suffix(']'));
    let is_name = match bracketed {
        Some(address) => address.parse::<Ipv6Addr>().is_ok(),
        None => !name.is_empty() && name.bytes().all(is_of_a_name),
    };
    let is_port = |port: &str| port.parse::<u16>().is_ok();
    is_name && (port.is_empty() || port.strip_prefix(':').is_some_and(is_port))
}

/// What browsers send: `*` for any, `null`, or scheme and host; a slash at the end is forgiven.
pub(crate) fn is_origin(text: &str) -> bool {
    if matches!(text, "*" | "null") {
        return true;
    }
    let text = text.strip_suffix('/').unwrap_or(text);
    text.split_once("://").is_some_and(|(scheme, host)| {
        let is_scheme = |byte: u8| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte);
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme.bytes().all(is_scheme)
            && is_host(host)
            && host.parse::<Ipv6Addr>().is_err()
    })
}

/// Other scripts are sent in ASCII (RFC 5890, A-labels).
const fn is_of_a_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_')
}

#[cfg(test)]
mod tests {
    use super::{is_host, is_origin};

    #[test]
    fn hosts_are_names_or_addresses() {
        for host in [
            "a",
            "tools.example.com",
            "TOOLS.example:8443",
            "10.0.0.1",
            "[::1]",
            "[::1]:80",
            "::1",
            "tools_1.svc",
        ] {
            assert!(is_host(host), "{host}");
        }
        for wrong in [
            "",
            "http://a",
            "a/b",
            "*",
            "*.example.com",
            "a b",
            "me@a",
            "a:b",
            "a:",
            "[a]",
            "žalia.lt",
            "a:70000",
        ] {
            assert!(!is_host(wrong), "{wrong}");
        }
    }

    #[test]
    fn origins_are_as_browsers_send_them() {
        for origin in [
            "*",
            "null",
            "https://chat.example.com",
            "https://chat.example.com/",
            "HTTP://a:6274",
            "http://[::1]:80",
            "vscode-webview://abc",
        ] {
            assert!(is_origin(origin), "{origin}");
        }
        for wrong in [
            "",
            "chat.example.com",
            "https://",
            "https://a/b",
            "https://a?b",
            "https://*.a",
            "://a",
            "https://me@a",
            "https://::1",
        ] {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }
}
