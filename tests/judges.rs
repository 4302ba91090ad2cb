//! Judges: servers and clients that others wrote, set against the built app. `cargo xtask test
//! judges` installs them and says where they are; `CONTRIBUTING.md` says who they are.

mod judges {
    mod aimock;
    mod asking;
    mod faults;
    mod llmock;
    mod real_model;
    mod sdks;
    mod servers;
}
