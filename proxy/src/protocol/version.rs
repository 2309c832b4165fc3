//! Which protocol revisions are spoken, and what follows from each?

/// A revision of the Model Context Protocol that the proxy speaks, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// Served with the rules of 2025-03-26, for clients that name it over streamable HTTP.
    V2024_11_05,
    /// Batches; no `structuredContent`, no version header.
    V2025_03_26,
    /// The version header; `structuredContent`.
    V2025_06_18,
    /// The last revision with an `initialize` handshake.
    V2025_11_25,
    /// Per-request metadata, no handshake, no sessions.
    V2026_07_28,
}

impl Revision {
    /// What `initialize` answers when the client asks for a revision that is not served.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;
    /// What the upstream is asked for first.
    pub const LATEST: Self = Self::V2026_07_28;
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// Reads the date form used on the wire; `None` for a revision that is not served.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
    }

    /// The date form used on the wire.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// Whether requests of this revision carry their own metadata (no `initialize`).
    #[must_use]
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }
}
