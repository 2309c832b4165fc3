//! Which words are near to this one? An inverted file of eight-bit vectors: words lie in clusters,
//! and only the clusters nearest to the query word are read (Jégou, Douze and Schmid 2011).

use std::ops::Range;

use crate::simd;

/// A word counts from this cosine on; below lies what unrelated words have in common.
const LEAST: f32 = 0.3;
/// Words that one query word may stand for.
const MOST: usize = 16;
/// One in so many clusters is read.
const READ: usize = 4;
/// And never fewer.
const READ_AT_LEAST: usize = 20;
/// Rounds of making the clusters: later ones move few words.
const ROUNDS: usize = 3;

/// Unit vectors in eight bits, each with its own scale.
struct Rows {
    dimensions: usize,
    numbers: Vec<i8>,
    scales: Vec<f32>,
}

/// A vector in eight bits with its scale.
struct Asked {
    row: Vec<i8>,
    scale: f32,
}

/// The words' vectors, by cluster.
pub(super) struct Table {
    rows: Rows,
    /// By row, the word.
    words: Vec<u32>,
    /// By word, the row.
    places: Vec<u32>,
    centroids: Rows,
    /// Where the rows of each cluster begin; one more than clusters.
    starts: Vec<usize>,
}

impl Rows {
    fn of(dimensions: usize) -> Self {
        Self {
            dimensions: dimensions.max(1),
            numbers: Vec::new(),
            scales: Vec::new(),
        }
    }

    fn len(&self) -> usize {
        self.scales.len()
    }

    fn push(&mut self, vector: &[f32]) {
        let Asked { row, scale } = quantized(vector);
        self.numbers.extend(row);
        self.scales.push(scale);
    }

    fn row(&self, at: usize) -> &[i8] {
        &self.numbers[at * self.dimensions..(at + 1) * self.dimensions]
    }

    /// The cosine of each row of a range with a vector.
    fn cosines(&self, range: Range<usize>, asked: &Asked) -> impl Iterator<Item = (usize, f32)> {
        let rows = range.start * self.dimensions..range.end * self.dimensions;
        let products = simd::products(&self.numbers[rows], &asked.row);
        let cosine = |product, at| product as f32 * asked.scale * self.scales[at];
        let products = products.into_iter().zip(range);
        products.map(move |(product, at)| (at, cosine(product, at)))
    }

    /// The row nearest to a vector; of equally near ones the first.
    fn nearest(&self, row: &[i8]) -> usize {
        let products = simd::products(&self.numbers, row);
        let mut best = (0, f32::NEG_INFINITY);
        for (at, (product, scale)) in products.into_iter().zip(&self.scales).enumerate() {
            let scaled = product as f32 * scale;
            if scaled > best.1 {
                best = (at, scaled);
            }
        }
        best.0
    }
}

