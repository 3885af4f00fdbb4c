//! Checks a launch against its kernel, and plans its groups.

use crate::error::LaunchError;
use crate::executable::Executable;
use crate::interp::code::{Extent, Kernel, MAX_ALIGN, ObjectPlace};
use crate::interp::group::{Layout, Start};
use crate::interp::space::Space;
use crate::launch::{Arg, Launch};
use touchstone_faults::{Fault, on};
use touchstone_ir::{ArgPass, Scalar, Type};

/// A launch that fits its kernel.
#[derive(Debug)]
pub(crate) struct Plan {
    /// Index of the kernel.
    pub(crate) kernel: usize,
    pub(crate) space: Space,
    /// What items start from.
    pub(crate) start: Start,
    pub(crate) layout: Layout,
    /// How far the kernel's objects reach, by their numbers.
    pub(crate) extents: Vec<Extent>,
}

/// Bytes that one group may take on one thread.
pub(crate) const GROUP_BYTES: u64 = 1 << 30;

/// Checks a launch.
pub(crate) fn check(executable: &Executable, launch: &Launch) -> Result<Plan, LaunchError> {
    let index = launch.kernel.0 as usize;
    let Some(kernel) = executable.kernels_compiled().get(index) else {
        return Err(LaunchError::Invalid {
            kernel: format!("#{index}"),
            message: "the program has no such kernel".into(),
        });
    };
    let invalid = |message: String| LaunchError::Invalid {
        kernel: kernel.name.clone(),
        message,
    };
    let space = space(launch).map_err(&invalid)?;
    let (start, local_bytes, arguments) = arguments(kernel, launch).map_err(&invalid)?;
    let items: u64 = space.local.iter().product();
    let layout = Layout::new(kernel, items, local_bytes);
    match layout.and_then(|l| l.bytes().map(|b| (l, b))) {
        Some((layout, bytes)) if bytes <= GROUP_BYTES => Ok(Plan {
            kernel: index,
            space,
            start,
            layout,
            extents: extents(kernel, &arguments),
        }),
        other => Err(LaunchError::OutOfResources {
            kernel: kernel.name.clone(),
            bytes: other.map_or(u64::MAX, |o| o.1),
            limit: GROUP_BYTES,
        }),
    }
}

fn space(launch: &Launch) -> Result<Space, String> {
    let dims = launch.work_dim;
    if !(1..=3).contains(&dims) {
        return Err(format!("{dims} dimensions; there may be 1 to 3"));
    }
    for d in 0..3 {
        let used = d < dims as usize;
        if launch.local_size[d] == 0 {
            return Err(format!("local size 0 in dimension {d}"));
        }
        if !used
            && (launch.local_size[d] != 1
                || launch.global_size[d] != 1
                || launch.global_offset[d] != 0)
        {
            return Err(format!("dimension {d} is beyond the {dims} of the launch"));
        }
        if launch.global_offset[d]
            .checked_add(launch.global_size[d])
            .is_none()
        {
            return Err(format!(
                "offset plus global size overflows in dimension {d}"
            ));
        }
    }
    if launch.sub_group_size == 0 {
        return Err("sub-group size 0".into());
    }
    let product = |sizes: [u64; 3]| sizes.iter().try_fold(1u64, |p, &s| p.checked_mul(s));
    // Ids are computed with sizes rounded up to whole groups.
    let groups: [u64; 3] =
        std::array::from_fn(|d| launch.global_size[d].div_ceil(launch.local_size[d]));
    let rounded: [u64; 3] = std::array::from_fn(|d| groups[d].saturating_mul(launch.local_size[d]));
    if product(rounded).is_none_or(|n| n > u64::MAX / 2) {
        return Err("more work-items than 64 bits can number".into());
    }
    if product(launch.local_size).is_none_or(|n| n > u64::from(u32::MAX)) {
        return Err("a work-group of more than 2^32 work-items".into());
    }
    Ok(Space {
        work_dim: dims,
        offset: launch.global_offset,
        global: launch.global_size,
        local: launch.local_size,
        groups,
        sub_group_size: launch.sub_group_size.into(),
        broken: touchstone_faults::any(),
    })
}

/// How far each object of a kernel reaches, given how far its arguments do.
fn extents(kernel: &Kernel, arguments: &[Extent]) -> Vec<Extent> {
    let objects = kernel.objects.iter();
    objects
        .map(|object| match object.place {
            ObjectPlace::Argument(n) => arguments[n as usize],
            ObjectPlace::Known(extent) => extent,
        })
        .collect()
}

