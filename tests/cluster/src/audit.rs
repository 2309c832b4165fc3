//! Who has written what to the API server?

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::error::Error;
use crate::place::Place;

/// One write, in the words of the API server's own log.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Write {
    /// `system:serviceaccount:NAMESPACE:NAME` for a pod.
    pub user: String,
    /// create, update, patch, delete.
    pub verb: String,
    /// `deployments` or `toolsearchproxies/status`.
    pub resource: String,
    /// Empty for what belongs to no namespace.
    pub namespace: String,
    /// Empty for a creation whose name the server chose.
    pub name: String,
    /// The answer's status.
    pub status: u16,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Line {
    verb: String,
    user: User,
    object_ref: Option<Object>,
    response_status: Option<Status>,
}

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    username: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Object {
    resource: String,
    subresource: String,
    namespace: String,
    name: String,
}

#[derive(Deserialize)]
struct Status {
    #[serde(default)]
    code: u16,
}

/// All writes since the start, oldest first; a node's own leases are not among them.
pub(crate) fn writes() -> Result<Vec<Write>, Error> {
    let path = Place::file("audit.log");
    let text = fs::read_to_string(&path).map_err(Error::file("read", &path))?;
    Ok(parse(&text))
}

/// How often each user used each verb.
#[must_use]
pub fn counts(writes: &[Write]) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for write in writes {
        *counts
            .entry((write.user.clone(), write.verb.clone()))
            .or_default() += 1;
    }
    counts
}

/// The last line may be half written; it is there the next time.
fn parse(text: &str) -> Vec<Write> {
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines.map(write).collect()
}

fn write(line: Line) -> Write {
    let object = line.object_ref.unwrap_or_default();
    let resource = if object.subresource.is_empty() {
        object.resource
    } else {
        format!("{}/{}", object.resource, object.subresource)
    };
    Write {
        user: line.user.username,
        verb: line.verb,
        resource,
        namespace: object.namespace,
        name: object.name,
        status: line.response_status.map_or(0, |status| status.code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_half_written_line_waits() {
        let text = r#"{"verb":"patch","user":{"username":"admin"},"objectRef":{"resource":"pods","subresource":"status","namespace":"x","name":"y"},"responseStatus":{"code":200}}
{"verb":"pat"#;
        let writes = parse(text);
        assert_eq!(writes.len(), 1);
        assert_eq!(writes[0].resource, "pods/status");
        assert_eq!(writes[0].status, 200);
        assert_eq!(counts(&writes)[&("admin".into(), "patch".into())], 1);
    }
}
