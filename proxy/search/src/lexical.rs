//! Which tools share words with this query? BM25F over an in-memory tantivy index.
//!
//! Fields are weighted before saturation (Robertson, Zaragoza and Taylor 2004): a word in the name
//! counts for more than one in a parameter, and repeating it in both does not count twice over.
//! A word and its stem both count; a word that no tool has is read as a misspelt one, at a price.

mod build;
mod score;
mod spell;
mod terms;

pub(crate) use build::Lexical;
