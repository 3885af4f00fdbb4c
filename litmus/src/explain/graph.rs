//! The execution as a drawing: events named and placed, edges with what they mean.
//!
//! Program order is shown between neighbours, from-reads (`fr`) from a read to the write that comes
//! right after the one it read, and coherence between neighbours; coherence from an initial value,
//! which comes before everything, only where the cycle goes through it. In a cycle, reads-from
//! taken backward and then coherence is one `fr` edge, and steps of one transitive relation are one.
//! What commands order is shown between neighbours too: from the last events at a point of a host
//! thread or of a kernel to the first ones of the next, with the rules that order them
//! ([`CommandOrder::why`]).
//! An edge that the model makes of others has the model's name (`gsw`) and is shown beside them; where
//! it is one other edge it is shown as that one, with both names (`gsw: rf`).

use super::label::{Node, links, node, place};
use crate::oracle::{Edge, Execution, Failure};
use crate::program::{CommandOrder, Point, Program};

/// What an arrow means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strand {
    /// Program order.
    Program,
    /// Reads-from.
    ReadsFrom,
    /// Coherence, also called modification order.
    Coherence,
    /// From-reads: from a read to a write that is after what it read.
    FromReads,
    /// The order of commands.
    Command,
    /// Any other relation that a failing cycle goes through.
    Other,
}

/// An arrow between events.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Arrow {
    /// Index of the event where it begins.
    pub from: usize,
    /// Index of the event where it ends.
    pub to: usize,
    /// The name of the relation.
    pub label: String,
    /// What it means.
    pub strand: Strand,
    /// It belongs to the failing cycle.
    pub in_cycle: bool,
}

/// A thread of the drawing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// `P0`.
    pub name: String,
    /// Where it runs.
    pub place: String,
    /// Its events, in program order.
    pub events: Vec<usize>,
}

/// An execution, ready to be rendered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drawing {
    /// The initial values.
    pub initial: Vec<usize>,
    /// The threads.
    pub columns: Vec<Column>,
    /// Every event.
    pub nodes: Vec<Node>,
    /// Every arrow.
    pub arrows: Vec<Arrow>,
    /// The failed checks, in the order of the refusal.
    pub failures: Vec<Broken>,
    /// Which of them is marked: the one with the smallest cycle.
    pub marked: Option<usize>,
}

/// A check that the execution fails.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// Its name: the id of the rule.
    pub rule: String,
    /// Where it stands: the file and the line.
    pub place: String,
    /// What the model's file says about it.
    pub note: Option<String>,
    /// Its cycle, as it is rendered.
    pub cycle: Vec<Edge>,
    /// Something that must be there is missing.
    pub missing: bool,
}

impl Drawing {
    /// Draws an execution with the checks it fails.
    pub fn new(program: &Program, execution: &Execution, failures: &[Failure]) -> Drawing {
        let mut letters = 0;
        let nodes: Vec<Node> = execution
            .events
            .iter()
            .map(|event| node(program, event, &mut letters))
            .collect();
        let columns: Vec<Column> = program
            .threads
            .iter()
            .enumerate()
            .map(|(t, thread)| Column {
                name: format!("P{t}"),
                place: place(program, thread),
                events: (0..nodes.len())
                    .filter(|e| nodes[*e].thread == Some(t))
                    .collect(),
            })
            .collect();
        let initial = (0..nodes.len())
            .filter(|e| nodes[*e].thread.is_none())
            .collect();
        let failures: Vec<Broken> = failures
            .iter()
            .map(|f| Broken {
                rule: f.check.to_string(),
                place: format!("{}:{}", f.file, f.line),
                note: f.note.as_deref().map(str::to_owned),
                cycle: tidy(&known(&f.cycle, execution)),
                missing: f.missing,
            })
            .collect();
        // A cycle says more than a path that should not be there.
        let marked = (0..failures.len())
            .filter(|i| !failures[*i].cycle.is_empty())
            .min_by_key(|i| (!closed(&failures[*i].cycle), failures[*i].cycle.len()));
        let mut drawing = Drawing {
            initial,
            columns,
            nodes,
            arrows: Vec::new(),
            failures,
            marked,
        };
        // A program that has an execution has an order of commands.
        let commands = CommandOrder::of(program).unwrap_or_default();
        drawing.connect(execution);
        drawing.command(program, execution, &commands);
        drawing.mark(program, execution, &commands);
        drawing
    }

    /// How a check fails: its cycle in a line, as in `a -po-> b -gsw-> c -po-> d -fr-> a`, and one
    /// more line for each edge in it that stands for several. A path that is no cycle is there
    /// although it may not be.
    pub fn cycle_lines(&self, broken: &Broken) -> Vec<String> {
        let cycle = &broken.cycle;
        if cycle.is_empty() {
            let what = match broken.missing {
                true => "it asks for something that this execution does not have",
                false => "no order that it asks for can be completed",
            };
            return vec![what.into()];
        }
        let mut out = vec![match closed(cycle) {
            true => self.chain_text(cycle),
            false => format!("there may be no {}", self.chain_text(cycle)),
        }];
        self.parts(cycle, &mut out);
        out
    }

