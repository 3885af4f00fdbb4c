#!/usr/bin/env bash
# One part of a run, with JUnit: what every pipeline here calls, whatever spreads the parts.
#
#   ci/shard.sh INDEX COUNT [OPTION…]     INDEX from 1; options go to `classay run`
#
# CLASSAY       the program (target/release/classay)
# SEED          the master seed of the whole run, the same for each part (1)
# DEVICE        what --device takes (touchstone)
# BUDGET        seconds for this part (60)
# RESULTS       the folder for shard-INDEX.db and shard-INDEX.xml (results)
#
# A part that was stopped goes on where it was when it is started again. Exits as `classay run` does: 0 where
# all is well, 1 where a case failed.
set -euo pipefail

index=${1:?usage: ci/shard.sh INDEX COUNT [OPTION…]}
count=${2:?usage: ci/shard.sh INDEX COUNT [OPTION…]}
shift 2
classay=${CLASSAY:-target/release/classay}
results=${RESULTS:-results}
mkdir -p "$results"
store=$results/shard-$index.db
junit=$results/shard-$index.xml

if [ -s "$store" ]; then
    # A store of another run is refused.
    exec "$classay" run --resume --shard "$index/$count" --seed "${SEED:-1}" \
        --store "$store" --junit "$junit"
fi
exec "$classay" run --shard "$index/$count" --seed "${SEED:-1}" --device "${DEVICE:-touchstone}" \
    --budget "${BUDGET:-60}" --store "$store" --junit "$junit" "$@"
