//! Which memory is mapped from when to when.

use super::mistake::{CommandError, Mistake, Where, mistake};
use crate::program::{
    CommandId, CommandKind, HostCall, LocId, MapAccess, Program, Region, ThreadId,
};

/// From the start of a map command to the end of the unmap command, if there is one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Mapping {
    pub location: LocId,
    pub access: MapAccess,
    pub map: CommandId,
    pub unmap: Option<CommandId>,
    /// The call that enqueues the unmap command.
    pub given_back: Option<(ThreadId, u32)>,
}

/// Every mapping with the unmap that ends it.
pub(super) fn mappings(
    program: &Program,
    calls: &[Vec<HostCall>],
) -> Result<Vec<Mapping>, CommandError> {
    let mut maps: Vec<Mapping> = Vec::new();
    for (t, thread) in calls.iter().enumerate() {
        let id = ThreadId(t as u32);
        let own = maps.len();
        for (k, call) in thread.iter().enumerate() {
            let at = Where::Call(id, k as u32);
            let HostCall::Enqueue(command) = call else {
                continue;
            };
            let location = match program.commands[command.index()].kind {
                CommandKind::Map { location, .. } | CommandKind::Unmap { location } => location,
                CommandKind::Kernel | CommandKind::Marker | CommandKind::Barrier => continue,
            };
            let Some(declared) = program.locations.get(location.index()) else {
                return mistake(at, Mistake::Unknown);
            };
            if declared.region == Region::Local {
                return mistake(at, Mistake::LocalMapped(declared.name.clone()));
            }
            if let CommandKind::Map { access, .. } = program.commands[command.index()].kind {
                maps.push(Mapping {
                    location,
                    access,
                    map: *command,
                    unmap: None,
                    given_back: None,
                });
                continue;
            }
            let open = maps[own..]
                .iter_mut()
                .rev()
                .find(|m| m.location == location && m.unmap.is_none());
            match open {
                Some(mapping) => {
                    mapping.unmap = Some(*command);
                    mapping.given_back = Some((id, k as u32));
                }
                None => return mistake(at, Mistake::NotMapped(declared.name.clone())),
            }
        }
    }
    Ok(maps)
}
