//! Who sees the token when a server sends us elsewhere.

use std::fs;
use std::sync::{Arc, Mutex};

use crate::model::Token;
use crate::model::tests::case::{Case, WHOLE, content};
use crate::model::tests::mirror::{Head, Mirror, Reply};

#[tokio::test]
async fn a_redirect_to_another_origin_sees_no_token() {
    let files = |head: &Head| Reply::file(head, &content(head.path()), WHOLE);
    let home_again = Mirror::start(move |head, _| files(head)).await;
    let back = home_again.address;
    let other = Mirror::start(move |head, _| {
        let path = head.path();
        Reply::status(302, &format!("Location: http://{back}{path}\r\n"))
    })
    .await;
    let away = other.address;
    let first = Mirror::start(move |head, _| {
        let path = head.path();
        Reply::status(307, &format!("Location: http://{away}{path}\r\n"))
    })
    .await;
    let mut case = Case::new(first.url());
    let file = case.dir.path().join("token");
    fs::write(&file, "canary").unwrap();
    case.options.token = Some(Token::read(&file).unwrap());
    fs::remove_file(file).unwrap();
    case.run().await.unwrap();
    case.assert_complete();
    assert_eq!(
        first.heads()[0].header("authorization"),
        Some("bearer canary")
    );
    for mirror in [&other, &home_again] {
        assert_eq!(mirror.heads().len(), 3);
        assert!(
            mirror
                .heads()
                .iter()
                .all(|head| head.header("authorization").is_none())
        );
    }
    assert!(!case.said().contains("canary"));
}

#[tokio::test]
async fn a_token_does_not_come_back_with_a_redirect() {
    let address = Arc::new(Mutex::new(None));
    let known = Arc::clone(&address);
    let home = Mirror::start(move |head, _| match head.path().strip_prefix("/m/back/") {
        Some(_) => Reply::file(head, &content(head.path()), WHOLE),
        None => {
            let away = known.lock().unwrap().unwrap();
            Reply::status(302, &format!("Location: http://{away}{}\r\n", head.path()))
        }
    })
    .await;
    let back = home.address;
    let other = Mirror::start(move |head, _| {
        let name = head.path().rsplit('/').next().unwrap();
        Reply::status(302, &format!("Location: http://{back}/m/back/{name}\r\n"))
    })
    .await;
    *address.lock().unwrap() = Some(other.address);
    let mut case = Case::new(home.url());
    let file = case.dir.path().join("token");
    fs::write(&file, "canary").unwrap();
    case.options.token = Some(Token::read(&file).unwrap());
    case.run().await.unwrap();
    for head in home.heads() {
        let expected = !head.path().contains("/back/");
        assert_eq!(
            head.header("authorization").is_some(),
            expected,
            "{}",
            head.path()
        );
    }
}
