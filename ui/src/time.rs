//! Times as people say them. Pure: the present and the timezone are passed in.

const MINUTE_MS: u64 = 60_000;
const HOUR_MS: u64 = 60 * MINUTE_MS;
const DAY_MS: u64 = 24 * HOUR_MS;

/// Under which heading of the session list a time falls.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum DayGroup {
    Today,
    Yesterday,
    ThisWeek,
    Older,
}

impl DayGroup {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Today => "Today",
            Self::Yesterday => "Yesterday",
            Self::ThisWeek => "This week",
            Self::Older => "Older",
        }
    }

    /// Days are those of the person: `offset_minutes` is what is added to UTC.
    pub(crate) fn of(now_ms: u64, then_ms: u64, offset_minutes: i32) -> Self {
        match local_day(now_ms, offset_minutes) - local_day(then_ms, offset_minutes) {
            ..=0 => Self::Today,
            1 => Self::Yesterday,
            2..=6 => Self::ThisWeek,
            7.. => Self::Older,
        }
    }
}

/// How long ago, in a sentence: "2 min ago".
pub(crate) fn ago(now_ms: u64, then_ms: u64) -> String {
    match short_ago(now_ms, then_ms).as_str() {
        "now" => "just now".to_owned(),
        short => format!("{short} ago"),
    }
}

/// How long ago, in a column: "2 min".
pub(crate) fn short_ago(now_ms: u64, then_ms: u64) -> String {
    let passed = now_ms.saturating_sub(then_ms);
    let (minutes, hours, days) = (passed / MINUTE_MS, passed / HOUR_MS, passed / DAY_MS);
    match (days, hours, minutes) {
        (0, 0, 0) => "now".to_owned(),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, _) => format!("{hours} h"),
        (1, ..) => "1 day".to_owned(),
        (2..=60, ..) => format!("{days} days"),
        (61..=730, ..) => format!("{} months", days / 30),
        (731.., ..) => format!("{} years", days / 365),
    }
}

/// How long something has been going on: "0:07", "12:40", "1:02:03".
pub(crate) fn elapsed(passed_ms: u64) -> String {
    let seconds = passed_ms / 1000;
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}")
    } else {
        format!("{minutes}:{seconds:02}")
    }
}

/// How long something took: "40 ms", "1.2 s", "12 s", "3 min 5 s".
pub(crate) fn took(passed_ms: u64) -> String {
    let seconds = passed_ms / 1000;
    match seconds {
        0 => format!("{passed_ms} ms"),
        1..10 => format!("{}.{} s", seconds, passed_ms % 1000 / 100),
        10..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        3600.. => format!("{} h {} min", seconds / 3600, seconds / 60 % 60),
    }
}

/// How long until something happens, rounded up: "8 s", "4 min", "2 h".
pub(crate) fn left(now_ms: u64, then_ms: u64) -> String {
    let seconds = then_ms.saturating_sub(now_ms).div_ceil(1000);
    match seconds {
        0..100 => format!("{seconds} s"),
        100..6000 => format!("{} min", seconds.div_ceil(60)),
        6000..172_800 => format!("{} h", seconds.div_ceil(3600)),
        172_800.. => format!("{} days", seconds.div_ceil(86_400)),
    }
}

fn local_day(at_ms: u64, offset_minutes: i32) -> i64 {
    let at_ms = i64::try_from(at_ms).unwrap_or(i64::MAX / 2);
    (at_ms + i64::from(offset_minutes) * 60_000).div_euclid(86_400_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_said_as_people_say_them() {
        let now = 1_000 * DAY_MS;
        let said: Vec<String> = [
            0,
            59_999,
            MINUTE_MS,
            59 * MINUTE_MS,
            HOUR_MS,
            23 * HOUR_MS,
            DAY_MS,
            6 * DAY_MS,
            90 * DAY_MS,
            800 * DAY_MS,
        ]
        .into_iter()
        .map(|passed| ago(now, now - passed))
        .collect();
        assert_eq!(
            said,
            [
                "just now",
                "just now",
                "1 min ago",
                "59 min ago",
                "1 h ago",
                "23 h ago",
                "1 day ago",
                "6 days ago",
                "3 months ago",
                "2 years ago",
            ]
        );
        assert_eq!(ago(now, now + HOUR_MS), "just now");
    }

    #[test]
    fn days_end_at_midnight_where_the_person_is() {
        let midnight_utc = 1_000 * DAY_MS;
        let group = |then, offset| DayGroup::of(midnight_utc + HOUR_MS, then, offset);
        assert_eq!(group(midnight_utc, 0), DayGroup::Today);
        assert_eq!(group(midnight_utc - 1, 0), DayGroup::Yesterday);
        assert_eq!(group(midnight_utc - 1, 60), DayGroup::Today);
        assert_eq!(group(midnight_utc - 2 * DAY_MS, 0), DayGroup::ThisWeek);
        assert_eq!(group(midnight_utc - 7 * DAY_MS, 0), DayGroup::Older);
        assert_eq!(group(midnight_utc + DAY_MS, 0), DayGroup::Today);
    }

    #[test]
    fn elapsed_time_grows_by_seconds() {
        let said = [7_900, 760_000, 3_723_000].map(elapsed);
        assert_eq!(said, ["0:07", "12:40", "1:02:03"]);
    }

    #[test]
    fn what_it_took_and_what_is_left_are_short() {
        let said = [40, 1_250, 12_900, 185_000, 7_260_000].map(took);
        assert_eq!(said, ["40 ms", "1.2 s", "12 s", "3 min 5 s", "2 h 1 min"]);
        let said = [0, 7_100, 240_000, 7_200_000, 900_000_000].map(|ms| left(5, 5 + ms));
        assert_eq!(said, ["0 s", "8 s", "4 min", "2 h", "11 days"]);
    }
}
