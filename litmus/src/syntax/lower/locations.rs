//! Shared locations, gathered from the init list and from every thread's parameters.

use super::opcode::Opcode;
use crate::program::{LocId, Location, Memory, Region, ScalarType};
use crate::syntax::error::{Outcome, Problem, Span, nearest};
use crate::syntax::limits::{MAX_ELEMENTS, MAX_LOCATIONS};
use crate::syntax::parse::{is_reserved, reserved};
use crate::syntax::tree::{BaseType, Name, NodeKind, Param, Space, Type};
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
    /// What it is an alias of.
    alias: Option<Name>,
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

    /// `b aliases a`
    pub fn alias(&mut self, name: &Name, of: &Name) -> Outcome<()> {
        let draft = self.draft(name)?;
        if let Some(before) = draft.declared.replace(name.span) {
            return Err(name
                .span
                .second(format!("{} is declared twice", name.text))
                .also(before, "the first one"));
        }
        draft.alias = Some(of.clone());
        Ok(())
    }

    /// What an instruction of the VULKAN dialect accesses, in the storage class that it states.
    pub(super) fn accessed(&mut self, opcode: &Opcode<'_>) -> Outcome<()> {
        let Some(node) = opcode.address() else {
            return Ok(());
        };
        let name = match &node.kind {
            NodeKind::Index(location, _) => location.name(),
            _ => node.name(),
        };
        let Some(name) = name else {
            return Err(node.problem("expected a location", "not a location"));
        };
        if is_reserved(&name.text) {
            return Err(reserved(&name));
        }
        let Some(class) = opcode.modifiers.class else {
            return Err(opcode
                .problem("the access states no storage class", "no storage class")
                .help("add sc0, sc1, sc2, sc3 or sc4"));
        };
        self.in_class(&name, class)
    }

    /// That a location is of a storage class.
    pub fn in_class(&mut self, name: &Name, class: Region) -> Outcome<()> {
        let draft = self.draft(name)?;
        match draft.region.replace((class, name.span)) {
            Some((before, first)) if before != class => Err(name
                .problem(
                    format!("{} is accessed in two storage classes", name.text),
                    class.name(),
                )
                .also(first, before.name())
                .help(format!(
                    "a reference has one storage class; declare another name for the same memory, as in \
                     {0}1 aliases {0}",
                    name.text
                ))),
            Some(_) | None => Ok(()),
        }
    }

    /// The locations that aliases stand for.
    fn aliased(&self) -> Outcome<Vec<Option<LocId>>> {
        let find = |draft: &Draft| match &draft.alias {
            None => Ok(None),
            Some(of) => match self.by_name.get(&of.text) {
                Some(at) if self.drafts[*at].alias.is_none() => Ok(Some(LocId(*at as u32))),
                Some(_) => Err(of.problem(
                    format!("{} is an alias itself", of.text),
                    "not a location of its own",
                )),
                None => Err(of.problem(
                    format!("the test has no location {}", of.text),
                    "unknown location",
                )),
            },
        };
        self.drafts.iter().map(find).collect()
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
        let aliased = self.aliased()?;
        let mut list: Vec<Location> = self
            .drafts
            .into_iter()
            .zip(aliased)
            .map(|(draft, alias)| {
                let ty = draft.ty.map_or(ScalarType::Int, |(ty, _)| ty);
                let mut init = draft.init;
                if init.is_empty() {
                    init.push(0);
                }
                Location {
                    name: draft.name,
                    memory: draft.memory.map_or(Memory::Unstated, |(memory, _)| memory),
                    region: draft.region.map_or(Region::Global, |(region, _)| region),
                    alias,
                    generic: draft.generic,
                    ty,
                    atomic: draft.atomic,
                    array: draft.array,
                    init: init.into_iter().map(|v| ty.wrap(v)).collect(),
                }
            })
            .collect();
        share_memory(&mut list);
        Ok(Locations::new(list))
    }
}

/// Aliases have the values and the type of what they are aliases of.
pub(crate) fn share_memory(list: &mut [Location]) {
    for index in 0..list.len() {
        if let Some(of) = list[index].alias {
            let of = list[of.index()].clone();
            let alias = &mut list[index];
            (alias.ty, alias.array, alias.init) = (of.ty, of.array, of.init);
        }
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
                            format!("{} here", region.name()),
                        )
                        .also(first, format!("{} here", before.name())));
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
