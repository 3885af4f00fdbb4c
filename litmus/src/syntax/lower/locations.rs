//! Shared locations, gathered from the init list and from every thread's parameters.

use crate::program::{LocId, Location, Memory, Region, ScalarType};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::limits::{MAX_ELEMENTS, MAX_LOCATIONS};
use crate::syntax::tree::{BaseType, Name, Param, Space, Type};
use std::collections::HashMap;

/// What is known of a location so far.
#[derive(Default)]
struct Draft {
    name: String,
    ty: Option<(ScalarType, Span)>,
    region: Option<(Region, Span)>,
    memory: Option<(Memory, Span)>,
    generic: bool,
    atomic: bool,
    array: bool,
    init: Vec<i64>,
    /// Where the init list declares it.
    declared: Option<Span>,
}

/// Locations while declarations are still coming in.
#[derive(Default)]
pub(crate) struct LocationsBuilder {
    drafts: Vec<Draft>,
    by_name: HashMap<String, usize>,
}

/// Every location of a test.
pub(crate) struct Locations {
    list: Vec<Location>,
    by_name: HashMap<String, LocId>,
}

impl LocationsBuilder {
    fn draft(&mut self, name: &Name) -> Outcome<&mut Draft> {
        let at = match self.by_name.get(&name.text) {
            Some(at) => *at,
            None => {
                if self.drafts.len() == MAX_LOCATIONS {
                    return Err(name.problem(
                        format!("the test has more than {MAX_LOCATIONS} locations"),
                        "one too many",
                    ));
                }
                self.by_name.insert(name.text.clone(), self.drafts.len());
                self.drafts.push(Draft {
                    name: name.text.clone(),
                    ..Draft::default()
                });
                self.drafts.len() - 1
            }
        };
        Ok(&mut self.drafts[at])
    }

    /// An entry of the init list.
    pub fn declare(
        &mut self,
        memory: Option<(Memory, Span)>,
        ty: Option<&Type>,
        name: &Name,
        array: Option<Option<u64>>,
        values: &[i64],
        span: Span,
    ) -> Outcome<()> {
        let draft = self.draft(name)?;
        if let Some(before) = draft.declared.replace(span) {
            return Err(span
                .second(format!("{} is initialised twice", name.text))
                .also(before, "the first one"));
        }
        draft.memory = memory;
        if let Some(ty) = ty {
            draft.qualify(ty, name)?;
        }
        match array {
            None if values.len() > 1 => {
                return Err(span.problem(
                    format!(
                        "{} is not an array but has {} values",
                        name.text,
                        values.len()
                    ),
                    "write the length, as in int y[2] = {0, 0}",
                ));
            }
            None => draft.init = values.to_vec(),
            Some(length) => {
                let length = match length {
                    Some(length) => usize::try_from(length).unwrap_or(usize::MAX),
                    None => values.len(),
                };
                if length == 0 || length > MAX_ELEMENTS {
                    return Err(span.problem(
                        format!("an array has between 1 and {MAX_ELEMENTS} elements"),
                        "wrong length",
                    ));
                }
                if values.len() > length {
                    return Err(span.problem(
                        format!("{length} elements but {} values", values.len()),
                        "too many values",
                    ));
                }
                draft.array = true;
                draft.init = values.to_vec();
                draft.init.resize(length, 0);
            }
        }
        if draft.init.is_empty() {
            draft.init.push(0);
        }
        Ok(())
    }

    /// A parameter of a thread; private ones (no pointer, no address space) are registers and
    /// not counted here unless the init list declares a location of their name.
    pub fn parameter(&mut self, param: &Param) -> Outcome<()> {
        if !names_location(param) && !self.by_name.contains_key(&param.name.text) {
            return Ok(());
        }
        let draft = self.draft(&param.name)?;
        draft.qualify(&param.ty, &param.name)?;
        if param
            .ty
            .space
            .is_none_or(|(space, _)| space == Space::Generic)
            && param.ty.pointer
        {
            draft.generic = true;
        }
        Ok(())
    }