impl Table {
    /// A table of unit vectors, in the words' order.
    pub(super) fn of<'a>(dimensions: usize, vectors: impl Iterator<Item = Vec<f32>> + 'a) -> Self {
        let mut rows = Rows::of(dimensions);
        vectors.for_each(|vector| rows.push(&vector));
        let (centroids, clusters) = clustered(&rows);
        let mut words: Vec<u32> = (0..).take(rows.len()).collect();
        words.sort_by_key(|&word| clusters[word as usize]);
        let mut table = Self {
            rows: Rows::of(dimensions),
            places: vec![0; words.len()],
            starts: vec![0; centroids.len() + 1],
            centroids,
            words,
        };
        for (row, &word) in (0..).zip(&table.words) {
            let word = word as usize;
            table.rows.numbers.extend_from_slice(rows.row(word));
            table.rows.scales.push(rows.scales[word]);
            table.places[word] = row;
            table.starts[clusters[word] + 1] += 1;
        }
        for cluster in 0..table.centroids.len() {
            table.starts[cluster + 1] += table.starts[cluster];
        }
        table
    }

    /// The nearest words with their weights, in (0, 1]: how far their cosine lies above the least.
    pub(super) fn nearest(&self, vector: &[f32]) -> Vec<(usize, f32)> {
        let asked = quantized(vector);
        let count = self.centroids.len();
        let mut clusters: Vec<_> = self.centroids.cosines(0..count, &asked).collect();
        // Ties by position, here and below: the same words on every replica.
        let order = |a: &(usize, f32), b: &(usize, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        let read = (count / READ).max(READ_AT_LEAST);
        if read < count {
            clusters.select_nth_unstable_by(read, order);
            clusters.truncate(read);
        }
        let mut near: Vec<(usize, f32)> = Vec::new();
        for (cluster, _) in clusters {
            let rows = self.starts[cluster]..self.starts[cluster + 1];
            let cosines = self.rows.cosines(rows, &asked);
            let cosines = cosines.filter(|&(_, cosine)| cosine > LEAST);
            near.extend(cosines.map(|(row, cosine)| (self.words[row] as usize, cosine)));
        }
        if MOST < near.len() {
            near.select_nth_unstable_by(MOST, order);
            near.truncate(MOST);
        }
        near.sort_unstable_by(order);
        let weight = |cosine: f32| ((cosine - LEAST) / (1.0 - LEAST)).min(1.0);
        near.into_iter()
            .map(|(word, cosine)| (word, weight(cosine)))
            .collect()
    }

    /// The cosine of a vector and a word.
    pub(super) fn similarity(&self, vector: &[f32], word: usize) -> f32 {
        let row = self.places[word] as usize;
        let asked = quantized(vector);
        let mut cosines = self.rows.cosines(row..row + 1, &asked);
        cosines.next().map_or(0.0, |(_, cosine)| cosine)
    }
}

/// As many clusters as each has words, and the cluster of each row.
fn clustered(rows: &Rows) -> (Rows, Vec<usize>) {
    let count = rows.len().isqrt();
    let number = |at: usize, place: usize| f32::from(rows.row(at)[place]) * rows.scales[at];
    let mut centroids = Rows::of(rows.dimensions);
    // In the words' alphabetical order neighbours are not alike, so any spread will do.
    for cluster in 0..count {
        let at = cluster * rows.len() / count;
        let vector: Vec<f32> = (0..rows.dimensions)
            .map(|place| number(at, place))
            .collect();
        centroids.push(&vector);
    }
    let mut clusters = vec![0; rows.len()];
    for round in 0..ROUNDS {
        for (at, cluster) in clusters.iter_mut().enumerate() {
            *cluster = centroids.nearest(rows.row(at));
        }
        if round + 1 < ROUNDS {
            centroids = means(rows, &clusters, count);
        }
    }
    (centroids, clusters)
}

/// The direction of the sum of each cluster's rows.
fn means(rows: &Rows, clusters: &[usize], count: usize) -> Rows {
    let mut sums = vec![vec![0.0_f32; rows.dimensions]; count];
    for (at, &cluster) in clusters.iter().enumerate() {
        for (sum, &number) in sums[cluster].iter_mut().zip(rows.row(at)) {
            *sum += f32::from(number) * rows.scales[at];
        }
    }
    let mut centroids = Rows::of(rows.dimensions);
    for mut sum in sums {
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt();
        sum.iter_mut()
            .for_each(|number| *number /= length.max(f32::MIN_POSITIVE));
        centroids.push(&sum);
    }
    centroids
}

fn quantized(vector: &[f32]) -> Asked {
    let largest = vector
        .iter()
        .fold(0.0_f32, |most, number| most.max(number.abs()));
    if largest == 0.0 {
        return Asked {
            row: vec![0; vector.len()],
            scale: 0.0,
        };
    }
    let scale = largest / 127.0;
    // In range by construction: the largest becomes 127.
    let row = vector.iter().map(|number| (number / scale).round() as i8);
    Asked {
        row: row.collect(),
        scale,
    }
}
