//! What the flags mean, and what every mistake says.

use expect_test::{Expect, expect};

use super::*;

const DIGEST: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

fn read(line: &str) -> Result<Options, Mistakes> {
    let matches = command()
        .no_binary_name(true)
        .try_get_matches_from(line.split_whitespace())
        .unwrap();
    options(&matches)
}

fn check(line: &str, expect: &Expect) {
    expect.assert_eq(&read(line).unwrap_err().to_string());
}

fn files() -> String {
    ["config.json", "tokenizer.json", "model.safetensors"]
        .map(|path| format!("--file {path}=sha256:{DIGEST}"))
        .join(" ")
}

#[test]
fn a_folder_is_enough() {
    let options = read("--to models/potion").unwrap();
    assert_eq!(options.folder, Path::new("models/potion"));
    assert_eq!(Ok(options.manifest), Manifest::pinned());
    assert_eq!(options.limits, Limits::default());
    assert_eq!(options.source.base().as_str(), "https://huggingface.co/");
    assert!(options.token.is_none());
}

#[test]
fn a_mirror_of_the_default_files_needs_no_digests() {
    let options = read("--to m --base-url http://files.example/potion/").unwrap();
    assert_eq!(options.manifest.entries().len(), 3);
    assert!(matches!(options.source, Source::Folder(_)));
}

#[test]
fn another_repository_brings_its_digests() {
    let commit = "0123456789012345678901234567890123456789";
    let line = format!(
        "--to m --repository a/b --revision {commit} --retries 0 {}",
        files()
    );
    let options = read(&line).unwrap();
    assert_eq!(options.manifest.entries()[0].path, "config.json");
    assert_eq!(options.limits.retries, 0);
}

#[test]
fn every_mistake_is_reported_at_once() {
    check(
        "--repository up --revision main --endpoint ftp://x --stall-timeout soon --retries many --token-file /none --ca /none",
        &expect![[r#"
            mistakes on the command line
              --to is missing: give the folder for the model
              --endpoint is no http or https URL without user name, password and fragment
              --repository is not of the form owner/name
              --revision is no commit of 40 hexadecimal digits; branches and tags move
              --file is missing: only the default repository's digests are known here; give one for each file, config.json, tokenizer.json and model.safetensors at least, as sha256sum prints them: --file config.json=sha256:DIGEST
              --token-file cannot be read
              --ca cannot be read
              --stall-timeout is no duration such as 30s or 15m
              --retries is no whole number up to 1000"#]],
    );
}

#[test]
fn unknown_digests_say_how_to_give_them() {
    check(
        "--to m --repository a/b",
        &expect![[r#"
        mistakes on the command line
          --revision is missing: only the default repository's commit is known here
          --file is missing: only the default repository's digests are known here; give one for each file, config.json, tokenizer.json and model.safetensors at least, as sha256sum prints them: --file config.json=sha256:DIGEST"#]],
    );
    check(
        "--to m --revision 0123456789012345678901234567890123456789",
        &expect![[r#"
            mistakes on the command line
              --file is missing: only the default repository's digests are known here; give one for each file, config.json, tokenizer.json and model.safetensors at least, as sha256sum prints them: --file config.json=sha256:DIGEST"#]],
    );
}

#[test]
fn files_that_make_no_model() {
    check(
        &format!(
            "--to m --base-url http://x.example --file a --file config.json=sha256:{DIGEST} --file config.json=sha256:{DIGEST}"
        ),
        &expect![[r#"
            mistakes on the command line
              --file "a" is not of the form path=sha256:DIGEST or path=sha256:DIGEST:BYTES
              --file names config.json twice"#]],
    );
    check(
        &format!("--to m --base-url http://x.example --file config.json=sha256:{DIGEST}"),
        &expect![[r#"
            mistakes on the command line
              --file does not name tokenizer.json, without which there is no model
              --file does not name model.safetensors, without which there is no model"#]],
    );
}

#[test]
fn one_source_at_a_time_and_a_folder_with_a_name() {
    check(
        "--to .. --base-url http://x.example --endpoint http://y.example",
        &expect![[r#"
            mistakes on the command line
              --to has no name of its own: give a folder that can be made or replaced
              --endpoint does not go with --base-url: leave one of them out"#]],
    );
    check(
        "--to m --base-url http://me:canary@x.example",
        &expect![[r#"
            mistakes on the command line
              --base-url is no http or https URL without user name, password and fragment"#]],
    );
}

#[test]
fn a_token_never_travels_in_the_clear() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("token");
    std::fs::write(&file, "canary\n").unwrap();
    let line = |url: &str| format!("--to m --base-url {url} --token-file {}", file.display());
    check(
        &line("http://x.example"),
        &expect![[r#"
        mistakes on the command line
          --token-file would send the token over plain http: give an https endpoint"#]],
    );
    assert!(read(&line("https://x.example")).unwrap().token.is_some());
    assert!(read(&line("http://127.0.0.1:80")).unwrap().token.is_some());
    std::fs::write(&file, "two canaries").unwrap();
    check(
        &line("https://x.example"),
        &expect![[r#"
        mistakes on the command line
          --token-file must hold one token and nothing else"#]],
    );
}