    fn parts(&self, edges: &[Edge], out: &mut Vec<String>) {
        for edge in edges.iter().filter(|e| e.parts.len() > 1) {
            let (from, to) = (&self.nodes[edge.from].id, &self.nodes[edge.to].id);
            let parts = self.chain_text(&edge.parts);
            let line = format!("{from} -{}-> {to} is {parts}", edge.label);
            if !out.contains(&line) {
                out.push(line);
                self.parts(&edge.parts, out);
            }
        }
    }

    fn chain_text(&self, chain: &[Edge]) -> String {
        let mut out = String::new();
        let mut at = None;
        for edge in chain {
            if at != Some(edge.from) {
                if at.is_some() {
                    out.push_str(", ");
                }
                out.push_str(&self.nodes[edge.from].id);
            }
            out.push_str(&format!(" -{}-> {}", shown(edge), self.nodes[edge.to].id));
            at = Some(edge.to);
        }
        out
    }

    fn arrow(&mut self, from: usize, to: usize, label: &str, strand: Strand) {
        self.arrows.push(Arrow {
            from,
            to,
            label: label.to_owned(),
            strand,
            in_cycle: false,
        });
    }

    fn connect(&mut self, execution: &Execution) {
        let columns: Vec<Vec<usize>> = self.columns.iter().map(|c| c.events.clone()).collect();
        for pair in columns.iter().flat_map(|events| events.windows(2)) {
            self.arrow(pair[0], pair[1], "po", Strand::Program);
        }
        for (write, read) in &execution.reads_from {
            self.arrow(*write, *read, "rf", Strand::ReadsFrom);
        }
        for (a, b) in &execution.coherence {
            if self.nodes[*a].thread.is_some() {
                self.arrow(*a, *b, "co", Strand::Coherence);
            }
        }
        for (write, read) in &execution.reads_from {
            for (_, next) in execution.coherence.iter().filter(|(a, _)| a == write) {
                if next != read {
                    self.arrow(*read, *next, "fr", Strand::FromReads);
                }
            }
        }
    }

    /// Draws what commands order, between neighbours.
    fn command(&mut self, program: &Program, execution: &Execution, commands: &CommandOrder) {
        let mut points: Vec<Point> = Vec::new();
        for point in execution.events.iter().filter_map(|e| e.point) {
            if point != Point::Free && !points.contains(&point) {
                points.push(point);
            }
        }
        let before = |a: Point, b: Point| match (a, b) {
            (Point::Host(t, made), Point::Host(u, more)) if t == u => made < more,
            (Point::Host(..) | Point::Kernel(_) | Point::Free, _) => commands.before(a, b),
        };
        // The last or the first events at a point, one of each thread.
        let columns: Vec<Vec<usize>> = self.columns.iter().map(|c| c.events.clone()).collect();
        let here = |point: Point| {
            let of = move |events: &Vec<usize>| -> Vec<usize> {
                let mut events = events.clone();
                events.retain(|e| execution.events[*e].point == Some(point));
                events
            };
            columns.iter().map(of)
        };
        for a in &points {
            for b in points.iter().filter(|b| commands.before(*a, **b)) {
                if points.iter().any(|m| before(*a, *m) && before(*m, *b)) {
                    continue;
                }
                let label = links(program, &commands.why(*a, *b));
                let firsts: Vec<usize> = here(*b).filter_map(|e| e.first().copied()).collect();
                for last in here(*a).filter_map(|e| e.last().copied()) {
                    for first in &firsts {
                        self.arrow(last, *first, &label, Strand::Command);
                    }
                }
            }
        }
    }

    /// Marks the smallest cycle, and draws what it needs and is not there yet.
    fn mark(&mut self, program: &Program, execution: &Execution, commands: &CommandOrder) {
        let Some(cycle) = self.marked.map(|i| self.failures[i].cycle.clone()) else {
            return;
        };
        for edge in cycle {
            self.nodes[edge.from].in_cycle = true;
            self.nodes[edge.to].in_cycle = true;
            // The edge that it is, where it is but one.
            let rendered = match alias(&edge) {
                Some(part) => part,
                None => &edge,
            };
            let strand = strand(&rendered.label);
            if strand == Strand::Program {
                let between = self.between(edge.from, edge.to);
                if !between.is_empty() {
                    for arrow in &mut self.arrows {
                        arrow.in_cycle |= arrow.strand == Strand::Program
                            && between.contains(&(arrow.from, arrow.to));
                    }
                    continue;
                }
            }
            let there = self.arrows.iter_mut().find(|a| {
                (a.from, a.to, a.strand) == (edge.from, edge.to, strand)
                    && (strand == Strand::Command || a.label == rendered.label)
            });
            match there {
                Some(arrow) => {
                    arrow.in_cycle = true;
                    if strand != Strand::Command {
                        arrow.label = shown(&edge);
                    }
                }
                None => {
                    let point = |e: usize| execution.events[e].point;
                    let label = match (strand, point(edge.from), point(edge.to)) {
                        (Strand::Command, Some(a), Some(b)) => links(program, &commands.why(a, b)),
                        (_, _, _) => shown(&edge),
                    };
                    self.arrow(edge.from, edge.to, &label, strand);
                    if let Some(arrow) = self.arrows.last_mut() {
                        arrow.in_cycle = true;
                    }
                }
            }
        }
    }

