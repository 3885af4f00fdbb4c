//! What README.md says of the tables is true.

use super::*;

/// It documents the tables, and a query over them.
const README: &str = include_str!("../../../README.md");

/// The indented block of the README in which `line` starts a line.
fn readme_block(line: &str) -> Vec<&'static str> {
    let after = README
        .lines()
        .skip_while(|l| !l.starts_with(&format!("    {line}")));
    after
        .take_while(|l| l.starts_with("    "))
        .map(|l| &l[4..])
        .collect()
}

#[test]
fn the_readme_lists_every_column() {
    let (_directory, store) = fresh();
    let mut documented: Vec<(String, Vec<String>)> = Vec::new();
    for line in readme_block("runs ") {
        // Columns are separated by commas; what follows two spaces or an arrow is a remark.
        let (table, columns) = match line.strip_prefix("          ") {
            Some(more) => (None, more),
            None => line.split_once(' ').map(|(t, c)| (Some(t), c)).unwrap(),
        };
        let columns = columns.trim_start().split("  ").next().unwrap().split(',');
        let columns = columns.map(|c| c.split('→').next().unwrap().trim().to_string());
        match table {
            Some(table) => documented.push((table.into(), columns.collect())),
            None => documented.last_mut().unwrap().1.extend(columns),
        }
    }
    for (_, columns) in &mut documented {
        columns.retain(|c| !c.is_empty());
    }
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let names = |sql: &str| -> Vec<String> {
        let mut statement = store.db.prepare(sql).unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    let actual: Vec<(String, Vec<String>)> = names(tables)
        .into_iter()
        .map(|t| {
            (
                t.clone(),
                names(&format!("SELECT name FROM pragma_table_info('{t}')")),
            )
        })
        .collect();
    assert_eq!(documented, actual);
}

#[test]
fn the_readme_query_works() {
    let (_directory, mut store) = fresh();
    let run = store.begin_run(&record("plan"), &planned(&all())).unwrap();
    for result in all() {
        store.commit_case(run, &result).unwrap();
    }
    let sql = readme_block("SELECT name").join("\n");
    let mut statement = store.db.prepare(&sql).unwrap();
    let rows = statement
        .query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
        .unwrap();
    let found: Vec<(String, i64, i64)> = rows.map(Result::unwrap).collect();
    let expected: Vec<(String, i64, i64)> = all()
        .iter()
        .filter(|r| r.instances > 0)
        .map(|r| (r.case.to_string(), r.targets() as i64, r.instances as i64))
        .collect();
    assert_eq!(found, expected);
}
