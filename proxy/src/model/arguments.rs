//! What does the command line ask for? All mistakes are reported together.

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use toolsearch_settings::parse_duration;
use url::Url;

use crate::model::manifest::{DEFAULT_REPOSITORY, DEFAULT_REVISION, Entry, Manifest};
use crate::model::mistakes::{Mistake, Mistakes};
use crate::model::options::{Limits, Options};
use crate::model::source::{DEFAULT_ENDPOINT, Source, is_loopback};
use crate::model::token::Token;

const ABOUT: &str = "Fetch a model, verified against pinned digests";
const AFTER: &str = "\
Exit codes: 0 complete, 3 digest mismatch, 4 no space, 5 unauthorized, 6 timeout, 7 unreachable, \
8 not found, 9 TLS, 10 folder, 64 usage, 130 stopped by a signal. The last line on standard error is one JSON object.

Forward proxies are taken from HTTPS_PROXY, HTTP_PROXY and NO_PROXY.";

/// The subcommand.
#[must_use]
pub fn command() -> Command {
    let text = |name: &'static str, value: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name(value).help(help)
    };
    Command::new("fetch-model")
        .about(ABOUT)
        .after_help(AFTER)
        .arg(text(
            "to",
            "FOLDER",
            "The folder to make; it appears complete or not at all",
        ))
        .arg(text(
            "repository",
            "OWNER/NAME",
            "The repository [default: minishlab/potion-multilingual-128M]",
        ))
        .arg(text(
            "revision",
            "COMMIT",
            "The commit, 40 hexadecimal digits [default: the pinned one]",
        ))
        .arg(text(
            "endpoint",
            "URL",
            "A mirror of the model hub [default: https://huggingface.co]",
        ))
        .arg(text(
            "base-url",
            "URL",
            "A folder on any server that holds the files, instead of a repository",
        ))
        .arg(
            text(
                "file",
                "PATH=sha256:DIGEST[:BYTES]",
                "A file and its digest; repeat for each [default: the pinned ones]",
            )
            .action(ArgAction::Append),
        )
        .arg(text(
            "token-file",
            "FILE",
            "A file with a token for the endpoint; no redirect to another host sees it",
        ))
        .arg(text(
            "ca",
            "FILE",
            "PEM certificates to trust beside the system's",
        ))
        .arg(text(
            "report",
            "FILE",
            "A file for the last line, such as a container's termination message",
        ))
        .arg(text(
            "connect-timeout",
            "DURATION",
            "For a connection [default: 10s]",
        ))
        .arg(text(
            "stall-timeout",
            "DURATION",
            "For silence, or less than 1 kB a second [default: 30s]",
        ))
        .arg(text(
            "total-timeout",
            "DURATION",
            "For everything [default: 15m]",
        ))
        .arg(text(
            "retries",
            "NUMBER",
            "Attempts after the first that bring nothing, in a row [default: 5]",
        ))
}

/// Reads the flags, and the files that they name.
///
/// # Errors
/// Every mistake there is.
pub fn options(matches: &ArgMatches) -> Result<Options, Mistakes> {
    let mut reader = Reader {
        matches,
        mistakes: Vec::new(),
    };
    let folder = reader.folder();
    let source = reader.source();
    let manifest = reader.manifest();
    let token = reader.token();
    let extra_roots = reader.roots();
    let limits = reader.limits();
    let plain = source
        .as_ref()
        .is_some_and(|source| !is_safe(source.base()));
    if token.is_some() && plain {
        reader.blame("token-file", Mistake::PlainToken);
    }
    match source {
        Some(source) if reader.mistakes.is_empty() => Ok(Options {
            folder,
            source,
            manifest,
            token,
            extra_roots,
            limits,
        }),
        _ => Err(Mistakes(reader.mistakes)),
    }
}

fn is_safe(url: &Url) -> bool {
    url.scheme() == "https" || is_loopback(url)
}

struct Reader<'a> {
    matches: &'a ArgMatches,
    mistakes: Vec<(&'static str, Mistake)>,
}

