//! What a launch permutes, whom it stresses: drawn for each launch, and written down for the kernels.

use super::lines::Lines;
use crate::environment::{Arrangement, Environment, Percent, Row};
use classay_litmus::kernel::env;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;
use std::ops::Range;

/// Where a location of an instance lies: word `base + x · pitch`, `x = (k · multiplier + offset) mod
/// count` for instance `k`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot {
    /// First word.
    pub base: u32,
    /// Coprime to the count.
    pub multiplier: u32,
    /// Below the count.
    pub offset: u32,
}

impl Slot {
    /// One in the order of memory.
    pub fn straight(base: u32) -> Slot {
        Slot {
            base,
            multiplier: 1,
            offset: 0,
        }
    }

    /// The place of instance `k` in the slot.
    pub fn place(&self, k: u32, count: u32) -> u32 {
        let x = u64::from(k) * u64::from(self.multiplier) + u64::from(self.offset);
        (x % u64::from(count.max(1))) as u32
    }
}

/// What is drawn for a launch and the same on all its devices.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Instances.
    pub count: u32,
    /// Which instance is played at which position.
    pub order: Slot,
    /// One for each global location.
    pub slots: Vec<Slot>,
    /// Whether some work-groups stress.
    pub stresses: bool,
    /// Whether threads of the host stress.
    pub host_stresses: bool,
    /// What decisions of the kernels are drawn from.
    pub seed: u32,
    /// Whether instances and locations are in the order of memory, and work-items may play them in runs.
    pub straight: bool,
    /// How work-groups start.
    pub start: Start,
    /// Whether those of a team are in different queues of their family.
    pub spread: bool,
}

/// Sets what decides whether a launch is spread apart from other draws by its seed.
const SPREADS: u32 = 0x51ed_270b;

/// How the work-groups of a launch start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// All of all teams.
    All,
    /// The same, in two lines.
    Lines(Lines),
    /// So many of one team, each of which plays several of the test's.
    Shared(u32),
}

impl Start {
    fn draw(arrangement: &Arrangement, stresses: bool, rng: &mut ChaCha8Rng) -> Start {
        let chances = [arrangement.order_shared, arrangement.order_crossing];
        let mut takes =
            |chance: Percent| chance != Percent::NEVER && !stresses && chance.takes(rng.next_u32());
        match chances.map(&mut takes) {
            [true, _] => Start::Shared(arrangement.units),
            [false, true] => Start::Lines(Lines::draw(arrangement.units, rng)),
            [false, false] => Start::All,
        }
    }
}

impl Plan {
    /// Draws a launch of `count` instances.
    pub fn draw(
        count: u32,
        arrangement: &Arrangement,
        environment: &Environment,
        rng: &mut ChaCha8Rng,
    ) -> Plan {
        let random = arrangement.order_instances.takes(rng.next_u32());
        let drawn = |rng: &mut ChaCha8Rng, base, permuted| {
            // What is not permuted draws as much.
            let (multiplier, draw) = (coprime(rng.next_u32(), count), rng.next_u32());
            let offset = draw % count.max(1);
            match permuted {
                true => Slot {
                    base,
                    multiplier,
                    offset,
                },
                false => Slot::straight(base),
            }
        };
        let order = drawn(rng, 0, random);
        let own = arrangement.order_locations.takes(rng.next_u32());
        let room = arrangement.reach(count).saturating_sub(count);
        let mut by = 0;
        let mut slots = Vec::new();
        for (at, &base) in arrangement.bases.iter().enumerate() {
            let moved = moved(rng.next_u32(), room, arrangement.move_step);
            if at == 0 || arrangement.moves_apart {
                by = moved * arrangement.instance_pitch;
            }
            slots.push(drawn(rng, base + by, own));
        }
        let stresses =
            arrangement.stress_groups > 0 && environment.stress.percent.takes(rng.next_u32());
        let host_stresses = environment.host_stress.percent.takes(rng.next_u32());
        let seed = rng.next_u32();
        let start = Start::draw(arrangement, stresses, rng);
        Plan {
            count,
            order,
            slots,
            stresses,
            host_stresses,
            seed,
            straight: arrangement.runs && !random && !own,
            start,
            spread: start == Start::All && arrangement.spread.takes(env::mix(seed ^ SPREADS)),
        }
    }

