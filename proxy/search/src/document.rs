//! What of a tool is searched? A tool's definition taken apart into fields.

use serde_json::Value;

/// One tool as text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Document {
    /// The tool's name, unsplit.
    pub name: String,
    /// The display title, empty where absent.
    pub title: String,
    /// The description, empty where absent.
    pub description: String,
    /// Parameters in the schema's order, nested ones after their parent, depth-limited.
    pub parameters: Vec<Parameter>,
}

/// One parameter of a tool.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// The property's name.
    pub name: String,
    /// Its description, empty where absent.
    pub description: String,
    /// Its enum values that are strings.
    pub values: Vec<String>,
}

/// What the fields of [`Document::fields`] are called.
pub(crate) const FIELDS: [&str; 6] = [
    "name",
    "title",
    "description",
    "parameter",
    "parameter description",
    "value",
];

/// Levels of nesting that are read: beyond them a schema says little about what the tool is for.
const DEEPEST: usize = 5;
/// Parameters that are read: a schema can refer to itself.
const MOST: usize = 200;

impl Document {
    /// Takes a definition apart; any JSON is accepted as a schema.
    #[must_use]
    pub fn new(name: &str, title: &str, description: &str, input_schema: &Value) -> Self {
        let mut parameters = Vec::new();
        collect(input_schema, input_schema, 0, &mut parameters);
        let (name, title, description) =
            (name.to_owned(), title.to_owned(), description.to_owned());
        Self {
            name,
            title,
            description,
            parameters,
        }
    }

    /// The texts of each field, in the order of [`FIELDS`].
    pub(crate) fn fields(&self) -> [Vec<&str>; 6] {
        let each = self.parameters.iter();
        let values = each.clone().flat_map(|parameter| &parameter.values);
        [
            vec![&self.name],
            vec![&self.title],
            vec![&self.description],
            each.clone()
                .map(|parameter| parameter.name.as_str())
                .collect(),
            each.map(|parameter| parameter.description.as_str())
                .collect(),
            values.map(String::as_str).collect(),
        ]
    }
}

/// Reads the properties of a schema, through references within it and every alternative.
fn collect(schema: &Value, root: &Value, depth: usize, found: &mut Vec<Parameter>) {
    if depth > DEEPEST || found.len() >= MOST {
        return;
    }
    let referred = schema["$ref"]
        .as_str()
        .and_then(|reference| root.pointer(reference.strip_prefix('#')?));
    if let Some(referred) = referred {
        collect(referred, root, depth + 1, found);
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        if found.len() < MOST {
            found.push(parameter(name, property));
            collect(property, root, depth + 1, found);
        }
    }
    collect_items(schema, root, depth, found);
}

fn collect_items(schema: &Value, root: &Value, depth: usize, found: &mut Vec<Parameter>) {
    for keyword in ["items", "additionalProperties"] {
        if schema[keyword].is_object() {
            collect(&schema[keyword], root, depth + 1, found);
        }
    }
    for keyword in ["anyOf", "oneOf", "allOf"] {
        for branch in schema[keyword].as_array().into_iter().flatten() {
            collect(branch, root, depth + 1, found);
        }
    }
}

fn parameter(name: &str, property: &Value) -> Parameter {
    let text = |key: &str| property[key].as_str().unwrap_or_default();
    let description = format!("{} {}", text("title"), text("description"))
        .trim()
        .to_owned();
    let values = [&property["enum"], &property["items"]["enum"]]
        .into_iter()
        .filter_map(Value::as_array);
    let values = values
        .flatten()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    Parameter {
        name: name.to_owned(),
        description,
        values,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Document, MOST};

    fn names(schema: &Value) -> Vec<String> {
        Document::new("n", "", "", schema)
            .parameters
            .into_iter()
            .map(|parameter| parameter.name)
            .collect()
    }

    #[test]
    fn parameters_are_found_wherever_they_stand() {
        let schema = json!({
            "properties": {
                "a": {"type": "object", "properties": {"b": {}}},
                "c": {"type": "array", "items": {"properties": {"d": {}}}},
            },
            "allOf": [{"properties": {"e": {}}}, {"$ref": "#/$defs/f"}],
            "$defs": {"f": {"properties": {"g": {"enum": ["x", 1, "y"]}}}},
        });
        assert_eq!(names(&schema), ["a", "b", "c", "d", "e", "g"]);
        let document = Document::new("n", "", "", &schema);
        assert_eq!(document.parameters[5].values, ["x", "y"]);
    }

    #[test]
    fn any_json_is_a_schema_and_recursion_ends() {
        for schema in [
            json!(null),
            json!(7),
            json!([]),
            json!({"properties": 3}),
            json!({"properties": {"a": null}}),
        ] {
            assert!(names(&schema).len() <= 1);
        }
        let mut schema = json!({"$ref": "#"});
        assert!(names(&schema).is_empty());
        let properties: serde_json::Map<_, _> = (0..20)
            .map(|n| (format!("p{n}"), json!({"$ref": "#"})))
            .collect();
        schema = json!({ "properties": properties });
        assert!(names(&schema).len() <= MOST);
    }
}
