//! The crash suites: what is promised about crashes, attacked in every test run. Each prints one line
//! with its counts; `docs/durability.md` says what each does.

mod suites {
    pub(crate) mod crash_loop;
    mod disk_faults;
    pub(crate) mod failpoints;
    pub(crate) mod golden;
    mod killing;
    pub(crate) mod place;
    pub(crate) mod power_loss;
    mod property;
    pub(crate) mod sabotage;
    mod schedules;
    mod taking_over;
    mod workers;
}
