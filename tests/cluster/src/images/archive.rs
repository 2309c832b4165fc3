//! How do files become an image that containerd imports? One layer, one configuration, one index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufWriter;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::call::words;
use crate::digest;
use crate::error::Error;
use crate::images::tar::Writer;

/// An image in the making. The same content gives the same bytes, on every machine, at every time.
#[derive(Debug)]
pub struct Image {
    name: String,
    files: BTreeMap<String, PathBuf>,
    /// What is started.
    pub entrypoint: Vec<String>,
    /// As whom, in numbers, for `runAsNonRoot` cannot judge a name.
    pub user: String,
    /// `NAME=value`.
    pub environment: Vec<String>,
}

impl Image {
    /// An empty one under its full name with tag: `localhost/toolsearch:dev`.
    #[must_use]
    pub fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            files: BTreeMap::new(),
            entrypoint: Vec::new(),
            user: "65532:65532".to_owned(),
            environment: Vec::new(),
        }
    }

    /// Puts a file, or all files of a folder, at a path of the image.
    ///
    /// # Errors
    /// When the source cannot be read.
    pub fn file(&mut self, source: &Path, inside: &str) -> Result<(), Error> {
        let inside = inside.trim_matches('/');
        let meta = fs::metadata(source).map_err(Error::file("read", source))?;
        if !meta.is_dir() {
            self.files.insert(inside.to_owned(), source.to_owned());
            return Ok(());
        }
        let entries = fs::read_dir(source).map_err(Error::file("read", source))?;
        for entry in entries {
            let entry = entry.map_err(Error::file("read", source))?;
            let name = entry.file_name();
            let below = format!("{inside}/{}", name.to_string_lossy());
            self.file(&entry.path(), &below)?;
        }
        Ok(())
    }

    /// Puts a program, and the shared libraries that it asks for, each at its own path.
    ///
    /// # Errors
    /// When the source cannot be read, or a library of it is missing on this machine.
    pub fn program(&mut self, source: &Path, inside: &str) -> Result<(), Error> {
        self.file(source, inside)?;
        // A static program has none, which `ldd` reports by failing.
        let list = words(Command::new("ldd").arg(source))?;
        if list.contains("not found") {
            let source = source.display();
            return Err(Error::Invalid(format!(
                "{source} misses libraries:\n{list}"
            )));
        }
        let paths = list.lines().filter_map(|line| {
            let mut words = line.split_whitespace();
            words.find(|word| word.starts_with('/') && !word.ends_with(':'))
        });
        paths
            .into_iter()
            .try_for_each(|path| self.file(Path::new(path), path))
    }

    /// Writes the archive and gives the digest of its manifest, which is the image's digest.
    ///
    /// # Errors
    /// When a file cannot be read or the archive not be written.
    pub fn write(&self, out: &Path) -> Result<String, Error> {
        if !self
            .name
            .rsplit('/')
            .next()
            .is_some_and(|last| last.contains(':'))
        {
            return Err(Error::Invalid(format!("{} has no tag", self.name)));
        }
        if let Some(folder) = out.parent() {
            fs::create_dir_all(folder).map_err(Error::file("make", folder))?;
        }
        let layer = out.with_extension(format!("layer-{}", std::process::id()));
        let done = self
            .write_layer(&layer)
            .and_then(|()| self.write_around(&layer, out));
        // The layer is a part of the archive now, or of nothing.
        let _ = fs::remove_file(&layer);
        done
    }

    fn write_layer(&self, place: &Path) -> Result<(), Error> {
        let out = File::create(place).map_err(Error::file("write", place))?;
        let mut tar = Writer::new(BufWriter::new(out));
        for folder in self.folders() {
            tar.folder(&folder).map_err(Error::file("write", place))?;
        }
        for (inside, source) in &self.files {
            let mut file = File::open(source).map_err(Error::file("read", source))?;
            let meta = file.metadata().map_err(Error::file("read", source))?;
            // Whether it is a program is content; who else may write it here is not.
            let program = meta.permissions().mode() & 0o111 != 0;
            let mode = if program { 0o755 } else { 0o644 };
            tar.file(inside, mode, meta.len(), &mut file)
                .map_err(Error::file("pack", source))?;
        }
        tar.end().map_err(Error::file("write", place)).map(drop)
    }

    /// Every folder that a file lies in, parents first.
    fn folders(&self) -> BTreeSet<String> {
        let mut folders = BTreeSet::new();
        for inside in self.files.keys() {
            let cuts = inside
                .match_indices('/')
                .map(|(at, _)| inside[..at].to_owned());
            folders.extend(cuts);
        }
        folders
    }

    fn write_around(&self, layer: &Path, out: &Path) -> Result<String, Error> {
        let (sum, length) = digest::of_file(layer)?;
        let config = self.config(&sum).to_string();
        let manifest = manifest(&config, &sum, length).to_string();
        let index = self.index(&manifest).to_string();
        let file = File::create(out).map_err(Error::file("write", out))?;
        let mut tar = Writer::new(BufWriter::new(file));
        let mut whole = || {
            let mut text = |name: &str, text: &str| {
                tar.file(name, 0o644, text.len() as u64, &mut text.as_bytes())
            };
            text("oci-layout", r#"{"imageLayoutVersion":"1.0.0"}"#)?;
            text("index.json", &index)?;
            for blob in [&config, &manifest] {
                let name = digest::of_bytes(blob.as_bytes());
                text(&format!("blobs/sha256/{name}"), blob)?;
            }
            let mut content = File::open(layer)?;
            tar.file(&format!("blobs/sha256/{sum}"), 0o644, length, &mut content)
        };
        whole().map_err(Error::file("write", out))?;
        tar.end().map_err(Error::file("write", out))?;
        Ok(format!("sha256:{}", digest::of_bytes(manifest.as_bytes())))
    }

    fn config(&self, layer: &str) -> Value {
        let path = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin".to_owned();
        let environment: Vec<&String> = [&path].into_iter().chain(&self.environment).collect();
        json!({
            "architecture": architecture(),
            "os": "linux",
            "config": {
                "User": self.user,
                "Env": environment,
                "Entrypoint": self.entrypoint,
                "WorkingDir": "/",
            },
            "rootfs": {"type": "layers", "diff_ids": [format!("sha256:{layer}")]},
        })
    }

    fn index(&self, manifest: &str) -> Value {
        let mut entry = descriptor("image.manifest.v1+json", manifest);
        entry["annotations"] = json!({
            "io.containerd.image.name": self.name,
            "org.opencontainers.image.ref.name": self.name,
        });
        json!({"schemaVersion": 2, "manifests": [entry]})
    }
}