/// The template of items from the arguments, bytes of local memory, and how far each
/// argument reaches.
fn arguments(kernel: &Kernel, launch: &Launch) -> Result<(Start, u64, Vec<Extent>), String> {
    let args = &launch.args;
    let infos = &kernel.info.args;
    if args.len() != infos.len() {
        return Err(format!(
            "{} arguments are given, {} are needed",
            args.len(),
            infos.len()
        ));
    }
    let mut params = vec![0u64; kernel.params_end];
    let mut private = Vec::new();
    let mut locals = Vec::new();
    let mut local_bytes = kernel.local_bytes;
    let mut aggregates = Vec::new();
    let mut extents = vec![Extent::Anywhere; args.len()];
    for (i, ((arg, info), place)) in args.iter().zip(infos).zip(&kernel.params).enumerate() {
        let slot = place.slot as usize;
        let wrong = |what: &str| format!("argument {i} ({}) must be {what}", info.name);
        match (info.pass, arg) {
            (ArgPass::Value(ty), Arg::Value(bytes)) => {
                if bytes.len() != ty.size() as usize {
                    return Err(wrong(&format!("{} bytes, not {}", ty.size(), bytes.len())));
                }
                unpack(ty, bytes, &mut params[slot..]);
            }
            (ArgPass::Sampler | ArgPass::Queue, Arg::Value(bytes)) => {
                let ty = info.pass.reg_type();
                if bytes.len() != ty.size() as usize {
                    return Err(wrong("a sampler or a queue"));
                }
                unpack(ty, bytes, &mut params[slot..]);
            }
            (ArgPass::Aggregate { size, .. }, Arg::Value(bytes)) => {
                if bytes.len() != size as usize {
                    return Err(wrong(&format!("{size} bytes, not {}", bytes.len())));
                }
                private.push((slot, place.private_offset));
                aggregates.push((place.private_offset, bytes.clone()));
            }
            (ArgPass::Pointer(_), Arg::Pointer(address)) => params[slot] = *address,
            (
                ArgPass::Pointer(_) | ArgPass::Image(..) | ArgPass::Pipe { .. },
                &Arg::Object {
                    address,
                    base: first,
                    len,
                    permission,
                },
            ) => {
                let write = permission.allows(true);
                if len == 0 || launch.memory.find(first, len, write).is_none() {
                    return Err(wrong("a pointer into memory that the launch may touch"));
                }
                params[slot] = address;
                extents[i] = Extent::Absolute {
                    first,
                    len,
                    permission,
                };
            }
            (ArgPass::LocalPointer { align }, Arg::Local(size)) => {
                let align = match on(Fault::LocalArgumentsTight) {
                    true => 1,
                    false => u64::from(align).clamp(1, MAX_ALIGN),
                };
                let begin = if on(Fault::LocalArgumentsAlias) {
                    kernel.local_bytes
                } else {
                    local_bytes
                };
                let offset = begin
                    .checked_next_multiple_of(align)
                    .ok_or_else(|| wrong("less local memory"))?;
                let end = offset.checked_add(*size);
                local_bytes = end
                    .ok_or_else(|| wrong("less local memory"))?
                    .max(local_bytes);
                locals.push((slot, offset));
                extents[i] = Extent::Local { offset, len: *size };
            }
            (
                ArgPass::Value(_) | ArgPass::Aggregate { .. },
                Arg::Pointer(_) | Arg::Object { .. } | Arg::Local(_),
            ) => {
                return Err(wrong("a value"));
            }
            (ArgPass::Image(..), Arg::Value(_) | Arg::Pointer(_) | Arg::Local(_)) => {
                return Err(wrong("the description of an image"));
            }
            (ArgPass::Pipe { .. }, Arg::Value(_) | Arg::Pointer(_) | Arg::Local(_)) => {
                return Err(wrong("the memory of a pipe"));
            }
            (
                ArgPass::Sampler | ArgPass::Queue,
                Arg::Pointer(_) | Arg::Object { .. } | Arg::Local(_),
            ) => {
                return Err(wrong("a sampler or a queue"));
            }
            (ArgPass::Pointer(_), Arg::Value(_) | Arg::Local(_)) => {
                return Err(wrong("a pointer to global or constant memory"));
            }
            (
                ArgPass::LocalPointer { .. },
                Arg::Value(_) | Arg::Pointer(_) | Arg::Object { .. },
            ) => {
                return Err(wrong("a size of local memory"));
            }
        }
    }
    let start = Start::new(kernel, &params, private, locals, aggregates);
    Ok((start, local_bytes, extents))
}

/// The elements of a value, each into a slot.
fn unpack(ty: Type, bytes: &[u8], slots: &mut [u64]) {
    let size = ty.element().map_or(8, Scalar::size) as usize;
    for (slot, chunk) in slots
        .iter_mut()
        .zip(bytes.chunks_exact(size))
        .take(ty.lanes() as usize)
    {
        let mut word = [0; 8];
        word[..size].copy_from_slice(chunk);
        *slot = u64::from_le_bytes(word);
    }
    if ty.element() == Some(Scalar::Bool) {
        slots[0] = u64::from(slots[0] != 0);
    }
}
