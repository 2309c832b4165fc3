//! How well does the search find tools, and what does it save? Numbers, from the very code that
//! production runs.

pub mod bootstrap;
pub mod compare;
pub mod criterion;
pub mod dataset;
pub mod grow;
pub mod measure;
pub mod page;
pub mod peers;
pub mod records;
pub mod run;
pub mod table;
pub mod tokens;
