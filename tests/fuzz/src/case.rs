//! Which schema and which arguments are these bytes? Two lines of JSON where they are that, otherwise
//! what the bytes choose.

use serde_json::Value;
use serde_json::value::RawValue;

use crate::made;

pub(crate) struct Case {
    pub(crate) schema: Box<RawValue>,
    pub(crate) arguments: Box<RawValue>,
    /// The arguments, parsed.
    pub(crate) value: Value,
}

impl Case {
    pub(crate) fn read(data: &[u8]) -> Option<Self> {
        let (schema, arguments) = written(data).or_else(|| made::case(data))?;
        let value = serde_json::from_str(arguments.get()).ok()?;
        Some(Self {
            schema,
            arguments,
            value,
        })
    }
}

/// By hand, for whoever reads why a property does not hold.
impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "\n{}\n{}\n", self.schema, self.arguments)
    }
}

fn written(data: &[u8]) -> Option<(Box<RawValue>, Box<RawValue>)> {
    let (schema, arguments) = std::str::from_utf8(data).ok()?.split_once('\n')?;
    let json = |text: &str| serde_json::from_str(text).ok();
    Some((json(schema)?, json(arguments)?))
}
