//! Which metrics are there? The reference page, printed from the registry itself.

use std::fmt::Write as _;

use prometheus::core::Desc;

/// The page, in Markdown, from the descriptions of every collector, sorted by name.
#[must_use]
pub fn page(descriptions: &[Description]) -> String {
    let mut sorted: Vec<&Description> = descriptions.iter().collect();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut page = String::from(
        "# Metrics\n\n<!-- Printed from the metrics the code registers, by its tests; do not edit. -->\n\n\
         Served at `/metrics` of the diagnostics address, in the Prometheus text format. Labels hold \
         fixed words only: no tool, caller, query or argument ever becomes one.\n\n\
         | name | labels | what it says |\n|---|---|---|\n",
    );
    for description in sorted {
        let labels = description
            .labels
            .iter()
            .map(|label| format!("`{label}`"))
            .collect::<Vec<_>>();
        let labels = if labels.is_empty() {
            "–".to_owned()
        } else {
            labels.join(", ")
        };
        // Writing to a string never fails.
        let _ = writeln!(
            page,
            "| `{}` | {labels} | {} |",
            description.name, description.help
        );
    }
    page
}

/// One family.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Description {
    /// The family's name.
    pub name: String,
    /// Names of its variable labels.
    pub labels: Vec<String>,
    /// Its help text.
    pub help: String,
}

impl From<&Desc> for Description {
    fn from(desc: &Desc) -> Self {
        let (name, labels, help) = (
            desc.fq_name.clone(),
            desc.variable_labels.clone(),
            desc.help.clone(),
        );
        Self { name, labels, help }
    }
}
