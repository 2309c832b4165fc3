//! A small model, a folder to fetch it into, and what was said on the way.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tempfile::TempDir;

use crate::model::tests::mirror::{Head, Mirror, Reply};
use crate::model::{
    Digest, Entry, Failure, Limits, Manifest, Options, Outcome, Reporter, Source, fetch,
};

pub(super) const WHOLE: usize = usize::MAX;

pub(super) fn weights() -> Vec<u8> {
    (0..200_000_u32)
        .flat_map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes())
        .take(200_000)
        .collect()
}

pub(super) fn content(path: &str) -> Vec<u8> {
    match path.rsplit('/').next().unwrap() {
        "model.safetensors" => weights(),
        name => name.as_bytes().to_vec(),
    }
}

pub(super) fn manifest() -> Manifest {
    let entry = |path: &str| Entry {
        path: path.to_owned(),
        digest: Digest::of(&content(path)),
        size: Some(content(path).len() as u64),
    };
    Manifest::new(
        ["config.json", "tokenizer.json", "model.safetensors"]
            .map(entry)
            .to_vec(),
    )
}

pub(super) struct Case {
    pub(super) dir: TempDir,
    pub(super) options: Options,
    said: Arc<Mutex<Vec<u8>>>,
}

#[derive(Clone)]
struct Said(Arc<Mutex<Vec<u8>>>);

impl io::Write for Said {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Case {
    pub(super) fn new(url: url::Url) -> Self {
        let dir = tempfile::tempdir().unwrap();
        let options = Options {
            folder: dir.path().join("model"),
            source: Source::Folder(url),
            manifest: manifest(),
            token: None,
            extra_roots: None,
            limits: Limits {
                connect: Duration::from_secs(10),
                stall: Duration::from_secs(10),
                total: Duration::from_secs(60),
                retries: 3,
                pause: Duration::from_millis(1),
            },
        };
        let said = Arc::default();
        Self { dir, options, said }
    }

    pub(super) async fn run(&self) -> Result<Outcome, Failure> {
        let mut reporter = Reporter::new(Box::new(Said(Arc::clone(&self.said))), false);
        let done = fetch(&self.options, &mut reporter).await;
        reporter.end(&self.options, &done);
        done
    }

    pub(super) fn said(&self) -> String {
        String::from_utf8(self.said.lock().unwrap().clone()).unwrap()
    }

    pub(super) fn staged(&self, name: &str) -> PathBuf {
        self.dir.path().join(".model.fetching").join(name)
    }

    /// Whole, marked, and with nothing beside it but the lock.
    pub(super) fn assert_complete(&self) {
        for entry in self.options.manifest.entries() {
            assert_eq!(
                fs::read(self.options.folder.join(&entry.path)).unwrap(),
                content(&entry.path)
            );
        }
        assert_eq!(names(&self.options.folder).len(), 4);
        assert_eq!(names(self.dir.path()), [".model.lock", "model"]);
    }
}

pub(super) fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

pub(super) fn weights_asked(mirror: &Mirror) -> Vec<Head> {
    mirror
        .heads()
        .into_iter()
        .filter(|head| head.path().ends_with("safetensors"))
        .collect()
}

/// Answers with the files, and with `special` for the weights.
pub(super) async fn weights_mirror(
    special: impl Fn(&Head, usize) -> Reply + Send + Sync + 'static,
) -> Mirror {
    let asked = Mutex::new(0);
    Mirror::start(move |head, _| {
        if !head.path().ends_with("safetensors") {
            return Reply::file(head, &content(head.path()), WHOLE);
        }
        let mut asked = asked.lock().unwrap();
        *asked += 1;
        special(head, *asked - 1)
    })
    .await
}
