//! Whole fetches against a server on this machine that does what mirrors do on bad days.

mod case;
mod mirror;
mod places;
mod redirects;
mod refusals;

use std::fs;

use crate::model::Outcome;
use case::{Case, WHOLE, weights, weights_asked, weights_mirror};
use mirror::{Head, Reply};

#[tokio::test]
async fn a_folder_appears_whole_and_a_second_run_needs_no_network() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
    assert_eq!(mirror.heads()[0].path(), "/m/config.json");
    assert_eq!(
        mirror.heads()[0].header("accept-encoding"),
        Some("identity")
    );
    drop(mirror);
    assert_eq!(case.run().await.unwrap(), Outcome::AlreadyComplete);
    let last: serde_json::Value =
        serde_json::from_str(case.said().lines().last().unwrap()).unwrap();
    assert_eq!(last["reason"], "AlreadyComplete");
}

#[tokio::test]
async fn a_mirror_that_cuts_is_resumed_and_no_byte_asked_for_twice() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), 30_000)).await;
    let case = Case::new(mirror.url());
    case.run().await.unwrap();
    case.assert_complete();
    let asked = weights_asked(&mirror);
    let starts: Vec<_> = asked.iter().map(Head::from).collect();
    assert_eq!(
        starts,
        [0, 30_000, 60_000, 90_000, 120_000, 150_000, 180_000]
    );
    assert_eq!(asked[0].header("if-range"), None);
    assert_eq!(asked[1].header("if-range"), Some("\"v1\""));
}

#[tokio::test]
async fn a_later_run_goes_on_where_an_earlier_one_ended() {
    let mirror = weights_mirror(|head, n| {
        let cut = if n == 0 { 50_000 } else { WHOLE };
        Reply::file(head, &weights(), cut)
    })
    .await;
    let mut case = Case::new(mirror.url());
    case.options.limits.retries = 0;
    assert_eq!(case.run().await.unwrap_err().exit_code(), 7);
    assert!(!case.options.folder.exists());
    assert_eq!(
        fs::metadata(case.staged("model.safetensors.part"))
            .unwrap()
            .len(),
        50_000
    );
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
    assert_eq!(mirror.heads().len(), 4);
    assert_eq!(weights_asked(&mirror)[1].from(), 50_000);
}

#[tokio::test]
async fn an_answer_without_a_range_begins_anew() {
    let mirror = weights_mirror(|head, n| match n {
        0 => Reply::file(head, &weights(), 50_000),
        _ => Reply::file(&Head(String::new()), &weights(), WHOLE),
    })
    .await;
    let case = Case::new(mirror.url());
    case.run().await.unwrap();
    case.assert_complete();
    assert_eq!(weights_asked(&mirror).len(), 2);
}

#[tokio::test]
async fn a_range_that_does_not_fit_begins_anew() {
    for odd in [
        "416 X\r\n",
        "206 X\r\nContent-Range: bytes 7-9/200000\r\n",
        "206 X\r\n",
    ] {
        let mirror = weights_mirror(move |head, n| match n {
            0 => Reply::file(head, &weights(), 50_000),
            1 => Reply::Raw(format!("HTTP/1.1 {odd}Content-Length: 0\r\n\r\n").into_bytes()),
            _ => Reply::file(head, &weights(), WHOLE),
        })
        .await;
        let case = Case::new(mirror.url());
        case.run().await.unwrap();
        case.assert_complete();
        let starts: Vec<_> = weights_asked(&mirror).iter().map(Head::from).collect();
        assert_eq!(starts, [0, 50_000, 0], "{odd}");
    }
}

#[tokio::test]
async fn a_part_of_other_bytes_is_noticed_and_thrown_away() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    fs::create_dir_all(case.staged("")).unwrap();
    fs::write(case.staged("model.safetensors.part"), vec![7; 1000]).unwrap();
    assert_eq!(case.run().await.unwrap_err().kind(), "DigestMismatch");
    assert!(!case.staged("model.safetensors.part").exists());
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
}
