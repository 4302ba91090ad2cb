//! The page gets exactly the commands that are named, everywhere the same ones.

use std::collections::BTreeSet;

/// SEC-2: handler, manifest and capability name the same commands; one that is missing somewhere
/// would be refused in the window, and one too many would be a door.
#[test]
fn handler_manifest_and_capability_name_the_same_commands() {
    let handler = names(include_str!("../../src/commands.rs"), |line| {
        let (module, rest) = line.trim().strip_suffix(',')?.split_once("::")?;
        (module == rest).then(|| module.to_owned())
    });
    let manifest = names(include_str!("../../build.rs"), |line| {
        Some(
            line.trim()
                .strip_prefix('"')?
                .strip_suffix("\",")?
                .to_owned(),
        )
    });
    let capability: serde_json::Value =
        serde_json::from_str(include_str!("../../capabilities/main.json")).unwrap();
    let capability: BTreeSet<String> = capability["permissions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|name| {
            name.as_str()
                .unwrap()
                .strip_prefix("allow-")
                .unwrap()
                .replace('-', "_")
        })
        .collect();
    assert_eq!(handler.len(), 10);
    assert_eq!(handler, manifest);
    assert_eq!(handler, capability);
}

/// SEC-2: what the content policy must never allow.
#[test]
fn the_content_policy_forbids_remote_and_inline_code() {
    let config: serde_json::Value =
        serde_json::from_str(include_str!("../../tauri.conf.json")).unwrap();
    let policy = &config["app"]["security"]["csp"];
    assert_eq!(policy["default-src"], "'none'");
    assert_eq!(policy["script-src"], "'self' 'wasm-unsafe-eval'");
    assert_eq!(policy["style-src"], "'self'");
    let text = policy.to_string();
    for forbidden in ["'unsafe-inline'", "'unsafe-eval'", "blob:", "https:", "*"] {
        assert!(!text.contains(forbidden), "{forbidden}");
    }
    assert_eq!(config["app"]["withGlobalTauri"], false);
    assert_eq!(config["app"]["security"]["freezePrototype"], true);
}

fn names(text: &str, name_of: impl Fn(&str) -> Option<String>) -> BTreeSet<String> {
    text.lines().filter_map(name_of).collect()
}
