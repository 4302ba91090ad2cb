//! Names inside a workspace that tools leave alone: what runs programs later, and what holds
//! secrets. The names are those of what was opened, links resolved, not those that were asked for.

use engine::ToolError;

use crate::refusal;

/// Folders whose content makes git, an editor or an agent run something.
const RUNNING_FOLDERS: &[&str] = &[
    ".git", "git~1", ".husky", ".vscode", ".idea", ".claude", ".codex", ".agents", ".cursor",
];
/// Files that do.
const RUNNING_FILES: &[&str] = &[
    ".gitmodules",
    ".gitconfig",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".envrc",
    ".ripgreprc",
    ".mcp.json",
];
/// Folders of credentials.
const SECRET_FOLDERS: &[&str] = &[".ssh", ".gnupg", ".aws", ".azure", ".kube", ".docker"];
/// Files of credentials.
const SECRET_FILES: &[&str] = &[
    ".netrc",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
];
/// Examples of environment files hold no secrets, and are there to be read.
const EXAMPLE_ENDINGS: &[&str] = &[".example", ".sample", ".template"];

/// Refuses to write where it would run something later, or into credentials.
pub(crate) fn check_write(names: &[String]) -> Result<(), ToolError> {
    let runs = names.iter().map(|name| folded(name)).any(|name| {
        RUNNING_FOLDERS.contains(&name.as_str()) || RUNNING_FILES.contains(&name.as_str())
    });
    if runs {
        return Err(refusal::forbidden(format!(
            "{} can make programs run later, so tools do not write it. Tell the person what to \
             change there.",
            names.join("/")
        )));
    }
    let is_secret_folder = names
        .iter()
        .any(|name| SECRET_FOLDERS.contains(&folded(name).as_str()));
    if is_secret_folder {
        return Err(secret(names));
    }
    Ok(())
}

/// Refuses to read credentials.
pub(crate) fn check_read(names: &[String]) -> Result<(), ToolError> {
    let in_folder = names
        .iter()
        .any(|name| SECRET_FOLDERS.contains(&folded(name).as_str()));
    let is_file = names
        .last()
        .is_some_and(|name| is_secret_file(&folded(name)));
    if in_folder || is_file {
        return Err(secret(names));
    }
    Ok(())
}

fn is_secret_file(name: &str) -> bool {
    let is_environment = (name == ".env" || name.starts_with(".env."))
        && !EXAMPLE_ENDINGS.iter().any(|ending| name.ends_with(ending));
    is_environment || name.ends_with(".pem") || SECRET_FILES.contains(&name)
}

fn secret(names: &[String]) -> ToolError {
    refusal::forbidden(format!(
        "{} is where credentials are kept, which tools do not touch. Ask the person for what is \
         needed from it.",
        names.join("/")
    ))
}

/// What a name is to a file system that ignores case, joiners, dots and blanks at the end, or what
/// follows a colon. Too strict elsewhere, and that is the right side to be wrong on.
fn folded(name: &str) -> String {
    let name = name.split(':').next().unwrap_or_default();
    let visible: String = name
        .chars()
        .filter(|character| !matches!(character, '\u{200c}' | '\u{200d}'))
        .collect();
    visible.trim_end_matches(['.', ' ']).to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(path: &str) -> Vec<String> {
        path.split('/').map(ToOwned::to_owned).collect()
    }

    #[test]
    fn what_runs_later_is_not_written() {
        for path in [
            ".git/hooks/pre-commit",
            ".git/config",
            ".GIT/Config",
            ".g\u{200c}it/config",
            ".git. /config",
            ".git::$INDEX_ALLOCATION/config",
            "GIT~1/config",
            ".git",
            "vendor/lib/.git",
            ".gitmodules",
            "a/.vscode/tasks.json",
            ".claude/settings.json",
            ".husky/pre-commit",
            ".bashrc",
            ".mcp.json",
            ".ssh/authorized_keys",
        ] {
            assert!(check_write(&names(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn ordinary_names_are_written_and_read() {
        for path in [
            "notes/tides.md",
            ".gitignore",
            ".github/workflows/ci.yml",
            "git/config",
            "hooks/pre-commit",
            ".env.example",
            "id_rsa.pub",
            "environment.md",
        ] {
            assert!(check_write(&names(path)).is_ok(), "{path}");
            assert!(check_read(&names(path)).is_ok(), "{path}");
        }
    }

    #[test]
    fn credentials_are_not_read() {
        for path in [
            ".env",
            ".env.local",
            "app/.ENV",
            "server.pem",
            "a/id_ed25519",
            ".ssh/config",
            ".npmrc",
        ] {
            assert!(check_read(&names(path)).is_err(), "{path}");
        }
        assert!(check_read(&names(".git/config")).is_ok(), "it only runs");
    }
}