    /// A launch that clears the first `reach` places of instances and plays none.
    pub fn clearing(reach: u32, arrangement: &Arrangement) -> Plan {
        Plan {
            count: reach,
            order: Slot::straight(0),
            slots: arrangement
                .bases
                .iter()
                .copied()
                .map(Slot::straight)
                .collect(),
            stresses: false,
            host_stresses: false,
            seed: 0,
            straight: false,
            start: Start::All,
            spread: false,
        }
    }

    /// Work-groups of a launch on a device that has `groups` of the test's.
    pub fn work_groups(&self, arrangement: &Arrangement, groups: usize) -> usize {
        match self.start {
            Start::Lines(lines) => lines.places(arrangement.teams as usize, groups),
            Start::All | Start::Shared(_) => {
                let stress = u32::from(self.stresses) * arrangement.stress_groups;
                self.testing(arrangement, groups) + stress as usize
            }
        }
    }

    /// The numbers of work-groups that queues of one family get, on a device that has `groups` of the test's: each some
    /// of every team where the launch is spread, and the last one those that stress, too.
    pub fn ranges(&self, arrangement: &Arrangement, groups: usize) -> Vec<Range<usize>> {
        let queues = match self.spread {
            true => groups.clamp(1, arrangement.beside.max(1) as usize),
            false => 1,
        };
        let bound = |queue: usize| match queue == queues {
            true => self.work_groups(arrangement, groups),
            false => arrangement.teams as usize * (queue * groups / queues),
        };
        (0..queues)
            .map(|queue| bound(queue)..bound(queue + 1))
            .collect()
    }

    /// Teams of the launch, and work-groups of each on a device that has `groups` of the test's.
    fn teams(&self, arrangement: &Arrangement, groups: usize) -> (u32, usize) {
        match self.start {
            Start::Shared(wide) => (1, groups.min(wide as usize)),
            Start::All | Start::Lines(_) => (arrangement.teams, groups),
        }
    }

    /// Work-groups of the launch that play.
    fn testing(&self, arrangement: &Arrangement, groups: usize) -> usize {
        let (teams, wide) = self.teams(arrangement, groups);
        teams as usize * wide
    }

