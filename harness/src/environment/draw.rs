//! Environments from a stream of random numbers: whole ones for a search, neighbours for its
//! refinement.
//!
//! Sizes are drawn from powers of two, so that each order of magnitude is as likely as the next.
//! A whole environment leaves each knob to the device with one chance in three; a neighbour draws
//! one to three knobs anew and keeps the others.

use super::{
    Affinity, Assign, Environment, HostStress, Images, Kind, Meeting, Order, Pattern, Percent,
    Placing, PreStress, Spacing, Stress, Threads,
};
use crate::device::Capabilities;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::Rng;

/// What a draw may ask of the device.
pub struct Drawing<'a> {
    /// The stream.
    pub rng: &'a mut ChaCha8Rng,
    /// What the device offers: nothing is drawn that it lacks.
    pub capabilities: &'a Capabilities,
}

impl Drawing<'_> {
    fn below(&mut self, n: u32) -> u32 {
        self.rng.next_u32() % n.max(1)
    }

    fn one<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u32) as usize]
    }

    /// A power of two with an exponent within the bounds.
    fn power(&mut self, least: u32, most: u32) -> u32 {
        1 << (least + self.below(most - least + 1))
    }

    fn percent(&mut self) -> Percent {
        self.one(&[
            Percent::NEVER,
            Percent::new(5),
            Percent::new(25),
            Percent::new(50),
            Percent::new(75),
            Percent::ALWAYS,
        ])
    }

    fn units(&self) -> u32 {
        self.capabilities.compute_units.max(1)
    }
}

type Knob = fn(&mut Environment, &mut Drawing<'_>);

/// One entry a knob, or a few that only mean something together.
const KNOBS: &[Knob] = &[
    |e, d| {
        let (least, most) = if d.capabilities.cpu {
            (12, 18)
        } else {
            (10, 20)
        };
        e.launch.instances = Some(d.power(least, most));
    },
    |e, d| {
        let most = if d.capabilities.cpu {
            d.units()
        } else {
            d.units().saturating_mul(16)
        };
        e.launch.teams = Some(1 + d.below(most.max(2)));
    },
    |e, d| {
        let most = if d.capabilities.cpu { 4 } else { 8 };
        e.launch.lanes = Some(d.power(0, most));
    },
    |e, d| e.launch.multiple = Some(d.power(0, 6)),
    |e, d| e.launch.queues = Some(1 + d.below(4)),
    |e, d| e.launch.threads = d.one(&[Threads::Together, Threads::Apart]),
    |e, d| e.order.instances = Some(d.percent()),
    |e, d| e.order.locations = Some(d.percent()),
    |e, d| e.order.groups = Some(d.percent()),
    |e, d| e.order.partners = Some(d.percent()),
    |e, d| e.order.reversed = Some(d.percent()),
    |e, d| e.order.crossing = Some(d.percent()),
    |e, d| e.order.shared = Some(d.percent()),
    |e, d| {
        let c = d.capabilities;
        let kinds: Vec<Kind> = [
            (Kind::Buffer, true),
            (Kind::Coarse, c.svm_coarse),
            (Kind::Fine, c.svm_fine_buffer),
            (Kind::System, c.svm_fine_system),
        ]
        .into_iter()
        .filter_map(|(kind, offered)| offered.then_some(kind))
        .collect();
        e.memory.kind = d.one(&kinds);
    },
    |e, d| e.memory.pitch = Some(d.power(0, 7)),
    |e, d| {
        e.memory.spacing = Some(d.one(&[Spacing::Apart, Spacing::Line, Spacing::Bank]));
        e.memory.bank = Some(d.power(6, 16));
    },
    |e, d| e.memory.skew = Some(d.one(&[0, 2, 16, 32, 48, 64, 272, 1040])),
    |e, d| e.memory.moved = Some(d.one(&[0, 1, 4, 16, 64])),
    |e, d| {
        e.meet.every = Some(if d.below(8) == 0 { 0 } else { d.power(0, 10) });
    },
    |e, d| e.meet.percent = Some(d.percent()),
    |e, d| e.meet.bound = Some(d.power(4, 13)),
    |e, d| {
        e.meet.lag = Some(d.below(17) * 20);
    },
    |e, d| {
        if d.capabilities.cpu {
            e.processors.affinity = Some(d.one(&[Affinity::Free, Affinity::Apart]));
        }
    },
    |e, d| e.meet.touch = Some(d.percent()),
    |e, d| {
        e.pre_stress = PreStress {
            percent: d.percent(),
            passes: d.power(0, 7),
            pattern: d.one(&Pattern::ALL),
        };
    },
    |e, d| {
        let most = d.units().saturating_mul(2).max(2);
        e.stress.percent = d.percent();
        e.stress.groups = 1 + d.below(most);
        e.stress.passes = d.power(4, 12);
        e.stress.pattern = d.one(&Pattern::ALL);
    },
    |e, d| {
        e.stress.lines = d.power(0, 10);
        e.stress.line = d.power(2, 8);
        e.stress.targets = d.power(0, 4);
        e.stress.assign = d.one(&[Assign::RoundRobin, Assign::Chunk]);
    },
    |e, d| {
        e.host_stress = HostStress {
            percent: d.percent(),
            threads: 1 + d.below(2),
            pattern: d.one(&Pattern::ALL),
            lines: d.power(0, 14),
        };
    },
    |e, d| {
        let chance = d.percent();
        if d.capabilities.family_queues > 1 {
            e.launch.spread = Some(chance);
        }
    },
    |e, d| {
        let images = d.one(&[Images::Texels, Images::Planes]);
        if d.capabilities.plane_rows > 0 {
            e.memory.images = images;
        }
    },
];

/// A whole environment.
pub fn draw(drawing: &mut Drawing<'_>) -> Environment {
    let mut environment = Environment {
        order: Order::default(),
        memory: Placing::default(),
        meet: Meeting::default(),
        stress: Stress::default(),
        ..Environment::default()
    };
    for knob in KNOBS {
        if drawing.below(3) > 0 {
            knob(&mut environment, drawing);
        }
    }
    environment
}

/// A neighbour: one to three knobs are drawn anew. It has no name.
pub fn vary(of: &Environment, drawing: &mut Drawing<'_>) -> Environment {
    let mut environment = Environment {
        name: String::new(),
        ..of.clone()
    };
    for _ in 0..=drawing.below(3) {
        let knob = drawing.one(KNOBS);
        knob(&mut environment, drawing);
    }
    environment
}
