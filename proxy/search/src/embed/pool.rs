//! How do rows become one vector? Their mean, made unit length (Model2Vec).
//!
//! The mean of a query is one tensor operation. An index takes tens of thousands of directions of
//! a few rows each, for which making tensors costs more than the adding: these are summed in place.

use candle_core::{Device, Result, Tensor};

use crate::embed::weights::Weights;

/// The mean of the rows of `ids`; all zero for no ids.
pub(super) fn mean(ids: &[u32], weights: &Weights, normalize: bool) -> Vec<f32> {
    let dimensions = weights.dimensions();
    let mut rows = Vec::with_capacity(ids.len() * dimensions);
    for &id in ids {
        weights.append(id, &mut rows);
    }
    // The shapes fit by construction; a vector of zeros is "no match" to every reader.
    pool(rows, ids.len(), dimensions, normalize).unwrap_or_else(|_| vec![0.0; dimensions])
}

/// The sum of the rows of `ids`, which has the direction of their mean.
pub(super) fn sum(ids: &[u32], weights: &Weights) -> Vec<f32> {
    let mut sum = vec![0.0; weights.dimensions()];
    for &id in ids {
        weights.add(id, &mut sum);
    }
    sum
}

/// Unit length; all zero stays so.
pub(super) fn direction(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|number| number * number).sum::<f32>();
    let length = length.sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|number| *number /= length);
    }
    vector
}

fn pool(rows: Vec<f32>, count: usize, dimensions: usize, normalize: bool) -> Result<Vec<f32>> {
    if count == 0 {
        return Ok(vec![0.0; dimensions]);
    }
    let mean = Tensor::from_vec(rows, (count, dimensions), &Device::Cpu)?.mean(0)?;
    if !normalize {
        return mean.to_vec1();
    }
    let length = mean.sqr()?.sum_all()?.sqrt()?.to_scalar::<f32>()?;
    if length > 0.0 {
        (mean / f64::from(length))?.to_vec1()
    } else {
        mean.to_vec1()
    }
}