impl Reader<'_> {
    fn given(&self, flag: &str) -> Option<&str> {
        self.matches.get_one::<String>(flag).map(String::as_str)
    }

    fn blame(&mut self, flag: &'static str, mistake: Mistake) {
        self.mistakes.push((flag, mistake));
    }

    fn folder(&mut self) -> PathBuf {
        let folder = self.given("to").map(PathBuf::from);
        match &folder {
            None => self.blame("to", Mistake::Missing),
            Some(path) if path.file_name().is_none() => self.blame("to", Mistake::NoName),
            Some(_) => {}
        }
        folder.unwrap_or_default()
    }

    fn source(&mut self) -> Option<Source> {
        if let Some(base) = self.given("base-url").map(str::to_owned) {
            for flag in ["repository", "revision", "endpoint"] {
                if self.given(flag).is_some() {
                    self.blame(flag, Mistake::TwoSources);
                }
            }
            return self.url("base-url", &base).map(Source::Folder);
        }
        let endpoint = self
            .given("endpoint")
            .unwrap_or(DEFAULT_ENDPOINT)
            .to_owned();
        let endpoint = self.url("endpoint", &endpoint);
        let repository = self.repository();
        let revision = self.revision();
        Some(Source::Repository {
            endpoint: endpoint?,
            repository,
            revision,
        })
    }

    fn url(&mut self, flag: &'static str, text: &str) -> Option<Url> {
        let fine = |url: &Url| {
            let bare = url.username().is_empty() && url.password().is_none();
            matches!(url.scheme(), "http" | "https") && bare && url.fragment().is_none()
        };
        let url = Url::parse(text).ok().filter(fine);
        if url.is_none() {
            self.blame(flag, Mistake::Url);
        }
        url
    }

    fn repository(&mut self) -> String {
        let name = self
            .given("repository")
            .unwrap_or(DEFAULT_REPOSITORY)
            .to_owned();
        let plain = |part: &str| {
            let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
            !part.is_empty() && !part.starts_with('.') && part.bytes().all(allowed)
        };
        if name.split('/').count() != 2 || !name.split('/').all(plain) {
            self.blame("repository", Mistake::Repository);
        }
        name
    }

    fn revision(&mut self) -> String {
        let given = self.given("revision").map(str::to_owned);
        match given {
            Some(commit) => {
                if commit.len() != 40 || !commit.bytes().all(|b| b.is_ascii_hexdigit()) {
                    self.blame("revision", Mistake::Revision);
                }
                commit
            }
            None if self.is_default_repository() => DEFAULT_REVISION.to_owned(),
            None => {
                self.blame("revision", Mistake::NoRevision);
                String::new()
            }
        }
    }

    fn is_default_repository(&self) -> bool {
        self.given("repository")
            .is_none_or(|name| name == DEFAULT_REPOSITORY)
    }

    fn is_pinned(&self) -> bool {
        let commit = self.given("revision").unwrap_or(DEFAULT_REVISION);
        self.is_default_repository() && commit.eq_ignore_ascii_case(DEFAULT_REVISION)
    }

    fn manifest(&mut self) -> Manifest {
        let texts = self
            .matches
            .get_many::<String>("file")
            .into_iter()
            .flatten();
        let parsed: Vec<_> = texts
            .map(|text| (text.clone(), text.parse::<Entry>()))
            .collect();
        if parsed.is_empty() {
            if let (true, Ok(manifest)) = (self.is_pinned(), Manifest::pinned()) {
                return manifest;
            }
            self.blame("file", Mistake::NoDigests);
            return Manifest::new(Vec::new());
        }
        let mut entries: Vec<Entry> = Vec::new();
        let mut sound = true;
        for (text, entry) in parsed {
            match entry {
                Ok(entry) if entries.iter().any(|each| each.path == entry.path) => {
                    self.blame("file", Mistake::Twice(entry.path));
                }
                Ok(entry) => entries.push(entry),
                Err(why) => {
                    sound = false;
                    self.blame("file", Mistake::File(text, why));
                }
            }
        }
        for name in ["config.json", "tokenizer.json", "model.safetensors"] {
            if sound && !entries.iter().any(|entry| entry.path == name) {
                self.blame("file", Mistake::Incomplete(name));
            }
        }
        Manifest::new(entries)
    }

    fn token(&mut self) -> Option<Token> {
        let path = self.given("token-file")?.to_owned();
        Token::read(Path::new(&path))
            .map_err(|why| self.blame("token-file", Mistake::Token(why)))
            .ok()
    }

    fn roots(&mut self) -> Option<Vec<u8>> {
        let path = self.given("ca")?.to_owned();
        std::fs::read(path)
            .map_err(|_| self.blame("ca", Mistake::Ca))
            .ok()
    }

    fn limits(&mut self) -> Limits {
        let usual = Limits::default();
        Limits {
            connect: self.duration("connect-timeout", usual.connect),
            stall: self.duration("stall-timeout", usual.stall),
            total: self.duration("total-timeout", usual.total),
            retries: self.retries(usual.retries),
            pause: usual.pause,
        }
    }

    fn duration(&mut self, flag: &'static str, usual: Duration) -> Duration {
        let Some(text) = self.given(flag) else {
            return usual;
        };
        let span = parse_duration(text).filter(|span| !span.is_zero());
        span.unwrap_or_else(|| {
            self.blame(flag, Mistake::Duration);
            usual
        })
    }

    fn retries(&mut self, usual: u32) -> u32 {
        let Some(text) = self.given("retries") else {
            return usual;
        };
        let number = text.parse().ok().filter(|number| *number <= 1000);
        number.unwrap_or_else(|| {
            self.blame("retries", Mistake::Number);
            usual
        })
    }
}

#[cfg(test)]
mod tests;
