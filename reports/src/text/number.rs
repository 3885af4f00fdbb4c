//! Counts, rates and bounds as text. A bound is rounded outward, so that what is printed is never
//! a stronger claim than what was computed.

use crate::stats::Interval;
use crate::stats::Never;
use crate::stats::cluster::Clustered;

/// Which way a number that does not fit its digits goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Round {
    /// To the nearest.
    Nearest,
    /// Down, for lower ends.
    Down,
    /// Up, for upper ends.
    Up,
}

impl Round {
    fn apply(self, x: f64) -> f64 {
        match self {
            // A hair of slack: 0.3 times 10 is not to become 4 by its last binary digit.
            Round::Nearest => x.round(),
            Round::Down => (x + x.abs() * 1e-14).floor(),
            Round::Up => (x - x.abs() * 1e-14).ceil(),
        }
    }
}

/// `1234567` as `1,234,567`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 case`, `2 cases`.
pub fn count(n: usize, one: &str) -> String {
    match n {
        1 => format!("1 {one}"),
        n => format!("{} {one}s", grouped(n as u64)),
    }
}

/// How many launches.
pub fn launches(n: usize) -> String {
    match n {
        1 => "1 launch".into(),
        n => format!("{} launches", grouped(n as u64)),
    }
}

/// How many processes.
pub fn processes(n: usize) -> String {
    match n {
        1 => "1 process".into(),
        n => format!("{} processes", grouped(n as u64)),
    }
}

/// What is known of something that was never seen: sentences without the full stop of the last.
pub fn never(never: &Never) -> String {
    let (cluster, of) = match never.across_processes {
        true => (processes(never.clusters), "processes"),
        false => (launches(never.clusters), "launches of this process"),
    };
    let percent = 100.0 * never.whatever;
    let share = format!(
        "fewer than {percent:.2} % of {of} show it in as many instances, as {cluster} did not"
    );
    match never.like_others {
        Some(below) => format!(
            "below {} if it scatters as the other outcomes do; however it scatters, {share}",
            bound(below)
        ),
        None => share,
    }
}

/// A time in words: `40 s`, `12 min`, `3.5 h`, `12 days`, `1,234 years`.
pub fn time(seconds: f64) -> String {
    const MINUTE: f64 = 60.0;
    const HOUR: f64 = 60.0 * MINUTE;
    const DAY: f64 = 24.0 * HOUR;
    const YEAR: f64 = 365.25 * DAY;
    match seconds {
        s if s < 2.0 * MINUTE => format!("{s:.0} s"),
        s if s < 2.0 * HOUR => format!("{:.0} min", s / MINUTE),
        s if s < 2.0 * DAY => format!("{:.1} h", s / HOUR),
        s if s < 2.0 * YEAR => format!("{:.0} days", s / DAY),
        s => format!("{} years", grouped((s / YEAR) as u64)),
    }
}

/// How often something was seen: `1,234 of 5,678 (0.217)`.
pub fn share(all: &Clustered) -> String {
    let (count, instances) = (grouped(all.count), grouped(all.instances));
    format!("{count} of {instances} ({})", rate(all.rate()))
}

/// A design effect.
pub fn effect(effect: f64) -> String {
    if effect < 10.0 {
        format!("{effect:.1}")
    } else {
        grouped(effect as u64)
    }
}

/// The interval of a ratio, which may have no upper end.
pub fn ratio_interval(ends: Interval) -> String {
    match ends.high.is_finite() {
        true => format!("[{:.3}, {:.3}]", ends.low, ends.high),
        false => format!("[{:.3}, no limit]", ends.low),
    }
}

/// A number in at most five characters: `999`, `12.3k`, `1.23M`, `45.6G`, `789T`.
pub fn short(n: f64) -> String {
    if !n.is_finite() || n < 0.0 {
        return "-".into();
    }
    if n < 999.5 {
        return if n.fract() == 0.0 || n >= 100.0 {
            format!("{n:.0}")
        } else {
            three(n)
        };
    }
    let mut scaled = n;
    for unit in ["k", "M", "G", "T", "P", "E"] {
        scaled /= 1000.0;
        if scaled < 999.5 {
            return format!("{}{unit}", three(scaled));
        }
    }
    format!("{n:.0e}")
}

/// Three significant digits of a number below 999.5.
fn three(x: f64) -> String {
    if x < 9.995 {
        format!("{x:.2}")
    } else if x < 99.95 {
        format!("{x:.1}")
    } else {
        format!("{x:.0}")
    }
}

/// A rate: `0`, `2.31e-7`, `0.0312`, `0.99987`, `1`.
pub fn rate(x: f64) -> String {
    rate_with(x, 1.0, Round::Nearest)
}

