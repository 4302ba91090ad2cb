//! Which way requests leave this computer.

use leptos::prelude::*;
use protocol::{ProxySetting, limits};

use crate::testid;

#[component]
pub(super) fn Network(
    /// The setting as it is kept.
    proxy: ProxySetting,
    /// Keeps another one.
    on_change: Callback<ProxySetting>,
) -> impl IntoView {
    let (kind, url) = match proxy {
        ProxySetting::System {} => ("system", String::new()),
        ProxySetting::None {} => ("none", String::new()),
        ProxySetting::Url { url } => ("url", url),
    };
    // One that has no address yet is not kept yet.
    let has_address = RwSignal::new(kind == "url");
    let choose = move |value: &str| {
        has_address.set(value == "url");
        match value {
            "none" => on_change.run(ProxySetting::None {}),
            "system" => on_change.run(ProxySetting::System {}),
            _ => {}
        }
    };
    let write = move |written: String| {
        let url = written.trim().to_owned();
        if !url.is_empty() {
            on_change.run(ProxySetting::Url { url });
        }
    };
    view! {
        <div class="form">
            <h3 class="form__title">"Network"</h3>
            <label class="form__field">
                <span>"Requests to models leave this computer"</span>
                <select
                    class="field"
                    data-testid=testid::SETTING_PROXY
                    on:change:target=move |event| choose(&event.target().value())
                >
                    <option value="system" selected=kind == "system">"As the system says"</option>
                    <option value="none" selected=kind == "none">"Without a proxy"</option>
                    <option value="url" selected=kind == "url">"Through a proxy"</option>
                </select>
            </label>
            <Show when=move || has_address.get()>
                <label class="form__field">
                    <span>"Address of the proxy"</span>
                    <input
                        class="field field--code"
                        placeholder="http://proxy.example:3128"
                        maxlength=limits::URL_BYTES.to_string()
                        autocomplete="off"
                        spellcheck="false"
                        data-testid=testid::SETTING_PROXY_URL
                        prop:value=url.clone()
                        on:change:target=move |event| write(event.target().value())
                    />
                </label>
            </Show>
            <p class="form__note">"Requests to models on this computer go through no proxy. One that needs a password belongs into the environment (HTTPS_PROXY)."</p>
        </div>
    }
}
