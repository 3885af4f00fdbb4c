//! What transfers and the host leave in memory.

use super::case::{KernelCase, Kind, Object, ObjectId, Place, Step};
use super::effect::{Effect, pitches};
use super::recorded::{Action, Mix, Play};
use super::transfer::{Bytes, Corner, Region, Transfer};
use super::updated::Change;
use std::collections::BTreeMap;

/// The bytes of every object.
#[derive(Debug, Clone)]
pub struct Model<'a> {
    case: &'a KernelCase,
    /// None for sub-buffers, whose bytes are their parents'.
    memory: Vec<Vec<u8>>,
    /// What commands do that were updated, by the steps that record them and their places.
    updated: BTreeMap<(u16, u16), Action>,
}

impl Model<'_> {
    /// The memory of a valid case at its beginning.
    pub fn new(case: &KernelCase) -> Model<'_> {
        let none = |kind| matches!(kind, Kind::SubBuffer { .. } | Kind::Pipe { .. });
        let first = |object: &Object| match none(object.kind) {
            true => Vec::new(),
            false => object.contents.bytes(object.bytes),
        };
        let memory = case.objects.iter().map(first).collect();
        Model {
            case,
            memory,
            updated: BTreeMap::new(),
        }
    }

    /// What a step of the host does to it; what kernels do is not known here.
    pub fn step(&mut self, step: &Step) {
        if let Step::Move(moved) = step {
            if moved.code == 0 {
                self.transfer(&moved.what);
            }
        } else if let Step::Play(play) = step {
            if play.fails.is_none() {
                self.play(play);
            }
            self.update(play.record, &play.update);
        } else if let Step::Update(update) = step {
            if !update.refused {
                self.update(update.record, &update.changes);
            }
        } else if let Step::Again(again) = step {
            let record = self.case.record(again.record);
            let command = record.and_then(|it| it.commands.get(usize::from(again.command)));
            if let Some(Action::Mix(mix)) = command.map(|command| &command.what) {
                self.mix(mix);
            }
        } else if let Step::Host {
            at,
            bytes,
            contents,
        } = step
        {
            self.write(*at, &contents.bytes(*bytes));
        }
    }

    /// The bytes of an object.
    pub fn bytes(&self, object: ObjectId) -> Vec<u8> {
        let length = self.case.objects[object.index()].bytes;
        self.read(Place { object, byte: 0 }, length)
    }

    fn read(&self, at: Place, bytes: usize) -> Vec<u8> {
        let Place { object, byte } = self.case.root(at);
        self.memory[object.index()][byte..byte + bytes].to_vec()
    }

    fn write(&mut self, at: Place, bytes: &[u8]) {
        let Place { object, byte } = self.case.root(at);
        self.memory[object.index()][byte..byte + bytes.len()].copy_from_slice(bytes);
    }

    fn transfer(&mut self, what: &Transfer) {
        match what.effect(self.case) {
            Some(Effect::Bytes(Bytes { from, to, bytes })) => {
                let data = self.read(from, bytes);
                self.write(to, &data);
            }
            Some(Effect::Pattern { pattern, to, bytes }) => {
                let data: Vec<u8> = pattern.iter().copied().cycle().take(bytes).collect();
                self.write(to, &data);
            }
            Some(Effect::Rectangle(moved)) => self.rectangle(&moved),
            Some(Effect::Elements {
                element,
                to,
                region,
            }) => {
                let row: Vec<u8> = element.iter().copied().cycle().take(region[0]).collect();
                for place in rows(&to, &region) {
                    self.write(place, &row);
                }
            }
            None => {}
        }
    }

    /// The commands of a command-buffer leave what they do in the order in which they were recorded: those that share
    /// memory are ordered so.
    fn play(&mut self, play: &Play) {
        let Some(record) = self.case.record(play.record) else {
            return;
        };
        for (n, command) in (0..play.times).flat_map(|_| record.commands.iter().enumerate()) {
            let updated = self.updated.get(&(play.record, n as u16)).cloned();
            match updated.as_ref().unwrap_or(&command.what) {
                Action::Barrier => {}
                Action::Move(what) => self.transfer(what),
                Action::Mix(mix) => self.mix(mix),
                Action::Sample(sample) => self.transfer(&sample.moved(self.case)),
            }
        }
    }

    fn update(&mut self, record: u16, changes: &[Change]) {
        let changes = changes.iter();
        let changes = changes.map(|change| ((record, change.command), change.to.clone()));
        self.updated.extend(changes);
    }

    fn mix(&mut self, mix: &Mix) {
        let words = self.read(mix.from, 4 * mix.words as usize);
        let mixed = words.chunks_exact(4).flat_map(|word| {
            let word = u32::from_ne_bytes([word[0], word[1], word[2], word[3]]);
            mix.word(word).to_ne_bytes()
        });
        let mixed: Vec<u8> = mixed.collect();
        self.write(mix.to, &mixed);
    }

    fn rectangle(&mut self, moved: &Region<Corner, Corner>) {
        let Region { from, to, region } = moved;
        let rows: Vec<(Place, Vec<u8>)> = rows(to, region)
            .zip(rows(from, region))
            .map(|(to, from)| (to, self.read(from, region[0])))
            .collect();
        for (to, row) in rows {
            self.write(to, &row);
        }
    }
}

