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

/// What is drawn of a rate in one of several runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    /// The rate, or what it is below where nothing was seen.
    pub rate: f64,
    /// Its interval; none where nothing was seen.
    pub interval: Option<Interval>,
    /// It differs from the run before.
    pub changed: bool,
}

/// Rates of several runs on a logarithmic scale, each with its interval, over the runs' numbers; what was never
/// seen as a dashed line below its bound, what changed as a diamond. Runs without a point are left open.
pub(super) fn versions(points: &[Option<Point>]) -> String {
    let (width, height, left, top) = (420.0, 150.0, 40.0, 10.0);
    let (floor, right) = (height - 24.0, width - 12.0);
    let drawn = || points.iter().flatten();
    let lows = drawn().map(|p| p.interval.map_or(p.rate, |i| i.low.max(p.rate / 1e3)));
    let least = lows.filter(|rate| *rate > 0.0).fold(1.0, f64::min);
    let most = drawn()
        .map(|p| p.interval.map_or(p.rate, |i| i.high))
        .fold(0.0, f64::max);
    let from = f64::from((least.log10().floor() as i32).clamp(-15, -1));
    let to = f64::from((most.max(1e-15).log10().ceil() as i32).clamp(-14, 0)).max(from + 1.0);
    let y = |rate: f64| {
        let part = ((rate.max(1e-300).log10() - from) / (to - from)).clamp(0.0, 1.0);
        (floor - part * (floor - top)).round()
    };
    let gap = (right - left) / points.len().max(1) as f64;
    let x = |place: usize| (left + gap * (place as f64 + 0.5)).round();
    let mut out = format!(
        "<svg class=\"chart over\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"rates of {} runs\">\
         <path class=\"axis\" d=\"M{left} {top}V{floor}H{right}\"/>",
        points.len()
    );
    let step = ((to - from) / 4.0).ceil().max(1.0);
    let mut power = to;
    while power >= from {
        let at = y(10f64.powf(power));
        let name = if power == 0.0 {
            "1".to_owned()
        } else {
            format!("1e{power}")
        };
        let _ = write!(
            out,
            "<path class=\"axis\" d=\"M{left} {at}H{right}\"/><text x=\"{}\" y=\"{}\" text-anchor=\"end\">{name}</text>",
            left - 6.0,
            at + 4.0
        );
        power -= step;
    }
    // Every number where there is room, else every second, third …
    let every = (18.0 / gap).ceil().max(1.0) as usize;
    for (place, point) in points.iter().enumerate() {
        let at = x(place);
        if place % every == 0 {
            let _ = write!(
                out,
                "<text x=\"{at}\" y=\"{}\" text-anchor=\"middle\">{}</text>",
                height - 8.0,
                place + 1
            );
        }
        let Some(point) = point else {
            continue;
        };
        let middle = y(point.rate);
        match point.interval {
            Some(interval) => {
                let _ = write!(
                    out,
                    "<path d=\"M{at} {}V{}\"/>",
                    y(interval.high),
                    y(interval.low)
                );
            }
            None => {
                let (a, b) = (at - 4.0, at + 4.0);
                let _ = write!(
                    out,
                    "<path class=\"never\" d=\"M{a} {middle}H{b}M{at} {middle}V{floor}\"/>"
                );
            }
        }
        match (point.changed, point.interval) {
            (true, _) => {
                let (a, b) = (at - 6.0, at + 6.0);
                let (up, down) = (middle - 6.0, middle + 6.0);
                let _ = write!(
                    out,
                    "<path class=\"turn\" d=\"M{a} {middle}L{at} {up}L{b} {middle}L{at} {down}Z\"/>"
                );
            }
            (false, Some(_)) => {
                let _ = write!(out, "<circle cx=\"{at}\" cy=\"{middle}\" r=\"3.5\"/>");
            }
            (false, None) => {}
        }
    }
    out + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_over_versions_have_a_mark_each_and_none_where_nothing_ran() {
        let point = |rate: f64, changed| {
            let interval = Interval {
                low: rate / 2.0,
                high: rate * 2.0,
            };
            Some(Point {
                rate,
                interval: Some(interval),
                changed,
            })
        };
        let never = Some(Point {
            rate: 1e-4,
            interval: None,
            changed: false,
        });
        let drawn = versions(&[point(0.01, false), None, point(0.2, true), never]);
        assert_eq!(drawn.matches("<circle").count(), 1);
        assert_eq!(drawn.matches("class=\"turn\"").count(), 1);
        assert_eq!(drawn.matches("class=\"never\"").count(), 1);
        assert!(drawn.contains(">1e-4<") && drawn.contains(">4<"), "{drawn}");
        assert!(versions(&[]).ends_with("</svg>"));
    }

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
