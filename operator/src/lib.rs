//! `toolsearch-operator`: `toolsearch-operator crds | kubectl apply -f -` installs the
//! `ToolSearchProxy` resource; making the cluster match it is not built yet, and `run` says so.

/// Reconciling is not built yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotBuilt;

impl std::error::Error for NotBuilt {}

impl std::fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(
            "this version does not reconcile ToolSearchProxy resources yet: \
             deploy toolsearch-proxy with a Deployment of your own",
        )
    }
}

/// Makes the cluster match its resources.
///
/// # Errors
/// Always, for now.
pub const fn run() -> Result<(), NotBuilt> {
    Err(NotBuilt)
}