    /// The environment's words for a device with `groups` of the test's work-groups; `threads` are those that
    /// meet, of the whole test, where those of the device do.
    pub fn words(
        &self,
        arrangement: &Arrangement,
        environment: &Environment,
        groups: usize,
        threads: usize,
        rng: &mut ChaCha8Rng,
    ) -> Vec<u32> {
        let e = arrangement;
        let mut words = vec![0; env::PLACES];
        let (teams, wide) = self.teams(e, groups);
        let step = u64::from(teams) * u64::from(e.lanes) * u64::from(self.order.multiplier);
        let step = (step % u64::from(self.count.max(1))) as u32;
        let total = self.work_groups(arrangement, groups);
        words[env::COUNT] = self.count;
        words[env::TEAMS] = teams;
        words[env::WIDE] = wide as u32;
        words[env::LANES] = e.lanes;
        words[env::ITERATIONS] = e.iterations(self.count, teams);
        words[env::MULTIPLIER] = self.order.multiplier;
        words[env::OFFSET] = self.order.offset;
        words[env::STEP] = step;
        words[env::RES_PITCH] = e.capacity;
        words[env::INSTANCE_PITCH] = e.instance_pitch;
        words[env::BATCH] = e.batch;
        // Lines cross somewhere, and nowhere do all of a team run together.
        let crosses = matches!(self.start, Start::Lines(_));
        let meets = threads > 0 && !(crosses && environment.meet.every.is_none());
        words[env::SYNC_EVERY] = if meets { e.sync_every } else { 0 };
        words[env::SYNC_PERCENT] = e.sync_percent.get();
        words[env::SYNC_BOUND] = e.sync_bound;
        words[env::SPARE] = e.spare;
        words[env::LAG] = e.lag;
        words[env::ARRIVALS] = match self.start {
            Start::Shared(_) => wide as u32,
            Start::All | Start::Lines(_) => threads as u32 * e.lanes,
        };
        words[env::LOOP_BOUND] = e.loop_bound;
        // Neighbouring threads of a group meet lanes apart, so their partners are not themselves.
        words[env::LANE_SHIFT] = if e.lanes > 1 {
            1 + self.order.offset % (e.lanes - 1)
        } else {
            0
        };
        words[env::APART] = u32::from(e.apart);
        words[env::TESTING] = self.testing(e, groups) as u32;
        words[env::TOUCH] = match crosses && environment.meet.touch.is_none() {
            true => 0,
            false => e.touch.get(),
        };
        words[env::PRE_PERCENT] = environment.pre_stress.percent.get();
        words[env::PRE_ITERATIONS] = environment.pre_stress.passes;
        words[env::PRE_PATTERN] = environment.pre_stress.pattern.number();
        words[env::STRESS_ITERATIONS] = match self.stresses {
            true => environment.stress.passes,
            false => 0,
        };
        words[env::STRESS_PATTERN] = environment.stress.pattern.number();
        words[env::STRESS_CHUNK] = e.stress_chunk;
        words[env::TARGETS] = environment.stress.targets;
        words[env::SEED] = self.seed;
        words[env::STRAIGHT] = u32::from(self.straight);
        words[env::REVERSED] = e.reversed.get();
        words[env::MEASURED] = e.measured * words[env::ARRIVALS];
        words[env::TOUCH_STRIDE] = if self.straight {
            (env::LINE_WORDS / (e.instance_pitch * step.max(1)).max(1)).max(1)
        } else {
            1
        };
        words[env::ORDER] = env::order(groups, self.slots.len()) as u32;
        words[env::TARGET_TABLE] = (env::order(groups, self.slots.len()) + total) as u32;

        let row = environment.order.row;
        let row = row.or(self.spread.then_some(Row::ByNumber));
        let permuted = e.order_partners.takes(rng.next_u32()) && row.is_none();
        let mut places: Vec<u32> = (0..groups as u32).collect();
        if permuted {
            shuffle(&mut places, rng);
        }
        words.extend(places);
        words.extend((0..groups).map(|_| {
            let shift = rng.next_u32() % teams;
            match permuted && self.start == Start::All {
                true => shift,
                false => 0,
            }
        }));
        for slot in &self.slots {
            let mut entry = [0; env::SLOT_WORDS];
            entry[env::SLOT_BASE] = slot.base;
            entry[env::SLOT_MULTIPLIER] = slot.multiplier;
            entry[env::SLOT_OFFSET] = slot.offset;
            entry[env::SLOT_STEP] = (u64::from(step) * u64::from(slot.multiplier)
                % u64::from(self.count.max(1))) as u32;
            words.extend(entry);
        }
        let mut order: Vec<u32> = match self.start {
            Start::Lines(lines) => lines.order(e.teams as usize, groups),
            Start::All | Start::Shared(_) => (0..total as u32).collect(),
        };
        match (e.order_groups.takes(rng.next_u32()), row) {
            (_, Some(row)) => in_row(&mut order[..e.testing(groups)], row, groups as u32),
            (true, None) => shuffle(&mut order, rng),
            (false, None) => {}
        }
        words.extend(order);
        let stress = &environment.stress;
        words.extend((0..stress.targets).map(|_| rng.next_u32() % stress.lines * stress.line));
        words
    }

