//! How well does the search find tools, and what does it save? Numbers, from the very code that
//! production runs.

pub mod dataset;
pub mod measure;
pub mod report;
pub mod tokens;
