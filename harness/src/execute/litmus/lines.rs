//! The order in which the work-groups of a launch start, where fewer run together than a test has.
//!
//! Work-groups of one instance that run one after the other show nothing of memory. So they start in two
//! lines: one goes through the teams from the first to the last with one half of each team's work-groups, the
//! other from the last to the first with the other half. Two processors that take a line each meet at some
//! team, whichever began first and however long each takes.
//!
//! Who takes which work-groups is for the library to decide. Some give each thread an equal part of
//! all, some hand out stretches of a few dozen to whoever is free. A launch lays its lines for one or the
//! other: the lines alternate, stretch by stretch, and each pair of stretches has teams of its own. A stretch
//! begins with a work-group that waits, for a bounded while, until the one of the other line has begun: the
//! threads of a library wake up one after the other.

use classay_litmus::kernel::env;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// Work-groups that libraries hand out at a time, for each that runs together with others.
const HANDED_OUT: u32 = 32;

/// How the lines are laid.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// Each is half of the launch.
    Halves,
    /// They alternate after so many work-groups.
    Stretches(u32),
}

impl Lines {
    /// Draws how, for a device that runs so many work-groups together.
    pub fn draw(units: u32, rng: &mut ChaCha8Rng) -> Lines {
        match rng.next_u32() % 2 {
            0 => Lines::Halves,
            _ => Lines::Stretches(units.saturating_mul(HANDED_OUT)),
        }
    }

    /// How many work-groups of a team each line has room for.
    fn abreast(groups: usize) -> usize {
        groups.div_ceil(2)
    }

    /// Work-groups of a stretch, the first of which opens a gate, and the teams of a pair of them.
    fn stretch(self, teams: usize, groups: usize) -> (usize, usize) {
        let abreast = Lines::abreast(groups);
        let all = 1 + teams * abreast;
        let of = match self {
            Lines::Halves => all,
            Lines::Stretches(of) => (of as usize).clamp(1 + abreast, all),
        };
        (of, (of - 1) / abreast)
    }

    /// Work-groups of a launch, with those that do not play.
    pub fn places(self, teams: usize, groups: usize) -> usize {
        let (of, each) = self.stretch(teams, groups);
        teams.div_ceil(each) * 2 * of
    }

    /// Most of them, however the lines are laid on a device that runs so many work-groups together.
    pub fn most_places(teams: usize, groups: usize, units: u32) -> usize {
        [
            Lines::Halves,
            Lines::Stretches(units.saturating_mul(HANDED_OUT)),
        ]
        .map(|lines| lines.places(teams, groups))
        .into_iter()
        .max()
        .unwrap_or(0)
    }

    /// For each work-group of the launch its number in the order of teams, as the kernels count them; from `teams ·
    /// groups` on it does not play.
    pub fn order(self, teams: usize, groups: usize) -> Vec<u32> {
        let abreast = Lines::abreast(groups);
        let (of, each) = self.stretch(teams, groups);
        let nothing = (teams * groups) as u32;
        // Kernels turn the places of a team by its number.
        let numbered = |team: usize, place: usize| {
            let turned = (place + groups - team % groups) % groups;
            (team * groups + turned) as u32
        };
        let mut order = Vec::with_capacity(self.places(teams, groups));
        for start in (0..teams).step_by(each) {
            let members = start..(start + each).min(teams);
            for places in [0..abreast, abreast..2 * abreast] {
                let from = order.len();
                order.push(env::GATE | start as u32);
                let late = places.start > 0;
                for nth in 0..members.len() {
                    let team = match late {
                        false => members.start + nth,
                        true => members.end - 1 - nth,
                    };
                    order.extend(places.clone().map(|place| match place < groups {
                        true => numbered(team, place),
                        false => nothing,
                    }));
                }
                order.resize(from + of, nothing);
            }
        }
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The team and the place of a number, as kernels compute them.
    fn meaning(number: u32, groups: u32) -> (u32, u32) {
        let team = number / groups;
        (team, (number + team) % groups)
    }

    #[test]
    fn every_work_group_of_every_team_starts_once() {
        for groups in 2..6 {
            for teams in [1, 2, 5, 64, 257] {
                for lines in [
                    Lines::Halves,
                    Lines::Stretches(1),
                    Lines::Stretches(7),
                    Lines::Stretches(64),
                    Lines::Stretches(u32::MAX),
                ] {
                    let order = lines.order(teams, groups);
                    assert_eq!(order.len(), lines.places(teams, groups), "{lines:?}");
                    let mut playing: Vec<u32> = order
                        .into_iter()
                        .filter(|number| (*number as usize) < teams * groups)
                        .collect();
                    playing.sort_unstable();
                    let all: Vec<u32> = (0..(teams * groups) as u32).collect();
                    assert_eq!(playing, all, "{groups} groups, {teams} teams, {lines:?}");
                }
            }
        }
    }

    #[test]
    fn lines_cross_once_in_each_pair_of_stretches() {
        let (teams, groups) = (8, 3);
        let order = Lines::Stretches(9).order(teams, groups);
        for (pair, stretches) in order.chunks(18).enumerate() {
            let told = |stretch: &[u32]| -> Vec<(u32, u32)> {
                let plays = stretch.iter().filter(|n| (**n as usize) < teams * groups);
                plays.map(|n| meaning(*n, groups as u32)).collect()
            };
            let first = 4 * pair as u32;
            let (one, other) = stretches.split_at(9);
            let up: Vec<(u32, u32)> = (first..first + 4).flat_map(|t| [(t, 0), (t, 1)]).collect();
            let down: Vec<(u32, u32)> = (first..first + 4).rev().map(|t| (t, 2)).collect();
            assert_eq!(told(one), up);
            assert_eq!(told(other), down);
        }
    }

    #[test]
    fn what_is_drawn_has_room() {
        use rand_chacha::rand_core::SeedableRng;
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for units in [1, 2, 3, 64, u32::MAX] {
            for (teams, groups) in [(1, 3), (256, 3), (256, 4), (5, 2)] {
                let most = Lines::most_places(teams, groups, units);
                for _ in 0..8 {
                    let lines = Lines::draw(units, &mut rng);
                    assert!(lines.places(teams, groups) <= most);
                }
            }
        }
    }
}
