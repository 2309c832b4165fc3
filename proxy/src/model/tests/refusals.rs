//! What ends a fetch, what is tried again first, and how each is told apart.

use std::fs;
use std::time::Duration;

use crate::model::tests::case::{Case, WHOLE, content, weights, weights_asked, weights_mirror};
use crate::model::tests::mirror::{Head, Mirror, Reply};
use crate::model::{Failure, Limit};

/// Runs against a mirror whose weights are always answered so; no folder may appear.
async fn check(reply: fn(&Head) -> Reply, kind: &str, code: u8, requests: usize) -> Case {
    let mirror = weights_mirror(move |head, _| reply(head)).await;
    let case = Case::new(mirror.url());
    let failure = case.run().await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.exit_code()),
        (kind, code),
        "{failure}"
    );
    assert_eq!(weights_asked(&mirror).len(), requests, "{failure}");
    assert!(!case.options.folder.exists());
    let last: serde_json::Value =
        serde_json::from_str(case.said().lines().last().unwrap()).unwrap();
    assert_eq!(last["reason"], kind);
    case
}

#[tokio::test]
async fn wrong_bytes_are_refused_at_once() {
    let wrong = |head: &Head| Reply::file(head, &vec![7; 200_000], WHOLE);
    let case = check(wrong, "DigestMismatch", 3, 1).await;
    assert!(!case.staged("model.safetensors.part").exists());
}

#[tokio::test]
async fn a_wrong_length_is_refused_before_it_is_fetched() {
    let case = check(
        |head| Reply::file(head, &[7; 200_001], 10),
        "DigestMismatch",
        3,
        1,
    )
    .await;
    assert!(case.said().contains("got 200001 bytes"), "{}", case.said());
}

#[tokio::test]
async fn a_body_without_an_end_is_cut_off() {
    let endless = |_: &Head| {
        let mut bytes = b"HTTP/1.1 200 X\r\nConnection: close\r\n\r\n".to_vec();
        bytes.extend(vec![7; 300_000]);
        Reply::Raw(bytes)
    };
    check(endless, "DigestMismatch", 3, 1).await;
}

#[tokio::test]
async fn what_cannot_pass_is_not_tried_again() {
    check(|_| Reply::status(401, ""), "Unauthorized", 5, 1).await;
    check(|_| Reply::status(403, ""), "Unauthorized", 5, 1).await;
    check(|_| Reply::status(404, ""), "NotFound", 8, 1).await;
    check(|_| Reply::status(400, ""), "Unreachable", 7, 1).await;
}

#[tokio::test]
async fn what_may_pass_is_tried_again_so_many_times() {
    check(|_| Reply::status(503, ""), "Unreachable", 7, 4).await;
    check(|_| Reply::Raw(Vec::new()), "Unreachable", 7, 4).await;
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let mirror = weights_mirror(|head, n| match n {
        0 => Reply::status(429, "Retry-After: 1\r\n"),
        _ => Reply::file(head, &weights(), WHOLE),
    })
    .await;
    let case = Case::new(mirror.url());
    case.run().await.unwrap();
    assert!(
        case.said()
            .contains("status 429; try again later; trying again in 1.0 s"),
        "{}",
        case.said()
    );
}

#[tokio::test]
async fn a_wait_beyond_the_time_in_all_is_not_begun() {
    check(
        |_| Reply::status(429, "Retry-After: 3600\r\n"),
        "Unreachable",
        7,
        1,
    )
    .await;
}

#[tokio::test]
async fn redirects_end() {
    check(
        |head| Reply::status(302, &format!("Location: {}\r\n", head.path())),
        "Unreachable",
        7,
        11,
    )
    .await;
    check(|_| Reply::status(302, ""), "Unreachable", 7, 1).await;
    check(
        |_| Reply::status(302, "Location: file:///etc/hostname\r\n"),
        "Unreachable",
        7,
        1,
    )
    .await;
}

#[tokio::test]
async fn silence_ends() {
    let hang = |head: &Head, _: usize| match Reply::file(head, &weights(), 500) {
        Reply::Raw(bytes) | Reply::Hang(bytes) => Reply::Hang(bytes),
    };
    let mirror = weights_mirror(hang).await;
    let mut case = Case::new(mirror.url());
    case.options.limits.stall = Duration::from_millis(1);
    case.options.limits.retries = 0;
    // The little files may be slower than that, and are there already.
    fs::create_dir_all(case.staged("")).unwrap();
    for name in ["config.json", "tokenizer.json"] {
        fs::write(case.staged(name), content(name)).unwrap();
    }
    let failure = case.run().await.unwrap_err();
    assert!(
        matches!(failure, Failure::Timeout(Limit::Stall)),
        "{failure:?}"
    );
    case.options.limits.stall = Duration::from_secs(60);
    case.options.limits.total = Duration::from_millis(50);
    let failure = case.run().await.unwrap_err();
    assert!(
        matches!(failure, Failure::Timeout(Limit::Total)),
        "{failure:?}"
    );
    assert_eq!(failure.exit_code(), 6);
}

#[tokio::test]
async fn a_server_that_speaks_no_tls_is_told_from_one_that_is_down() {
    let mirror = Mirror::start(|_, _| Reply::Raw(Vec::new())).await;
    let case = Case::new(format!("https://{}/m", mirror.address).parse().unwrap());
    let failure = case.run().await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.exit_code()),
        ("Tls", 9),
        "{failure:?}"
    );
    let address = mirror.address;
    drop(mirror);
    // The listener goes with its task, which ends at its next turn.
    while tokio::net::TcpStream::connect(address).await.is_ok() {
        tokio::task::yield_now().await;
    }
    let case = Case::new(format!("http://{address}/m").parse().unwrap());
    let failure = case.run().await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.exit_code()),
        ("Unreachable", 7),
        "{failure:?}"
    );
}

#[tokio::test]
async fn a_full_disk_is_told_apart() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    fs::create_dir_all(case.staged("")).unwrap();
    std::os::unix::fs::symlink("/dev/full", case.staged("model.safetensors.part")).unwrap();
    let failure = case.run().await.unwrap_err();
    assert_eq!(
        (failure.kind(), failure.exit_code()),
        ("NoSpace", 4),
        "{failure:?}"
    );
}
