//! What memory is given, in C: tokens, contents, addresses and copies.

use super::Writer;
use super::text::Text;
use crate::host::contents::Contents;
use crate::host::program::{Data, Pitches};
use crate::host::token::{ANY_CELL, Writer as Who};
use crate::host::value::Place;
use std::fmt::Display;

/// A writer of tokens.
fn writer_of(who: Who) -> String {
    match who {
        Who::Creation(id) => format!("CREATION({id}u)"),
        Who::Command(id) => format!("COMMAND({id}u)"),
        Who::Access(id) => format!("ACCESS({id}u)"),
    }
}

/// A token, as its writer and its cell.
pub fn token(who: Who, cell: u8) -> String {
    let who = writer_of(who);
    match cell {
        ANY_CELL => format!("{who} | ANY_CELL"),
        0 => who,
        cell => format!("{who} | {cell}u"),
    }
}

/// Writes what the host puts at a place.
pub fn write(writer: &Writer<'_>, at: Place, data: &Data, c: &mut Text) {
    let place = writer.place(at);
    match data {
        Data::Contents {
            contents: of,
            bytes,
        } => contents(&place, *bytes, of, c),
        Data::Tokens {
            writer: by,
            first,
            count,
            stride,
            words,
        } => {
            let by = writer_of(*by);
            let cells = format!("{count}, {stride}, {words}");
            c.put(format!("put_tokens({place}, {cells}, {by}, {first});"));
        }
        Data::Copy {
            from,
            region: [bytes, rows, slices],
            apart,
            to_apart,
        } => {
            let pitches = |of: &Pitches| match of {
                Pitches::Close => [bytes.to_string(), (bytes * rows).to_string()],
                Pitches::Answered(row, slice) => {
                    [row, slice].map(|id| format!("(size_t)number({id})"))
                }
                Pitches::Given(row, slice) => [row, slice].map(usize::to_string),
            };
            let from = writer.place(*from);
            let ([row, slice], [to_row, to_slice]) = (pitches(apart), pitches(to_apart));
            let to: [&dyn Display; 3] = [&place, &to_row, &to_slice];
            let from: [&dyn Display; 3] = [&from, &row, &slice];
            let sizes: [&dyn Display; 3] = [bytes, rows, slices];
            c.call("copy_rows", &[to, from, sizes].concat());
        }
        Data::Address(to) => {
            let to = to.map_or("NULL".into(), |to| writer.place(to));
            let address = format!("&(unsigned char *){{ {to} }}");
            c.put(format!(
                "memcpy({place}, {address}, sizeof(unsigned char *));"
            ));
        }
    }
}

/// Puts contents into memory.
pub fn contents(to: &str, bytes: usize, contents: &Contents, c: &mut Text) {
    let mut list = |kind: &str, values: Vec<String>, each: usize| {
        if values.is_empty() {
            c.put(format!("memset({to}, 0, {bytes});"));
            return;
        }
        c.open("");
        c.put(format!("static const {kind} list[] = {{"));
        for line in values.chunks(16) {
            c.put(format!("    {},", line.join(", ")));
        }
        c.put("};");
        let length = values.len() * each;
        c.put(format!("put_list({to}, {bytes}, list, {length});"));
        c.close();
    };
    match contents {
        Contents::Zero => list("cl_uchar", Vec::new(), 1),
        Contents::Words(all) => list("cl_uint", unsigned(all), 4),
        Contents::Longs(all) => list("cl_ulong", unsigned(all), 8),
        Contents::Bytes(all) => list("cl_uchar", all.iter().map(u8::to_string).collect(), 1),
        Contents::Every(word) => c.put(format!("put_words({to}, {bytes}, {word}u, 0);")),
        Contents::Noise(seed) => c.put(format!("put_noise({to}, {bytes}, {seed}u);")),
        Contents::Count(first) => c.put(format!("put_words({to}, {bytes}, {first}u, 1);")),
    }
}

/// Numbers without a sign.
pub fn unsigned(all: &[impl Display]) -> Vec<String> {
    all.iter().map(|n| format!("{n}u")).collect()
}
