//! Which words are near to this one? A scan in eight bits.

/// A word counts from this cosine on; below lies what unrelated words have in common.
const LEAST: f32 = 0.3;
/// Words that one query word may stand for.
const MOST: usize = 16;

/// Unit vectors in eight bits, each with its own scale.
pub(super) struct Table {
    dimensions: usize,
    rows: Vec<i8>,
    scales: Vec<f32>,
}

impl Table {
    pub(super) fn of(dimensions: usize, count: usize) -> Self {
        Self {
            dimensions,
            rows: Vec::with_capacity(dimensions * count),
            scales: Vec::with_capacity(count),
        }
    }

    pub(super) fn push(&mut self, vector: &[f32]) {
        let (row, scale) = quantized(vector);
        self.rows.extend(row);
        self.scales.push(scale);
    }

    /// The nearest words with their weights, in (0, 1]: how far their cosine lies above the least.
    pub(super) fn nearest(&self, vector: &[f32]) -> Vec<(usize, f32)> {
        let (asked, scale) = quantized(vector);
        let rows = self.rows.chunks_exact(self.dimensions.max(1));
        let mut near: Vec<(usize, f32)> = rows
            .zip(&self.scales)
            .map(|(row, of_row)| product(row, &asked) as f32 * scale * of_row)
            .enumerate()
            .filter(|&(_, cosine)| cosine > LEAST)
            .collect();
        // Ties by position: the same words on every replica.
        near.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        near.truncate(MOST);
        let weight = |cosine: f32| ((cosine - LEAST) / (1.0 - LEAST)).min(1.0);
        near.into_iter()
            .map(|(word, cosine)| (word, weight(cosine)))
            .collect()
    }

    /// The cosine of a vector and a word.
    pub(super) fn similarity(&self, vector: &[f32], word: usize) -> f32 {
        let (asked, scale) = quantized(vector);
        let row = &self.rows[word * self.dimensions..(word + 1) * self.dimensions];
        product(row, &asked) as f32 * scale * self.scales[word]
    }
}

fn quantized(vector: &[f32]) -> (Vec<i8>, f32) {
    let largest = vector
        .iter()
        .fold(0.0_f32, |most, number| most.max(number.abs()));
    if largest == 0.0 {
        return (vec![0; vector.len()], 0.0);
    }
    let scale = largest / 127.0;
    // In range by construction: the largest becomes 127.
    let row = vector.iter().map(|number| (number / scale).round() as i8);
    (row.collect(), scale)
}

fn product(a: &[i8], b: &[i8]) -> i32 {
    a.iter()
        .zip(b)
        .map(|(&a, &b)| i32::from(i16::from(a) * i16::from(b)))
        .sum()
}
