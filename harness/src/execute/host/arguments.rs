//! The arguments of one call: words, and the memory that lives as long as the call does.

use super::callbacks;
use super::run::{Observed, Run};
use classay_suites::host::Token;
use classay_suites::host::{AnswerId, Call, Class, Function, Layout, Slot, Value};

/// What memory is overwritten with after a call: an implementation that kept its address and did not copy
/// it finds this.
const GONE: u64 = 0xdead_dead_dead_dead;

/// The arguments of a call.
#[derive(Default)]
pub struct Arguments {
    words: Vec<u64>,
    /// Memory that was made for arguments, each with the number of its argument.
    memory: Vec<(usize, Vec<u64>)>,
    /// Where objects come that the call makes: a block of `memory`, the word in it, the slot.
    into: Vec<(usize, usize, Slot)>,
    /// Where answers come: a block of `memory`, bytes, the answer.
    answers: Vec<(usize, usize, AnswerId)>,
    /// What the call took out of slots.
    taken: Vec<(Slot, usize)>,
}

/// A run, and what the one who calls has got so far.
type Playing<'r> = (&'r Run, &'r Observed);

/// A slot that the call needs holds nothing.
pub struct Empty;

impl Arguments {
    /// The arguments of a call in a run, by one who has got `got` so far.
    pub fn of(run: &Run, got: &Observed, call: &Call) -> Result<Arguments, Empty> {
        Arguments::of_values(run, got, &call.arguments)
    }

    /// These values, as arguments are passed.
    pub fn of_values(run: &Run, got: &Observed, values: &[Value]) -> Result<Arguments, Empty> {
        let mut all = Arguments {
            words: Vec::with_capacity(values.len()),
            ..Arguments::default()
        };
        for value in values {
            let word = match value {
                Value::Answered(id) => all.answered(run, got, *id),
                value => all.word((run, got), value),
            };
            match word {
                Ok(word) => all.words.push(word),
                Err(empty) => {
                    all.put_back(run);
                    return Err(empty);
                }
            }
        }
        Ok(all)
    }

    /// The words to call with.
    pub fn words(&self) -> &[u64] {
        &self.words
    }

    /// A function's properties below OpenCL 2.0: the number of the one property of a queue.
    pub fn one_property(&self, argument: usize) -> u64 {
        let list = self.memory.iter().find(|(of, _)| *of == argument);
        list.and_then(|(_, list)| list.get(1)).copied().unwrap_or(0)
    }

    /// After the call: what it made goes to slots, answers to their places, and the memory is overwritten.
    pub fn finish(mut self, run: &Run, code: i32, mut answer: impl FnMut(AnswerId, Vec<u8>)) {
        if code == 0 {
            for (block, word, slot) in &self.into {
                run.store(*slot, self.memory[*block].1[*word] as usize);
            }
            for (block, bytes, id) in &self.answers {
                let all = self.memory[*block].1.iter().flat_map(|w| w.to_ne_bytes());
                answer(*id, all.take(*bytes).collect());
            }
        } else {
            self.put_back(run);
        }
        for (_, block) in &mut self.memory {
            block.fill(GONE);
            std::hint::black_box(&block);
        }
    }

    fn put_back(&self, run: &Run) {
        for (slot, held) in &self.taken {
            run.store(*slot, *held);
        }
    }

    /// Memory for so many bytes for the argument that comes next; its number.
    fn room(&mut self, bytes: usize) -> usize {
        let room = vec![0; bytes.div_ceil(8).max(1)];
        self.memory.push((self.words.len(), room));
        self.memory.len() - 1
    }

    /// The address of a block of memory.
    fn address(&mut self, block: usize) -> u64 {
        self.memory[block].1.as_mut_ptr().expose_provenance() as u64
    }

    fn bytes(&mut self, bytes: &[u8]) -> u64 {
        let block = self.room(bytes.len());
        for (word, part) in self.memory[block].1.iter_mut().zip(bytes.chunks(8)) {
            let mut eight = [0; 8];
            eight[..part.len()].copy_from_slice(part);
            *word = u64::from_ne_bytes(eight);
        }
        self.address(block)
    }

