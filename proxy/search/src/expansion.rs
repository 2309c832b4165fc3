//! Which tools have words that mean what a word of the query means? The lexical score once more,
//! with each query word replaced by the nearest words of the catalog, each at its similarity.
//!
//! One vector for a whole text blurs a long query and a long description; here every query word
//! finds its own counterpart, with the fields and the rarity that words have (query expansion by
//! embeddings: Kuzi, Shtok and Kurland 2016; the late interaction of Khattab and Zaharia 2020 with
//! static vectors). "susitikimas" finds `meeting`, and "appointment" does too.

mod build;
mod nearest;
mod score;
mod words;

pub(crate) use build::Expansion;

#[cfg(test)]
mod tests;
