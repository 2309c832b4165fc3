//! What can the schema not refuse? Sums, and parts of a URL.

use toolsearch_crds::v1alpha1::ToolSearchProxySpec;
use url::Url;

/// One variable of the environment holds each list, and the kernel takes 128 KiB of each.
const LIST: usize = 100 << 10;

pub(super) fn write_lists(spec: &ToolSearchProxySpec, mistakes: &mut Vec<String>) {
    for (name, list) in [
        ("writeTools", &spec.write_tools),
        ("readTools", &spec.read_tools),
        ("allowedOrigins", &spec.allowed_origins),
        ("allowedHosts", &spec.allowed_hosts),
    ] {
        let bytes: usize = list.iter().map(|item| item.len() + 1).sum();
        if bytes > LIST {
            mistakes.push(format!(
                "spec.{name} has {bytes} bytes, more than {LIST}: use globs such as *_delete_*"
            ));
        }
        for item in list.iter().filter(|item| item.contains(',')) {
            mistakes.push(format!(
                "spec.{name} has an item with a comma, {item:?}: write one name or glob an item"
            ));
        }
    }
}

/// The port that the upstream is reached at; none where its URL is no URL, which the proxy's own
/// parser says in words.
pub(super) fn port(url: &str) -> Option<u16> {
    Url::parse(url).ok()?.port_or_known_default()
}
