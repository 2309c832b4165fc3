//! How is one vector multiplied with many? Rows of whole numbers in one piece of memory, in the
//! widest registers that this processor has: binaries are built for the oldest processors.

use pulp::{Arch, Simd, WithSimd};

/// One, as a number of a row. A product of two vectors of at most unit length stays within an
/// `i32`, and so does every part of its sum (Cauchy and Schwarz).
const ONE: f32 = 32_767.0;

/// Numbers of a vector of the usual models.
const USUAL: usize = 256;

/// A vector of at most unit length in sixteen bits: what rounding changes in a cosine is of the
/// order of 0.00001, below what two tools differ by.
pub fn fixed(vector: &[f32]) -> impl Iterator<Item = i16> {
    // Out of range, which only a broken model could be, saturates; what is no number becomes 0.
    vector.iter().map(|number| (number * ONE).round() as i16)
}

/// The product of each row with a vector, both as [`fixed`] made them.
#[must_use]
pub fn products_of_fixed(rows: &[i16], vector: &[i16]) -> Vec<f32> {
    let products = products(rows, vector).into_iter();
    products
        .map(|product| product as f32 / (ONE * ONE))
        .collect()
}

/// The product of each row with a vector.
pub(crate) fn products<T: Copy + Into<i32>>(rows: &[T], vector: &[T]) -> Vec<i32> {
    if vector.is_empty() {
        return Vec::new();
    }
    let mut products = vec![0; rows.len() / vector.len()];
    Arch::new().dispatch(Products {
        rows,
        vector,
        products: &mut products,
    });
    products
}

struct Products<'a, T> {
    rows: &'a [T],
    vector: &'a [T],
    products: &'a mut [i32],
}

impl<T: Copy + Into<i32>> WithSimd for Products<'_, T> {
    type Output = ();

    // Within what calls it, because only there the wide registers may be used.
    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        // A length that is known when this is compiled leaves the processor nothing but products.
        if let Ok(vector) = <&[T; USUAL]>::try_from(self.vector) {
            let (rows, _) = self.rows.as_chunks::<USUAL>();
            for (row, to) in rows.iter().zip(self.products) {
                *to = product(row, vector);
            }
        } else {
            let rows = self.rows.chunks_exact(self.vector.len());
            for (row, to) in rows.zip(self.products) {
                *to = product(row, self.vector);
            }
        }
    }
}

/// The product of two vectors of one length.
#[inline(always)]
fn product<T: Copy + Into<i32>>(row: &[T], vector: &[T]) -> i32 {
    // Widened before it is multiplied, which processors do in one step with the sum of two
    // neighbours, for numbers of sixteen bits.
    let mut sum = 0_i32;
    for (&a, &b) in row.iter().zip(vector) {
        sum += a.into() * b.into();
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{fixed, products, products_of_fixed};

    fn unit(numbers: &[f32]) -> Vec<f32> {
        let length = numbers.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-9);
        numbers.iter().map(|x| x / length).collect()
    }

    proptest! {
        #[test]
        fn products_are_cosines(
            (rows, asked) in (1..300_usize).prop_flat_map(|dimensions| {
                let vector = || proptest::collection::vec(-1.0_f32..1.0, dimensions);
                (proptest::collection::vec(vector(), 0..5), vector())
            }),
        ) {
            let rows: Vec<_> = rows.iter().map(|row| unit(row)).collect();
            let asked = unit(&asked);
            let table: Vec<i16> = rows.iter().flat_map(|row| fixed(row)).collect();
            let found = products_of_fixed(&table, &fixed(&asked).collect::<Vec<_>>());
            prop_assert_eq!(found.len(), rows.len());
            for (row, product) in rows.iter().zip(found) {
                let exact: f64 = row.iter().zip(&asked).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                prop_assert!((exact - f64::from(product)).abs() < 1e-4, "{exact} {product}");
            }
        }
    }

    #[test]
    fn nothing_overflows_and_nothing_panics() {
        for dimensions in [1, 16, 256, 1000] {
            let same = 1.0 / (dimensions as f32).sqrt();
            let row: Vec<i16> = fixed(&vec![same; dimensions]).collect();
            assert!((products_of_fixed(&row, &row)[0] - 1.0).abs() < 1e-3);
            let row = vec![-127_i8; dimensions];
            assert_eq!(products(&row, &row), [127 * 127 * dimensions as i32]);
        }
        assert_eq!(
            fixed(&[f32::NAN, 2.0, -2.0]).collect::<Vec<_>>(),
            [0, i16::MAX, i16::MIN]
        );
        assert!(products_of_fixed(&[], &[]).is_empty());
    }
}
