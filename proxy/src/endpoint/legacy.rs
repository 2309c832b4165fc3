//! What does a result look like to a client of an older revision? What it does not know is left
//! out or said in text; everything else stays as it came.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use crate::protocol::{Members, Revision};

/// Members that exist in 2026-07-28 only.
const MODERN: [&str; 3] = ["resultType", "ttlMs", "cacheScope"];
const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";

/// Converts the `result` of a `tools/call` for a legacy caller.
pub(super) fn convert(result: Box<RawValue>, revision: Revision) -> Box<RawValue> {
    let Some(mut members) = Members::read(&result) else {
        return result;
    };
    if members
        .get("resultType")
        .is_some_and(|kind| kind.get() == r#""input_required""#)
    {
        return ask_elsewhere(&members);
    }
    let before = members.0.len();
    for name in MODERN {
        members.remove(name);
    }
    let mut changed = members.0.len() != before;
    if revision <= Revision::V2025_03_26 {
        changed |= only_known_content(&mut members);
    }
    if members
        .get("structuredContent")
        .is_some_and(|value| !value.get().starts_with('{'))
    {
        members.remove("structuredContent");
        changed = true;
    }
    changed |= drop_server_info(&mut members);
    if changed { members.to_raw() } else { result }
}

/// Whether a client of an older revision does not know this member of a result, whose value begins
/// like this.
pub(super) fn is_unknown(name: &str, first: u8) -> bool {
    MODERN.contains(&name) || (name == "structuredContent" && first != b'{')
}

/// The `_meta` without what an older revision does not know; `None` where nothing is left of it.
pub(super) fn meta(value: &RawValue) -> Option<Box<RawValue>> {
    let Some(mut meta) = Members::read(value) else {
        return Some(value.to_owned());
    };
    if meta.get(SERVER_INFO).is_none() {
        return Some(value.to_owned());
    }
    meta.remove(SERVER_INFO);
    (!meta.0.is_empty()).then(|| meta.to_raw())
}

fn drop_server_info(members: &mut Members) -> bool {
    let Some(mut meta) = members.get("_meta").and_then(Members::read) else {
        return false;
    };
    if meta.get(SERVER_INFO).is_none() {
        return false;
    }
    meta.remove(SERVER_INFO);
    if meta.0.is_empty() {
        members.remove("_meta");
    } else {
        members.set("_meta", meta.to_raw());
    }
    true
}

/// 2025-03-26 has no resource links, and no structured content: what either says goes into text.
fn only_known_content(members: &mut Members) -> bool {
    let structured = members.get("structuredContent");
    let content = match members.get("content") {
        Some(content) => content.get(),
        None if structured.is_some() => "[]",
        None => return false,
    };
    let Ok(blocks) = serde_json::from_str::<Vec<Box<RawValue>>>(content) else {
        return false;
    };
    let structured = structured.filter(|value| blocks.is_empty() && value.get() != "null");
    let mut known: Vec<Box<RawValue>> = structured
        .map(|value| text(value.get()))
        .into_iter()
        .collect();
    let mut changed = !known.is_empty();
    for block in blocks {
        match link(&block) {
            Some(uri) => {
                known.push(text(&uri));
                changed = true;
            }
            None => known.push(block),
        }
    }
    if changed {
        members.set("content", to_raw_value(&known).unwrap_or_default());
    }
    changed
}

fn link(block: &RawValue) -> Option<String> {
    #[derive(Deserialize)]
    struct Link {
        r#type: String,
        uri: String,
    }
    let link = serde_json::from_str::<Link>(block.get()).ok()?;
    (link.r#type == "resource_link").then_some(link.uri)
}

/// A question to the user that this client's revision cannot carry: said in words.
fn ask_elsewhere(members: &Members) -> Box<RawValue> {
    #[derive(Deserialize)]
    struct Asked {
        method: String,
        #[serde(default)]
        params: Params,
    }
    #[derive(Deserialize, Default)]
    struct Params {
        #[serde(default)]
        message: Option<String>,
        #[serde(default)]
        url: Option<String>,
    }
    let asked = members.get("inputRequests");
    let asked =
        asked.and_then(|raw| serde_json::from_str::<BTreeMap<String, Asked>>(raw.get()).ok());
    let questions = asked.unwrap_or_default().into_values().map(|asked| {
        let Params { message, url } = asked.params;
        let message = message.unwrap_or_else(|| format!("({})", asked.method));
        url.map_or(message.clone(), |url| format!("{message} {url}"))
    });
    let questions = questions.collect::<Vec<_>>().join("\n");
    let message = format!(
        "The tool needs more from the user before it goes on, and this client's protocol version cannot \
         ask through the proxy. It asks:\n{questions}"
    );
    to_raw_value(&json!({ "content": [{ "type": "text", "text": message }], "isError": true }))
        .unwrap_or_default()
}

fn text(text: &str) -> Box<RawValue> {
    to_raw_value(&json!({ "type": "text", "text": text })).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::convert;
    use crate::protocol::Revision::{self, V2025_03_26, V2025_11_25};

    fn check(result: &str, revision: Revision, expected: &str) {
        let raw = RawValue::from_string(result.to_owned()).unwrap();
        assert_eq!(convert(raw, revision).get(), expected);
    }

    #[test]
    fn what_needs_no_change_stays_byte_for_byte() {
        let odd = r#"{ "content":[{"type":"hologram","x":1.10}], "n":1e400,"structuredContent":{"a":12345678901234567890}}"#;
        check(odd, V2025_11_25, odd);
        check(odd, V2025_03_26, odd);
        check("7", V2025_11_25, "7");
    }

    #[test]
    fn modern_members_go_and_others_keep_their_bytes() {
        check(
            r#"{"resultType":"complete","content":[{"type":"text","text":"\u0041"}],"_meta":{"io.modelcontextprotocol/serverInfo":{},"k":1.0}}"#,
            V2025_11_25,
            r#"{"content":[{"type":"text","text":"\u0041"}],"_meta":{"k":1.0}}"#,
        );
        check(
            r#"{"content":[],"structuredContent":[1]}"#,
            V2025_11_25,
            r#"{"content":[]}"#,
        );
    }

    #[test]
    fn links_become_text_for_the_oldest() {
        let link = r#"{"content":[{"type":"resource_link","uri":"a://b","name":"n"}]}"#;
        check(link, V2025_11_25, link);
        check(
            link,
            V2025_03_26,
            r#"{"content":[{"text":"a://b","type":"text"}]}"#,
        );
        check(
            r#"{"content":[],"structuredContent":{"a":1.0}}"#,
            V2025_03_26,
            r#"{"content":[{"text":"{\"a\":1.0}","type":"text"}],"structuredContent":{"a":1.0}}"#,
        );
        check(
            r#"{"structuredContent":[1.0]}"#,
            V2025_03_26,
            r#"{"content":[{"text":"[1.0]","type":"text"}]}"#,
        );
    }

    #[test]
    fn a_question_is_said_in_words() {
        let asks = r#"{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create","params":{"mode":"url","message":"Log in","url":"https://x"}}}}"#;
        let raw = RawValue::from_string(asks.to_owned()).unwrap();
        let said = convert(raw, V2025_11_25);
        assert!(
            said.get().contains("Log in https://x") && said.get().contains(r#""isError":true"#)
        );
    }
}
