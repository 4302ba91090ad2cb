//! Providers that many people have: what to fill in for them, and how their keys begin. Pure.

use protocol::{Dialect, ProviderFields, ProviderOptions};

/// A provider that only needs its key, or nothing at all.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Preset {
    /// Its name, and what tests know it by.
    pub(crate) name: &'static str,
    /// What it is, in a few words.
    pub(crate) about: &'static str,
    pub(crate) dialect: Dialect,
    /// Empty where the person knows it.
    pub(crate) base_url: &'static str,
    /// Where a key is found; empty where none is needed.
    pub(crate) keys_at: &'static str,
    /// How its keys begin, as long as nobody else's do.
    beginnings: &'static [&'static str],
}

/// What can be added, in the order in which it is shown.
pub(crate) const PRESETS: [Preset; 8] = [
    Preset {
        name: "Claude",
        about: "Anthropic, with a key",
        dialect: Dialect::Anthropic,
        base_url: "https://api.anthropic.com/v1",
        keys_at: "console.anthropic.com",
        beginnings: &["sk-ant-"],
    },
    Preset {
        name: "OpenAI",
        about: "GPT models, with a key",
        dialect: Dialect::Responses,
        base_url: "https://api.openai.com/v1",
        keys_at: "platform.openai.com",
        beginnings: &["sk-proj-", "sk-svcacct-"],
    },
    Preset {
        name: "Gemini",
        about: "Google, with a key",
        dialect: Dialect::Gemini,
        base_url: "https://generativelanguage.googleapis.com/v1beta",
        keys_at: "aistudio.google.com",
        beginnings: &["AIza"],
    },
    Preset {
        name: "OpenRouter",
        about: "Many providers, one key",
        dialect: Dialect::ChatCompletions,
        base_url: "https://openrouter.ai/api/v1",
        keys_at: "openrouter.ai",
        beginnings: &["sk-or-"],
    },
    Preset {
        name: "Ollama",
        about: "On this computer",
        dialect: Dialect::Ollama,
        base_url: "http://127.0.0.1:11434",
        keys_at: "",
        beginnings: &[],
    },
    Preset {
        name: "LM Studio",
        about: "On this computer",
        dialect: Dialect::ChatCompletions,
        base_url: "http://127.0.0.1:1234/v1",
        keys_at: "",
        beginnings: &[],
    },
    Preset {
        name: "llama.cpp",
        about: "On this computer",
        dialect: Dialect::ChatCompletions,
        base_url: "http://127.0.0.1:8080/v1",
        keys_at: "",
        beginnings: &[],
    },
    Preset {
        name: "Another service",
        about: "Anything compatible",
        dialect: Dialect::ChatCompletions,
        base_url: "",
        keys_at: "your provider",
        beginnings: &[],
    },
];

impl Preset {
    /// What a new provider of this kind is.
    pub(crate) fn fields(&self) -> ProviderFields {
        let is_named = !self.base_url.is_empty();
        ProviderFields {
            name: if is_named { self.name } else { "" }.to_owned(),
            dialect: self.dialect,
            base_url: self.base_url.to_owned(),
            headers: Vec::new(),
            options: ProviderOptions::default(),
            is_enabled: true,
        }
    }

    /// Whether it is a service with an account.
    pub(crate) const fn has_keys(&self) -> bool {
        !self.keys_at.is_empty()
    }

    /// Whether its address is known.
    pub(crate) const fn has_address(&self) -> bool {
        !self.base_url.is_empty()
    }

    /// Whose key this is, where that can be told. The person confirms it.
    pub(crate) fn of_key(key: &str) -> Option<&'static Self> {
        let key = key.trim();
        let is_its = |preset: &&Self| {
            let mut beginnings = preset.beginnings.iter();
            beginnings.any(|beginning| key.starts_with(beginning))
        };
        PRESETS.iter().find(is_its)
    }

    /// The preset of that name.
    pub(crate) fn named(name: &str) -> Option<&'static Self> {
        PRESETS.iter().find(|preset| preset.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_says_whose_it_is_where_only_one_makes_such() {
        for (key, name) in [
            ("sk-ant-api03-abc", Some("Claude")),
            ("  sk-or-v1-abc\n", Some("OpenRouter")),
            ("AIzaSyabc", Some("Gemini")),
            ("sk-proj-abc", Some("OpenAI")),
            // Many services make such keys.
            ("sk-abc", None),
            ("", None),
            ("hello", None),
        ] {
            assert_eq!(Preset::of_key(key).map(|preset| preset.name), name, "{key}");
        }
    }

    #[test]
    fn every_preset_but_the_last_has_an_address_and_a_name_of_its_own() {
        for (at, preset) in PRESETS.iter().enumerate() {
            let is_last = at + 1 == PRESETS.len();
            assert_eq!(preset.has_address(), !is_last, "{}", preset.name);
            assert_eq!(preset.fields().name.is_empty(), is_last);
            assert_eq!(Preset::named(preset.name), Some(preset));
        }
    }
}
