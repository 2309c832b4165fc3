//! The page of benchmarks is what the records say.

use std::path::Path;

use toolsearch_eval::page::{Records, print};

#[test]
fn the_page_of_benchmarks_is_printed_from_the_records() {
    let page = print(&Records::committed().unwrap());
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/benchmarks.md");
    expect_test::expect_file![file].assert_eq(&page);
}
