//! C13: an object that a newer definition made, and that cannot be read here, stops nobody.

use serde_json::json;

use super::*;

#[test]
fn c13_an_object_that_cannot_be_read_is_kept_apart() {
    let list = json!([
        { "metadata": { "name": "a" }, "spec": { "upstream": { "url": "https://gateway.example/mcp" } } },
        { "metadata": { "name": "b" }, "spec": { "upstream": { "url": "https://gateway.example/mcp", "protocol": "quantum" } } },
    ]);
    let objects: Vec<Guarded> = serde_json::from_value(list).unwrap();
    assert!(objects[0].0.is_ok());
    let unreadable = objects[1].0.as_ref().unwrap_err();
    assert!(unreadable.error.contains("quantum"), "{}", unreadable.error);
    assert_eq!(objects[1].meta().name.as_deref(), Some("b"));
    assert!(!is_ready(&objects[1]));
}
