//! The words of the status that are ours: condition types, and the reasons they are given for.

/// The aspects that the operator speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionType {
    /// The spec is valid, and what it refers to exists.
    Accepted,
    /// The pods have the model they should search with.
    ModelAvailable,
    /// A change is being rolled out.
    Progressing,
    /// Enough pods serve.
    Available,
    /// The upstream answers a pod.
    UpstreamReachable,
    /// The sum of the others, without the upstream.
    Ready,
}

impl ConditionType {
    /// All of them, in the order in which a status lists them.
    pub const ALL: &[Self] = &[
        Self::Accepted,
        Self::ModelAvailable,
        Self::Progressing,
        Self::Available,
        Self::UpstreamReachable,
        Self::Ready,
    ];

    /// The word in the status.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Accepted => "Accepted",
            Self::ModelAvailable => "ModelAvailable",
            Self::Progressing => "Progressing",
            Self::Available => "Available",
            Self::UpstreamReachable => "UpstreamReachable",
            Self::Ready => "Ready",
        }
    }
}

/// What a condition says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConditionStatus {
    /// It is so.
    True,
    /// It is not so.
    False,
    /// It is not known.
    Unknown,
}

impl ConditionStatus {
    /// The word in the status.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::True => "True",
            Self::False => "False",
            Self::Unknown => "Unknown",
        }
    }
}

macro_rules! reasons {
    ($($name:ident: $meaning:literal,)*) => {
        /// Why a condition is what it is; each is explained in the troubleshooting page.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Reason {
            $(#[doc = $meaning] $name,)*
        }

        impl Reason {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The word in the status.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => stringify!($name),)*
                }
            }

            /// What it means, in a few words without a full stop.
            #[must_use]
            pub const fn meaning(self) -> &'static str {
                match self {
                    $(Self::$name => $meaning,)*
                }
            }
        }
    };
}

reasons! {
    Valid: "the spec is valid and everything it refers to exists",
    InvalidSpec: "the spec holds a mistake that the schema could not refuse",
    NameConflict: "an object of a needed name exists and belongs to somebody else",
    ReferenceNotFound: "a Secret, `ConfigMap` or claim that the spec names, or a key in it, does not exist",
    Forbidden: "the API server does not let the operator do what it must",
    QuotaExceeded: "a quota of the namespace leaves no room",
    Paused: "`spec.paused` is set",
    BuiltIn: "the model inside the program is used",
    NoModel: "search goes by words alone, as asked",
    Mounted: "the model comes from a volume",
    Fetching: "the model is being fetched",
    Fetched: "the model was fetched and verified",
    DigestMismatch: "a file is not the pinned one",
    Unauthorized: "the server of the model refuses the token, or wants one",
    NoSpace: "the volume for the model is full",
    Timeout: "the model was not fetched in time",
    Unreachable: "the server of the model cannot be reached, or kept failing",
    NotFound: "the server of the model has no such file",
    Tls: "the certificate of the server of the model is not trusted",
    FetchFailed: "the fetching container failed in another way",
    ModelUnknown: "no pod has told of its model yet",
    VolumeUnavailable: "the volume with the model cannot be mounted",
    RollingOut: "pods are being replaced",
    RolledOut: "all pods are of the newest template",
    Waiting: "the rollout waits for its turn after others",
    InsufficientSurge: "there is no room for the pod that has to come before an old one may go",
    ImagePull: "an image cannot be pulled",
    CrashLoop: "the proxy keeps ending",
    ProgressDeadlineExceeded: "the rollout takes longer than it may",
    MinimumReplicasAvailable: "enough pods serve",
    MinimumReplicasUnavailable: "too few pods serve",
    ScaledToZero: "no pods are wanted",
    UpstreamAnswers: "a pod got an answer from the upstream",
    UpstreamUnreachable: "a pod got no answer from the upstream",
    UpstreamUnknown: "no pod could be asked yet",
    Serving: "clients are served",
    ReconcileFailed: "the API server failed; the operator tries again",
}
