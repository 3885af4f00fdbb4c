"""Runs the cases of each client on each implementation; prints and writes the counts.

    run.py FOLDER "IMPLEMENTATION ..." JOBS [CLIENT ...]
    run.py list

A case is one process with a time limit, or one test of a Python test suite; what a case is and how its
outcome is told is the business of clients.py. Hangs and crashes are failures."""

import os
import sys
import time
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

from clients import CLIENTS

OUTCOMES = ("pass", "fail", "skip")


def environment(folder, implementation):
    """The environment in which a client sees one implementation and nothing else."""
    own = folder / "root/usr/lib/x86_64-linux-gnu"
    libraries = [own / "piglit/lib", own / "blas", own]
    given = os.environ.get("LD_LIBRARY_PATH")
    return dict(
        os.environ,
        OCL_ICD_VENDORS=str(folder / "icd" / implementation),
        LD_LIBRARY_PATH=":".join([*map(str, libraries), *([given] if given else [])]),
        PATH=f"{folder}/root/usr/bin:{os.environ['PATH']}",
        PIGLIT_NO_WINDOW="1",
        TOUCHSTONE_REPORT="1",
    )


def table(counts, implementations, clients):
    lines = ["| client | " + " | ".join(implementations) + " |", "| --- |" + " --- |" * len(implementations)]
    for client in clients:
        cells = []
        for implementation in implementations:
            count = counts[client, implementation]
            cells.append(", ".join(f"{count[outcome]} {outcome}" for outcome in OUTCOMES if count[outcome]) or "-")
        lines.append(f"| {client} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def expected_failures(clients):
    """Patterns of cases that fail on Touchstone with a known reason: 'client pattern: reason' a line."""
    path = Path(__file__).with_name("expected.txt")
    lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {line.split(": ")[0] for line in lines if line.split(" ")[0] in clients}


def main():
    if sys.argv[1:] == ["list"]:
        for client in CLIENTS.values():
            print(f"{client.name:18} {client.about}")
        return 0
    folder, implementations, jobs = Path(sys.argv[1]), sys.argv[2].split(), int(sys.argv[3])
    chosen = sys.argv[4:] or list(CLIENTS)
    unknown = [name for name in chosen if name not in CLIENTS]
    if unknown:
        print(f"clients.sh: no client is named {unknown[0]}; `ci/clients.sh list` names them", file=sys.stderr)
        return 2
    counts, failed = {}, {}
    with open(folder / "results.tsv", "w") as results:
        for name in chosen:
            for implementation in implementations:
                logs = folder / "logs" / implementation / name
                logs.mkdir(parents=True, exist_ok=True)
                start = time.monotonic()
                rows = CLIENTS[name].run(folder, environment(folder, implementation), jobs, logs)
                counts[name, implementation] = Counter(outcome for _, outcome, _ in rows)
                failed[name, implementation] = {case for case, outcome, _ in rows if outcome == "fail"}
                for case, outcome, note in rows:
                    results.write(f"{name}\t{implementation}\t{case}\t{outcome}\t{note}\n")
                results.flush()
                summary = ", ".join(f"{n} {outcome}" for outcome, n in sorted(counts[name, implementation].items()))
                print(f"{name} on {implementation}: {summary} ({time.monotonic() - start:.0f} s)", flush=True)
    text = table(counts, implementations, chosen)
    (folder / "table.md").write_text(text)
    print("\n" + text)
    if "touchstone" not in implementations:
        return 0
    known = expected_failures(chosen)
    ours = {f"{name} {case}" for name in chosen for case in failed[name, "touchstone"]}
    unexpected = sorted(case for case in ours if not any(fnmatchcase(case, pattern) for pattern in known))
    for case in unexpected:
        print(f"unexpected failure: {case}")
    for pattern in sorted(known):
        if not any(fnmatchcase(case, pattern) for case in ours):
            print(f"expected to fail, and did not: {pattern}")
    return 1 if unexpected else 0


if __name__ == "__main__":
    sys.exit(main())
