//! What a source declares of its kernels, as far as it can be read without a compiler.
//!
//! It reads what the suites write: a source with conditions of the preprocessor, or with macros where a kernel's head
//! stands, says nothing here, and neither does a head that it does not understand.

use crate::host::constant::{Constant, cl};
use std::collections::BTreeSet;

/// A kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    pub name: String,
    pub arguments: Vec<Argument>,
    /// What is in its attributes, each without blanks.
    pub attributes: Vec<String>,
    /// The work-group size that it requires, zeros where it requires none; none where that is no number.
    pub required: Option<[u64; 3]>,
}

/// An argument of a kernel; what is not known of it is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    pub name: String,
    pub address: Option<Constant>,
    pub access: Constant,
    /// The type's name without blanks and qualifiers.
    pub type_name: Option<String>,
    /// CL_KERNEL_ARG_TYPE_QUALIFIER.
    pub qualifiers: Option<u64>,
}

/// The kernels of a source, in its order; none where that cannot be told.
pub fn kernels(source: &str) -> Option<Vec<Signature>> {
    let (text, macros) = plain(source)?;
    let tokens = tokens(&text);
    let mut found: Vec<Signature> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if !matches!(tokens[at], "kernel" | "__kernel") {
            at += 1;
            continue;
        }
        let (kernel, end) = head(&tokens, at + 1, &macros)?;
        at = end;
        // A declaration, and its definition.
        if !found.iter().any(|other| other.name == kernel.name) {
            found.push(kernel);
        }
    }
    Some(found)
}

/// Whether a source defines a variable of global memory that other units can name; not where that cannot be told. The
/// programs of the suites use those that they define: one that nothing uses may have no storage.
pub fn has_global_variables(source: &str) -> bool {
    let Some((text, macros)) = plain(source) else {
        return false;
    };
    let (mut depth, mut begins) = (0, true);
    let tokens = tokens(&text);
    for (n, token) in tokens.iter().enumerate() {
        if begins && depth == 0 && matches!(*token, "global" | "__global") {
            let mut declared = tokens[n..].iter();
            // What comes first after the type and the name: not the parameters of a function.
            let after = declared.find(|token| matches!(**token, "(" | "[" | "=" | ";"));
            let known = tokens[n..]
                .iter()
                .take(3)
                .all(|token| !macros.contains(*token));
            if known && after.is_some_and(|after| *after != "(") {
                return true;
            }
        }
        match *token {
            "{" | "(" => depth += 1,
            "}" | ")" => depth -= 1,
            _ => {}
        }
        begins = matches!(*token, ";" | "}");
    }
    false
}

/// The text without comments and lines of the preprocessor, and the names of its macros.
fn plain(source: &str) -> Option<(String, BTreeSet<String>)> {
    let mut text = String::new();
    let mut rest = source;
    loop {
        let line = rest.find("//");
        let block = rest.find("/*");
        let (start, length) = match (line, block) {
            (None, None) => break,
            (Some(line), block) if block.is_none_or(|block| line < block) => {
                (line, rest[line..].find('\n').unwrap_or(rest.len() - line))
            }
            (_, Some(block)) => (block, rest[block..].find("*/")? + 2),
            (Some(_), None) => return None,
        };
        text.push_str(&rest[..start]);
        text.push(' ');
        rest = &rest[start + length..];
    }
    text.push_str(rest);
    let mut macros = BTreeSet::new();
    let mut lines = String::new();
    for line in text.replace("\\\n", " ").lines() {
        let Some(directive) = line.trim_start().strip_prefix('#') else {
            lines.push_str(line);
            lines.push('\n');
            continue;
        };
        let mut words = directive
            .split(|c: char| !(c.is_alphanumeric() || c == '_'))
            .filter(|w| !w.is_empty());
        match words.next() {
            Some("define") => macros.extend(words.next().map(String::from)),
            Some("pragma") | None => {}
            // Conditions, inclusions: not without a preprocessor.
            Some(_) => return None,
        }
        if words.any(|word| matches!(word, "kernel" | "__kernel")) {
            return None;
        }
    }
    Some((lines, macros))
}

/// Words, and every other character that is no blank.
fn tokens(text: &str) -> Vec<&str> {
    let mut all = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let length = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (token, others) = rest.split_at(length);
        all.push(token);
        rest = others.trim_start();
    }
    all
}

/// The head of a kernel after its first word, and where it ends.
fn head(tokens: &[&str], from: usize, macros: &BTreeSet<String>) -> Option<(Signature, usize)> {
    let mut at = from;
    let mut attributes = Vec::new();
    let mut name = None;
    loop {
        match *tokens.get(at)? {
            "__attribute__" | "__attribute" => {
                let end = closing(tokens, at + 1)?;
                let inner = tokens.get(at + 3..end - 1)?;
                attributes.extend(split(inner).map(|part| part.concat()));
                at = end + 1;
            }
            "void" => at += 1,
            "(" => break,
            word if name.is_none() && word.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                name = Some(word.to_string());
                at += 1;
            }
            _ => return None,
        }
    }
    let end = closing(tokens, at)?;
    if tokens[from..=end]
        .iter()
        .any(|token| macros.contains(*token))
    {
        return None;
    }
    let inner = &tokens[at + 1..end];
    let arguments = match inner {
        [] | ["void"] => Vec::new(),
        inner => split(inner).map(argument).collect::<Option<_>>()?,
    };
    let required = required(&attributes);
    let signature = Signature {
        name: name?,
        arguments,
        attributes,
        required,
    };
    Some((signature, end + 1))
}

