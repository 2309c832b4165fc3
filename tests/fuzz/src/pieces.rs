//! How is a text cut into pieces? Where its own bytes say, so that an input is nothing but a text.

/// A few ways to send the same bytes: one by one, and in pieces of any size.
pub(crate) fn ways(bytes: &[u8]) -> [Vec<&[u8]>; 3] {
    let mut draw = Draw::of(bytes);
    [
        bytes.chunks(1).collect(),
        cut(bytes, &mut draw, 4),
        cut(bytes, &mut draw, 64),
    ]
}

fn cut<'a>(mut bytes: &'a [u8], draw: &mut Draw, most: usize) -> Vec<&'a [u8]> {
    let mut pieces = Vec::new();
    while !bytes.is_empty() {
        // Empty pieces come too.
        let (piece, rest) = bytes.split_at(draw.below(most + 1).min(bytes.len()));
        pieces.push(piece);
        bytes = rest;
    }
    pieces
}

/// Numbers that follow from bytes, and change with each of them.
pub(crate) struct Draw(u64);

impl Draw {
    /// FNV-1a.
    pub(crate) fn of(bytes: &[u8]) -> Self {
        let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self(hash | 1)
    }

    /// Xorshift; `most` is at least 1.
    pub(crate) fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap_or_default()
    }
}
