//! Which pieces does a text consist of? The tokenizers crate reads the file; nothing of its
//! pipeline is written again here.

use std::collections::HashMap;

use serde::Deserialize;
use tokenizers::Tokenizer;

use crate::embed::files;
use crate::embed::words::Pipeline;
use crate::error::Error;
use crate::slips::Slips;

/// The reference reads no more pieces of a text than this.
const MOST: usize = 512;

/// A tokenizer with what the reference does around it.
pub(super) struct Tokens {
    tokenizer: Tokenizer,
    /// The piece that stands for "none of mine": dropped from every text.
    unknown: Option<u32>,
    /// A text is cut to this many characters before it is tokenized.
    longest: usize,
    /// Whether each word is split for itself.
    words_apart: bool,
    slips: Slips,
}

impl Tokens {
    pub(super) fn parse(json: &[u8]) -> Result<Self, Error> {
        let File { model, pipeline } = File::parse(json)?;
        let mut tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| problem(error.to_string()))?;
        // What a file stores about both is for batches of a training run.
        tokenizer.with_padding(None);
        tokenizer
            .with_truncation(None)
            .map_err(|error| problem(error.to_string()))?;
        let unknown = model.id(&tokenizer);
        let vocabulary = tokenizer.get_vocab(true);
        Ok(Self {
            tokenizer,
            unknown,
            longest: MOST * median_length(&vocabulary),
            words_apart: pipeline.keeps_words_apart(),
            slips: Slips::of(whole_words(&vocabulary)),
        })
    }

    pub(super) fn vocabulary_size(&self) -> usize {
        self.tokenizer.get_vocab_size(true)
    }

    /// The id of the word that was meant by one for which there is no piece.
    pub(super) fn meant(&self, word: &str) -> Option<u32> {
        self.slips.meant(word)
    }

    /// Whether the pieces of a text are those of its words.
    pub(super) const fn words_apart(&self) -> bool {
        self.words_apart
    }

    /// Ids in the text's order, without special pieces, without unknown ones.
    pub(super) fn ids(&self, text: &str) -> Vec<u32> {
        // A tokenizer that has no unknown piece refuses what it cannot spell.
        let all = self.all(self.cut(text)).unwrap_or_default();
        self.finished(all)
    }

    /// As much of a text as the reference reads.
    pub(super) fn cut<'a>(&self, text: &'a str) -> &'a str {
        if text.len() <= self.longest {
            return text;
        }
        let end = text.char_indices().nth(self.longest);
        end.map_or(text, |(at, _)| &text[..at])
    }

    /// Every id, unknown ones too; `None` where the tokenizer refuses the text.
    pub(super) fn all(&self, text: &str) -> Option<Vec<u32>> {
        let encoding = self.tokenizer.encode_fast(text, false).ok()?;
        Some(encoding.get_ids().to_vec())
    }

    /// What the reference keeps of every id of a text.
    pub(super) fn finished(&self, mut ids: Vec<u32>) -> Vec<u32> {
        ids.truncate(MOST);
        ids.retain(|&id| Some(id) != self.unknown);
        ids
    }
}

/// How the file names its unknown piece: Unigram by id, the others by text.
#[derive(Debug, Default, Deserialize)]
struct Unknown {
    unk_id: Option<u32>,
    unk_token: Option<String>,
}

/// What of the file the crate does not tell.
#[derive(Debug, Deserialize)]
struct File {
    model: Unknown,
    #[serde(flatten)]
    pipeline: Pipeline,
}

impl File {
    fn parse(json: &[u8]) -> Result<Self, Error> {
        serde_json::from_slice(json).map_err(|error| problem(error.to_string()))
    }
}

impl Unknown {
    fn id(self, tokenizer: &Tokenizer) -> Option<u32> {
        self.unk_id
            .or_else(|| tokenizer.token_to_id(&self.unk_token?))
    }
}

/// The median number of characters in a piece of the vocabulary, rounded down.
fn median_length(vocabulary: &HashMap<String, u32>) -> usize {
    let mut lengths: Vec<usize> = vocabulary
        .keys()
        .map(|piece| piece.chars().count())
        .collect();
    lengths.sort_unstable();
    match lengths.len() {
        0 => 1,
        n if n % 2 == 1 => lengths[n / 2],
        n => usize::midpoint(lengths[n / 2 - 1], lengths[n / 2]),
    }
}

/// The pieces that are whole words, with their ids. Word beginnings are marked in those of `SentencePiece`
/// and in byte-level vocabularies; in those of `WordPiece`, what is none.
fn whole_words(vocabulary: &HashMap<String, u32>) -> impl Iterator<Item = (&str, u32)> {
    let marked = ['\u{2581}', '\u{120}'].into_iter().find(|mark| {
        let marked = vocabulary.keys().filter(|piece| piece.starts_with(*mark));
        marked.count() > vocabulary.len() / 10
    });
    vocabulary.iter().filter_map(move |(piece, &id)| {
        let word = match marked {
            Some(mark) => piece.strip_prefix(mark)?,
            None => piece,
        };
        Some((word, id))
    })
}

fn problem(problem: String) -> Error {
    Error::Model {
        file: files::TOKENIZER,
        problem,
    }
}

#[cfg(test)]
mod tests {
    use super::{File, Tokens};

    #[test]
    fn a_word_piece_file_names_its_unknown_piece_by_text() {
        let json = br###"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],
            "normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,
            "strip_accents":null,"lowercase":true},"pre_tokenizer":{"type":"BertPreTokenizer"},
            "post_processor":null,"decoder":null,"model":{"type":"WordPiece","unk_token":"[UNK]",
            "continuing_subword_prefix":"##","max_input_chars_per_word":100,
            "vocab":{"[UNK]":0,"create":1,"##s":2,"issue":3}}}"###;
        let tokens = Tokens::parse(json).unwrap();
        assert_eq!(tokens.unknown, Some(0));
        assert_eq!(tokens.ids("Creates an ISSUE"), [1, 2, 3]);
        assert_eq!(tokens.vocabulary_size(), 4);
    }

    #[test]
    fn the_unknown_piece_may_be_missing() {
        let unknown = File::parse(br#"{"model":{"vocab":{}}}"#).unwrap().model;
        assert_eq!((unknown.unk_id, unknown.unk_token), (None, None));
        assert!(File::parse(b"{}").is_err());
    }
}
