//! How large the things are that people download and load.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use crate::repository::{Profile, Repository};

/// Sizes of the release binary and of the UI's WebAssembly, one line each.
pub(crate) fn report(repository: &Repository) -> Result<Vec<String>> {
    let wasm = repository.dist().join("ui_bg.wasm");
    Ok(vec![
        line("binary", bytes_of(&repository.binary(Profile::Release))?),
        line("wasm", bytes_of(&wasm)?),
        line("wasm, gzip", compressed_bytes(repository, &wasm)?),
    ])
}

/// A name and a size, aligned with the other lines.
pub(crate) fn line(name: &str, bytes: u64) -> String {
    format!("   {name:<12} {:>9}  {bytes:>10} bytes", rounded(bytes))
}

/// The length of a file.
pub(crate) fn bytes_of(file: &Path) -> Result<u64> {
    Ok(fs::metadata(file)
        .with_context(|| format!("{} is missing", file.display()))?
        .len())
}

fn compressed_bytes(repository: &Repository, file: &Path) -> Result<u64> {
    let output = repository
        .process("gzip")
        .args(["-9", "-c"])
        .arg(file)
        .output()?;
    anyhow::ensure!(output.status.success(), "gzip failed");
    Ok(output.stdout.len() as u64)
}

/// Decimal units with one digit after the point, in whole numbers.
fn rounded(bytes: u64) -> String {
    let (unit, name) = if bytes < 1_000_000 {
        (1_000, "kB")
    } else {
        (1_000_000, "MB")
    };
    let tenths = (bytes * 10 + unit / 2) / unit;
    format!("{}.{} {name}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_rounded_to_a_tenth() {
        assert_eq!(rounded(277_449), "277.4 kB");
        assert_eq!(rounded(19_650_000), "19.7 MB");
        assert_eq!(rounded(12), "0.0 kB");
    }
}