/// Where the parenthesis closes that opens here.
fn closing(tokens: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0;
    for (n, token) in tokens.iter().enumerate().skip(open) {
        match *token {
            "(" => depth += 1,
            ")" if depth == 1 => return Some(n),
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return None;
        }
    }
    None
}

/// What stands between commas that no parentheses are around.
fn split<'t>(tokens: &'t [&'t str]) -> impl Iterator<Item = &'t [&'t str]> {
    let mut depth = 0;
    tokens.split(move |token| {
        match *token {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        depth == 0 && *token == ","
    })
}

/// The size of `reqd_work_group_size(…)`.
fn required(attributes: &[String]) -> Option<[u64; 3]> {
    let sizes = attributes.iter().find_map(|attribute| {
        let rest = attribute
            .trim_start_matches('_')
            .strip_prefix("reqd_work_group_size")?;
        Some(
            rest.trim_matches(|c: char| !c.is_alphanumeric())
                .to_string(),
        )
    });
    let Some(sizes) = sizes else {
        return Some([0; 3]);
    };
    let sizes: Vec<u64> = sizes
        .split(',')
        .map(|size| size.parse().ok())
        .collect::<Option<_>>()?;
    sizes.try_into().ok()
}

/// Types whose names every implementation writes alike: numbers, vectors, images, samplers, and those of a program whose
/// names end as theirs do.
fn is_plain(name: &str) -> bool {
    if name.ends_with("_t") {
        return true;
    }
    let scalar = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let width = &name[scalar.len()..];
    let scalars = [
        "char", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "half", "float",
        "double",
    ];
    scalars.contains(&scalar) && matches!(width, "" | "2" | "3" | "4" | "8" | "16")
}

fn argument(tokens: &[&str]) -> Option<Argument> {
    let (name, declared) = tokens.split_last()?;
    let is_word = |token: &&str| token.chars().all(|c| c.is_alphanumeric() || c == '_');
    if !is_word(name) {
        return None;
    }
    let stars = declared.iter().filter(|token| **token == "*").count();
    let star = declared.iter().position(|token| *token == "*");
    let pointee = &declared[..star.unwrap_or(declared.len())];
    let behind = &declared[star.map_or(declared.len(), |star| star + 1)..];
    let has = |tokens: &[&str], words: &[&str]| tokens.iter().any(|token| words.contains(token));
    let spaces = [
        (["global", "__global"], cl::CL_KERNEL_ARG_ADDRESS_GLOBAL),
        (["local", "__local"], cl::CL_KERNEL_ARG_ADDRESS_LOCAL),
        (
            ["constant", "__constant"],
            cl::CL_KERNEL_ARG_ADDRESS_CONSTANT,
        ),
    ];
    let accesses = [
        (
            ["read_only", "__read_only"],
            cl::CL_KERNEL_ARG_ACCESS_READ_ONLY,
        ),
        (
            ["write_only", "__write_only"],
            cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY,
        ),
        (
            ["read_write", "__read_write"],
            cl::CL_KERNEL_ARG_ACCESS_READ_WRITE,
        ),
    ];
    let of = |table: &[([&str; 2], Constant)]| {
        table
            .iter()
            .find(|(words, _)| has(declared, words))
            .map(|(_, is)| *is)
    };
    let known = [
        "const",
        "volatile",
        "restrict",
        "__restrict",
        "__restrict__",
        "private",
        "__private",
        "pipe",
        "__pipe",
    ];
    let is_qualifier = |token: &str| {
        let spaces = spaces.iter().flat_map(|(words, _)| words);
        let accesses = accesses.iter().flat_map(|(words, _)| words);
        known.contains(&token) || spaces.chain(accesses).any(|word| *word == token)
    };
    let types: Vec<&str> = pointee
        .iter()
        .copied()
        .filter(|token| !is_qualifier(token))
        .collect();
    if !types.iter().all(is_word) || !behind.iter().all(|token| is_qualifier(token)) {
        return None;
    }
    let base = match types.as_slice() {
        ["unsigned"] => "uint".to_string(),
        ["unsigned", of] => format!("u{of}"),
        [of] => (*of).to_string(),
        _ => String::new(),
    };
    let is_pipe = has(declared, &["pipe", "__pipe"]);
    let is_image = base.starts_with("image");
    let type_name = (is_plain(&base) && !is_pipe).then(|| format!("{base}{}", "*".repeat(stars)));
    // Another name may stand for a pointer, and says nothing of what it points to.
    let is_other_name = types.len() == 1 && !is_plain(&base);
    let qualifiers = match (stars, is_pipe) {
        (0, true) => Some(cl::CL_KERNEL_ARG_TYPE_PIPE.value() as u64),
        (0, false) if is_other_name => None,
        (0, false) => Some(0),
        (1, _) => {
            let is_constant = has(pointee, &["const", "constant", "__constant"]);
            let all = [
                (is_constant, cl::CL_KERNEL_ARG_TYPE_CONST),
                (
                    has(behind, &["restrict", "__restrict", "__restrict__"]),
                    cl::CL_KERNEL_ARG_TYPE_RESTRICT,
                ),
                (has(pointee, &["volatile"]), cl::CL_KERNEL_ARG_TYPE_VOLATILE),
            ];
            let set = all.iter().filter(|(is, _)| *is);
            Some(set.fold(0, |all, (_, bit)| all | bit.value() as u64))
        }
        (_, _) => None,
    };
    let address = match (stars, is_image || is_pipe) {
        // In which address space images and pipes are is said in several ways.
        (_, true) => None,
        (0, false) if is_other_name => None,
        (0, false) => Some(cl::CL_KERNEL_ARG_ADDRESS_PRIVATE),
        (_, false) => of(&spaces),
    };
    let access = match is_image || is_pipe {
        true => of(&accesses).unwrap_or(cl::CL_KERNEL_ARG_ACCESS_READ_ONLY),
        false => cl::CL_KERNEL_ARG_ACCESS_NONE,
    };
    Some(Argument {
        name: (*name).to_string(),
        address,
        access,
        type_name,
        qualifiers,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_of_kernels_are_read() {
        let source = "
// kernel void not_one(int x) {}
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define SIZE 4
kernel __attribute__((reqd_work_group_size(8, 1, 1), vec_type_hint(int4)))
void first(global const int *restrict in, unsigned int n, __local volatile float4 *room, constant struct s *t) { }
__kernel void second(void) {}
kernel void third(write_only image2d_t to, sampler_t by, read_only pipe int from) {}
";
        let all = kernels(source).expect("kernels");
        let names: Vec<&str> = all.iter().map(|kernel| kernel.name.as_str()).collect();
        assert_eq!(names, ["first", "second", "third"]);
        assert_eq!(
            all[0].attributes,
            ["reqd_work_group_size(8,1,1)", "vec_type_hint(int4)"]
        );
        assert_eq!(
            (all[0].required, all[1].required),
            (Some([8, 1, 1]), Some([0; 3]))
        );
        let told = |argument: &Argument| {
            (
                argument.name.clone(),
                argument.type_name.clone(),
                argument.qualifiers,
            )
        };
        let first: Vec<_> = all[0].arguments.iter().map(told).collect();
        let name = |text: &str| Some(text.to_string());
        let [constant, restrict, volatile] = [1, 2, 4].map(|bit: u64| bit);
        assert_eq!(
            first,
            [
                ("in".into(), name("int*"), Some(constant | restrict)),
                ("n".into(), name("uint"), Some(0)),
                ("room".into(), name("float4*"), Some(volatile)),
                ("t".into(), None, Some(constant)),
            ]
        );
        assert_eq!(
            all[0].arguments[2].address,
            Some(cl::CL_KERNEL_ARG_ADDRESS_LOCAL)
        );
        assert_eq!(
            all[2].arguments[0].access,
            cl::CL_KERNEL_ARG_ACCESS_WRITE_ONLY
        );
        assert_eq!(all[2].arguments[0].address, None);
        assert_eq!(all[2].arguments[2].qualifiers, Some(8));
    }

    #[test]
    fn variables_of_global_memory_are_told_from_functions() {
        let has = has_global_variables;
        assert!(has(
            "typedef int t;\nglobal t x[2] = { f(1) };\nkernel void k() {}"
        ));
        assert!(has("kernel void k(global int *x) {}\nglobal uint last;"));
        assert!(!has("static global int x = 1; constant int y = 2;"));
        assert!(!has("global int *f(global int *x) { return x; }"));
        assert!(!has("kernel void k() { int x; global int *y; }"));
        assert!(!has("#define T\nglobal T x;\n"));
        assert!(!has("#if 0\nglobal int x;\n#endif\n"));
    }

    #[test]
    fn a_name_that_may_stand_for_a_pointer_says_nothing() {
        let source = "
typedef volatile global int *cell;
kernel void k(cell at, struct s by_value, int n) {}
";
        let all = kernels(source).expect("kernels");
        let of: Vec<_> = all[0]
            .arguments
            .iter()
            .map(|argument| (argument.address, argument.qualifiers))
            .collect();
        let private = Some(cl::CL_KERNEL_ARG_ADDRESS_PRIVATE);
        assert_eq!(of, [(None, None), (private, Some(0)), (private, Some(0))]);
    }

    #[test]
    fn what_only_a_preprocessor_knows_is_not_guessed() {
        for source in [
            "#if 1\nkernel void k() {}\n#endif\n",
            "#define HEAD kernel void\nHEAD k() {}\n",
            "#define TYPE int\nkernel void k(TYPE x) {}\n",
            "kernel void k(global int (*x)[4]) {}",
            "kernel void k(",
        ] {
            assert_eq!(kernels(source), None, "{source}");
        }
        assert_eq!(kernels(""), Some(Vec::new()));
    }
}
