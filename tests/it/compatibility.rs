//! The page of clients and upstreams is what was recorded, of the versions that are locked.

use std::path::Path;
use std::process::Command;

#[test]
fn the_page_of_compatibility_is_fresh() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    let printer = tests.join("interop/page.py");
    let printed = Command::new("python3").arg(printer).output().unwrap();
    let said = String::from_utf8_lossy(&printed.stderr);
    assert!(printed.status.success(), "{said}");
    let page = String::from_utf8(printed.stdout).unwrap();
    // What failed when it was recorded is no compatibility.
    assert!(!page.contains("**fails**"), "{page}");
    expect_test::expect_file![tests.join("../docs/compatibility.md")].assert_eq(&page);
}
