//! What is the model told when the upstream fails? Whether the call was carried out, and what to
//! do now: "it is down" and "there is no such tool" are different answers.

use serde::Deserialize;

use crate::protocol::{ErrorObject, code};
use crate::tools::answer::Outcome;
use crate::upstream::{Error, Phase};

/// Characters of an upstream's message that are repeated.
const MESSAGE: usize = 4000;

/// A failed call in words, and in one word.
pub(super) fn tell(error: &Error, tool: &str, reads: bool) -> (String, Outcome) {
    if let Error::Rpc(error) = error {
        return (rpc(error, tool), Outcome::ToolError);
    }
    let unknown = error.outcome_unknown();
    let what = what(error);
    let next = match (unknown, reads, error) {
        (false, _, Error::RateLimited { retry_after }) => {
            let seconds = retry_after.as_ref().and_then(|value| value.to_str().ok());
            let wait = seconds.map_or("a while".to_owned(), |value| {
                format!("{value} (Retry-After)")
            });
            format!("The call was not carried out. Wait {wait} before trying again.")
        }
        (false, _, Error::Forbidden { .. }) => {
            "The call was not carried out; the credentials in use do not allow it.".to_owned()
        }
        (false, _, Error::NotAnswering { .. }) => format!(
            "The call was not sent. Try again in {} s.",
            error.retry_seconds().unwrap_or(1)
        ),
        (false, ..) => "The call was not carried out. It can be tried again later.".to_owned(),
        (true, true, _) => "The tool only reads, so the call can safely be tried again.".to_owned(),
        (true, false, _) => "Whether the call was carried out is not known, and it was not sent \
            again. Check with a read tool before trying again."
            .to_owned(),
    };
    let outcome = if unknown && !reads {
        Outcome::OutcomeUnknown
    } else {
        Outcome::UpstreamFailed
    };
    (
        format!("The tool {tool:?} exists, but {what}. {next}"),
        outcome,
    )
}

/// No list of tools, so nothing can be searched or called.
pub(super) fn unlisted(error: &Error) -> (String, Outcome) {
    let what = what(error);
    let when = error
        .retry_seconds()
        .map_or("later".to_owned(), |seconds| format!("in {seconds} s"));
    let text = format!(
        "The tools cannot be listed now: {what}. This says nothing about which tools there are; nothing \
         was called. Try again {when}."
    );
    (text, Outcome::UpstreamFailed)
}

fn what(error: &Error) -> String {
    match error {
        Error::Unauthorized { .. } => "the server behind it asks for authorization".to_owned(),
        Error::Forbidden { .. } => "the server behind it refused it (HTTP 403)".to_owned(),
        Error::RateLimited { .. } => {
            "the server behind it limits the rate of requests (HTTP 429)".to_owned()
        }
        Error::Unreachable | Error::Tls => {
            "the server behind it is down or cannot be reached".to_owned()
        }
        Error::Timeout {
            phase: Phase::Connect,
        } => "the server behind it cannot be reached in time".to_owned(),
        Error::Timeout { .. } => "the server behind it did not answer in time".to_owned(),
        Error::Lost => "the connection to the server behind it broke before the answer".to_owned(),
        Error::Status {
            status,
            retry_after,
        } => {
            let wait = retry_after.as_ref().and_then(|value| value.to_str().ok());
            let wait = wait.map_or(String::new(), |wait| {
                format!(", and asks to wait {wait} (Retry-After)")
            });
            format!("the server behind it answered with HTTP status {status}{wait}")
        }
        Error::Malformed { .. } => "the server behind it gave an answer that is no MCP".to_owned(),
        Error::TooLarge { limit } => {
            format!("its result is larger than the {limit} bytes allowed here")
        }
        Error::NoCommonVersion => "the server behind it speaks no known version of MCP".to_owned(),
        Error::NotAnswering { .. } => "the server behind it is not answering".to_owned(),
        Error::Busy => "too many requests are under way here".to_owned(),
        Error::Rpc(error) => format!("the server behind it answered with error {}", error.code),
    }
}

fn rpc(error: &ErrorObject, tool: &str) -> String {
    let message: String = error.message.chars().take(MESSAGE).collect();
    match error.code {
        code::METHOD_NOT_FOUND => {
            format!(
                "The tool {tool:?} was not called: the server behind it calls no tools. {message}"
            )
        }
        code::MISSING_CAPABILITY => format!(
            "The tool {tool:?} needs to ask the user something, which this way of calling cannot do: use \
             call_read_tool or call_write_tool from a client that can answer. {message}"
        ),
        code::URL_ELICITATION_REQUIRED => {
            format!(
                "The tool {tool:?} needs the user to visit a page first: {} {message}",
                urls(error).join(" ")
            )
        }
        code => format!("The tool {tool:?} failed with error {code}: {message}"),
    }
}

fn urls(error: &ErrorObject) -> Vec<String> {
    #[derive(Deserialize)]
    struct Data {
        elicitations: Vec<Elicitation>,
    }
    #[derive(Deserialize)]
    struct Elicitation {
        url: String,
    }
    let data = error
        .data
        .as_ref()
        .and_then(|data| serde_json::from_str::<Data>(data.get()).ok());
    data.map_or_else(Vec::new, |data| {
        data.elicitations.into_iter().map(|e| e.url).collect()
    })
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::tell;
    use crate::tools::answer::Outcome;
    use crate::upstream::{Error, Phase};

    #[test]
    fn a_write_with_an_unknown_outcome_says_so() {
        let (text, outcome) = tell(&Error::Lost, "desk_set", false);
        expect![[r#"The tool "desk_set" exists, but the connection to the server behind it broke before the answer. Whether the call was carried out is not known, and it was not sent again. Check with a read tool before trying again."#]].assert_eq(&text);
        assert_eq!(outcome, Outcome::OutcomeUnknown);
        let (text, outcome) = tell(&Error::Lost, "desk_get", true);
        assert!(text.ends_with("can safely be tried again."));
        assert_eq!(outcome, Outcome::UpstreamFailed);
    }

    #[test]
    fn down_is_not_absent() {
        for error in [
            Error::Unreachable,
            Error::Timeout {
                phase: Phase::Connect,
            },
            Error::NotAnswering {
                retry_in: std::time::Duration::from_secs(3),
            },
            Error::Busy,
        ] {
            let (text, outcome) = tell(&error, "desk_set", false);
            assert!(
                text.contains("exists, but") && text.contains("The call was not "),
                "{text}"
            );
            assert_eq!(outcome, Outcome::UpstreamFailed);
        }
    }
}