    fn word(&mut self, (run, got): Playing<'_>, value: &Value) -> Result<u64, Empty> {
        Ok(match value {
            Value::Null => 0,
            Value::Number(number) => *number,
            Value::Constant(constant) => constant.value() as u64,
            Value::Flags(flags) => flags.iter().fold(0, |all, flag| all | flag.value() as u64),
            Value::Slot(slot) => held(run.load(*slot))?,
            Value::Take(slot) => {
                let address = run.take(*slot);
                let word = held(address)?;
                self.taken.push((*slot, address));
                word
            }
            Value::Into(slot) => {
                let block = self.room(8);
                self.into.push((block, 0, *slot));
                self.address(block)
            }
            Value::At(place) => held(run.load(place.object))?.wrapping_add(place.byte as u64),
            Value::List(Class::Word, values) => {
                let mut bytes = Vec::with_capacity(4 * values.len());
                for value in values {
                    bytes.extend((self.word((run, got), value)? as u32).to_ne_bytes());
                }
                self.bytes(&bytes)
            }
            Value::List(Class::Object | Class::Long | Class::Pointer | Class::Callback, values) => {
                self.list((run, got), values)?
            }
            Value::Struct(layout, values) => self.structure((run, got), *layout, values)?,
            // It is no part of a list.
            Value::Answered(_) => return Err(Empty),
            Value::Number32(id) => number_32(&answer(run, got, *id)?)?,
            Value::Bytes(bytes) => self.bytes(bytes),
            Value::Text(text) => self.bytes(&[text.as_bytes(), &[0]].concat()),
            Value::Token(writer, cell) => self.bytes(
                &Token::of(run.number_in_tokens, *writer, *cell)
                    .0
                    .to_ne_bytes(),
            ),
            Value::Answer(id, bytes) => {
                let block = self.room(*bytes);
                self.answers.push((block, *bytes, *id));
                self.address(block)
            }
            Value::Within { argument, byte } => {
                let of = usize::from(*argument);
                let block = self.memory.iter().position(|(n, _)| *n == of);
                block.map_or(0, |block| self.address(block).wrapping_add(*byte as u64))
            }
            Value::Callback(id) => callbacks::function(run, *id) as u64,
            Value::Data(id) => callbacks::data(run, *id),
        })
    }

    /// The bytes of an answer of this run.
    fn answered(&mut self, run: &Run, got: &Observed, id: AnswerId) -> Result<u64, Empty> {
        answer(run, got, id).map(|bytes| self.bytes(&bytes))
    }

    /// Members at multiples of their own sizes, as C lays them out.
    fn structure(
        &mut self,
        of: Playing<'_>,
        layout: Layout,
        values: &[Value],
    ) -> Result<u64, Empty> {
        let mut bytes: Vec<u8> = Vec::new();
        for ((_, class), value) in layout.members().iter().cycle().zip(values) {
            let word = self.word(of, value)?;
            match class {
                Class::Word => bytes.extend((word as u32).to_ne_bytes()),
                Class::Object | Class::Long | Class::Pointer | Class::Callback => {
                    bytes.resize(bytes.len().next_multiple_of(8), 0);
                    bytes.extend(word.to_ne_bytes());
                }
            }
        }
        Ok(self.bytes(&bytes))
    }

    fn list(&mut self, of: Playing<'_>, values: &[Value]) -> Result<u64, Empty> {
        let block = self.room(8 * values.len());
        for (n, value) in values.iter().enumerate() {
            let word = match value {
                Value::Into(slot) => {
                    self.into.push((block, n, *slot));
                    0
                }
                other => self.word(of, other)?,
            };
            self.memory[block].1[n] = word;
        }
        Ok(self.address(block))
    }
}

/// The bytes of an answer of this run, which this thread has got, or another.
fn answer(run: &Run, got: &Observed, id: AnswerId) -> Result<Vec<u8>, Empty> {
    let own = got.record.answers.get(&id).cloned();
    own.or_else(|| run.observed().record.answers.get(&id).cloned())
        .ok_or(Empty)
}

/// An answer that is a number of 32 bits.
fn number_32(bytes: &[u8]) -> Result<u64, Empty> {
    let bytes = bytes.try_into().map_err(|_| Empty)?;
    Ok(u32::from_ne_bytes(bytes).into())
}

fn held(address: usize) -> Result<u64, Empty> {
    if address == 0 {
        return Err(Empty);
    }
    Ok(address as u64)
}

/// The function that an implementation below OpenCL 2.0 has instead of one with properties.
pub fn before_2_0(function: Function) -> Option<Function> {
    (function == Function::CreateCommandQueueWithProperties).then_some(Function::CreateCommandQueue)
}