    /// All declarations are in: settles what was left open.
    pub fn finish(self) -> Outcome<Locations> {
        for draft in &self.drafts {
            if let (Some((_, span)), Some((Region::Local, _))) = (draft.memory, draft.region) {
                return Err(local_memory(span, &draft.name));
            }
        }
        let list = self
            .drafts
            .into_iter()
            .map(|draft| {
                let ty = draft.ty.map_or(ScalarType::Int, |(ty, _)| ty);
                let mut init = draft.init;
                if init.is_empty() {
                    init.push(0);
                }
                Location {
                    name: draft.name,
                    memory: draft.memory.map_or(Memory::Unstated, |(memory, _)| memory),
                    region: draft.region.map_or(Region::Global, |(region, _)| region),
                    generic: draft.generic,
                    ty,
                    atomic: draft.atomic,
                    array: draft.array,
                    init: init.into_iter().map(|v| ty.wrap(v)).collect(),
                }
            })
            .collect();
        Ok(Locations::new(list))
    }
}

/// A kind of memory for local memory.
pub(crate) fn local_memory(span: Span, name: &str) -> Problem {
    span.problem(
        format!("{name} is local memory, which is not allocated by the host"),
        "only global memory has a kind",
    )
}

/// Whether a parameter stands for a shared location by its form alone.
pub(crate) fn names_location(param: &Param) -> bool {
    param.ty.pointer || param.ty.atomic || param.ty.space.is_some_and(|(s, _)| s != Space::Private)
}

impl Draft {
    fn qualify(&mut self, ty: &Type, name: &Name) -> Outcome<()> {
        match ty.base {
            BaseType::Scalar(scalar) => {
                if let Some((before, span)) = self.ty
                    && before != scalar
                {
                    return Err(ty
                        .problem(
                            format!(
                                "{} is declared with two types, {before} and {scalar}",
                                name.text
                            ),
                            format!("{scalar} here"),
                        )
                        .also(span, format!("{before} here")));
                }
                self.ty.get_or_insert((scalar, ty.span));
            }
            BaseType::Void => {}
            BaseType::Bool => {
                return Err(ty.problem("a shared location cannot be bool", "use int or uint"));
            }
        }
        self.atomic |= ty.atomic;
        match ty.space {
            None | Some((Space::Generic, _)) => Ok(()),
            Some((Space::Memory(region), span)) => {
                if let Some((before, first)) = self.region
                    && before != region
                {
                    return Err(span
                        .problem(
                            format!("{} is declared both global and local", name.text),
                            format!("{} here", region_name(region)),
                        )
                        .also(first, format!("{} here", region_name(before))));
                }
                self.region.get_or_insert((region, span));
                Ok(())
            }
            Some((Space::Constant, span)) => Err(span
                .problem(
                    "a shared location cannot be constant",
                    "nobody can write to constant memory",
                )
                .help("use global or local")),
            Some((Space::Private, span)) => Err(span
                .problem(
                    "a shared location cannot be private",
                    "private memory is not shared",
                )
                .help("use global or local")),
        }
    }
}

fn region_name(region: Region) -> &'static str {
    match region {
        Region::Global => "global",
        Region::Local => "local",
    }
}

impl Locations {
    /// Locations that are complete already.
    pub fn new(list: Vec<Location>) -> Locations {
        let by_name = list
            .iter()
            .enumerate()
            .map(|(i, l)| (l.name.clone(), LocId(i as u32)))
            .collect();
        Locations { list, by_name }
    }

    pub fn find(&self, name: &str) -> Option<LocId> {
        self.by_name.get(name).copied()
    }

    pub fn get(&self, id: LocId) -> &Location {
        &self.list[id.index()]
    }

    pub fn into_list(self) -> Vec<Location> {
        self.list
    }

    /// A location whose name is nearly `name`.
    pub fn nearest(&self, name: &str) -> Option<&str> {
        nearest(name, self.list.iter().map(|l| l.name.as_str()))
    }
}
