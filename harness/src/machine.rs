//! The machine that a run is on, and how it is at a moment.

use classay_reports::record::{MachineRecord, Moment};
use std::time::{Duration, Instant};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};
use time::OffsetDateTime;

/// Least time between two moments that are noted while a run goes on.
pub const BETWEEN: Duration = Duration::from_secs(30);

/// Looks at the machine now and then.
#[derive(Default)]
pub struct Watch {
    last: Option<Instant>,
}

impl Watch {
    /// Has not looked yet.
    pub fn new() -> Watch {
        Watch { last: None }
    }

    /// How the machine is, where [`BETWEEN`] has passed since it was last asked.
    pub fn due(&mut self) -> Option<Moment> {
        let due = self.last.is_none_or(|last| last.elapsed() >= BETWEEN);
        due.then(|| self.look())
    }

    /// How the machine is.
    pub fn look(&mut self) -> Moment {
        self.last = Some(Instant::now());
        now()
    }
}

fn now() -> Moment {
    let what = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing().with_frequency())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    let system = System::new_with_specifics(what);
    let clocks: Vec<f64> = system
        .cpus()
        .iter()
        .map(|cpu| cpu.frequency() as f64)
        .filter(|mhz| *mhz > 0.0)
        .collect();
    let name = [System::long_os_version(), System::kernel_version()];
    Moment {
        at: OffsetDateTime::now_utc(),
        machine: MachineRecord {
            host: System::host_name().unwrap_or_default(),
            system: name.into_iter().flatten().collect::<Vec<_>>().join(", "),
            processor: system
                .cpus()
                .first()
                .map(|cpu| cpu.brand().trim().to_string())
                .unwrap_or_default(),
            processors: system.cpus().len() as u32,
            memory: system.total_memory(),
        },
        // A system that has no such figure says 0 for all three averages.
        load: Some(System::load_average())
            .filter(|l| l.one + l.five + l.fifteen > 0.0)
            .map(|l| l.one),
        clock_mhz: (!clocks.is_empty()).then(|| clocks.iter().sum::<f64>() / clocks.len() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described_and_looked_at_now_and_then() {
        let mut watch = Watch::new();
        let first = watch.due().expect("nobody has looked yet");
        assert!(first.machine.processors > 0);
        assert!(first.machine.memory > 0);
        assert!(watch.due().is_none());
        assert_eq!(watch.look().machine, first.machine);
    }
}
