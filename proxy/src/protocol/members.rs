//! An object's members in their order, values raw: for changing one and keeping all the others.

use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// Key and raw value of every member, in order, repeated keys included.
#[derive(Clone, Default)]
pub struct Members(pub Vec<(String, Box<RawValue>)>);

/// By hand, so that neither names nor values are printed.
impl fmt::Debug for Members {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Members({})", self.0.len())
    }
}

impl<'de> Deserialize<'de> for Members {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Reader;
        impl<'de> Visitor<'de> for Reader {
            type Value = Members;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members, A::Error> {
                let mut members = Vec::new();
                while let Some(member) = map.next_entry()? {
                    members.push(member);
                }
                Ok(Members(members))
            }
        }
        deserializer.deserialize_map(Reader)
    }
}

impl Members {
    /// Reads an object.
    #[must_use]
    pub fn read(raw: &RawValue) -> Option<Self> {
        serde_json::from_str(raw.get()).ok()
    }

    /// The first member of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&RawValue> {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| &**value)
    }

    /// Drops every member of this name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| key != name);
    }

    /// Gives a member another value where it stands, or adds it at the end.
    pub fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(key, _)| key == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name.to_owned(), value)),
        }
    }

    /// The object again, values byte for byte.
    #[must_use]
    pub fn to_raw(&self) -> Box<RawValue> {
        let members = self
            .0
            .iter()
            .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), value.get()));
        let object = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        // Keys are written by the serializer and values are JSON already.
        RawValue::from_string(object).unwrap_or_default()
    }
}
