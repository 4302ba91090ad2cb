//! The lock file must hold the wasm-bindgen that this program was linked with.

use anyhow::{Context, Result, ensure};

/// The UI's wasm-bindgen and ours must be the same to the last digit, or the
/// generated JavaScript does not fit the WebAssembly. Returns that version.
pub(crate) fn bindgen_version(lock: &str) -> Result<&str> {
    let ui = version_of(lock, "wasm-bindgen").context("Cargo.lock names no wasm-bindgen")?;
    let ours = version_of(lock, "wasm-bindgen-cli-support")
        .context("Cargo.lock names no wasm-bindgen-cli-support")?;
    ensure!(
        ui == ours,
        "Cargo.lock has wasm-bindgen {ui} and wasm-bindgen-cli-support {ours}: \
         set both to the same version in the root Cargo.toml"
    );
    Ok(ui)
}

fn version_of<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let mut lines = lock.lines();
    lines.find(|line| *line == format!("name = \"{package}\""))?;
    lines
        .next()?
        .strip_prefix("version = \"")?
        .strip_suffix('"')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(ui: &str, ours: &str) -> String {
        format!(
            "[[package]]\nname = \"wasm-bindgen\"\nversion = \"{ui}\"\n\n\
             [[package]]\nname = \"wasm-bindgen-cli-support\"\nversion = \"{ours}\"\n"
        )
    }

    #[test]
    fn equal_versions_fit() -> Result<()> {
        assert_eq!(bindgen_version(&lock("0.2.130", "0.2.130"))?, "0.2.130");
        Ok(())
    }

    #[test]
    fn different_versions_are_named() {
        let lock = lock("0.2.131", "0.2.130");
        let message = bindgen_version(&lock).map_err(|error| error.to_string());
        assert!(message.is_err_and(|text| text.contains("0.2.131") && text.contains("0.2.130")));
    }
}
