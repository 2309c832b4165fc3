//! How does a tar archive look whose bytes depend on nothing but its content?
//!
//! The old `ustar` form: no times, numbers for owners, entries in the order they are given.

use std::io::{self, Read, Write};

/// Bytes of a block; everything is filled up to it.
const BLOCK: usize = 512;

/// Writes entries one by one.
pub(crate) struct Writer<W> {
    out: W,
}

impl<W: Write> Writer<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out }
    }

    /// A folder; its name ends with a slash in the archive.
    pub(crate) fn folder(&mut self, name: &str) -> io::Result<()> {
        self.out
            .write_all(&header(&format!("{name}/"), 0o755, 0, b'5')?)
    }

    /// A file of a length that is known beforehand.
    pub(crate) fn file(
        &mut self,
        name: &str,
        mode: u32,
        length: u64,
        content: &mut dyn Read,
    ) -> io::Result<()> {
        self.out.write_all(&header(name, mode, length, b'0')?)?;
        let copied = io::copy(&mut content.take(length), &mut self.out)?;
        if copied != length {
            return Err(io::Error::other(
                "the file became shorter while it was read",
            ));
        }
        let rest = usize::try_from(length % BLOCK as u64).map_err(io::Error::other)?;
        if rest > 0 {
            self.out.write_all(&[0; BLOCK][rest..])?;
        }
        Ok(())
    }

    /// Two empty blocks are the end.
    pub(crate) fn end(mut self) -> io::Result<W> {
        self.out.write_all(&[0; 2 * BLOCK])?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn header(name: &str, mode: u32, length: u64, kind: u8) -> io::Result<[u8; BLOCK]> {
    let mut block = [0; BLOCK];
    let mut put = |at: usize, bytes: &[u8]| block[at..at + bytes.len()].copy_from_slice(bytes);
    let (prefix, name) = split(name)?;
    put(0, name.as_bytes());
    put(345, prefix.as_bytes());
    put(100, format!("{mode:07o}").as_bytes());
    put(108, b"0000000");
    put(116, b"0000000");
    let length = format!("{length:011o}");
    if length.len() > 11 {
        return Err(io::Error::other("longer than 8 GiB"));
    }
    put(124, length.as_bytes());
    put(136, b"00000000000");
    // The sum is taken over the header with blanks in the sum's own place.
    put(148, b"        ");
    put(156, &[kind]);
    put(257, b"ustar\x0000");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// Names over a hundred bytes are cut at a slash in two fields.
fn split(name: &str) -> io::Result<(&str, &str)> {
    if name.len() <= 100 {
        return Ok(("", name));
    }
    let cuts = name.match_indices('/').map(|(at, _)| at);
    let mut fitting = cuts.filter(|at| *at <= 155 && (1..=100).contains(&(name.len() - at - 1)));
    fitting
        .next()
        .map(|at| (&name[..at], &name[at + 1..]))
        .ok_or_else(|| io::Error::other(format!("name too long: {name}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn tar_reads_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let long = format!("a/{}/{}", "b".repeat(90), "c".repeat(60));
        let mut writer = Writer::new(Vec::new());
        writer.folder("a").unwrap();
        writer.file("a/x", 0o755, 3, &mut &b"abc"[..]).unwrap();
        writer.file(&long, 0o644, 0, &mut &b""[..]).unwrap();
        let archive = folder.path().join("a.tar");
        std::fs::write(&archive, writer.end().unwrap()).unwrap();
        let list = Command::new("tar")
            .arg("-tf")
            .arg(&archive)
            .output()
            .unwrap();
        assert_eq!(
            String::from_utf8_lossy(&list.stdout),
            format!("a/\na/x\n{long}\n")
        );
        let content = Command::new("tar")
            .arg("-xOf")
            .arg(&archive)
            .arg("a/x")
            .output()
            .unwrap();
        assert_eq!(content.stdout, b"abc");
    }

    #[test]
    fn a_file_that_shrinks_is_an_error() {
        let mut writer = Writer::new(Vec::new());
        assert!(writer.file("a", 0o644, 5, &mut &b"abc"[..]).is_err());
    }
}
