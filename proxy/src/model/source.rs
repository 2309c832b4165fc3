//! From where is a file fetched? A repository on a model hub, or a folder on any server.

use url::Url;

use crate::model::manifest::Entry;

/// The hub that is asked where none is named.
pub(crate) const DEFAULT_ENDPOINT: &str = "https://huggingface.co";

/// Where the files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    /// A repository at a commit, under an endpoint that may have a path of its own.
    Repository {
        /// The hub or a mirror of it.
        endpoint: Url,
        /// Owner and name.
        repository: String,
        /// The commit.
        revision: String,
    },
    /// A folder: each file's path is appended.
    Folder(Url),
}

impl Source {
    /// The URL of one file.
    #[must_use]
    pub fn url(&self, entry: &Entry) -> Url {
        let (base, middle) = match self {
            Self::Repository {
                endpoint,
                repository,
                revision,
            } => (endpoint, format!("{repository}/resolve/{revision}/")),
            Self::Folder(base) => (base, String::new()),
        };
        let mut url = base.clone();
        let prefix = base.path().trim_end_matches('/');
        url.set_path(&format!("{prefix}/{middle}{}", entry.path));
        url
    }

    /// The URL that was given: the only origin that sees the token.
    #[must_use]
    pub const fn base(&self) -> &Url {
        match self {
            Self::Repository { endpoint, .. } => endpoint,
            Self::Folder(base) => base,
        }
    }
}

/// Whether the server is this machine.
#[must_use]
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(url::Host::Domain(name)) => name == "localhost",
        Some(url::Host::Ipv4(ip)) => ip.is_loopback(),
        Some(url::Host::Ipv6(ip)) => ip.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::digest::Digest;

    #[test]
    fn urls_of_files() {
        let entry = Entry {
            path: "config.json".to_owned(),
            digest: Digest::of(b""),
            size: None,
        };
        let hub = |endpoint: &str| Source::Repository {
            endpoint: endpoint.parse().unwrap(),
            repository: "owner/name".to_owned(),
            revision: "0123".to_owned(),
        };
        let check = |source: Source, url: &str| assert_eq!(source.url(&entry).as_str(), url);
        check(
            hub("https://hub.example"),
            "https://hub.example/owner/name/resolve/0123/config.json",
        );
        check(
            hub("https://mirror.example/hub/?key=1"),
            "https://mirror.example/hub/owner/name/resolve/0123/config.json?key=1",
        );
        check(
            Source::Folder("http://files.example/models/x".parse().unwrap()),
            "http://files.example/models/x/config.json",
        );
    }
}
