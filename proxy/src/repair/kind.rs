//! What was mended, in one word for metrics and a few for the model.

/// One kind of lossless repair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The whole arguments came as a JSON string.
    ArgumentsAsText,
    /// Properties stood beside `name` instead of inside `arguments`.
    BesideName,
    /// One more object around the whole.
    Wrapper,
    /// A nested object or array came as a JSON string.
    JsonAsText,
    /// A scalar stood for a list of it.
    ScalarForList,
    /// A number came as a string.
    NumberAsText,
    /// A boolean came as a string.
    BooleanAsText,
    /// A string came as a number.
    TextAsNumber,
    /// A string came as a boolean.
    TextAsBoolean,
    /// An allowed value in other case.
    ValueCase,
    /// A property's name in other case, or with hyphens for underscores.
    PropertyName,
    /// A null for an optional property that allows none.
    NullForAbsent,
}

impl Kind {
    /// Every kind, for counters that show zero.
    pub const ALL: [Self; 12] = [
        Self::ArgumentsAsText,
        Self::BesideName,
        Self::Wrapper,
        Self::JsonAsText,
        Self::ScalarForList,
        Self::NumberAsText,
        Self::BooleanAsText,
        Self::TextAsNumber,
        Self::TextAsBoolean,
        Self::ValueCase,
        Self::PropertyName,
        Self::NullForAbsent,
    ];

    /// A static name for metrics.
    #[must_use]
    pub const fn kind(self) -> &'static str {
        match self {
            Self::ArgumentsAsText => "arguments_as_text",
            Self::BesideName => "beside_name",
            Self::Wrapper => "wrapper",
            Self::JsonAsText => "json_as_text",
            Self::ScalarForList => "scalar_for_list",
            Self::NumberAsText => "number_as_text",
            Self::BooleanAsText => "boolean_as_text",
            Self::TextAsNumber => "text_as_number",
            Self::TextAsBoolean => "text_as_boolean",
            Self::ValueCase => "value_case",
            Self::PropertyName => "property_name",
            Self::NullForAbsent => "null_for_absent",
        }
    }

    /// What was done, for whoever sent it: no content.
    #[must_use]
    pub const fn said(self) -> &'static str {
        match self {
            Self::ArgumentsAsText => "arguments were a JSON string and are an object now",
            Self::BesideName => "properties beside `name` went into `arguments`",
            Self::Wrapper => "an object around the arguments was taken off",
            Self::JsonAsText => "a JSON string became the value it holds",
            Self::ScalarForList => "a single value became a list of it",
            Self::NumberAsText => "a string became the number it holds",
            Self::BooleanAsText => "a string became the boolean it holds",
            Self::TextAsNumber => "a number became a string",
            Self::TextAsBoolean => "a boolean became a string",
            Self::ValueCase => "an allowed value got its case",
            Self::PropertyName => "a property got its declared name",
            Self::NullForAbsent => "a null was left out",
        }
    }
}
