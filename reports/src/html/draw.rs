//! The small drawings: a rate with its interval on a logarithmic scale, a ratio, a line over time.
//!
//! They are written here rather than by a library for charts because their colours come from the page's
//! style, so that they follow light, dark and print, and because a drawing costs a hundred bytes, of which a
//! page has thousands.

use crate::report::{OutcomeFacts, Report};
use crate::stats::Interval;
use crate::stats::cluster::Cluster;
use crate::text::number::rate;
use std::fmt::Write;

/// Width of a scale, in pixels.
const WIDTH: f64 = 200.0;

/// A logarithmic scale from a power of ten to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scale {
    /// The power of its lower end, below 0.
    from: i32,
}

impl Scale {
    /// The scale that shows every rate of a report.
    pub fn of(report: &Report<'_>) -> Scale {
        let least = report
            .cases
            .iter()
            .flat_map(|case| case.outcomes.iter().chain(&case.target))
            .map(|o| o.bound().unwrap_or_else(|| o.rate()))
            .filter(|rate| *rate > 0.0)
            .fold(0.1, f64::min);
        Scale::from_rate(least)
    }

    fn from_rate(least: f64) -> Scale {
        Scale {
            from: (least.log10().floor() as i32).clamp(-15, -1),
        }
    }

    fn at(self, rate: f64) -> f64 {
        let part = if rate > 0.0 {
            1.0 - rate.log10() / f64::from(self.from)
        } else {
            0.0
        };
        (part.clamp(0.0, 1.0) * WIDTH).round()
    }

    /// The names of the scale's ends and of what is between.
    pub fn axis(self) -> String {
        let mut out = String::from(
            "<svg class=\"ax\" viewBox=\"0 0 200 12\" role=\"img\" aria-label=\"rates on a logarithmic scale\">",
        );
        let step = (-self.from + 3) / 4;
        let mut power = 0;
        while power >= self.from {
            let x = self.at(10f64.powi(power));
            let anchor = match power {
                0 => "end",
                lowest if lowest == self.from => "start",
                _ => "middle",
            };
            let name = match power {
                0 => "1".to_owned(),
                _ => format!("1e{power}"),
            };
            let _ = write!(
                out,
                "<text x=\"{x}\" y=\"10\" text-anchor=\"{anchor}\">{name}</text>"
            );
            power -= step.max(1);
        }
        out + "</svg>"
    }

    /// A rate as a mark on the line of its interval; an arrow below the bound of what was never seen.
    pub fn rate(self, facts: &OutcomeFacts) -> String {
        if facts.all.instances == 0 {
            return String::new();
        }
        if let Some(below) = facts.bound() {
            let x = self.at(below);
            return format!(
                "<svg class=\"w\" viewBox=\"0 0 200 12\"><path d=\"M{x} 2v8M{x} 6H0\" stroke-dasharray=\"2 2\"/></svg>"
            );
        }
        let (low, high) = (self.at(facts.interval.low), self.at(facts.interval.high));
        let x = self.at(facts.rate());
        format!(
            "<svg class=\"w\" viewBox=\"0 0 200 12\"><rect width=\"{x}\"/><path d=\"M{low} 6H{high}M{x} 1v10\"/></svg>"
        )
    }
}

/// A ratio with its interval, from a thousandth to a thousandfold.
pub(super) fn ratio(value: f64, interval: Interval) -> String {
    let at = |ratio: f64| {
        let part = if ratio > 0.0 {
            ratio.log10() / 6.0 + 0.5
        } else {
            0.0
        };
        (part.clamp(0.0, 1.0) * WIDTH).round()
    };
    let middle = WIDTH / 2.0;
    format!(
        "<svg class=\"w\" viewBox=\"0 0 200 12\"><path d=\"M{middle} 0v12\" opacity=\".3\"/><path d=\"M{} 6H{}M{} 1v10\"/></svg>",
        at(interval.low),
        at(interval.high),
        at(value)
    )
}

/// Launches in order, cut into at most so many stretches: their rates.
pub(super) fn stretches(clusters: &[Cluster], most: usize) -> Vec<f64> {
    let used: Vec<&Cluster> = clusters.iter().filter(|c| c.instances > 0).collect();
    let parts = used.len().min(most);
    (0..parts)
        .map(|part| {
            let of = &used[part * used.len() / parts..(part + 1) * used.len() / parts];
            let count: f64 = of.iter().map(|c| c.count as f64).sum();
            let instances: f64 = of.iter().map(|c| c.instances as f64).sum();
            count / instances
        })
        .collect()
}

