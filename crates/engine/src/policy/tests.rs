//! Deny, ask, allow: which rule answers, and what a pattern fits.

use protocol::{RuleId, RuleScope, RuleView, SessionId, Verdict};
use uuid::Uuid;

use super::{Withheld, exactly, is_pattern, verdict};

fn rule(number: u128, verdict: Verdict, tool: &str, pattern: Option<&str>) -> RuleView {
    RuleView {
        rule_id: RuleId::from_uuid(Uuid::from_u128(number)),
        verdict,
        tool: tool.to_owned(),
        pattern: pattern.map(str::to_owned),
        scope: RuleScope::Global {},
        made_by: None,
        created_at_ms: 1,
    }
}

fn answer(rules: &[RuleView], subject: Option<&str>) -> Verdict {
    verdict(rules, "write_file", subject, Verdict::Ask).verdict
}

fn fits(pattern: &str, subject: &str) -> bool {
    let rules = [rule(1, Verdict::Allow, "write_file", Some(pattern))];
    answer(&rules, Some(subject)) == Verdict::Allow
}

// APR-12
#[test]
fn deny_wins_over_ask_and_ask_over_allow_in_whatever_order_they_were_made() {
    for one in Verdict::ALL {
        for two in Verdict::ALL {
            for three in Verdict::ALL {
                let all = [one, two, three];
                let rules: Vec<RuleView> = all
                    .into_iter()
                    .zip(1..)
                    .map(|(verdict, number)| rule(number, verdict, "write_file", Some("**")))
                    .collect();
                let expected = [Verdict::Deny, Verdict::Ask, Verdict::Allow]
                    .into_iter()
                    .find(|wanted| all.contains(wanted));
                assert_eq!(answer(&rules, Some("notes/a.md")), expected.unwrap());
            }
        }
    }
}

// APR-12
#[test]
fn where_no_rule_fits_the_tools_own_verdict_stands() {
    for default in Verdict::ALL {
        let rules = [
            rule(1, Verdict::Deny, "run_command", None),
            rule(2, Verdict::Allow, "write_file", Some("notes/*")),
        ];
        let found = verdict(&rules, "write_file", Some("tides.md"), default);
        assert_eq!((found.verdict, found.rule_id), (default, None));
        assert!(!found.explanation.is_empty());
    }
}

#[test]
fn a_rule_fits_its_tool_or_all_of_them() {
    for (tool, is_fit) in [
        ("write_file", true),
        ("*", true),
        ("write", false),
        ("", false),
    ] {
        let rules = [rule(1, Verdict::Deny, tool, None)];
        let expected = if is_fit { Verdict::Deny } else { Verdict::Ask };
        assert_eq!(answer(&rules, None), expected, "{tool:?}");
    }
}

// APR-12
#[test]
fn the_explanation_names_the_rule_and_where_it_holds() {
    let session_id = SessionId::from_uuid(Uuid::from_u128(1));
    let workspace = "shore".to_owned();
    for (scope, place) in [
        (RuleScope::Global {}, "everywhere"),
        (RuleScope::Workspace { workspace }, "in this workspace"),
        (RuleScope::Session { session_id }, "in this session"),
    ] {
        let found = RuleView {
            scope,
            ..rule(7, Verdict::Allow, "write_file", Some("notes/*"))
        };
        let found = verdict(&[found], "write_file", Some("notes/a"), Verdict::Ask);
        assert_eq!(
            found.explanation,
            format!("Allowed by the rule write_file notes/* ({place})")
        );
        assert_eq!(found.rule_id.unwrap().uuid().as_u128(), 7);
    }
    let denied = [rule(1, Verdict::Deny, "*", None)];
    let found = verdict(&denied, "write_file", None, Verdict::Allow);
    assert_eq!(found.explanation, "Denied by the rule * (everywhere)");
}

#[test]
fn a_star_stays_inside_one_folder_and_two_do_not() {
    for (pattern, subject, expected) in [
        ("notes/*", "notes/a.md", true),
        ("notes/*", "notes/deep/a.md", false),
        ("notes/**", "notes/deep/a.md", true),
        ("**/*.md", "a.md", true),
        ("**/*.md", "notes/deep/a.md", true),
        ("*.md", "notes/a.md", false),
        ("notes/?.md", "notes/a.md", true),
        ("notes/?.md", "notes//.md", false),
        ("notes/[ab].md", "notes/b.md", true),
        ("notes/[!ab].md", "notes/b.md", false),
        ("{a,b}.md", "b.md", true),
        ("notes", "notes/a.md", false),
        ("notes/a.md", "notes/A.md", false),
        ("", "notes/a.md", false),
        ("git status", "git status", true),
        ("git *", "git status\nrm", true),
        ("git *", "git log a/b", false),
        (r"a\*", r"a\b", true),
        (r"a\*", "a*", false),
    ] {
        assert_eq!(fits(pattern, subject), expected, "{pattern} {subject}");
    }
}

