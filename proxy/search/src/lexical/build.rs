//! How is the index built? One tantivy segment in memory, documents in the list's order.

use std::fmt;

use tantivy::directory::RamDirectory;
use tantivy::indexer::SingleSegmentIndexWriter;
use tantivy::schema::{Field, IndexRecordOption, Schema, TextFieldIndexing, TextOptions};
use tantivy::{Index, ReloadPolicy, SegmentReader, TantivyDocument, TantivyError};

use crate::corpus::Corpus;
use crate::document::FIELDS;
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

/// Tantivy's name for its tokenizer that does nothing else: terms have no blank in them.
const BETWEEN_BLANKS: &str = "whitespace";

/// Bytes that the writer may use: more than the largest list needs.
const ARENA: usize = 100_000_000;

impl Lexical {
    pub(crate) fn build(corpus: &Corpus<'_>) -> Result<Self, TantivyError> {
        let mut schema = Schema::builder();
        let indexing = TextFieldIndexing::default()
            .set_fieldnorms(true)
            .set_tokenizer(BETWEEN_BLANKS)
            .set_index_option(IndexRecordOption::WithFreqs);
        let options = TextOptions::default().set_indexing_options(indexing);
        let fields = FIELDS.map(|name| schema.add_text_field(name, options.clone()));
        let mut writer: SingleSegmentIndexWriter<TantivyDocument> = Index::builder()
            .schema(schema.build())
            .single_segment_index_writer(RamDirectory::create(), ARENA)?;
        let terms = Terms::of(corpus);
        let mut lengths = [0_usize; 6];
        let mut text = String::new();
        for document in corpus.documents() {
            let mut added = TantivyDocument::new();
            for ((field, stretches), length) in fields.iter().zip(document).zip(&mut lengths) {
                text.clear();
                for &stretch in stretches {
                    let (terms, count) = &terms.by_stretch[stretch as usize];
                    text.push_str(terms);
                    *length += count;
                }
                if !text.is_empty() {
                    added.add_text(*field, &text);
                }
            }
            writer.add_document(added)?;
        }
        let index = writer.finalize()?;
        let reader = index
            .reader_builder()
            .reload_policy(ReloadPolicy::Manual)
            .try_into()?;
        let segment = reader.searcher().segment_readers().first().cloned();
        let count = corpus.len().max(1) as f32;
        let mean_lengths = lengths.map(|length| (length as f32 / count).max(1.0));
        Ok(Self {
            segment,
            fields,
            mean_lengths,
            words: terms.words,
            documents: corpus.len(),
        })
    }
}

/// The terms of each stretch, each with a blank behind it, and how many they are; and the words
/// among them.
struct Terms {
    by_stretch: Vec<(String, usize)>,
    words: Words,
}

impl Terms {
    fn of(corpus: &Corpus<'_>) -> Self {
        let of_word = corpus.words().iter().map(|word| {
            let terms = terms::of_word(word);
            let count = terms.len();
            (terms.concat(), count)
        });
        let of_word: Vec<_> = of_word.collect();
        let stretches = (0..).take(corpus.stretches().len());
        let by_stretch = stretches.map(|stretch| {
            let parts = corpus.parts(stretch).iter();
            let parts = parts.map(|part| &of_word[part.word as usize]);
            parts.fold((String::new(), 0), |(all, count), (terms, more)| {
                (all + terms, count + more)
            })
        });
        let by_stretch = by_stretch.collect();
        let words = corpus.words().iter().zip(&of_word);
        let words = words.filter(|(_, (_, terms))| *terms > 0);
        let words = Words::of(words.map(|(word, _)| &**word));
        Self { by_stretch, words }
    }
}
