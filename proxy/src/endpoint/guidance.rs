//! What is a client told about this server? Our guidance, then the upstream's own instructions.

/// How to use the five tools: some clients keep only the beginning of all instructions, so
/// everything essential is here, in at most 600 characters.
const OURS: &str = "This server reaches many tools without listing them. Find them with search_tools: \
    say what you need in plain words, in any language, several needs at once. A hit that is readOnly is \
    called with call_read_tool (several at once: call_read_tools), any other with call_write_tool. \
    describe_tool gives the full input schema where a hit has none. A refused call says what to mend. \
    Before you say that something cannot be done, search for it.";

const CUT: &str = "\n[The instructions of the server behind the proxy are cut here.]";

/// Ours, then theirs unchanged; at most `most` characters, a cut said where it is made.
pub(super) fn instructions(theirs: Option<&str>, most: usize) -> String {
    let Some(theirs) = theirs.filter(|theirs| !theirs.trim().is_empty()) else {
        return OURS.to_owned();
    };
    let whole = format!("{OURS}\n\nInstructions of the server behind it:\n{theirs}");
    if whole.chars().count() <= most {
        return whole;
    }
    let kept = most.saturating_sub(CUT.chars().count());
    let end = whole
        .char_indices()
        .nth(kept)
        .map_or(whole.len(), |(at, _)| at);
    format!("{}{CUT}", &whole[..end])
}

#[cfg(test)]
mod tests {
    use super::{CUT, OURS, instructions};

    #[test]
    fn ours_comes_first_and_is_short() {
        assert!(OURS.chars().count() <= 600, "{}", OURS.chars().count());
        assert_eq!(instructions(None, 10_000), OURS);
        assert_eq!(instructions(Some(" "), 10_000), OURS);
        let whole = instructions(Some(" Ačiū.\n"), 10_000);
        assert!(whole.starts_with(OURS) && whole.ends_with("\n Ačiū.\n"));
    }

    #[test]
    fn a_cut_is_said_and_splits_no_character() {
        let theirs = "ąčę🚀".repeat(5000);
        for most in [600, 601, 602, 603, 5000] {
            let cut = instructions(Some(&theirs), most);
            assert!(cut.chars().count() <= most && cut.ends_with(CUT));
        }
    }
}
