//! What is in the folder and beside it, before and after, and who else is there.

use std::fs;

use crate::model::tests::case::{Case, WHOLE, names, weights, weights_mirror};
use crate::model::tests::mirror::Reply;
use crate::model::{Failure, Outcome};

#[tokio::test]
async fn a_changed_file_makes_the_folder_anew() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    case.run().await.unwrap();
    fs::write(case.options.folder.join("config.json"), "changed").unwrap();
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
    fs::remove_file(case.options.folder.join("tokenizer.json")).unwrap();
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
}

#[tokio::test]
async fn an_interrupted_exchange_of_folders_leaves_nothing_half() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    case.run().await.unwrap();
    // Dead between the renames: the old folder is aside, the new one gathered, none in place.
    let old = case.dir.path().join(".model.old");
    fs::rename(&case.options.folder, &old).unwrap();
    fs::create_dir_all(case.staged("")).unwrap();
    for entry in case.options.manifest.entries() {
        fs::copy(old.join(&entry.path), case.staged(&entry.path)).unwrap();
    }
    fs::write(old.join("config.json"), "an older model").unwrap();
    drop(mirror);
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
    case.assert_complete();
}

#[tokio::test]
async fn an_old_folder_is_put_back_when_the_new_one_cannot_be_had() {
    let mirror = weights_mirror(|_, _| Reply::status(404, "")).await;
    let case = Case::new(mirror.url());
    let old = case.dir.path().join(".model.old");
    fs::create_dir_all(&old).unwrap();
    fs::write(old.join(".complete"), "sha256:of another model").unwrap();
    assert_eq!(case.run().await.unwrap_err().kind(), "NotFound");
    assert_eq!(names(&case.options.folder), [".complete"]);
}

#[tokio::test]
async fn what_an_earlier_manifest_left_does_not_come_along() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    fs::create_dir_all(case.staged("sub")).unwrap();
    fs::write(case.staged("vocab.txt.part"), "left over").unwrap();
    case.run().await.unwrap();
    case.assert_complete();
}

#[tokio::test]
async fn a_folder_with_other_files_is_left_alone() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    fs::create_dir(&case.options.folder).unwrap();
    fs::write(case.options.folder.join("thesis.txt"), "precious").unwrap();
    let failure = case.run().await.unwrap_err();
    assert!(matches!(failure, Failure::Occupied { .. }), "{failure:?}");
    assert_eq!(names(&case.options.folder), ["thesis.txt"]);
    assert!(mirror.heads().is_empty());
    fs::remove_file(case.options.folder.join("thesis.txt")).unwrap();
    assert_eq!(case.run().await.unwrap(), Outcome::Fetched);
}

#[tokio::test]
async fn two_at_once_fetch_once() {
    let mirror = weights_mirror(|head, _| Reply::file(head, &weights(), WHOLE)).await;
    let case = Case::new(mirror.url());
    let (one, two) = tokio::join!(case.run(), case.run());
    let mut outcomes = [one.unwrap(), two.unwrap()];
    outcomes.sort_by_key(|outcome| *outcome == Outcome::AlreadyComplete);
    assert_eq!(outcomes, [Outcome::Fetched, Outcome::AlreadyComplete]);
    assert_eq!(mirror.heads().len(), 3);
    case.assert_complete();
}
