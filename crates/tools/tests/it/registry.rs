//! What models are told, and what happens to arguments that are wrong.

use protocol::{EffectClass, ErrorClass, Verdict};
use serde_json::json;

use crate::fixture::{Fixture, tool};

// EFF-1
#[tokio::test]
async fn every_tool_declares_its_class_and_its_verdict() {
    let fixture = Fixture::new();
    fixture.put("a.md", "a");
    for (name, arguments, effect, verdict) in [
        ("list_files", json!({}), EffectClass::Read, Verdict::Allow),
        (
            "find_files",
            json!({"pattern": "*.md"}),
            EffectClass::Read,
            Verdict::Allow,
        ),
        (
            "search_files",
            json!({"pattern": "tide"}),
            EffectClass::Read,
            Verdict::Allow,
        ),
        (
            "read_file",
            json!({"path": "a.md"}),
            EffectClass::Read,
            Verdict::Allow,
        ),
        (
            "edit_file",
            json!({"path": "a.md", "edits": [{"old": "a", "new": "b"}]}),
            EffectClass::Idempotent,
            Verdict::Ask,
        ),
        (
            "write_file",
            json!({"path": "a.md", "content": ""}),
            EffectClass::Idempotent,
            Verdict::Ask,
        ),
    ] {
        let plan = fixture.plan(name, arguments).await.unwrap();
        assert_eq!((plan.effect, plan.verdict), (effect, verdict), "{name}");
    }
    let names: Vec<String> = tools::built_in()
        .iter()
        .map(|tool| tool.spec().name)
        .collect();
    assert_eq!(
        names,
        [
            "list_files",
            "find_files",
            "search_files",
            "read_file",
            "edit_file",
            "write_file"
        ],
        "a new tool belongs in here"
    );
}

#[test]
fn definitions_are_the_same_every_time() {
    for (first, second) in tools::built_in().iter().zip(tools::built_in()) {
        assert_eq!(first.spec().hash(), second.spec().hash());
    }
}

#[test]
fn schemas_are_closed_objects() {
    for tool in tools::built_in() {
        let spec = tool.spec();
        assert_eq!(spec.parameters["type"], "object", "{}", spec.name);
        assert_eq!(spec.parameters["additionalProperties"], false);
        assert!(spec.description.len() < 300, "{}", spec.name);
    }
    assert_eq!(
        tool("edit_file").spec().parameters["properties"]["edits"]["items"],
        json!({
            "type": "object",
            "properties": {
                "old": {
                    "type": "string",
                    "description": "The text to replace, exactly as the file has it, with enough around \
                                    it to be there once.",
                },
                "new": {"type": "string", "description": "What comes in its place."},
                "all": {
                    "type": "boolean",
                    "description": "Whether to replace it everywhere, however often it is there.",
                },
            },
            "required": ["old", "new"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        tool("write_file").spec().parameters,
        json!({
            "type": "object",
            "properties": {
                "path": {
                    "type": "string",
                    "description": "The file, relative to the workspace, with /.",
                },
                "content": {
                    "type": "string",
                    "description": "Everything that the file will hold.",
                },
            },
            "required": ["path", "content"],
            "additionalProperties": false,
        })
    );
}

// EFF-4
#[tokio::test]
async fn malformed_arguments_fail_with_the_name_of_the_field() {
    let fixture = Fixture::new();
    for (name, arguments, field) in [
        ("read_file", json!({}), "`path`"),
        ("read_file", json!({"path": ["a"]}), "`path`"),
        ("read_file", json!({"path": "a", "offset": "1"}), "`offset`"),
        ("read_file", json!({"path": "a", "offset": 0}), "`offset`"),
        ("read_file", json!({"path": "a", "limit": 0}), "`limit`"),
        ("read_file", json!({"path": "a", "file": "b"}), "`file`"),
        ("list_files", json!({"path": 1}), "`path`"),
        ("find_files", json!({}), "`pattern`"),
        (
            "find_files",
            json!({"pattern": "*", "hidden": 1}),
            "`hidden`",
        ),
        ("search_files", json!({"path": "a"}), "`pattern`"),
        (
            "search_files",
            json!({"pattern": "a", "regex": "b"}),
            "`regex`",
        ),
        (
            "search_files",
            json!({"pattern": "a", "context": -1}),
            "`context`",
        ),
        ("edit_file", json!({"path": "a"}), "`edits`"),
        ("edit_file", json!({"path": "a", "edits": {}}), "`edits`"),
        (
            "edit_file",
            json!({"path": "a", "edits": [{"old": "a"}]}),
            "`new`",
        ),
        (
            "edit_file",
            json!({"path": "a", "edits": [{"old": "a", "new": 1}]}),
            "`edits[0].new`",
        ),
        (
            "edit_file",
            json!({"path": "a", "edits": [{"old": "a", "new": "b", "count": 1}]}),
            "`edits[0].count`",
        ),
        ("list_files", json!({"offset": 0}), "`offset`"),
        ("write_file", json!({"path": "a"}), "`content`"),
        (
            "write_file",
            json!({"path": "a", "content": null}),
            "`content`",
        ),
        (
            "write_file",
            json!({"path": "a", "content": "\0"}),
            "`content`",
        ),
        (
            "write_file",
            json!({"path": "a", "content": "", "mode": 7}),
            "`mode`",
        ),
    ] {
        let (class, message) = fixture.fails(name, arguments.clone()).await;
        assert_eq!(class, ErrorClass::InvalidRequest, "{name} {arguments}");
        assert!(message.contains(field), "{name} {arguments}: {message}");
    }
}

#[tokio::test]
async fn optional_fields_may_be_null() {
    let fixture = Fixture::new();
    fixture.put("a.md", "a\n");
    let arguments = json!({"path": "a.md", "offset": null, "limit": null, "column": null});
    assert_eq!(fixture.ok("read_file", arguments).await, "a\n");
    assert_eq!(
        fixture.ok("list_files", json!({"path": null})).await,
        "a.md (2 bytes)"
    );
}
