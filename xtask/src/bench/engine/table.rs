//! The tables, in Markdown, so that they go into docs/performance.md as they are.

use super::contender::{Row, setting};

/// Ratios first: how many times as many steps we make as each peer.
pub(super) fn comparison(rows: &[Row], sessions: &[u32]) -> String {
    let mut text = String::from(
        "| sessions | system | setting | Holdfast is | steps/s | fsyncs/step | CPU ms/step | p50 ms | p95 ms |\n\
         |---:|---|---|---:|---:|---:|---:|---:|---:|\n",
    );
    for count in sessions.iter().rev() {
        let here: Vec<&Row> = rows.iter().filter(|row| row.sessions == *count).collect();
        let ours = here.first().map_or(f64::NAN, |row| row.per_second());
        for row in here {
            text.push_str(&line(row, ours));
        }
    }
    text
}

fn line(row: &Row, ours: f64) -> String {
    let fsyncs = row
        .fsyncs_per_step
        .map_or("not counted".to_owned(), |fsyncs| format!("{fsyncs:.2}"));
    let times = if row.name == "Holdfast" {
        "1".to_owned()
    } else {
        format!("{:.1}x", ours / row.per_second())
    };
    format!(
        "| {} | {} {} | {} | {times} | {:.0} | {fsyncs} | {:.2} | {:.2} | {:.2} |\n",
        row.sessions,
        row.name,
        row.version,
        setting(row.is_safe),
        row.per_second(),
        row.cpu_ms(),
        row.p50_ms(),
        row.p95_ms(),
    )
}