    /// Most words that a launch writes.
    pub fn most_words(
        arrangement: &Arrangement,
        environment: &Environment,
        groups: usize,
    ) -> usize {
        let plain = arrangement.testing(groups) + arrangement.stress_groups as usize;
        let lined = match arrangement.order_crossing {
            Percent::NEVER => 0,
            _ => Lines::most_places(arrangement.teams as usize, groups, arrangement.units),
        };
        env::order(groups, arrangement.bases.len())
            + plain.max(lined)
            + environment.stress.targets as usize
    }
}

/// By how many instances a launch is moved that leaves `room` of them: whole steps.
fn moved(draw: u32, room: u32, step: u32) -> u32 {
    let step = step.max(1);
    draw % (room / step + 1) * step
}

/// Orders the work-groups of teams, of which kernels turn each by its number.
fn in_row(all: &mut [u32], row: Row, groups: u32) {
    let groups = groups.max(1);
    let teams = all.len() as u32 / groups;
    for (at, one) in (0..).zip(all) {
        let (team, group) = match row {
            Row::ByTeam => (at / groups, at % groups),
            Row::ByNumber => (at % teams, at / teams),
        };
        *one = team * groups + (group + groups - team % groups) % groups;
    }
}

fn shuffle(all: &mut [u32], rng: &mut ChaCha8Rng) {
    for i in (1..all.len()).rev() {
        all.swap(i, rng.next_u32() as usize % (i + 1));
    }
}

/// A multiplier from `draw` that has no factor in common with `count`.
fn coprime(draw: u32, count: u32) -> u32 {
    let gcd = |mut a: u32, mut b: u32| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    let mut candidate = draw % count;
    // 1 is coprime to everything, so this ends.
    while gcd(candidate.max(1), count) != 1 {
        candidate = (candidate + 1) % count;
    }
    candidate.max(1)
}

#[cfg(test)]
mod tests {
    use super::{coprime, in_row, moved};
    use crate::environment::Row;

    /// Which team and which of its work-groups each work-group of a launch plays, as kernels work it out.
    fn played(row: Row, teams: u32, groups: u32) -> Vec<(u32, u32)> {
        let mut order: Vec<u32> = (0..teams * groups).collect();
        in_row(&mut order, row, groups);
        let of = |ordered: u32| {
            let team = ordered / groups;
            (team, (ordered + team) % groups)
        };
        order.into_iter().map(of).collect()
    }

    #[test]
    fn work_groups_follow_each_other_in_rows() {
        assert_eq!(
            played(Row::ByTeam, 3, 2),
            [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)]
        );
        assert_eq!(
            played(Row::ByNumber, 2, 3),
            [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2), (1, 2)]
        );
        assert_eq!(played(Row::ByTeam, 2, 1), played(Row::ByNumber, 2, 1));
    }

    #[test]
    fn a_launch_is_moved_within_its_room() {
        let mut seen = std::collections::BTreeSet::new();
        for draw in 0..1000 {
            let by = moved(draw, 16 * 1024, 1024);
            assert!(by <= 16 * 1024 && by.is_multiple_of(1024), "{by}");
            seen.insert(by);
            assert_eq!(moved(draw, 1023, 1024), 0, "a launch that fills its slots");
            assert_eq!(moved(draw, 0, 0), 0);
        }
        assert_eq!(seen.len(), 17, "every place is taken");
    }

    #[test]
    fn multipliers_are_permutations() {
        for count in 1..200_u32 {
            for draw in [0, 1, 7, 12, 0xffff_ffff] {
                let m = coprime(draw, count);
                let mut seen = vec![false; count as usize];
                for i in 0..count {
                    seen[(i * m % count) as usize] = true;
                }
                assert!(seen.iter().all(|s| *s), "{m} mod {count}");
            }
        }
    }
}
