#!/usr/bin/env bash
# The parts of a run put together, judged, and reported: what every pipeline here calls last.
#
#   ci/merge.sh [OPTION…]                 options go to `classay merge`, as --expect FILE or --partial
#
# CLASSAY       the program (target/release/classay)
# RESULTS       the folder with shard-*.db; gets merged.db, merged.xml and report.html (results)
# BASELINE      the store of an earlier run to compare with, where there is one
#
# Exits with 1 where a case failed that is not expected, or where BASELINE was better.
set -euo pipefail

classay=${CLASSAY:-target/release/classay}
results=${RESULTS:-results}
rm -f "$results/merged.db"
code=0
"$classay" merge "$results"/shard-*.db --any-device --gate \
    --out "$results/merged.db" --junit "$results/merged.xml" "$@" || code=$?
if [ "$code" -gt 1 ]; then
    exit "$code"
fi
"$classay" report "$results/merged.db" --html "$results/report.html"
if [ -n "${BASELINE:-}" ] && [ -s "$BASELINE" ]; then
    "$classay" compare "$BASELINE" "$results/merged.db" || code=$?
fi
exit "$code"