/// The path of a line of rates from the left end over a width; `y` says how low a rate is.
fn path(rates: &[f64], left: f64, width: f64, y: impl Fn(f64) -> f64) -> String {
    let last = (rates.len().max(2) - 1) as f64;
    let mut path = String::new();
    for (place, rate) in rates.iter().enumerate() {
        let x = (left + place as f64 / last * width).round();
        let sign = if place == 0 { "M" } else { "L" };
        let _ = write!(path, "{sign}{x} {}", y(*rate));
    }
    path
}

/// A line of rates over time, as small as a word; the band is the interval of the whole.
pub(super) fn line(rates: &[f64], interval: Interval) -> String {
    let (width, height) = (110.0, 18.0);
    let top = rates.iter().copied().fold(interval.high, f64::max);
    let bottom = rates.iter().copied().fold(interval.low, f64::min);
    let span = top - bottom;
    if rates.len() < 2 || span <= 0.0 {
        return String::new();
    }
    let y = |rate: f64| ((top - rate) / span * height).round();
    let path = path(rates, 0.0, width, y);
    format!(
        "<svg class=\"sp\" role=\"img\" aria-label=\"over time\"><rect y=\"{}\" width=\"{width}\" \
         height=\"{}\"/><path d=\"{path}\"/></svg>",
        y(interval.high),
        (y(interval.low) - y(interval.high)).max(1.0)
    )
}

/// The same, large, with its axes. `seconds` is how long the launches took together.
pub(super) fn chart(rates: &[f64], facts: &OutcomeFacts, seconds: f64) -> String {
    let (width, height, left) = (420.0, 150.0, 62.0);
    let top = rates.iter().copied().fold(facts.interval.high, f64::max);
    let bottom = rates.iter().copied().fold(facts.interval.low, f64::min);
    let span = (top - bottom).max(f64::MIN_POSITIVE);
    let y = |rate: f64| ((top - rate) / span * (height - 34.0) + 10.0).round();
    let across = width - left - 8.0;
    let path = path(rates, left, across, y);
    let (high, low, mean) = (
        y(facts.interval.high),
        y(facts.interval.low),
        y(facts.rate()),
    );
    let (floor, right) = (height - 22.0, width - 8.0);
    format!(
        "<svg class=\"chart\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"rate over time, \
         from {} to {}\"><path class=\"axis\" d=\"M{left} 6V{floor}H{right}\"/><rect x=\"{left}\" \
         y=\"{high}\" width=\"{across}\" height=\"{}\"/><path class=\"mean\" d=\"M{left} {mean}H{right}\"/>\
         <path d=\"{path}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text><text x=\"{}\" y=\"{}\" \
         text-anchor=\"end\">{}</text><text x=\"{left}\" y=\"{}\">0 s</text><text x=\"{right}\" y=\"{}\" \
         text-anchor=\"end\">{}</text></svg>",
        rate(bottom),
        rate(top),
        (low - high).max(1.0),
        left - 6.0,
        y(top) + 4.0,
        rate(top),
        left - 6.0,
        y(bottom) + 2.0,
        rate(bottom),
        height - 6.0,
        height - 6.0,
        super::words::lasting(seconds)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scale_goes_from_its_power_to_one() {
        let scale = Scale::from_rate(3e-7);
        assert_eq!(scale.from, -7);
        assert_eq!(
            (scale.at(1e-7), scale.at(1.0), scale.at(0.0)),
            (0.0, WIDTH, 0.0)
        );
        assert_eq!(scale.at(1e-3), (4.0 / 7.0 * WIDTH).round());
        assert!(scale.axis().contains("1e-4"));
        assert_eq!(Scale::from_rate(1e-300).from, -15);
    }

    #[test]
    fn stretches_hold_all_launches() {
        let cluster = |count| Cluster {
            process: 0,
            count,
            instances: 10,
        };
        let launches: Vec<Cluster> = (0..10).map(cluster).collect();
        assert_eq!(stretches(&launches, 2), [0.2, 0.7]);
        assert_eq!(stretches(&launches[..3], 9), [0.0, 0.1, 0.2]);
        assert!(stretches(&[], 9).is_empty());
        let whole = Interval {
            low: 0.1,
            high: 0.2,
        };
        assert_eq!(line(&[0.1], whole), "");
        assert!(line(&[0.0, 0.3], whole).contains("M0 18L110 0"));
    }
}
