//! The computation a model stands for: a graph of set and relation operators.
//!
//! A node reads only nodes with smaller numbers (recursive definitions aside, see [`Op::Fix`]).
//! Equal nodes are one node, and products and identities become masks where they can, so that a
//! name that a model uses ten times is computed once.

mod builder;

pub use builder::Builder;

use super::vocabulary::{BaseRel, BaseSet};
use std::sync::Arc;

/// A node of the graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

impl NodeId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Declares the operators by what they read: nothing, one node or two.
macro_rules! operators {
    (
        $(#[$of:meta])*
        leaves: { $($(#[$leaf_doc:meta])* $leaf:ident $(($($data:ty),+))?,)+ }
        of_one: { $($(#[$one_doc:meta])* $one:ident,)+ }
        of_two: { $($(#[$two_doc:meta])* $two:ident,)+ }
        sets: $sets:pat,
    ) => {
        $(#[$of])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Op {
            $($(#[$leaf_doc])* $leaf $(($($data),+))?,)+
            $($(#[$one_doc])* $one(NodeId),)+
            $($(#[$two_doc])* $two(NodeId, NodeId),)+
        }

        impl Op {
            /// Whether the node's value is a set.
            pub fn is_set(self) -> bool {
                matches!(self, $sets)
            }

            /// The nodes it reads.
            pub fn inputs(self) -> [Option<NodeId>; 2] {
                match self {
                    $(Op::$leaf { .. } => [None, None],)+
                    $(Op::$one(a) => [Some(a), None],)+
                    $(Op::$two(a, b) => [Some(a), Some(b)],)+
                }
            }

            /// The same operator over renumbered inputs.
            pub fn renumbered(self, f: impl Fn(NodeId) -> NodeId) -> Op {
                match self {
                    $(Op::$leaf { .. } => self,)+
                    $(Op::$one(a) => Op::$one(f(a)),)+
                    $(Op::$two(a, b) => Op::$two(f(a), f(b)),)+
                }
            }
        }
    };
}

operators! {
    /// What a node computes. `s`, `t` are sets, everything else relations.
    leaves: {
        /// The empty set.
        EmptySet,
        /// A set of the program.
        SetBase(BaseSet),
        /// The empty relation.
        Empty,
        /// A relation of the program.
        RelBase(BaseRel),
        /// Reads-from, a choice of the search.
        Rf,
        /// A total order, a choice of the search.
        Order(u32),
        /// A relation that a `let rec` defines: number of the group, position in it.
        RecVar(u32, u32),
        /// The point where a group's relations have reached their least fixed point.
        Fix(u32),
    }
    of_one: {
        /// `domain(r)`
        Domain,
        /// `range(r)`
        Range,
        /// `r+`
        Plus,
        /// `r^-1`
        Inverse,
        /// `[s]`
        Id,
    }
    of_two: {
        /// `s | t`
        SetUnion,
        /// `s & t`
        SetInter,
        /// `s \ t`
        SetDiff,
        /// `r | q`
        Union,
        /// `r & q`
        Inter,
        /// `r \ q`
        Diff,
        /// `r; q`
        Seq,
        /// `s * t`
        Cross,
        /// `[s]; r`
        MaskLeft,
        /// `r; [s]`
        MaskRight,
    }
    sets: Op::EmptySet
        | Op::SetBase(_)
        | Op::SetUnion(..)
        | Op::SetInter(..)
        | Op::SetDiff(..)
        | Op::Domain(_)
        | Op::Range(_),
}

/// A group of relations defined by one `let rec`.
#[derive(Debug, Clone)]
pub struct Group {
    /// Its [`Op::RecVar`] nodes.
    pub vars: Vec<NodeId>,
    /// The nodes that define them.
    pub bodies: Vec<NodeId>,
    /// Its [`Op::Fix`] node.
    pub fix: NodeId,
}

/// What remains of a graph when only what its roots need is kept.
#[derive(Debug)]
pub struct Graph {
    /// The operators.
    pub ops: Vec<Op>,
    /// The recursive groups.
    pub groups: Vec<Group>,
    /// The name that the model has for a node, where it has one.
    pub names: Vec<Option<Arc<str>>>,
    /// The roots' numbers.
    pub roots: Vec<NodeId>,
}
