//! What has to be in an object, in C.

use super::world;
use crate::commands::reproduce::text::{Text, quoted};
use crate::kernels::case::{KernelCase, ObjectId, Place, Range, Want};
use crate::rule::RuleId;

/// A look's rules as a C string.
pub fn rules(rules: &[RuleId]) -> String {
    let names: Vec<&str> = rules.iter().take(4).map(|r| r.as_str()).collect();
    quoted(&names.join("|"))
}

/// Holds `seen`, all bytes of the object, against what is wanted.
pub fn write(
    case: &KernelCase,
    object: ObjectId,
    of: &[RuleId],
    name: &str,
    want: &Want,
    c: &mut Text,
) {
    let bytes = case.objects[object.index()].bytes;
    let (of, name) = (rules(of), quoted(name));
    match want {
        Want::Same {
            unit,
            contents,
            racy,
        } => {
            c.line(&format!("    unsigned char *wanted = room({bytes});"));
            world::contents("wanted", bytes, contents, c);
            c.line(&format!(
                "    expect_same({of}, {name}, {}, wanted, seen, {bytes}, {});",
                unit.bytes(),
                u8::from(*racy)
            ));
            c.line("    free(wanted);");
        }
        Want::AsMoved => {
            let model = world::model(case, Place { object, byte: 0 }).unwrap_or("seen".into());
            c.line(&format!(
                "    expect_same({of}, {name}, 1, {model}, seen, {bytes}, 0);"
            ));
        }
        Want::Permutation {
            unit,
            count,
            first,
            step,
        } => c.line(&format!(
            "    expect_permutation({of}, {name}, {}, seen, {count}, {first}u, {step}u);",
            unit.bytes()
        )),
        Want::Ids {
            range,
            uniform,
            times,
        } => ids(range, *uniform, *times, bytes, c),
        Want::Halves { unit } => {
            let half = bytes / 2 / unit.bytes() * unit.bytes();
            c.line(&format!(
                "    expect_same({of}, {name}, {}, seen, seen + {half}, {half}, 0);",
                unit.bytes()
            ));
        }
        Want::SubGroups { asked, groups } => {
            let list: Vec<String> = groups.iter().map(|n| format!("{n}u")).collect();
            c.line(&format!(
                "    expect_sub_groups({of}, {name}, seen, (const cl_uint[]){{ {} }}, {}, asked[{asked}]);",
                list.join(", "),
                groups.len()
            ));
        }
        Want::Pointers(list) => {
            for (at, to) in list {
                let (address, goal) = match to {
                    None => ("NULL".to_string(), "nowhere".to_string()),
                    Some(to) => (
                        format!("objects[{}].memory + {}", to.object.0, to.byte),
                        format!("to byte {} of object {}", to.byte, to.object.0),
                    ),
                };
                c.line(&format!(
                    "    expect_pointer({of}, {name}, seen, {at}, {address}, {});",
                    quoted(&goal)
                ));
            }
        }
    }
}

fn ids(range: &Range, uniform: bool, times: u32, bytes: usize, c: &mut Text) {
    let three = |list: [u64; 3]| format!("{{ {}u, {}u, {}u }}", list[0], list[1], list[2]);
    let remainder = range
        .local
        .as_ref()
        .is_some_and(|local| range.global.iter().zip(local).any(|(g, s)| g % s != 0));
    let offset = range
        .offset
        .as_ref()
        .is_some_and(|o| o.iter().any(|f| *f != 0));
    let local = range.local.as_deref().unwrap_or_default();
    c.line("    const struct space space = {");
    c.line(&format!(
        "        {}, {}, {}, {}, {},",
        range.global.len(),
        u8::from(range.local.is_some()),
        u8::from(uniform),
        u8::from(remainder),
        u8::from(offset)
    ));
    c.line(&format!(
        "        {}, {}, {}, {times}",
        three(Range::three(&range.global, 1)),
        three(Range::three(range.offset.as_deref().unwrap_or_default(), 0)),
        three(Range::three(local, 1))
    ));
    c.line("    };");
    c.line(&format!("    expect_ids(seen, {bytes}, space);"));
}
