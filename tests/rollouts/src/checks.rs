//! All checks, in the order in which they disturb each other least.

pub(crate) mod model;
mod network;
mod operator;
mod reconcile;
mod schema;
mod sidecar;
mod status;

use crate::bench::Bench;
use crate::load;
use crate::table::Table;

/// Runs all.
pub(crate) fn all(bench: &Bench, table: &mut Table) {
    schema::all(bench, table);
    reconcile::all(bench, table);
    status::all(bench, table);
    model::all(bench, table);
    network::all(bench, table);
    sidecar::all(bench, table);
    operator::all(bench, table);
    load::all(bench, table);
}
