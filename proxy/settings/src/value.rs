//! How is one value read and written? Durations, sizes, URLs, lists, log filters: text to value and
//! back.

use std::net::SocketAddr;
use std::time::Duration;

use url::Url;

/// Reads `500ms`, `10s`, `5m`, `1h30m`; `None` for anything else. A bare number is refused, since
/// its unit would be a guess.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut total = Duration::ZERO;
    while !rest.is_empty() {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let number: u64 = rest[..digits].parse().ok()?;
        rest = &rest[digits..];
        let letters = rest.len()
            - rest
                .trim_start_matches(|c: char| c.is_ascii_alphabetic())
                .len();
        let millis = match &rest[..letters] {
            "ms" => 1,
            "s" => 1000,
            "m" => 60_000,
            "h" => 3_600_000,
            _ => return None,
        };
        total = total.checked_add(Duration::from_millis(number.checked_mul(millis)?))?;
        rest = &rest[letters..];
    }
    (!text.is_empty()).then_some(total)
}

/// Writes a duration so that [`parse_duration`] reads it back; whole milliseconds.
pub(crate) fn duration_text(duration: Duration) -> String {
    let millis = duration.as_millis();
    match millis {
        0 => "0s".to_owned(),
        _ if millis.is_multiple_of(3_600_000) => format!("{}h", millis / 3_600_000),
        _ if millis.is_multiple_of(60_000) => format!("{}m", millis / 60_000),
        _ if millis.is_multiple_of(1000) => format!("{}s", millis / 1000),
        _ => format!("{millis}ms"),
    }
}

const UNITS: [(&str, usize); 8] = [
    ("GiB", 1 << 30),
    ("MiB", 1 << 20),
    ("KiB", 1 << 10),
    ("GB", 1_000_000_000),
    ("MB", 1_000_000),
    ("kB", 1000),
    ("B", 1),
    ("", 1),
];

/// Reads `64MiB`, `10kB`, `4096`.
pub(crate) fn bytes(text: &str) -> Option<usize> {
    let (number, factor) = UNITS
        .iter()
        .find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    number
        .trim_end()
        .parse::<usize>()
        .ok()?
        .checked_mul(*factor)
}

/// Writes a number of bytes in the largest unit that divides it: `4MiB`, `1500`.
#[must_use]
pub fn size_text(bytes: usize) -> String {
    let unit = UNITS[..3]
        .iter()
        .find(|(_, factor)| bytes > 0 && bytes.is_multiple_of(*factor));
    unit.map_or_else(
        || bytes.to_string(),
        |(unit, factor)| format!("{}{unit}", bytes / factor),
    )
}

/// Reads an http or https URL; says what is wrong with another.
pub(crate) fn url(text: &str) -> Result<Url, &'static str> {
    let url = Url::parse(text).map_err(|_| "is no URL; write it in full, as https://host/path")?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err("must begin with http:// or https://");
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("must not hold a user name or password; callers bring their own credentials");
    }
    if url.fragment().is_some() {
        return Err("must not have a fragment (#…)");
    }
    Ok(url)
}

/// Reads `127.0.0.1:8080`, `[::1]:8080`, `:8080` (every address).
pub(crate) fn address(text: &str) -> Option<SocketAddr> {
    match text.strip_prefix(':') {
        Some(port) => format!("[::]:{port}").parse().ok(),
        None => text
            .strip_prefix("localhost:")
            .map_or(text.to_owned(), |port| format!("127.0.0.1:{port}"))
            .parse()
            .ok(),
    }
}

/// Splits at commas outside braces, so that `{a,b}_*` stays one glob; blanks are dropped.
pub(crate) fn list(text: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut depth = 0_usize;
    for character in text.chars() {
        match character {
            ',' if depth == 0 => parts.push(String::new()),
            _ => {
                depth = match character {
                    '{' => depth + 1,
                    '}' => depth.saturating_sub(1),
                    _ => depth,
                };
                if let Some(part) = parts.last_mut() {
                    part.push(character);
                }
            }
        }
    }
    parts
        .iter()
        .map(|part| part.trim().to_owned())
        .filter(|part| !part.is_empty())
        .collect()
}

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];

/// Reads a level, or directives such as `info,hyper=warn`; says what is wrong with others.
///
/// The filter itself takes any lone word: one that is no level is a module to it, of which
/// everything is logged, and nothing of all others. So a slip would silence the log.
///
/// # Errors
/// What it must be.
pub fn parse_log_filter(text: &str) -> Result<String, &'static str> {
    let is_level = |word: &str| LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level));
    let is_module = |word: &str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_alphanumeric() || "_:-".contains(c))
    };
    let mut directives = text.split(',').filter(|directive| !directive.is_empty());
    let is_sound = directives.all(|directive| match directive.rsplit_once('=') {
        // Spans and their fields have a grammar of their own, which the filter holds them to.
        _ if directive.contains('[') => true,
        Some((module, level)) => is_module(module) && is_level(level),
        None => is_level(directive),
    });
    if is_sound && text.contains(|c| c != ',') {
        Ok(text.to_owned())
    } else {
        Err(
            "must be off, error, warn, info, debug or trace, or directives that say so of modules, such as \
             info,hyper=warn, without blanks",
        )
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::{address, bytes, list, parse_duration, parse_log_filter, url};

    #[test]
    fn durations_need_a_unit() {
        for (text, millis) in [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("1h30m", Some(5_400_000)),
            ("0s", Some(0)),
            ("10", None),
            ("", None),
            ("s", None),
            ("1d", None),
            ("-1s", None),
            ("99999999999999999999h", None),
        ] {
            assert_eq!(
                parse_duration(text),
                millis.map(Duration::from_millis),
                "{text}"
            );
        }
    }

    #[test]
    fn sizes_addresses_and_lists() {
        assert_eq!(bytes("4MiB"), Some(4 << 20));
        assert_eq!(bytes("10 kB"), Some(10_000));
        assert_eq!(bytes("12"), Some(12));
        assert_eq!(bytes("x"), None);
        assert_eq!(bytes("99999999999999999999GiB"), None);
        assert_eq!(address(":80").unwrap().to_string(), "[::]:80");
        assert_eq!(address("localhost:80").unwrap().to_string(), "127.0.0.1:80");
        assert_eq!(address("example.com:80"), None);
        assert_eq!(list("a, b,,{c,d}_*"), ["a", "b", "{c,d}_*"]);
        assert!(url("ftp://x").is_err() && url("http://a:b@c/").is_err() && url("x").is_err());
    }

    #[test]
    fn a_log_filter_names_levels() {
        for sound in [
            "info",
            "OFF",
            "info,kube=warn",
            "info,toolsearch_proxy::endpoint=debug,hyper=off",
            "warn,toolsearch_operator[reconcile{namespace=agents}]=debug",
        ] {
            assert_eq!(parse_log_filter(sound), Ok(sound.to_owned()));
        }
        for wrong in [
            "",
            ",",
            "loud",
            "kube",
            "info,loud",
            "kube=loud",
            "kube=",
            "=info",
            "info, kube=debug",
            "info;debug",
        ] {
            assert!(parse_log_filter(wrong).is_err(), "{wrong}");
        }
    }
}
