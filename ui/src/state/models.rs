//! Who can answer, as a person chooses: by provider, with names. Pure.

use protocol::{AppInfo, ProviderId, ProviderState, ProviderView};

use crate::model_words;

/// The models of one provider, or those that are built in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelGroup {
    /// None for what is built in or told by the command line.
    pub(crate) provider_id: Option<ProviderId>,
    pub(crate) name: String,
    /// What speaks against it: it is paused.
    pub(crate) note: Option<&'static str>,
    pub(crate) models: Vec<ModelChoice>,
}

/// A model that can be chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ModelChoice {
    pub(crate) id: String,
    pub(crate) label: String,
    /// What is known of it, in a line.
    pub(crate) about: String,
}

/// The provider of a model, as its id says, and the model's name there.
pub(crate) fn provider_of(model: &str) -> Option<(ProviderId, &str)> {
    let (provider_id, name) = model.split_once('/')?;
    Some((provider_id.parse().ok()?, name))
}

/// Every model that can be chosen: providers that are on, by name, then what is built in.
pub(crate) fn model_groups(app: &AppInfo, providers: &[ProviderView]) -> Vec<ModelGroup> {
    let mut groups: Vec<ModelGroup> = providers.iter().filter_map(group_of).collect();
    let own: Vec<ModelChoice> = app
        .models
        .iter()
        .filter(|model| provider_of(&model.id).is_none())
        .map(|model| ModelChoice {
            id: model.id.clone(),
            label: model.label.clone(),
            about: if model.is_scripted {
                "Built in: scripted replies that show what the app can do".to_owned()
            } else {
                "Given on the command line".to_owned()
            },
        })
        .collect();
    groups.push(ModelGroup {
        provider_id: None,
        name: "Holdfast".to_owned(),
        note: None,
        models: own,
    });
    groups
}

fn group_of(provider: &ProviderView) -> Option<ModelGroup> {
    let note = match provider.state {
        ProviderState::Disabled {} => return None,
        ProviderState::Ok {} => None,
        ProviderState::Paused { class, .. } => Some(model_words::paused(class).0),
    };
    let models = provider.models.iter().map(|model| ModelChoice {
        id: format!("{}/{}", provider.provider_id, model.name),
        label: model.label.clone(),
        about: format!(
            "{} · {}",
            model_words::abilities(model),
            model_words::price(model.price.as_ref())
        ),
    });
    Some(ModelGroup {
        provider_id: Some(provider.provider_id),
        name: provider.fields.name.clone(),
        note,
        models: models.collect(),
    })
}

/// The groups with what fits the written words: each of them in the name, the id or the provider.
pub(crate) fn filtered(groups: &[ModelGroup], written: &str) -> Vec<ModelGroup> {
    let words: Vec<String> = written
        .to_lowercase()
        .split_whitespace()
        .map(str::to_owned)
        .collect();
    if words.is_empty() {
        return groups.to_vec();
    }
    let fits = |group: &ModelGroup, choice: &ModelChoice| {
        let name = provider_of(&choice.id).map_or(choice.id.as_str(), |(_, name)| name);
        let text = format!("{} {} {name}", group.name, choice.label).to_lowercase();
        words.iter().all(|word| text.contains(word))
    };
    let kept = groups.iter().map(|group| {
        let models = group.models.iter().filter(|choice| fits(group, choice));
        ModelGroup {
            models: models.cloned().collect(),
            ..group.clone()
        }
    });
    kept.filter(|group| !group.models.is_empty()).collect()
}

/// What a model is called, also one that is gone.
pub(crate) fn model_label(app: Option<&AppInfo>, model: &str) -> String {
    let known = app.and_then(|app| {
        let mut models = app.models.iter().chain([&app.model]);
        models.find(|known| known.id == model)
    });
    known.map_or_else(
        || {
            provider_of(model)
                .map_or(model, |(_, name)| name)
                .to_owned()
        },
        |known| known.label.clone(),
    )
}