/// An upper bound for a rate, rounded up.
pub fn bound(x: f64) -> String {
    rate_with(x, 1.0, Round::Up)
}

/// An interval with as many digits as its width is worth: `[0.1234, 0.1259]`.
pub fn interval(low: f64, high: f64) -> String {
    let low_text = rate_with(low, high - low, Round::Down);
    let high_text = rate_with(high, high - low, Round::Up);
    format!("[{low_text}, {high_text}]")
}

/// Decimals that show a tenth of `resolution`.
fn decimals(resolution: f64) -> f64 {
    if resolution > 0.0 {
        (-resolution.log10()).ceil() + 1.0
    } else {
        0.0
    }
}

/// Below 1/1000 with an exponent and two to four decimals, elsewhere with four to seven, by what
/// `resolution` is worth; up to nine near 1, where what matters is the distance to 1.
fn rate_with(x: f64, resolution: f64, round: Round) -> String {
    if !(0.0..=1.0).contains(&x) {
        return "-".into();
    }
    if x == 0.0 || x == 1.0 {
        return format!("{x:.0}");
    }
    if x < 1e-3 {
        return scientific(x, decimals(resolution / x).clamp(2.0, 4.0) as usize, round);
    }
    let near_one = if x > 0.99 { decimals(1.0 - x) } else { 0.0 };
    let decimals = decimals(resolution).clamp(4.0, 7.0).max(near_one).min(9.0) as usize;
    let scale = 10f64.powi(decimals as i32);
    let mut units = round.apply(x * scale);
    if units == scale && round != Round::Up {
        // Less than 1 is not 1.
        units -= 1.0;
    }
    format!("{:.decimals$}", units / scale)
}

fn scientific(x: f64, digits: usize, round: Round) -> String {
    let mut exponent = x.log10().floor() as i32;
    let scale = 10f64.powi(digits as i32);
    // Dividing by a power of ten in two steps keeps tiny numbers from overflowing it.
    let mantissa = x / 10f64.powi(exponent / 2) / 10f64.powi(exponent - exponent / 2);
    let mut mantissa = round.apply(mantissa * scale) / scale;
    if mantissa >= 10.0 {
        mantissa /= 10.0;
        exponent += 1;
    }
    format!("{mantissa:.digits$}e{exponent}")
}

/// A part of a whole, from 0 to 1, as `41 %`.
pub fn percent(part: f64) -> String {
    match part * 100.0 {
        p if p > 0.0 && p < 1.0 => "below 1 %".to_owned(),
        p => format!("{p:.0} %"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn counts() {
        for (n, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ] {
            assert_eq!(grouped(n), text);
        }
        for (n, text) in [
            (0.0, "0"),
            (7.0, "7"),
            (2.5, "2.50"),
            (999.4, "999"),
            (999.6, "1.00k"),
            (12_345.0, "12.3k"),
            (999_600.0, "1.00M"),
            (45_600_000_000.0, "45.6G"),
            (f64::NAN, "-"),
            (f64::INFINITY, "-"),
        ] {
            assert_eq!(short(n), text);
        }
    }

    #[test]
    fn rates() {
        for (x, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.5, "0.5000"),
            (0.03125, "0.0313"),
            (0.001, "0.0010"),
            (9.996e-4, "1.00e-3"),
            (2.314e-7, "2.31e-7"),
            (0.99987, "0.99987"),
            (1.0 - 1e-12, "0.999999999"),
            (1e-300, "1.00e-300"),
            (f64::NAN, "-"),
        ] {
            assert_eq!(rate(x), text);
        }
        assert_eq!(bound(9.981e-4), "9.99e-4");
        assert_eq!(bound(0.3), "0.3000");
        assert_eq!(interval(0.0, 2.3e-5), "[0, 2.30e-5]");
        assert_eq!(interval(0.12341, 0.12369), "[0.12341, 0.12369]");
        assert_eq!(interval(0.1, 0.2), "[0.1000, 0.2000]");
    }

    proptest! {
        #[test]
        fn outward_means_outward(low in 0.0f64..1.0, width in 0.0f64..1.0, shrink in 0i32..15) {
            let scale = 10f64.powi(-shrink);
            let (low, high) = (low * scale, (low + width * (1.0 - low)) * scale);
            let text = interval(low, high);
            let (a, b) = text[1..text.len() - 1].split_once(", ").unwrap();
            let (a, b): (f64, f64) = (a.parse().unwrap(), b.parse().unwrap());
            prop_assert!(a <= low * (1.0 + 1e-13) && high <= b * (1.0 + 1e-13), "{low} {high} {text}");
            prop_assert!(text.chars().count() <= 24, "{text}");
        }

        #[test]
        fn short_is_short(n in any::<u64>()) {
            prop_assert!(short(n as f64).len() <= 5);
        }
    }
}
