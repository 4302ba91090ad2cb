//! Every field matters, and nothing can move from one into the next.

use std::collections::HashSet;

use protocol::{CallId, EffectClass};
use uuid::Uuid;

use super::{Bound, hex};

fn bound() -> Bound<'static> {
    Bound {
        call_id: CallId::from_uuid(Uuid::from_u128(1)),
        tool: "write_file",
        tool_hash: [1; 32],
        arguments: r#"{"path":"a"}"#,
        effect: EffectClass::Idempotent,
        workspace: "/place/a",
        binding: b"profile",
    }
}

// APR-6
#[test]
fn another_value_of_any_field_is_another_digest() {
    let other_call = CallId::from_uuid(Uuid::from_u128(2));
    let all = [
        bound(),
        Bound {
            call_id: other_call,
            ..bound()
        },
        Bound {
            tool: "write_fil",
            ..bound()
        },
        Bound {
            tool_hash: [2; 32],
            ..bound()
        },
        Bound {
            arguments: r#"{"path": "a"}"#,
            ..bound()
        },
        Bound {
            effect: EffectClass::Once,
            ..bound()
        },
        Bound {
            effect: EffectClass::Read,
            ..bound()
        },
        Bound {
            workspace: "/place/b",
            ..bound()
        },
        Bound {
            binding: b"",
            ..bound()
        },
    ];
    let digests: HashSet<[u8; 32]> = all.iter().map(Bound::digest).collect();
    assert_eq!(digests.len(), all.len());
    assert_eq!(bound().digest(), bound().digest());
}

// APR-6
#[test]
fn bytes_that_move_from_one_field_into_the_next_change_it() {
    let whole = b"one two three four five";
    let mut digests = HashSet::new();
    let mut count = 0;
    for first in 0..=whole.len() {
        for second in first..=whole.len() {
            let text = |range| std::str::from_utf8(range).unwrap();
            let moved = Bound {
                arguments: text(&whole[..first]),
                workspace: text(&whole[first..second]),
                binding: &whole[second..],
                ..bound()
            };
            digests.insert(moved.digest());
            count += 1;
        }
    }
    assert_eq!(digests.len(), count);
    let shifted = Bound {
        tool: "write_file{",
        arguments: r#""path":"a"}"#,
        ..bound()
    };
    assert_ne!(shifted.digest(), bound().digest());
}

#[test]
fn it_is_shown_as_lower_case_hexadecimal() {
    assert_eq!(hex(&[0xab; 32]), "ab".repeat(32));
}
