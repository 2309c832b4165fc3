//! Which tools has the server? Those of peer.py.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, ProgressNotificationParam,
    Tool, ToolAnnotations,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};
use serde::Deserialize;
use serde_json::{Value, json};

/// What was noted, and what became of each wait.
#[derive(Default)]
pub struct Memory {
    noted: Mutex<Vec<String>>,
    ends: Mutex<HashMap<String, &'static str>>,
}

impl Memory {
    fn ends(&self, key: &str, end: &'static str) {
        let mut ends = self.ends.lock().unwrap_or_else(PoisonError::into_inner);
        ends.insert(key.to_owned(), end);
    }
}

/// A tool by its name, with its arguments.
#[derive(Deserialize)]
#[serde(tag = "name", content = "arguments", rename_all = "lowercase")]
pub enum Call {
    Add { a: f64, b: f64 },
    Note { text: String },
    Notes {},
    Fail { reason: String },
    Count { to: u32 },
    Wait { key: String, seconds: f64 },
    Ended { key: String },
}

impl Call {
    pub fn read(asked: CallToolRequestParams) -> Result<Self, ErrorData> {
        let call = json!({ "name": asked.name, "arguments": asked.arguments.unwrap_or_default() });
        serde_json::from_value(call)
            .map_err(|error| ErrorData::invalid_params(error.to_string(), None))
    }

    pub async fn run(
        self,
        memory: &Memory,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let said = match self {
            Self::Add { a, b } => {
                let mut sum =
                    CallToolResult::success(vec![ContentBlock::text(format!("{}", a + b))]);
                sum.structured_content = Some(json!({ "result": a + b }));
                return Ok(sum);
            }
            Self::Note { text } => {
                let said = format!("noted {text}");
                let mut noted = memory.noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.push(text);
                said
            }
            Self::Notes {} => {
                let noted = memory.noted.lock().unwrap_or_else(PoisonError::into_inner);
                noted.join("\n")
            }
            Self::Fail { reason } => {
                let said = ContentBlock::text(format!("failed: {reason}"));
                return Ok(CallToolResult::error(vec![said]));
            }
            Self::Count { to } => count(to, context).await?,
            Self::Wait { key, seconds } => wait(&key, seconds, memory, context).await?,
            Self::Ended { key } => {
                let ends = memory.ends.lock().unwrap_or_else(PoisonError::into_inner);
                ends.get(&key).copied().unwrap_or("unknown").to_owned()
            }
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(said)]))
    }
}

async fn count(to: u32, context: &RequestContext<RoleServer>) -> Result<String, ErrorData> {
    for done in 1..=to {
        tokio::time::sleep(Duration::from_millis(200)).await;
        if let Some(token) = context.meta.get_progress_token() {
            let note = ProgressNotificationParam::new(token, done.into()).with_total(to.into());
            let told = context.peer.notify_progress(note).await;
            told.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        }
    }
    Ok(format!("counted to {to}"))
}

async fn wait(
    key: &str,
    seconds: f64,
    memory: &Memory,
    context: &RequestContext<RoleServer>,
) -> Result<String, ErrorData> {
    let seconds_or_not = Duration::try_from_secs_f64(seconds);
    let time =
        seconds_or_not.map_err(|error| ErrorData::invalid_params(error.to_string(), None))?;
    memory.ends(key, "waiting");
    tokio::select! {
        () = tokio::time::sleep(time) => memory.ends(key, "done"),
        () = context.ct.cancelled() => {
            memory.ends(key, "cancelled");
            return Err(ErrorData::internal_error("cancelled", None));
        }
    }
    Ok(format!("waited {seconds} s"))
}

/// A tool with the properties it takes, all of them required.
fn tool(name: &'static str, description: &'static str, properties: Value) -> Tool {
    Tool::new(name, description, schema(properties))
        .with_annotations(ToolAnnotations::new().read_only(true))
}

fn schema(properties: Value) -> JsonObject {
    let required: Vec<String> = properties
        .as_object()
        .into_iter()
        .flat_map(JsonObject::keys)
        .cloned()
        .collect();
    JsonObject::from_iter([
        ("type".to_owned(), "object".into()),
        ("properties".to_owned(), properties),
        ("required".to_owned(), required.into()),
    ])
}

pub fn tools() -> Vec<Tool> {
    let (number, text) = (json!({ "type": "number" }), json!({ "type": "string" }));
    vec![
        tool(
            "add",
            "Adds two numbers and gives their sum.",
            json!({ "a": number, "b": number }),
        )
        .with_raw_output_schema(schema(json!({ "result": number })).into()),
        tool(
            "note",
            "Writes a note down, to be kept.",
            json!({ "text": text }),
        )
        .with_annotations(ToolAnnotations::new().read_only(false)),
        tool(
            "notes",
            "Reads all notes that were written down.",
            json!({}),
        ),
        tool(
            "fail",
            "Fails for the reason given, always.",
            json!({ "reason": text }),
        ),
        tool(
            "count",
            "Counts slowly up to a number and reports progress.",
            json!({ "to": { "type": "integer" } }),
        ),
        tool(
            "wait",
            "Waits for some seconds under a key, to be asked about later.",
            json!({ "key": text, "seconds": number }),
        ),
        tool(
            "ended",
            "Tells what became of a wait: waiting, done or cancelled.",
            json!({ "key": text }),
        ),
    ]
}