    /// The neighbours in program order that lead from one event to another; none where it is not
    /// before the other.
    fn between(&self, from: usize, to: usize) -> Vec<(usize, usize)> {
        for column in &self.columns {
            let at = |e: usize| column.events.iter().position(|x| *x == e);
            if let (Some(a), Some(b)) = (at(from), at(to))
                && a < b
            {
                let events = &column.events[a..=b];
                return events.windows(2).map(|p| (p[0], p[1])).collect();
            }
        }
        Vec::new()
    }
}

fn strand(label: &str) -> Strand {
    match label {
        "po" | "sb" => Strand::Program,
        "rf" => Strand::ReadsFrom,
        "co" | "mo" => Strand::Coherence,
        "fr" => Strand::FromReads,
        "command" => Strand::Command,
        _ => Strand::Other,
    }
}

/// The only edge that an edge of the model stands for, if it joins the same events.
fn alias(edge: &Edge) -> Option<&Edge> {
    match edge.parts.as_slice() {
        [part] if (part.from, part.to) == (edge.from, edge.to) => Some(part),
        _ => None,
    }
}

/// The name of an edge, and of the one that it stands for.
fn shown(edge: &Edge) -> String {
    match alias(edge) {
        Some(part) => format!("{}: {}", edge.label, shown(part)),
        None => edge.label.clone(),
    }
}

/// The edge from an initial value to a later write of the same place is coherence.
fn known(cycle: &[Edge], execution: &Execution) -> Vec<Edge> {
    let mut edges = cycle.to_vec();
    for edge in &mut edges {
        edge.parts = tidy(&known(&edge.parts, execution));
        let (from, to) = (&execution.events[edge.from], &execution.events[edge.to]);
        if edge.label == "init" && from.place == to.place && to.written.is_some() {
            edge.label = "co".to_owned();
        }
    }
    edges
}

fn closed(edges: &[Edge]) -> bool {
    edges.first().map(|e| e.from) == edges.last().map(|e| e.to)
}

/// Joins the edges of a cycle that people read as one.
fn tidy(cycle: &[Edge]) -> Vec<Edge> {
    let mut edges = cycle.to_vec();
    loop {
        let joined = (0..edges.len()).find_map(|i| {
            let next = (i + 1) % edges.len();
            let label = join(&edges[i], &edges[next])?;
            Some((i, next, label))
        });
        let Some((i, next, label)) = joined else {
            return edges;
        };
        edges[i].label = label;
        edges[i].to = edges[next].to;
        edges.remove(next);
    }
}

fn join(first: &Edge, second: &Edge) -> Option<String> {
    if first.to != second.from || first.from == second.to {
        return None;
    }
    if !first.parts.is_empty() || !second.parts.is_empty() {
        return None;
    }
    match (first.label.as_str(), second.label.as_str()) {
        ("rf^-1", "co" | "mo") | ("fr", "co" | "mo") => Some("fr".into()),
        (a @ ("po" | "co" | "mo" | "S"), b) if a == b => Some(a.into()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(parts: &[(usize, &str, usize)]) -> Vec<Edge> {
        parts
            .iter()
            .map(|(from, label, to)| Edge {
                from: *from,
                to: *to,
                label: (*label).to_owned(),
                parts: Vec::new(),
            })
            .collect()
    }

    #[test]
    fn edges_that_are_read_as_one_are_joined() {
        let cycle = edges(&[(1, "po", 2), (2, "po", 3), (3, "rf^-1", 0), (0, "co", 1)]);
        assert_eq!(tidy(&cycle), edges(&[(1, "po", 3), (3, "fr", 1)]));
        // Also across the place where the cycle is written to begin.
        let turned = edges(&[(0, "co", 1), (1, "po", 3), (3, "rf^-1", 0)]);
        assert_eq!(tidy(&turned), edges(&[(1, "po", 3), (3, "fr", 1)]));
        // A cycle of two edges stays one.
        let two = edges(&[(1, "po", 2), (2, "po", 1)]);
        assert_eq!(tidy(&two), two);
        // A path that is no cycle stays open.
        let open = edges(&[(0, "rf", 1), (1, "po", 2), (2, "po", 3)]);
        assert_eq!(tidy(&open), edges(&[(0, "rf", 1), (1, "po", 3)]));
    }
}
