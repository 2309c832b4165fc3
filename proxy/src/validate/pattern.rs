//! How long can a pattern take? By its text alone.

/// Steps a pattern may take on one string before it counts as unchecked.
pub(super) const BACKTRACKS: usize = 10_000;
/// Steps of the count for one step back, some 200 ns each.
const STEP_BACK: u64 = 8;
/// What only a machine that steps back can match: lookaround, atomic groups, references back.
const STEPS_BACK: [&str; 7] = ["(?=", "(?!", "(?<", "(?>", "(?(", "(?P=", "(?:(?"];

/// What a pattern's text says of its time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pattern {
    /// States it has about, repetitions by number multiplied out.
    pub(super) states: u64,
    /// How often a string's length is multiplied with itself while it steps back; `None` where it
    /// never does.
    powers: Option<u32>,
}

impl Pattern {
    pub(super) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let back = STEPS_BACK.iter().any(|sign| text.contains(sign))
            || bytes
                .windows(2)
                .any(|pair| pair[0] == b'\\' && (pair[1].is_ascii_digit() || pair[1] == b'k'))
            || ["++", "*+", "?+", "}+"]
                .iter()
                .any(|sign| text.contains(sign));
        Self {
            states: states(bytes),
            powers: back.then(|| powers(bytes)),
        }
    }

    /// Steps for one text of so many bytes.
    pub(super) fn steps(self, length: usize) -> u64 {
        let length = length as u64;
        let through = (length / 8 + 1).saturating_mul(1 + self.states / 1024);
        let Some(powers) = self.powers else {
            return through;
        };
        let back = (length + 1).saturating_pow(powers).min(BACKTRACKS as u64);
        // Between two steps back the rest of the text may be read.
        let each = STEP_BACK + length / 64;
        through.saturating_add(back.saturating_mul(each))
    }
}

/// The text's length, classes that are large counted as such, times all repetitions by number.
fn states(text: &[u8]) -> u64 {
    const LARGE_CLASS: u64 = 20;
    let large = text
        .windows(2)
        .filter(|pair| pair[0] == b'\\' && b"wWdDsSpP".contains(&pair[1]))
        .count() as u64;
    let length = text.len() as u64 + large * LARGE_CLASS;
    let most = |part: &[u8]| {
        let numbers = part.split(|byte| !byte.is_ascii_digit());
        let numbers = numbers.filter_map(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
        numbers.max().unwrap_or(1_u64)
    };
    // One after the other they add up, inside each other they multiply: nested ones close groups.
    let (mut sum, mut product, mut is_nested) = (0_u64, 1_u64, false);
    let mut at = 0;
    while let Some(open) = text[at..].iter().position(|byte| *byte == b'{') {
        let open = at + open;
        let end = text[open..]
            .iter()
            .position(|byte| *byte == b'}')
            .map_or(text.len(), |end| open + end);
        let times = most(&text[open..end]).max(1);
        if open > 0 && text[open - 1] == b')' {
            product = product.saturating_mul(times);
            is_nested = true;
        } else {
            sum = sum.saturating_add(times);
        }
        at = end;
    }
    let once = length.saturating_add(sum.saturating_mul(1 + LARGE_CLASS * u64::from(large > 0)));
    if is_nested {
        once.saturating_mul(product)
    } else {
        once
    }
}

/// How many open repetitions there are, 3 and more and those inside each other as many as are.
fn powers(text: &[u8]) -> u32 {
    const ENDLESS: u32 = 20;
    let (mut repetitions, mut is_nested, mut in_class) = (0_u32, false, false);
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => in_class = true,
            b']' => in_class = false,
            b'*' | b'+' | b'{' if !in_class && at > 0 => {
                repetitions += 1;
                is_nested |= text[at - 1] == b')';
            }
            _ => (),
        }
        at += 1;
    }
    if is_nested { ENDLESS } else { repetitions }
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn a_pattern_that_steps_back_costs_more_the_more_it_repeats() {
        let steps = |text: &str| Pattern::new(text).steps(64);
        assert!(steps("^[a-z]{1,63}$") < 20);
        assert!(steps(r"^(?!.*--)[a-z0-9-]+$") < 100_000);
        assert!(steps(r"^(?=(a+)+$)b") > 50_000);
        assert!(Pattern::new(r"^(?=(a+)+$)b").steps(1_000_000) > 100_000_000);
        // Large to build, and so slow to run.
        assert!(Pattern::new(r"(\w{90}){50}").states > 50_000);
    }
}