/// Where each row of a rectangle begins.
fn rows(corner: &Corner, region: &[usize; 3]) -> impl Iterator<Item = Place> + use<> {
    let (row, slice) = pitches(corner, region);
    let Corner { object, origin, .. } = *corner;
    let (rows, slices) = (region[1], region[2]);
    (0..slices).flat_map(move |z| {
        (0..rows).map(move |y| Place {
            object,
            byte: origin[0] + (origin[1] + y) * row + (origin[2] + z) * slice,
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels::case::Contents;
    use crate::kernels::transfer::{Move, Pattern};

    /// A buffer of 8 bytes that count, its last four as a sub-buffer, and four bytes of the host.
    fn case() -> KernelCase {
        let object = |kind, bytes, contents| Object {
            kind,
            bytes,
            contents,
            alloc_host: false,
            over: None,
            apart: None,
        };
        let part = Kind::SubBuffer {
            of: ObjectId(0),
            origin: 4,
        };
        let list = Contents::Bytes(vec![9, 8, 7, 6]);
        KernelCase {
            objects: vec![
                object(Kind::Buffer, 8, Contents::Bytes((0..8).collect())),
                object(part, 4, Contents::Zero),
                object(Kind::Host, 4, list),
            ],
            ..KernelCase::default()
        }
    }

    fn after(what: Transfer, code: i32) -> [Vec<u8>; 3] {
        let case = case();
        let mut model = Model::new(&case);
        model.step(&Step::Move(Move {
            what,
            blocking: false,
            code,
            rules: Vec::new(),
        }));
        [0, 1, 2].map(|n| model.bytes(ObjectId(n)))
    }

    fn at(object: u16, byte: usize) -> Place {
        ObjectId(object).at(byte)
    }

    #[test]
    fn what_is_written_to_a_part_is_in_the_whole() {
        let (from, to) = (at(2, 1), at(1, 2));
        let write = |code| after(Transfer::Write(Bytes { from, to, bytes: 2 }), code);
        let [whole, part, _] = write(0);
        assert_eq!(whole, [0, 1, 2, 3, 4, 5, 8, 7]);
        assert_eq!(part, [4, 5, 8, 7]);
        let [whole, ..] = write(-30);
        assert_eq!(whole, [0, 1, 2, 3, 4, 5, 6, 7], "it is refused");
    }

    #[test]
    fn patterns_begin_anew_where_they_are_written() {
        let [whole, ..] = after(
            Transfer::Fill(Pattern {
                pattern: vec![1, 2],
                to: at(0, 2),
                bytes: 4,
            }),
            0,
        );
        assert_eq!(whole, [0, 1, 1, 2, 1, 2, 6, 7]);
    }

    #[test]
    fn rectangles_keep_to_their_pitches() {
        let corner = |object, row| Corner {
            object: ObjectId(object),
            origin: [1, 0, 0],
            row,
            slice: 0,
        };
        let (from, to) = (corner(0, 4), corner(2, 2));
        let region = [1, 2, 1];
        let [.., host] = after(Transfer::ReadRect(Region { from, to, region }), 0);
        assert_eq!(host, [9, 1, 7, 5]);
    }
}
