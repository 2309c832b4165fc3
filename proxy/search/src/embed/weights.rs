//! Where are the numbers? The table of a model: mapped or built in, read in place.

use std::fs::File;
use std::path::Path;

use half::f16;
use memmap2::Mmap;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};

use crate::embed::files;
use crate::error::Error;

/// The bytes of a `model.safetensors`.
pub(super) enum Bytes {
    /// Part of the binary.
    Static(&'static [u8]),
    /// A file's pages: a table of half a gigabyte costs page cache instead of heap.
    Mapped(Mmap),
}

impl Bytes {
    #[expect(
        unsafe_code,
        reason = "mapping is unsafe because another process may change the file: model folders \
                  are complete before they get their name and are never written again, and every \
                  row is read as plain bytes, so that a change could alter numbers, not memory"
    )]
    pub(super) fn map(path: &Path) -> Result<Self, Error> {
        let read = |source| Error::Read {
            path: path.to_owned(),
            source,
        };
        let file = File::open(path).map_err(read)?;
        // SAFETY: see the reason above; nothing borrows from the map beyond its own lifetime.
        let map = unsafe { Mmap::map(&file) }.map_err(read)?;
        Ok(Self::Mapped(map))
    }

    fn get(&self) -> &[u8] {
        match self {
            Self::Static(bytes) => bytes,
            Self::Mapped(map) => map,
        }
    }

    /// The safetensors header: eight bytes of length, then JSON.
    pub(super) fn header(&self) -> &[u8] {
        let bytes = self.get();
        let length = bytes
            .first_chunk()
            .map_or(0, |length| u64::from_le_bytes(*length));
        let end = usize::try_from(length)
            .unwrap_or(usize::MAX)
            .saturating_add(8);
        &bytes[..end.min(bytes.len())]
    }

    /// Some of the numbers, spread over the whole file.
    pub(super) fn sample(&self) -> Vec<u8> {
        let bytes = self.get();
        bytes
            .chunks((bytes.len() / 256).max(1))
            .filter_map(|chunk| chunk.first_chunk::<64>())
            .flatten()
            .copied()
            .collect()
    }
}

/// Rows by token id.
pub(super) struct Weights {
    bytes: Bytes,
    table: Place,
    rows: usize,
    dimensions: usize,
    /// Token id to row, where several tokens share one.
    mapping: Option<Vec<u32>>,
    /// A factor by token id.
    factors: Option<Vec<f32>>,
}

/// A tensor's numbers within the bytes.
#[derive(Debug, Clone, Copy)]
struct Place {
    kind: Kind,
    start: usize,
}

#[derive(Debug, Clone, Copy)]
enum Kind {
    F32,
    F16,
    I8,
}

impl Kind {
    const fn size(self) -> usize {
        match self {
            Self::F32 => 4,
            Self::F16 => 2,
            Self::I8 => 1,
        }
    }
}

impl Weights {
    pub(super) fn parse(bytes: Bytes, vocabulary: usize) -> Result<Self, Error> {
        let file =
            SafeTensors::deserialize(bytes.get()).map_err(|error| problem(error.to_string()))?;
        let table = file
            .tensor("embeddings")
            .map_err(|_| problem("no tensor `embeddings`".into()))?;
        let &[rows, dimensions] = table.shape() else {
            return Err(problem(format!(
                "`embeddings` has shape {:?}, not two axes",
                table.shape()
            )));
        };
        let mapping = file
            .tensor("mapping")
            .ok()
            .map(|tensor| mapping(&tensor, rows))
            .transpose()?;
        let factors = file
            .tensor("weights")
            .ok()
            .map(|tensor| factors(&tensor))
            .transpose()?;
        let (mapped, weighted) = (
            mapping.as_ref().map(Vec::len),
            factors.as_ref().map(Vec::len),
        );
        for (tensor, length) in [
            ("mapping", mapped),
            ("weights", weighted),
            ("embeddings", mapped.xor(Some(rows))),
        ] {
            if let Some(length) = length.filter(|&length| length != vocabulary) {
                let problem_text = format!("`{tensor}` has {length} rows for {vocabulary} tokens");
                return Err(problem(problem_text));
            }
        }
        let start = table.data().as_ptr().addr() - bytes.get().as_ptr().addr();
        let table = Place {
            kind: kind(table.dtype())?,
            start,
        };
        Ok(Self {
            bytes,
            table,
            rows,
            dimensions,
            mapping,
            factors,
        })
    }

