//! Is this text exactly that value? Numbers only where neither a 32-bit nor a float reader can
//! make another number of them.

use jsonschema::JsonType;

use crate::repair::kind::Kind;

/// Integers beyond this are not the same in a double (2^53 - 1).
const EXACT: u64 = 9_007_199_254_740_991;
/// Decimal digits that every double keeps.
const DIGITS: usize = 15;

/// The JSON that a string's text is, as a scalar of a wanted type.
pub(super) fn of_text(text: &str, wanted: JsonType) -> Option<Kind> {
    match wanted {
        JsonType::Boolean if ["true", "false"].contains(&text) => Some(Kind::BooleanAsText),
        JsonType::Integer if is_integer(text) => Some(Kind::NumberAsText),
        JsonType::Number if is_integer(text) || is_decimal(text) => Some(Kind::NumberAsText),
        _ => None,
    }
}

/// An integer without leading zeros, plus or blanks, that every reader keeps.
fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    // "-0" loses its sign in an integer, "007" its zeros.
    let canonical = plain && (!digits.starts_with('0') || text == "0");
    canonical && digits.parse::<u64>().is_ok_and(|value| value <= EXACT)
}

/// A decimal as JSON writes it, without an exponent, short enough for any double.
fn is_decimal(text: &str) -> bool {
    let Some((whole, fraction)) = text.split_once('.') else {
        return false;
    };
    let digits = whole.strip_prefix('-').unwrap_or(whole);
    let plain = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let canonical = plain(digits) && plain(fraction) && (digits == "0" || !digits.starts_with('0'));
    let negative_zero = whole.starts_with('-') && text.bytes().all(|byte| b"-0.".contains(&byte));
    canonical && !negative_zero && digits.len() + fraction.len() <= DIGITS
}

#[cfg(test)]
mod tests {
    use super::{is_decimal, is_integer};

    #[test]
    fn only_what_no_reader_can_change_is_a_number() {
        for text in ["0", "7", "-12", "9007199254740991"] {
            assert!(is_integer(text), "{text}");
        }
        for text in [
            "",
            "-",
            "007",
            "00",
            "-0",
            "+5",
            " 5",
            "5 ",
            "1e3",
            "0x1f",
            "1_000",
            "1,000",
            "٣",
            "5.0",
            "9007199254740992",
            "12345678901234567890",
        ] {
            assert!(!is_integer(text), "{text}");
        }
        for text in ["0.5", "-1.10", "3.0", "123456789.123456"] {
            assert!(is_decimal(text), "{text}");
        }
        for text in [
            ".5",
            "5.",
            "-0.0",
            "01.5",
            "1.5e3",
            "1.2.3",
            "0.1234567890123456",
            "Infinity",
            "NaN",
            "1,5",
        ] {
            assert!(!is_decimal(text), "{text}");
        }
    }
}
