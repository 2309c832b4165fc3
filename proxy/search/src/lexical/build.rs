//! How is the index built? One tantivy segment in memory, documents in the list's order.

use std::fmt;

use tantivy::directory::RamDirectory;
use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::tokenizer::{PreTokenizedString, Token};
use tantivy::{Index, ReloadPolicy, SegmentReader, TantivyDocument, TantivyError};

use crate::document::{Document, FIELDS};
use crate::lexical::spell::Words;
use crate::lexical::terms;

/// The lexical side of one list.
pub(crate) struct Lexical {
    pub(super) segment: Option<SegmentReader>,
    pub(super) fields: [Field; 6],
    /// Mean length of each field, in terms.
    pub(super) mean_lengths: [f32; 6],
    pub(super) words: Words,
    pub(super) documents: usize,
}

impl fmt::Debug for Lexical {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lexical")
            .field("documents", &self.documents)
            .finish_non_exhaustive()
    }
}

/// Bytes that the writer may use: more than the largest list needs.
const ARENA: usize = 100_000_000;

impl Lexical {
    pub(crate) fn build(documents: &[Document]) -> Result<Self, TantivyError> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_fieldnorms(true)
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let fields = FIELDS.map(|name| schema.add_text_field(name, options.clone()));
        let mut writer: SingleSegmentIndexWriter<TantivyDocument> = Index::builder()
            .schema(schema.build())
            .single_segment_index_writer(RamDirectory::create(), ARENA)?;
        let mut lengths = [0_usize; 6];
        let mut words = Words::default();
        for document in documents {
            let mut added = TantivyDocument::new();
            for ((field, texts), length) in fields.iter().zip(document.fields()).zip(&mut lengths) {
                let terms: Vec<String> = texts.iter().flat_map(|text| terms::of(text)).collect();
                *length += terms.len();
                terms
                    .iter()
                    .filter(|term| terms::is_surface(term))
                    .for_each(|term| words.add(term));
                added.add_pre_tokenized_text(*field, pre_tokenized(terms));
            }
            writer.add_document(added)?;
        }
        let index = writer.finalize()?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let segment = reader.searcher().segment_readers().first().cloned();
        let count = documents.len().max(1) as f32;
        let mean_lengths = lengths.map(|length| (length as f32 / count).max(1.0));
        words.finish();
        Ok(Self {
            segment,
            fields,
            mean_lengths,
            words,
            documents: documents.len(),
        })
    }
}

fn pre_tokenized(terms: Vec<String>) -> PreTokenizedString {
    let tokens = terms.into_iter().enumerate();
    let tokens = tokens.map(|(position, text)| Token {
        position,
        text,
        ..Token::default()
    });
    PreTokenizedString {
        text: String::new(),
        tokens: tokens.collect(),
    }
}