    pub(super) const fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// Appends one token's row, factor included; zeros for an id the table does not have.
    pub(super) fn append(&self, id: u32, numbers: &mut Vec<f32>) {
        let from = numbers.len();
        numbers.resize(from + self.dimensions, 0.0);
        self.add(id, &mut numbers[from..]);
    }

    /// Adds one token's row, factor included; nothing for an id the table does not have.
    pub(super) fn add(&self, id: u32, sum: &mut [f32]) {
        let id = id as usize;
        let row = self
            .mapping
            .as_ref()
            .map_or(Some(id), |mapping| Some(*mapping.get(id)? as usize));
        let Some(row) = row.filter(|&row| row < self.rows) else {
            return;
        };
        let factor = self.factors.as_ref().and_then(|factors| factors.get(id));
        let factor = factor.copied().unwrap_or(1.0);
        let width = self.dimensions * self.table.kind.size();
        let bytes = &self.bytes.get()[self.table.start + row * width..][..width];
        match self.table.kind {
            Kind::F32 => add(bytes.as_chunks().0, sum, factor, |it| {
                f32::from_le_bytes(*it)
            }),
            Kind::F16 => add(bytes.as_chunks().0, sum, factor, |it| {
                f16::from_le_bytes(*it).to_f32()
            }),
            Kind::I8 => add(bytes, sum, factor, |it| f32::from(it.cast_signed())),
        }
    }
}

fn add<T>(row: &[T], sum: &mut [f32], factor: f32, read: impl Fn(&T) -> f32) {
    for (total, number) in sum.iter_mut().zip(row) {
        *total += factor * read(number);
    }
}

fn kind(dtype: Dtype) -> Result<Kind, Error> {
    match dtype {
        Dtype::F32 => Ok(Kind::F32),
        Dtype::F16 => Ok(Kind::F16),
        Dtype::I8 => Ok(Kind::I8),
        other => Err(problem(format!(
            "`embeddings` holds {other:?}; F32, F16 and I8 are read"
        ))),
    }
}

fn mapping(tensor: &TensorView<'_>, rows: usize) -> Result<Vec<u32>, Error> {
    let bytes = tensor.data();
    let numbers: Vec<i64> = match tensor.dtype() {
        Dtype::I64 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|eight| i64::from_le_bytes(*eight))
            .collect(),
        Dtype::I32 => bytes
            .as_chunks()
            .0
            .iter()
            .map(|four| i32::from_le_bytes(*four).into())
            .collect(),
        other => {
            return Err(problem(format!(
                "`mapping` holds {other:?}; I32 and I64 are read"
            )));
        }
    };
    let numbers = numbers.into_iter().map(|row| u32::try_from(row).ok());
    let numbers = numbers
        .map(|row| row.filter(|&row| (row as usize) < rows))
        .collect::<Option<_>>();
    numbers.ok_or_else(|| problem(format!("`mapping` points outside the {rows} rows")))
}

fn factors(tensor: &TensorView<'_>) -> Result<Vec<f32>, Error> {
    let bytes = tensor.data();
    match tensor.dtype() {
        Dtype::F64 => {
            let numbers = bytes
                .as_chunks()
                .0
                .iter()
                .map(|eight| f64::from_le_bytes(*eight));
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a factor needs no more digits"
            )]
            Ok(numbers.map(|number| number as f32).collect())
        }
        Dtype::F32 => Ok(bytes
            .as_chunks()
            .0
            .iter()
            .map(|four| f32::from_le_bytes(*four))
            .collect()),
        Dtype::F16 => Ok(bytes
            .as_chunks()
            .0
            .iter()
            .map(|two| f16::from_le_bytes(*two).to_f32())
            .collect()),
        other => Err(problem(format!(
            "`weights` holds {other:?}; F64, F32 and F16 are read"
        ))),
    }
}

fn problem(problem: String) -> Error {
    Error::Model {
        file: files::TABLE,
        problem,
    }
}