#[test]
fn a_pattern_over_what_the_call_does_not_have_allows_nothing_and_holds_back() {
    for held in Verdict::ALL {
        let rules = [rule(1, held, "write_file", Some("notes/*"))];
        let expected = if held == Verdict::Allow {
            Verdict::Ask
        } else {
            held
        };
        assert_eq!(answer(&rules, None), expected);
    }
}

/// Patterns that cannot be read, or only at a price that nobody pays.
fn hostile() -> Vec<String> {
    vec![
        "[".to_owned(),
        "[z-a]".to_owned(),
        "{a".to_owned(),
        "{".repeat(400) + "a" + &"}".repeat(400),
    ]
}

#[test]
fn a_pattern_that_cannot_be_read_allows_nothing_and_holds_back_everything() {
    for pattern in hostile() {
        assert!(!is_pattern(&pattern), "{pattern}");
        for held in Verdict::ALL {
            let rules = [rule(1, held, "write_file", Some(&pattern))];
            let expected = if held == Verdict::Allow {
                Verdict::Ask
            } else {
                held
            };
            assert_eq!(answer(&rules, Some("notes/a.md")), expected, "{pattern}");
        }
    }
}

#[test]
fn long_patterns_are_answered_in_time() {
    let subject = "a/".repeat(2_000) + "b";
    for pattern in [
        "**/".repeat(300),
        "*".repeat(1_024),
        "a*".repeat(500),
        "{a,b}".repeat(200),
    ] {
        assert!(is_pattern(&pattern));
        let _: bool = fits(&pattern, &subject);
    }
}

#[test]
fn an_exact_pattern_fits_its_subject_and_nothing_else() {
    for subject in [
        "notes/a.md",
        "notes/*.md",
        "a[b]c",
        "{a,b}",
        "what?",
        "back\\slash",
        "!x",
        "**",
        "line\nbreak",
        "Grüße/日本.md",
    ] {
        let pattern = exactly(subject);
        assert!(is_pattern(&pattern), "{subject}");
        assert!(fits(&pattern, subject), "{subject}");
        for other in [
            "notes/b.md",
            "abc",
            "a",
            "whatx",
            "backslash",
            "x",
            "notes/x.md",
        ] {
            assert!(!fits(&pattern, other), "{subject} {other}");
        }
    }
}

/// Whether a search of this folder, allowed to run, leaves a path out.
fn is_withheld(rules: &[RuleView], subject: &str, path: &str) -> bool {
    let withheld = Withheld::of(rules, "search_files", Some(subject));
    withheld.holds(&["search_files", "read_file"], path)
}

// APR-12
#[test]
fn what_may_not_be_read_may_not_be_searched() {
    for (tool, pattern, is_kept) in [
        ("read_file", Some("private/**"), true),
        ("search_files", Some("private/*"), true),
        ("*", Some("private/a.md"), true),
        ("read_file", None, true),
        ("read_file", Some("[private"), true),
        ("read_file", Some("public/**"), false),
        ("write_file", Some("private/**"), false),
    ] {
        for verdict in [Verdict::Deny, Verdict::Ask] {
            let rules = [rule(1, verdict, tool, pattern)];
            assert_eq!(
                is_withheld(&rules, ".", "private/a.md"),
                is_kept,
                "{tool} {pattern:?}"
            );
        }
        let rules = [rule(1, Verdict::Allow, tool, pattern)];
        assert!(!is_withheld(&rules, ".", "private/a.md"));
    }
}

// A person who was asked about the search itself and allowed it has answered for what is in it.
#[test]
fn a_rule_that_asked_about_the_call_itself_holds_nothing_back() {
    for (tool, pattern) in [
        ("search_files", None),
        ("*", None),
        ("*", Some("**")),
        ("search_files", Some("docs**")),
    ] {
        let ask = [rule(1, Verdict::Ask, tool, pattern)];
        assert!(
            !is_withheld(&ask, "docs", "docs/a.md"),
            "{tool} {pattern:?}"
        );
    }
    let ask = [rule(1, Verdict::Ask, "*", Some("docs/a.md"))];
    assert!(is_withheld(&ask, "docs", "docs/a.md"));
}
