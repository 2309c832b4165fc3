//! An object's members in their order, values raw: for changing one and keeping all the others.

use std::fmt;

use serde::de::{Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::{RawValue, to_raw_value};

/// Key and raw value of every member, in order, repeated keys included.
#[derive(Clone, Default)]
pub struct Members(pub Vec<(Key, Box<RawValue>)>);

/// A member's name as it was written: an escape in it stays one.
#[derive(Clone)]
pub struct Key {
    raw: Box<RawValue>,
    /// What it says, where that is not what stands between the quotes.
    unescaped: Option<String>,
}

/// By hand, so that no name is printed.
impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

impl Key {
    /// What it says, however it is written.
    #[must_use]
    pub fn name(&self) -> &str {
        let raw = self.raw.get();
        self.unescaped
            .as_deref()
            .unwrap_or_else(|| &raw[1..raw.len() - 1])
    }

    /// One whose text is a JSON string.
    fn of(raw: Box<RawValue>) -> serde_json::Result<Self> {
        let is_escaped = raw.get().contains('\\');
        let unescaped = is_escaped.then(|| serde_json::from_str(raw.get()));
        Ok(Self {
            unescaped: unescaped.transpose()?,
            raw,
        })
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::of(Box::<RawValue>::deserialize(deserializer)?).map_err(D::Error::custom)
    }
}

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
            .find(|(key, _)| key.name() == name)
            .map(|(_, value)| &**value)
    }

    /// Drops every member of this name.
    pub fn remove(&mut self, name: &str) {
        self.0.retain(|(key, _)| key.name() != name);
    }

    /// Gives a member another value where it stands, or adds it at the end.
    pub fn set(&mut self, name: &str, value: Box<RawValue>) {
        match self.0.iter_mut().find(|(key, _)| key.name() == name) {
            Some((_, old)) => *old = value,
            None => {
                // A text is always a JSON string.
                let key = to_raw_value(name).and_then(Key::of);
                self.0.extend(key.ok().map(|key| (key, value)));
            }
        }
    }

    /// The object again, keys and values byte for byte, without blanks between them.
    #[must_use]
    pub fn to_raw(&self) -> Box<RawValue> {
        let members = self
            .0
            .iter()
            .map(|(key, value)| format!("{}:{}", key.raw.get(), value.get()));
        let object = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
        // Both are JSON already.
        RawValue::from_string(object).unwrap_or_default()
    }
}
