//! Joins the style sheets: tokens, base, the other shared ones, then each component's own.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::folder;

/// One sheet, each part under a comment with its path.
pub(crate) fn sheet(ui: &Path) -> Result<String> {
    let mut sheet = String::new();
    for file in sources(ui)? {
        let text =
            fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
        sheet.push_str(&format!("/* {} */\n", file.strip_prefix(ui)?.display()));
        sheet.push_str(&text);
        if !text.ends_with('\n') {
            sheet.push('\n');
        }
    }
    Ok(sheet)
}

/// The sheets in the order in which they are joined.
pub(crate) fn sources(ui: &Path) -> Result<Vec<PathBuf>> {
    let shared = sheets(&ui.join("style"))?;
    let first = ["tokens.css", "base.css"].map(|name| ui.join("style").join(name));
    let mut sources: Vec<PathBuf> = first
        .iter()
        .filter(|file| shared.contains(file))
        .cloned()
        .collect();
    sources.extend(shared.into_iter().filter(|file| !first.contains(file)));
    sources.extend(sheets(&ui.join("src"))?);
    Ok(sources)
}

fn sheets(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut sheets = folder::files(folder)?;
    sheets.retain(|file| file.extension().is_some_and(|extension| extension == "css"));
    Ok(sheets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sheets_are_joined_from_general_to_particular() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let ui = folder.path();
        for name in [
            "src/views/a.css",
            "src/components/z/z.css",
            "src/components/b/b.css",
            "src/components/b/b.rs",
            "style/base.css",
            "style/tokens.css",
            "style/animation.css",
            "style/zebra.css",
        ] {
            let file = ui.join(name);
            fs::create_dir_all(file.parent().context("no folder")?)?;
            fs::write(file, format!(".{} {{}}", name.replace(['/', '.'], "-")))?;
        }
        let sheet = sheet(ui)?;
        let order: Vec<&str> = sheet
            .lines()
            .filter(|line| line.starts_with("/*"))
            .collect();
        assert_eq!(
            order,
            [
                "/* style/tokens.css */",
                "/* style/base.css */",
                "/* style/animation.css */",
                "/* style/zebra.css */",
                "/* src/components/b/b.css */",
                "/* src/components/z/z.css */",
                "/* src/views/a.css */",
            ]
        );
        Ok(())
    }
}
