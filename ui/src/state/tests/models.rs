//! Who can answer, as a person chooses.

use protocol::{
    AppInfo, Dialect, ErrorClass, ModelInfo, ProviderFields, ProviderId, ProviderModel,
    ProviderOptions, ProviderState, ProviderView,
};

use super::super::{filtered, model_groups, model_label};
use super::*;

fn app() -> AppInfo {
    let guide = ModelInfo {
        is_scripted: true,
        ..ModelInfo::new("guide", "Guide")
    };
    AppInfo {
        version: "1".to_owned(),
        data_dir: "/data".to_owned(),
        model: guide.clone(),
        models: vec![guide],
        tools: Vec::new(),
    }
}

fn provider(number: u128, name: &str, state: ProviderState) -> ProviderView {
    let model = |name: &str| ProviderModel {
        name: name.to_owned(),
        label: name.to_uppercase(),
        context_tokens: None,
        max_output_tokens: None,
        tools: None,
        images: None,
        reasoning: None,
        price: None,
    };
    ProviderView {
        provider_id: ProviderId::from_uuid(Uuid::from_u128(number)),
        fields: ProviderFields {
            name: name.to_owned(),
            dialect: Dialect::Anthropic,
            base_url: "https://example.com".to_owned(),
            headers: Vec::new(),
            options: ProviderOptions::default(),
            is_enabled: true,
        },
        revision: 1,
        secrets: Vec::new(),
        state,
        models: vec![model("large"), model("vendor/small")],
        listed_at_ms: None,
        created_at_ms: 1,
        updated_at_ms: 1,
    }
}

fn labels(groups: &[ModelGroup]) -> Vec<(&str, Vec<&str>)> {
    let mut all = Vec::new();
    for group in groups {
        let models = group.models.iter().map(|model| model.label.as_str());
        all.push((group.name.as_str(), models.collect()));
    }
    all
}

#[test]
fn models_stand_under_their_provider_and_what_is_off_is_left_out() {
    let paused = ProviderState::Paused {
        class: ErrorClass::Billing,
        message: "No.".to_owned(),
    };
    let providers = [
        provider(1, "Claude", ProviderState::Ok {}),
        provider(2, "Broke", paused),
        provider(3, "Off", ProviderState::Disabled {}),
    ];
    let groups = model_groups(&app(), &providers);
    assert_eq!(
        labels(&groups),
        [
            ("Claude", vec!["LARGE", "VENDOR/SMALL"]),
            ("Broke", vec!["LARGE", "VENDOR/SMALL"]),
            ("Holdfast", vec!["Guide"]),
        ]
    );
    assert_eq!(groups[0].note, None);
    assert_eq!(groups[1].note, Some("no credit left"));
    let id = &groups[0].models[1].id;
    assert_eq!(
        provider_of(id),
        Some((providers[0].provider_id, "vendor/small"))
    );
    assert_eq!(
        labels(&filtered(&groups, "small claude")),
        [("Claude", vec!["VENDOR/SMALL"])]
    );
    assert_eq!(
        labels(&filtered(&groups, "GUIDE")),
        [("Holdfast", vec!["Guide"])]
    );
}

#[test]
fn a_model_that_is_gone_keeps_its_name() {
    assert_eq!(model_label(Some(&app()), "guide"), "Guide");
    let gone = format!("{}/vendor/small", ProviderId::from_uuid(Uuid::from_u128(9)));
    assert_eq!(model_label(Some(&app()), &gone), "vendor/small");
    assert_eq!(model_label(None, "told"), "told");
}
