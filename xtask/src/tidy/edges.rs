//! Dependencies point one way: which package may use which is written down here.

use serde_json::Value;

use super::Finding;

/// Each package of ours and the ones of ours that it may depend on. A new
/// package or a new edge is an architectural change: it gets its own commit.
const ALLOWED: &[(&str, &[&str])] = &[
    ("holdfast-protocol", &[]),
    ("holdfast-store", &["holdfast-protocol"]),
    ("holdfast-attachments", &["holdfast-protocol"]),
    (
        "holdfast-engine",
        &[
            "holdfast-protocol",
            "holdfast-store",
            "holdfast-attachments",
        ],
    ),
    (
        "holdfast-skills",
        &["holdfast-protocol", "holdfast-store", "holdfast-engine"],
    ),
    ("holdfast-tools", &["holdfast-protocol", "holdfast-engine"]),
    ("holdfast-models", &["holdfast-protocol", "holdfast-engine"]),
    ("holdfast-host", BELOW_HOST),
    ("holdfast-testkit", HOST_AND_BELOW),
    ("holdfast", &["holdfast-protocol", "holdfast-host"]),
    ("holdfast-ui", &["holdfast-protocol"]),
    ("holdfast-tests", ANYTHING),
    (
        "holdfast-benches",
        &["holdfast-protocol", "holdfast-store", "holdfast-engine"],
    ),
    ("xtask", &["holdfast-protocol"]),
];

const BELOW_HOST: &[&str] = &[
    "holdfast-protocol",
    "holdfast-store",
    "holdfast-engine",
    "holdfast-skills",
    "holdfast-tools",
    "holdfast-models",
];
const HOST_AND_BELOW: &[&str] = &[
    "holdfast-protocol",
    "holdfast-store",
    "holdfast-engine",
    "holdfast-skills",
    "holdfast-tools",
    "holdfast-models",
    "holdfast-host",
];
const ANYTHING: &[&str] = &["*"];

/// Libraries that one package alone may know, with those that test it.
const WALLS: &[(&str, &[&str])] = &[
    ("tauri", &["holdfast"]),
    (
        "rusqlite",
        &["holdfast-store", "holdfast-testkit", "holdfast-tests"],
    ),
    ("leptos", &["holdfast-ui"]),
    (
        "reqwest",
        &["holdfast-models", "holdfast-testkit", "holdfast-tests"],
    ),
];

/// Checks what `cargo metadata --no-deps` says.
pub(super) fn check(metadata: &Value) -> Vec<Finding> {
    let root = metadata["workspace_root"].as_str().unwrap_or_default();
    let packages = metadata["packages"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let ours: Vec<&str> = packages
        .iter()
        .filter_map(|package| package["name"].as_str())
        .collect();
    let mut findings = Vec::new();
    for package in packages {
        let name = package["name"].as_str().unwrap_or_default();
        let manifest = package["manifest_path"].as_str().unwrap_or_default();
        let path = manifest
            .strip_prefix(root)
            .unwrap_or(manifest)
            .trim_start_matches('/');
        let Some((_, allowed)) = ALLOWED.iter().find(|(known, _)| *known == name) else {
            let message = format!("package {name} is new: add it to xtask/src/tidy/edges.rs");
            findings.push(Finding::new(path, 1, message));
            continue;
        };
        for dependency in package["dependencies"].as_array().into_iter().flatten() {
            let used = dependency["name"].as_str().unwrap_or_default();
            let is_for_tests = dependency["kind"] == "dev";
            if ours.contains(&used) {
                let is_allowed = *allowed == ANYTHING || allowed.contains(&used);
                if !is_for_tests && !is_allowed {
                    let message = format!("{name} must not depend on {used}");
                    findings.push(Finding::new(path, 1, message));
                }
            } else if let Some(message) = behind_wall(name, used) {
                findings.push(Finding::new(path, 1, message));
            }
        }
    }
    findings
}

fn behind_wall(package: &str, library: &str) -> Option<String> {
    let (wall, inside) = WALLS.iter().find(|(wall, _)| {
        library == *wall
            || library
                .strip_prefix(wall)
                .is_some_and(|rest| rest.starts_with(['-', '_']))
    })?;
    if inside.contains(&package) {
        return None;
    }
    Some(format!(
        "{package} must not know {library}: only {} may know {wall}",
        inside[0]
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn messages(package: &str, dependency: &str, kind: Option<&str>) -> Vec<String> {
        let metadata = json!({
            "workspace_root": "/somewhere",
            "packages": [
                {"name": package, "manifest_path": "/somewhere/crates/a/Cargo.toml",
                 "dependencies": [{"name": dependency, "kind": kind}]},
                {"name": "holdfast-engine", "dependencies": []},
                {"name": "holdfast-host", "dependencies": []},
                {"name": "holdfast-protocol", "dependencies": []},
            ],
        });
        check(&metadata).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn an_edge_upwards_is_found() {
        assert_eq!(
            messages("holdfast-store", "holdfast-engine", None),
            ["crates/a/Cargo.toml:1: holdfast-store must not depend on holdfast-engine"]
        );
        assert_eq!(messages("holdfast-ui", "holdfast-engine", None).len(), 1);
        assert_eq!(
            messages("holdfast-models", "holdfast-host", Some("build")).len(),
            1
        );
    }

    #[test]
    fn allowed_edges_and_those_of_tests_pass() {
        assert!(messages("holdfast-store", "holdfast-protocol", None).is_empty());
        assert!(messages("holdfast-tests", "holdfast-host", None).is_empty());
        assert!(messages("holdfast-store", "holdfast-engine", Some("dev")).is_empty());
        assert!(messages("holdfast-store", "serde", None).is_empty());
    }

    #[test]
    fn libraries_stay_behind_their_walls() {
        for (package, library) in [
            ("holdfast-engine", "tauri"),
            ("holdfast-ui", "tauri-plugin-opener"),
            ("holdfast-engine", "rusqlite"),
            ("holdfast-host", "rusqlite_migration"),
            ("holdfast", "leptos"),
            ("holdfast-host", "reqwest"),
        ] {
            assert_eq!(
                messages(package, library, None).len(),
                1,
                "{package} {library}"
            );
        }
        assert!(messages("holdfast", "tauri-build", Some("build")).is_empty());
        assert!(messages("holdfast-tests", "rusqlite", Some("dev")).is_empty());
    }

    #[test]
    fn an_unknown_package_must_be_written_down() {
        assert!(messages("holdfast-cloud", "serde", None)[0].contains("is new"));
    }
}