fn manifest(config: &str, layer: &str, length: u64) -> Value {
    json!({
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": descriptor("image.config.v1+json", config),
        "layers": [{
            "mediaType": "application/vnd.oci.image.layer.v1.tar",
            "digest": format!("sha256:{layer}"),
            "size": length,
        }],
    })
}

fn descriptor(kind: &str, content: &str) -> Value {
    json!({
        "mediaType": format!("application/vnd.oci.{kind}"),
        "digest": format!("sha256:{}", digest::of_bytes(content.as_bytes())),
        "size": content.len(),
    })
}

/// As images call it.
fn architecture() -> &'static str {
    match std::env::consts::ARCH {
        "x86_64" => "amd64",
        "aarch64" => "arm64",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packed(folder: &Path, out: &str) -> (String, Vec<u8>) {
        let mut image = Image::new("localhost/x:dev");
        image.file(&folder.join("in"), "/opt/x").unwrap();
        image.entrypoint = vec!["/opt/x/b".to_owned()];
        let out = folder.join(out);
        let digest = image.write(&out).unwrap();
        (digest, fs::read(out).unwrap())
    }

    #[test]
    fn the_same_files_give_the_same_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let input = folder.path().join("in");
        fs::create_dir(&input).unwrap();
        for name in ["b", "a"] {
            fs::write(input.join(name), name).unwrap();
        }
        let first = packed(folder.path(), "one.tar");
        // Other times, another order of making, other rights for others.
        fs::remove_file(input.join("b")).unwrap();
        fs::write(input.join("b"), "b").unwrap();
        fs::set_permissions(input.join("a"), fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(first, packed(folder.path(), "two.tar"));
        fs::write(input.join("a"), "c").unwrap();
        assert_ne!(first.0, packed(folder.path(), "three.tar").0);
        let left = fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(left, 4, "no layer is left beside the archives");
    }

    #[test]
    fn a_name_without_tag_is_refused() {
        let out = tempfile::tempdir().unwrap();
        let image = Image::new("localhost:5000/x");
        assert!(image.write(&out.path().join("x.tar")).is_err());
    }
}
