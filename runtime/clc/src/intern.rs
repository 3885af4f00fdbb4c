//! Names as small numbers.

use std::collections::HashMap;
use std::rc::Rc;

/// Adds to a list and gives the number of what was added.
pub(crate) fn add<T>(list: &mut Vec<T>, item: T) -> u32 {
    list.push(item);
    u32::try_from(list.len() - 1).unwrap_or(u32::MAX)
}

/// An interned spelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Symbol(u32);

/// The table of spellings of one compilation.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    map: HashMap<Rc<str>, Symbol>,
    names: Vec<Rc<str>>,
}

impl Interner {
    /// The symbol of a spelling; the same spelling has the same symbol.
    pub(crate) fn intern(&mut self, text: &str) -> Symbol {
        if let Some(&symbol) = self.map.get(text) {
            return symbol;
        }
        let name: Rc<str> = text.into();
        let symbol = Symbol(add(&mut self.names, name.clone()));
        self.map.insert(name, symbol);
        symbol
    }

    /// The spelling of a symbol.
    pub(crate) fn get(&self, symbol: Symbol) -> &str {
        self.names.get(symbol.0 as usize).map_or("", |s| s)
    }
}
