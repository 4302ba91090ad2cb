//! The lines of the list: what can be chosen, what can be added, where more is set. Pure.

use protocol::{LocalFound, LocalServer};

use super::Chosen;
use crate::model_words::model_count;
use crate::state::{ModelGroup, filtered};

/// What picking a line does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Pick {
    /// The agent's model, or the default one.
    Inherit,
    /// This model.
    Model(String),
    /// Adds a server that was found on this computer.
    Add(Box<LocalServer>),
    /// Opens the models page.
    Manage,
}

/// One line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) pick: Pick,
    pub(super) words: String,
    pub(super) about: String,
    pub(super) is_chosen: bool,
}

/// Lines under one heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) title: String,
    pub(super) entries: Vec<Entry>,
}

/// Every line that fits what is written; "Manage models…" always does.
pub(super) fn sections(
    groups: &[ModelGroup],
    local: &[LocalServer],
    chosen: &Chosen,
    inherited: &str,
    written: &str,
) -> Vec<Section> {
    let is_filtered = !written.trim().is_empty();
    let mut sections = Vec::new();
    if !is_filtered {
        let entry = Entry {
            pick: Pick::Inherit,
            words: if chosen.is_of_agent {
                "The agent's model"
            } else {
                "The default model"
            }
            .to_owned(),
            about: inherited.to_owned(),
            is_chosen: chosen.own.is_none(),
        };
        sections.push(Section {
            title: String::new(),
            entries: vec![entry],
        });
    }
    for group in filtered(groups, written) {
        if group.models.is_empty() {
            continue;
        }
        let title = match group.note {
            Some(note) => format!("{} (paused: {note})", group.name),
            None => group.name,
        };
        let entries = group.models.into_iter().map(|choice| Entry {
            is_chosen: chosen.own.as_ref() == Some(&choice.id),
            pick: Pick::Model(choice.id),
            words: choice.label,
            about: choice.about,
        });
        sections.push(Section {
            title,
            entries: entries.collect(),
        });
    }
    let named = by_name(groups, written.trim());
    if sections.is_empty() && !named.is_empty() {
        sections.push(Section {
            title: "Not listed".to_owned(),
            entries: named,
        });
    }
    let found: Vec<Entry> = local.iter().filter_map(addable).collect();
    if !is_filtered && !found.is_empty() {
        sections.push(Section {
            title: "Found on this computer".to_owned(),
            entries: found,
        });
    }
    sections.push(Section {
        title: String::new(),
        entries: vec![Entry {
            pick: Pick::Manage,
            words: "Manage models…".to_owned(),
            about: String::new(),
            is_chosen: false,
        }],
    });
    sections
}

/// Not every provider lists what it has: a name that is known can be used all the same.
fn by_name(groups: &[ModelGroup], name: &str) -> Vec<Entry> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Vec::new();
    }
    let named = groups.iter().filter_map(|group| {
        let provider_id = group.provider_id?;
        Some(Entry {
            pick: Pick::Model(format!("{provider_id}/{name}")),
            words: format!("Use “{name}” of {}", group.name),
            about: "Not in its list of models".to_owned(),
            is_chosen: false,
        })
    });
    named.collect()
}

fn addable(server: &LocalServer) -> Option<Entry> {
    let LocalFound::Server { name, models, .. } = &server.found else {
        return None;
    };
    server.provider_id.is_none().then(|| Entry {
        pick: Pick::Add(Box::new(server.clone())),
        words: format!("Add {name}"),
        about: format!("{} · {}", server.address, model_count(models.len())),
        is_chosen: false,
    })
}

#[cfg(test)]
mod tests {
    use protocol::{Dialect, LocalKind};

    use super::*;
    use crate::state::ModelChoice;

    fn group(name: &str, models: &[&str]) -> ModelGroup {
        let models = models.iter().map(|label| ModelChoice {
            id: format!("id-{label}"),
            label: (*label).to_owned(),
            about: String::new(),
        });
        ModelGroup {
            provider_id: None,
            name: name.to_owned(),
            note: None,
            models: models.collect(),
        }
    }

    fn chosen(own: Option<&str>) -> Chosen {
        Chosen {
            own: own.map(str::to_owned),
            inherited: "guide".to_owned(),
            is_of_agent: false,
        }
    }

    fn words(sections: &[Section]) -> Vec<String> {
        let entries = sections.iter().flat_map(|section| &section.entries);
        entries.map(|entry| entry.words.clone()).collect()
    }

    #[test]
    fn what_is_written_leaves_what_fits_and_the_way_to_more() {
        let groups = [
            group("Claude", &["Opus", "Haiku"]),
            group("Mine", &["Opus"]),
        ];
        let all = sections(&groups, &[], &chosen(None), "Guide", "");
        assert_eq!(
            words(&all),
            [
                "The default model",
                "Opus",
                "Haiku",
                "Opus",
                "Manage models…"
            ]
        );
        assert!(all[0].entries[0].is_chosen);
        let some = sections(&groups, &[], &chosen(None), "Guide", " opus mine ");
        assert_eq!(words(&some), ["Opus", "Manage models…"]);
        assert_eq!(some[0].title, "Mine");
    }

    #[test]
    fn a_model_that_nobody_lists_can_be_named() {
        let provider_id = "prv_01970c3e5a7b7c3d8e4f5a6b7c8d9e0f".parse().ok();
        let groups = [ModelGroup {
            provider_id,
            ..group("Mine", &["Opus"])
        }];
        let shown = sections(&groups, &[], &chosen(None), "Guide", "sonar-pro");
        assert_eq!(words(&shown), ["Use “sonar-pro” of Mine", "Manage models…"]);
        let id = "prv_01970c3e5a7b7c3d8e4f5a6b7c8d9e0f/sonar-pro".to_owned();
        assert_eq!(shown[0].entries[0].pick, Pick::Model(id));
        let words = words(&sections(&groups, &[], &chosen(None), "Guide", "two words"));
        assert_eq!(words, ["Manage models…"]);
    }

    #[test]
    fn the_choice_is_marked_and_found_servers_are_offered_once() {
        let groups = [group("Claude", &["Opus"])];
        let server = LocalServer {
            port: 11434,
            address: "127.0.0.1:11434".to_owned(),
            is_added: false,
            is_served: false,
            found: LocalFound::Server {
                kind: LocalKind::Ollama,
                name: "Ollama".to_owned(),
                dialect: Dialect::Ollama,
                base_url: "http://127.0.0.1:11434".to_owned(),
                models: Vec::new(),
            },
            provider_id: None,
        };
        let nobody = LocalServer {
            found: LocalFound::Nobody {},
            ..server.clone()
        };
        let known = LocalServer {
            provider_id: "prv_01970c3e5a7b7c3d8e4f5a6b7c8d9e0f".parse().ok(),
            ..server.clone()
        };
        let found = [server, nobody, known];
        let shown = sections(&groups, &found, &chosen(Some("id-Opus")), "Guide", "");
        let marked: Vec<_> = shown
            .iter()
            .flat_map(|section| &section.entries)
            .filter(|entry| entry.is_chosen)
            .map(|entry| entry.words.as_str())
            .collect();
        assert_eq!(marked, ["Opus"]);
        assert_eq!(
            words(&shown),
            ["The default model", "Opus", "Add Ollama", "Manage models…"]
        );
    }
}
