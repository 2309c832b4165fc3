//! Under which URL do clients know the protected resource, and what of the upstream's challenges
//! changes with that?
//!
//! One URL for both (no public URL): everything as the upstream says it. A URL of our own: its
//! challenges name our metadata document, which is the upstream's with our URL as `resource`.

use http::HeaderValue;
use serde_json::value::{RawValue, to_raw_value};
use url::Url;

use crate::protocol::{Members, challenge};
use crate::upstream::WELL_KNOWN;

/// The protected resource as clients know it.
#[derive(Debug, Clone)]
pub struct Resource {
    own: Option<Own>,
    /// Paths at which the metadata document is served.
    paths: Vec<String>,
}

#[derive(Debug, Clone)]
struct Own {
    url: Box<RawValue>,
    document: String,
}

impl Resource {
    /// The resource at the public URL, or else at the one URL that clients know the proxy and the
    /// upstream by, whose path is the upstream's or `endpoint`, the proxy's own.
    #[must_use]
    pub fn new(public: Option<&Url>, upstream: &Url, endpoint: &str) -> Self {
        let suffixed = |path: &str| format!("{WELL_KNOWN}{}", path.trim_end_matches('/'));
        let Some(public) = public else {
            let paths = ["", endpoint, upstream.path()].map(suffixed).to_vec();
            return Self { own: None, paths };
        };
        let mut document = public.clone();
        document.set_path(&suffixed(public.path()));
        document.set_query(None);
        document.set_fragment(None);
        let own = Own {
            url: to_raw_value(public.as_str()).unwrap_or_default(),
            document: document.into(),
        };
        Self {
            own: Some(own),
            paths: vec![suffixed(""), suffixed(public.path())],
        }
    }

    /// Whether the metadata document is at this path.
    #[must_use]
    pub fn is_at(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths.iter().any(|known| known == path)
    }

    /// The upstream's challenges as this resource's.
    pub(super) fn challenges(&self, theirs: Vec<HeaderValue>) -> Vec<HeaderValue> {
        match &self.own {
            None => theirs,
            Some(own) => theirs
                .iter()
                .map(|line| challenge::with_metadata(line, &own.document))
                .collect(),
        }
    }

    /// The upstream's metadata as this resource's: `resource` replaced, all else byte for byte.
    pub(super) fn document(&self, theirs: Box<RawValue>) -> Box<RawValue> {
        match (&self.own, Members::read(&theirs)) {
            (Some(own), Some(mut members)) => {
                members.set("resource", own.url.clone());
                members.to_raw()
            }
            _ => theirs,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;
    use url::Url;

    use super::Resource;

    fn resource(public: Option<&str>) -> Resource {
        let public = public.map(|url| Url::parse(url).unwrap());
        let upstream = Url::parse("http://up:8080/api/mcp").unwrap();
        Resource::new(public.as_ref(), &upstream, "/mcp")
    }

    #[test]
    fn both_well_known_paths_are_served() {
        let own = resource(Some("https://our/tools/mcp"));
        let same = resource(None);
        for (path, of_own, of_same) in [
            ("/.well-known/oauth-protected-resource", true, true),
            ("/.well-known/oauth-protected-resource/", true, true),
            (
                "/.well-known/oauth-protected-resource/tools/mcp",
                true,
                false,
            ),
            ("/.well-known/oauth-protected-resource/mcp", false, true),
            ("/.well-known/oauth-protected-resource/api/mcp", false, true),
            ("/.well-known/oauth-protected-resource/other", false, false),
            ("/.well-known/oauth-protected-resourcemcp", false, false),
            ("/mcp", false, false),
        ] {
            assert_eq!(
                (own.is_at(path), same.is_at(path)),
                (of_own, of_same),
                "{path}"
            );
        }
    }

    #[test]
    fn the_document_changes_in_one_member() {
        let theirs = r#"{ "resource":"http://up", "n": 1.10,"scopes_supported":[ "a" ],"x":{"resource":"y"}}"#;
        let raw = || RawValue::from_string(theirs.to_owned()).unwrap();
        assert_eq!(resource(None).document(raw()).get(), theirs);
        assert_eq!(
            resource(Some("https://our/mcp")).document(raw()).get(),
            r#"{"resource":"https://our/mcp","n":1.10,"scopes_supported":[ "a" ],"x":{"resource":"y"}}"#
        );
    }

    #[test]
    fn challenges_name_our_document() {
        let lines = vec![http::HeaderValue::from_static(
            "Bearer resource_metadata=\"http://up/x\"",
        )];
        assert_eq!(resource(None).challenges(lines.clone()), lines);
        assert_eq!(
            resource(Some("https://our/mcp")).challenges(lines),
            ["Bearer resource_metadata=\"https://our/.well-known/oauth-protected-resource/mcp\""]
        );
    }
}
