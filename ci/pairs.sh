#!/usr/bin/env bash
# How often `classay compare` raises an alarm where nothing has changed: runs of one device, and every one of them as the
# baseline of each later one, with both gates, with what is known to fail and without.
#
#   ci/pairs.sh RUNS     as many runs as are there already count; 15 make 105 pairs
#
# CLASSAY       the program (target/release/classay)
# DEVICE        which device (system)
# EXPECT        a file of what is known to fail (none)
# FOLDER        where stores go, and what an alarm says (target/pairs)
# OPTIONS       more options for every run (--seed 1)
#
# Leave the machine alone meanwhile, or do not: a gate must live with both. Needs bash. Exits with 1 where more than one
# pair of twenty raises an alarm, with what is known where EXPECT is given.
set -uo pipefail

runs=${1:-}
if ! [[ $runs =~ ^[0-9]+$ ]] || [ "$runs" -lt 2 ]; then
    echo "ci/pairs.sh RUNS: a number of runs, 2 or more, is missing; 15 make 105 pairs" >&2
    exit 2
fi
classay=${CLASSAY:-target/release/classay}
device=${DEVICE:-system}
folder=${FOLDER:-target/pairs}
expect=${EXPECT:-}
mkdir -p "$folder"

for ((run = 1; run <= runs; run++)); do
    store=$folder/$run.db
    [ -f "$store" ] && continue
    # A run that is cut short leaves no store that counts.
    rm -f "$store.part"
    # shellcheck disable=SC2086
    "$classay" run --device "$device" ${OPTIONS:---seed 1} ${expect:+--expect "$expect"} --store "$store.part" \
        >"$folder/$run.txt" 2>&1
    code=$?
    if [ $code -gt 1 ]; then
        tail -n 3 "$folder/$run.txt" >&2
        exit $code
    fi
    mv "$store.part" "$store"
done

# The pairs that raise an alarm, of all.
alarms() { # GATE [OPTION…]
    local gate=$1 first second pairs=0 alarms=0 code says
    shift
    for ((first = 1; first < runs; first++)); do
        for ((second = first + 1; second <= runs; second++)); do
            says=$folder/$gate${1:+-known}-$first-$second.txt
            "$classay" compare "$folder/$first.db" "$folder/$second.db" --gate "$gate" "$@" >"$says" 2>&1
            code=$?
            pairs=$((pairs + 1))
            case $code in
            0) rm "$says" ;;
            1) alarms=$((alarms + 1)) ;;
            *)
                cat "$says" >&2
                exit $code
                ;;
            esac
        done
    done
    printf '%s%s: %d of %d pairs raise an alarm\n' "--gate $gate" "${1:+, with what is known to fail}" $alarms $pairs
    [ $((alarms * 20)) -le $pairs ]
}

worst=0
for gate in failures rates; do
    if [ -n "$expect" ]; then
        alarms $gate
        alarms $gate --expect "$expect" || worst=1
    else
        alarms $gate || worst=1
    fi
done
exit $worst
