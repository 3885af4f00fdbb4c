//! The parameters of kernels, as their sources declare them.

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The kernel may write to the memory.
    pub writes: bool,
}

/// The parameters of a kernel in OpenCL C; none where the source has no such kernel.
pub fn parameters(source: &str, kernel: &str) -> Option<Vec<Parameter>> {
    let mut rest = source;
    loop {
        let at = rest.find("kernel")?;
        rest = &rest[at + "kernel".len()..];
        let open = rest.find('(')?;
        // Attributes stand between the word and the name, in parentheses of their own.
        let open = match rest.find(&format!("{kernel}(")) {
            Some(found) if !rest[..found].contains(['{', ';']) => found + kernel.len(),
            _ if rest[..open].split_whitespace().last() == Some(kernel) => open,
            _ => continue,
        };
        let list = &rest[open + 1..open + matching(&rest[open..])?];
        let named = |text: &&str| !text.trim().is_empty() && text.trim() != "void";
        return Some(list.split(',').filter(named).map(parameter).collect());
    }
}

/// Where the parenthesis closes that a text begins with.
fn matching(text: &str) -> Option<usize> {
    let mut depth = 0;
    text.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
}

fn parameter(text: &str) -> Parameter {
    let words: Vec<&str> = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .collect();
    let has = |of: &[&str]| words.iter().any(|word| of.contains(word));
    let opaque = has(&["write_only", "__write_only", "read_write", "__read_write"]);
    let pointer = text.contains('*') && !has(&["local", "__local"]);
    let constant = has(&["const", "constant", "__constant"]);
    Parameter {
        writes: opaque || pointer && !constant,
    }
}

#[test]
fn parameters_say_what_kernels_may_write() {
    let source = "void f(int a) { }\n__attribute__((x)) kernel\n  \
        __attribute__((reqd_work_group_size(1, 1, 1))) void one(global const uint *r, global uint *w, uint n,\n  \
        local uint *l, read_only image2d_t i, write_only image2d_t o, read_write image2d_t b, \
        read_only pipe int p)\n{ }\nkernel void two(void) { }";
    let all = parameters(source, "one").expect("a kernel");
    let writes: Vec<bool> = all.iter().map(|one| one.writes).collect();
    let wanted = [false, true, false, false, false, true, true, false];
    assert_eq!(writes, wanted);
    assert_eq!(parameters(source, "two"), Some(Vec::new()));
    assert_eq!(parameters(source, "f"), None);
}
