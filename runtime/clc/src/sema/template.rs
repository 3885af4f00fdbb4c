//! Functions that take blocks.
//!
//! A call must know which function a block is, so the body of such a function is checked anew for each block that
//! is passed: that makes functions of it whose parameters point to what the blocks captured. The definition
//! itself is looked at once with blocks that nobody knows, for what is wrong with it.

use super::scope::{BlockEntry, Entry};
use super::{Checked, Sema};
use crate::ast::FunctionDef;
use crate::diag::Reported;
use crate::hir::{FnId, Function, Var};
use crate::intern::add;
use crate::source::Loc;
use crate::types::{Qual, Type};
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

/// The functions of a unit that take blocks.
#[derive(Default)]
pub(super) struct Templates {
    definitions: HashMap<FnId, Template>,
    /// By the function and the blocks that it is given.
    instances: HashMap<(FnId, Vec<FnId>), FnId>,
    /// Functions whose bodies are being checked.
    open: Vec<FnId>,
    /// Blocks that nobody knows.
    unknown: HashSet<FnId>,
}

struct Template {
    definition: Rc<FunctionDef>,
    /// Something is wrong with it, which has been reported.
    wrong: bool,
}

impl Templates {
    pub(super) fn defines(&self, id: FnId) -> bool {
        self.definitions.contains_key(&id)
    }
}

/// The scopes below the program's, which a function that is defined there does not see.
const PROGRAM_SCOPE: usize = 2;

impl Sema<'_> {
    /// Whether a function takes blocks.
    pub(super) fn takes_blocks(&self, id: FnId) -> bool {
        let params = &self.functions[id.0 as usize].params;
        params.iter().any(|&param| self.types.is_block(param))
    }

    /// Keeps the definition of a function that takes blocks, and looks at it.
    pub(super) fn define_template(&mut self, id: FnId, def: &FunctionDef) -> Checked<()> {
        let definition = Rc::new(def.clone());
        let before = self.diags.errors();
        let blocks = self.unknown_blocks(id);
        self.templates.open.push(id);
        self.instance(id, &definition, &blocks);
        self.templates.open.pop();
        let wrong = self.diags.errors() > before;
        self.templates
            .definitions
            .insert(id, Template { definition, wrong });
        Ok(())
    }

    /// A block that nobody knows for each that a function takes.
    fn unknown_blocks(&mut self, id: FnId) -> Vec<FnId> {
        let pointer = self.captured_pointer();
        let params = self.functions[id.0 as usize].params.clone();
        let loc = self.functions[id.0 as usize].loc;
        let mut blocks = Vec::new();
        for param in params {
            if let Type::Block(signature) = self.types.of(param) {
                let signature = self.types.signature(signature).clone();
                let function = Function {
                    name: "a block".to_owned(),
                    loc,
                    ret: signature.ret,
                    params: std::iter::once(pointer).chain(signature.params).collect(),
                    external: false,
                    kernel: None,
                    body: None,
                };
                let block = FnId(add(&mut self.functions, function));
                self.templates.unknown.insert(block);
                blocks.push(block);
            }
        }
        blocks
    }

    /// The function that a call with these blocks calls.
    pub(super) fn instance_for(&mut self, id: FnId, blocks: Vec<FnId>, at: Loc) -> Checked<FnId> {
        if self.templates.open.contains(&id) {
            let name = self.functions[id.0 as usize].name.clone();
            let message = format!("`{name}` calls itself by this; OpenCL C has no recursion");
            return self.error(at, message);
        }
        let Some(template) = self.templates.definitions.get(&id) else {
            let name = self.functions[id.0 as usize].name.clone();
            let message =
                format!("`{name}` takes a block, so it has to be defined before it is called");
            return self.error(at, message);
        };
        if template.wrong {
            return Err(Reported);
        }
        let key = (id, blocks);
        if let Some(&known) = self.templates.instances.get(&key) {
            return Ok(known);
        }
        let definition = Rc::clone(&template.definition);
        self.templates.open.push(id);
        let instance = self.instance(id, &definition, &key.1);
        self.templates.open.pop();
        self.templates.instances.insert(key, instance);
        Ok(instance)
    }

    /// A function made of a definition for certain blocks.
    fn instance(&mut self, id: FnId, def: &FunctionDef, blocks: &[FnId]) -> FnId {
        let pointer = self.captured_pointer();
        let template = &self.functions[id.0 as usize];
        let (name, loc, ret) = (template.name.clone(), template.loc, template.ret);
        let quals = template.params.clone();
        let params = quals.iter().map(|&qual| match self.types.is_block(qual) {
            true => pointer,
            false => qual,
        });
        let function = Function {
            name,
            loc,
            ret,
            params: params.collect(),
            external: false,
            kernel: None,
            body: None,
        };
        let instance = FnId(add(&mut self.functions, function));
        let scopes = self.scopes.set_aside(PROGRAM_SCOPE);
        let tags = self.tags.set_aside(PROGRAM_SCOPE);
        let current = self.current.take();
        let enclosing = std::mem::take(&mut self.enclosing);
        self.function_body(instance, def, &quals, blocks);
        let unknown = &self.templates.unknown;
        if blocks.iter().any(|block| unknown.contains(block)) {
            // It calls what is nowhere.
            self.functions[instance.0 as usize].body = None;
        }
        self.enclosing = enclosing;
        self.current = current;
        self.tags.reopen(tags);
        self.scopes.reopen(scopes);
        instance
    }

    /// A parameter that is a block.
    pub(super) fn bind_block(
        &mut self,
        param: &crate::ast::Param,
        qual: Qual,
        function: FnId,
    ) -> Checked<()> {
        let pointer = self.captured_pointer();
        let at = param.declarator.loc;
        let var = Var {
            name: String::new(),
            qual: pointer,
            in_memory: false,
            align: self.types.align(pointer),
        };
        let captured = Some(self.new_var(var, at)?);
        let Some(name) = param.declarator.name else {
            return self.error(at, "this parameter has no name");
        };
        let entry = Entry::Block(BlockEntry {
            function,
            qual: qual.value(),
            captured,
        });
        self.scopes.declare(name.symbol, entry);
        Ok(())
    }
}
