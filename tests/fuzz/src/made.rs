//! A schema and arguments that nearly fit it, chosen by bytes: most bytes are no JSON, and most JSON
//! is no schema.

use arbitrary::{Result, Unstructured};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value, json};

/// Names of properties, some of them each other but for case and hyphens.
const NAMES: [&str; 10] = [
    "id", "user_id", "userId", "user-id", "tags", "input", "a/b", "~", "", "é",
];
const TEXTS: [&str; 16] = [
    "",
    "low",
    "LOW",
    "Low",
    "5",
    "-0",
    "007",
    "1.50",
    "1e3",
    "true",
    "null",
    "a, b",
    " [1] ",
    "[\"x\"]",
    "{\"id\":\"5\"}",
    "\"5\"",
];
const NUMBERS: [f64; 6] = [0.0, 1.0, -1.0, 1.5, 1e300, 9_007_199_254_740_993.0];
const TYPES: [&str; 7] = [
    "string", "integer", "number", "boolean", "null", "array", "object",
];
const PATTERNS: [&str; 5] = ["^l", "^(?!a).*$", "(a|b)+c", "\\d+", "^user_"];
/// As deep as schemas and values go.
const DEEPEST: usize = 4;

pub(crate) fn case(data: &[u8]) -> Option<(Box<RawValue>, Box<RawValue>)> {
    let mut bytes = Unstructured::new(data);
    let schema = root(&mut bytes).ok()?;
    let value = object(&mut bytes, DEEPEST).ok()?;
    Some((to_raw_value(&schema).ok()?, to_raw_value(&value).ok()?))
}

fn root(bytes: &mut Unstructured<'_>) -> Result<Value> {
    let mut root = Map::new();
    root.insert("type".to_owned(), "object".into());
    if bytes.arbitrary()? {
        let defs = json!({ "a": schema(bytes, 2)?, "b": schema(bytes, 2)? });
        root.insert("$defs".to_owned(), defs);
    }
    properties(bytes, DEEPEST, &mut root)?;
    for _ in 0..bytes.int_in_range(0..=2)? {
        keyword(bytes, DEEPEST, &mut root)?;
    }
    Ok(Value::Object(root))
}

fn schema(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let Some(depth) = depth.checked_sub(1) else {
        return Ok(json!({ "type": bytes.choose(&TYPES)? }));
    };
    let mut schema = Map::new();
    if bytes.ratio(1, 3)? {
        let description = "What it is, in more words than anybody needs to say what it is.";
        schema.insert("description".to_owned(), description.into());
    }
    for _ in 0..bytes.int_in_range(0..=2)? {
        keyword(bytes, depth, &mut schema)?;
    }
    Ok(match bytes.int_in_range(0..=20)? {
        0 => Value::Bool(bytes.arbitrary()?),
        _ => Value::Object(schema),
    })
}

/// One keyword with what fits it.
fn keyword(
    bytes: &mut Unstructured<'_>,
    depth: usize,
    into: &mut Map<String, Value>,
) -> Result<()> {
    let (name, value) = match bytes.int_in_range(0..=21)? {
        0..=3 => ("type", json!(bytes.choose(&TYPES)?)),
        4 => ("type", json!([bytes.choose(&TYPES)?, "null"])),
        5 | 6 => return properties(bytes, depth, into),
        7 => ("items", schema(bytes, depth)?),
        8 => ("enum", json!([scalar(bytes)?, scalar(bytes)?])),
        9 => ("const", scalar(bytes)?),
        10 => (
            "anyOf",
            json!([schema(bytes, depth)?, schema(bytes, depth)?]),
        ),
        11 => (
            "oneOf",
            json!([schema(bytes, depth)?, schema(bytes, depth)?]),
        ),
        12 => (
            "allOf",
            json!([schema(bytes, depth)?, schema(bytes, depth)?]),
        ),
        13 => ("not", schema(bytes, depth)?),
        14 => {
            into.insert("then".to_owned(), schema(bytes, depth)?);
            into.insert("else".to_owned(), schema(bytes, depth)?);
            ("if", schema(bytes, depth)?)
        }
        15 => (
            "$ref",
            json!(bytes.choose(&["#/$defs/a", "#/$defs/b", "#", "#/properties/id"])?),
        ),
        16 => ("additionalProperties", schema(bytes, depth.min(1))?),
        17 => ("unevaluatedProperties", json!(bytes.arbitrary::<bool>()?)),
        18 => ("pattern", json!(bytes.choose(&PATTERNS)?)),
        19 => ("contains", schema(bytes, depth)?),
        20 => (
            *bytes.choose(&["minimum", "maximum", "multipleOf"])?,
            json!(bytes.choose(&NUMBERS)?),
        ),
        _ => (
            *bytes.choose(&["minLength", "maxItems", "maxProperties", "minProperties"])?,
            json!(bytes.int_in_range(0..=3)?),
        ),
    };
    into.insert(name.to_owned(), value);
    Ok(())
}

fn properties(
    bytes: &mut Unstructured<'_>,
    depth: usize,
    into: &mut Map<String, Value>,
) -> Result<()> {
    let (mut properties, mut required) = (Map::new(), Vec::new());
    for _ in 0..bytes.int_in_range(1..=4)? {
        let name = *bytes.choose(&NAMES)?;
        properties.insert(name.to_owned(), schema(bytes, depth.saturating_sub(1))?);
        if bytes.ratio(1, 4)? {
            required.push(name);
        }
    }
    into.insert("properties".to_owned(), Value::Object(properties));
    required.dedup();
    if bytes.ratio(1, 3)? {
        into.insert("required".to_owned(), json!(required));
    }
    if bytes.arbitrary()? {
        into.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    Ok(())
}

fn object(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let mut members = Map::new();
    for _ in 0..bytes.int_in_range(0..=4)? {
        let name = (*bytes.choose(&NAMES)?).to_owned();
        members.insert(name, value(bytes, depth.saturating_sub(1))?);
    }
    Ok(Value::Object(members))
}

fn value(bytes: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    match bytes.int_in_range(0..=6)? {
        0 if depth > 0 => object(bytes, depth),
        1 if depth > 0 => {
            let length = bytes.int_in_range(0..=3)?;
            let items = (0..length).map(|_| value(bytes, depth - 1));
            items.collect::<Result<Vec<_>>>().map(Value::from)
        }
        2 if depth > 0 => Ok(value(bytes, depth - 1)?.to_string().into()),
        _ => scalar(bytes),
    }
}

fn scalar(bytes: &mut Unstructured<'_>) -> Result<Value> {
    Ok(match bytes.int_in_range(0..=7)? {
        0 => Value::Null,
        1 => Value::Bool(bytes.arbitrary()?),
        2 => json!(bytes.choose(&NUMBERS)?),
        3 => json!(bytes.arbitrary::<i8>()?),
        _ => json!(bytes.choose(&TEXTS)?),
    })
}
