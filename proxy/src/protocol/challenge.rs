//! What does a `WWW-Authenticate` line ask for, and how is one parameter of it changed while all
//! else stays byte for byte? Pure: field values in, field values out.
//!
//! Source: RFC 9110 section 11 (challenges), RFC 6750 (`scope`, `error`), RFC 9728
//! (`resource_metadata`). Never prints a value; never makes a line longer than [`LONGEST`].

use std::ops::Range;

use http::HeaderValue;

/// Lines of one answer that are passed on.
const MOST_LINES: usize = 16;
/// Bytes of one line; servers and load balancers refuse heads of 16 KiB and more.
const LONGEST: usize = 4096;

/// One `name=value` of a line.
struct Param {
    /// Which challenge of the line it belongs to.
    challenge: usize,
    /// Lower case.
    name: Vec<u8>,
    /// Where the value stands, quotes included.
    at: Range<usize>,
    /// The value without quotes and escapes.
    text: Vec<u8>,
}

/// The lines that are passed on: the first few, each of a size that a client takes.
pub fn bounded<'a>(lines: impl Iterator<Item = &'a HeaderValue>) -> Vec<HeaderValue> {
    let sound = lines.filter(|line| line.len() <= LONGEST);
    sound.take(MOST_LINES).cloned().collect()
}

/// Whether a line says that the credential lacks a scope.
#[must_use]
pub fn lacks_scope(line: &HeaderValue) -> bool {
    !lacking(&params(line.as_bytes())).is_empty()
}

/// The metadata document that a line names.
#[must_use]
pub fn metadata(line: &HeaderValue) -> Option<String> {
    let named = params(line.as_bytes())
        .into_iter()
        .find(|param| param.name == b"resource_metadata")?;
    String::from_utf8(named.text).ok()
}

/// The line with `url` for every metadata document it names.
#[must_use]
pub fn with_metadata(line: &HeaderValue, url: &str) -> HeaderValue {
    let named = params(line.as_bytes());
    let named = named
        .iter()
        .filter(|param| param.name == b"resource_metadata");
    let places: Vec<_> = named.map(|param| param.at.clone()).collect();
    spliced(line, &places, url)
}

/// The lines of several refusals as those of one: a single challenge names every scope that some
/// line lacks, in the order of first mention; other lines are kept once.
#[must_use]
pub fn union(lines: &[HeaderValue]) -> Vec<HeaderValue> {
    let (asking, others): (Vec<_>, Vec<_>) = lines.iter().partition(|line| lacks_scope(line));
    let mut scopes: Vec<Vec<u8>> = Vec::new();
    let mut base: Option<(&HeaderValue, Range<usize>)> = None;
    for line in &asking {
        let all = params(line.as_bytes());
        let lacking = lacking(&all);
        let named = all
            .iter()
            .filter(|param| param.name == b"scope" && lacking.contains(&param.challenge));
        for param in named {
            base.get_or_insert((line, param.at.clone()));
            for scope in param.text.split(|byte| *byte == b' ') {
                let is_new = !scopes.iter().any(|known| known == scope);
                if is_new && is_scope(scope) {
                    scopes.push(scope.to_owned());
                }
            }
        }
    }
    let scopes: Vec<_> = scopes
        .iter()
        .map(|scope| String::from_utf8_lossy(scope))
        .collect();
    let merged = base.map(|(line, at)| spliced(line, &[at], &scopes.join(" ")));
    // Without any scope to name, one refusal says as much as all of them.
    let merged = merged.or_else(|| asking.first().map(|line| (*line).clone()));
    let mut union: Vec<HeaderValue> = merged.into_iter().collect();
    for line in others {
        if !union.contains(line) {
            union.push(line.clone());
        }
    }
    bounded(union.iter())
}

/// A scope token of RFC 6749: printable ASCII without blank, quote and backslash.
fn is_scope(scope: &[u8]) -> bool {
    let printable = |byte: &u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    !scope.is_empty() && scope.iter().all(printable)
}

/// The challenges of a line that lack a scope.
fn lacking(params: &[Param]) -> Vec<usize> {
    let lacks = |param: &&Param| param.name == b"error" && param.text == b"insufficient_scope";
    let lacking = params.iter().filter(lacks);
    lacking.map(|param| param.challenge).collect()
}

/// The line with a quoted `value` in each of these places; the line itself where that is too much.
fn spliced(line: &HeaderValue, places: &[Range<usize>], value: &str) -> HeaderValue {
    let old = line.as_bytes();
    let (mut new, mut kept) = (Vec::with_capacity(old.len() + value.len()), 0);
    for place in places {
        new.extend_from_slice(&old[kept..place.start]);
        new.push(b'"');
        new.extend_from_slice(value.as_bytes());
        new.push(b'"');
        kept = place.end;
    }
    new.extend_from_slice(&old[kept..]);
    let new = HeaderValue::from_bytes(&new).ok();
    new.filter(|new| new.len() <= LONGEST)
        .unwrap_or_else(|| line.clone())
}

/// Every parameter of a line. Lenient where servers are sloppy: a URL needs no quotes, a comma
/// may be missing; what cannot be read is passed over.
fn params(line: &[u8]) -> Vec<Param> {
    let (mut found, mut at, mut challenges) = (Vec::new(), 0, 0_usize);
    while at < line.len() {
        let start = at;
        at = end_of(line, at, is_token);
        if at == start {
            // A comma, a blank, or what stands where no name can.
            at += 1;
            continue;
        }
        let name = &line[start..at];
        let equals = end_of(line, at, is_blank);
        let value = end_of(line, equals + 1, is_blank);
        let is_param = line.get(equals) == Some(&b'=')
            && line
                .get(value)
                .is_some_and(|byte| !matches!(byte, b'=' | b','));
        if !is_param {
            let padding = line.get(equals) == Some(&b'=');
            // Padding ends a credential of the old form; a lone word begins a challenge.
            challenges += usize::from(!padding);
            at = if padding {
                end_of(line, equals, |byte| byte == b'=')
            } else {
                at
            };
            continue;
        }
        let (end, text) = read_value(line, value);
        found.push(Param {
            challenge: challenges,
            name: name.to_ascii_lowercase(),
            at: value..end,
            text,
        });
        at = end;
    }
    found
}

/// Where a value ends, and what it says.
fn read_value(line: &[u8], start: usize) -> (usize, Vec<u8>) {
    if line[start] != b'"' {
        let end = end_of(line, start, |byte| !is_blank(byte) && byte != b',');
        return (end, line[start..end].to_owned());
    }
    let (mut text, mut at) = (Vec::new(), start + 1);
    while let Some(byte) = line.get(at) {
        match byte {
            b'"' => return (at + 1, text),
            b'\\' => {
                text.extend(line.get(at + 1));
                at += 2;
            }
            byte => {
                text.push(*byte);
                at += 1;
            }
        }
    }
    (line.len(), text)
}

fn end_of(line: &[u8], start: usize, within: impl Fn(u8) -> bool) -> usize {
    let rest = line.get(start..).unwrap_or_default();
    let length = rest.iter().take_while(|byte| within(**byte)).count();
    start + length
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~/".contains(&byte)
}

#[cfg(test)]
mod tests;
