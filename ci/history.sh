#!/usr/bin/env bash
# The versions of Intel's CPU runtime that PyPI has, one after another, as one history.
#
#   ci/history.sh [VERSION…]     versions of the package intel-opencl-rt; without one, those named below
#
# CLASSAY       the program (target/release/classay)
# FOLDER        where downloads, stores and the page go (target/history)
# SEED          the master seed of every run (1): cases are compared only between runs of one seed
# BUDGET        seconds for each run (60)
# OPTIONS       more options for every run, as in OPTIONS='--jobs 1 --case-timeout 10'
#
# A version is downloaded once. Started again, the script goes on with the cases that runs did not reach. A version that cannot be downloaded or does not open is named and left out. Needs bash, pip and python3.
# Exits as `classay history` does: 1 where the last version is worse than the one before.
set -uo pipefail

classay=${CLASSAY:-target/release/classay}
folder=${FOLDER:-target/history}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
versions=("$@")
if [ $# -eq 0 ]; then
    versions=(2021.4.0 2022.0.1 2022.1.0 2022.2.1 2023.0.0 2023.2.4 2024.0.3 2024.1.2 2024.2.1 2025.0.5
        2025.1.1 2025.2.1 2025.3.3 2026.0.0 2026.1.2 2026.2.0)
fi

# Downloads a package and unpacks it into a folder, unless that is there.
fetch() { # REQUIREMENT FOLDER
    [ -d "$2" ] && return
    local wheels
    wheels=$(mktemp -d)
    if pip download --quiet --no-deps --dest "$wheels" "$1" &&
        python3 -m zipfile --extract "$wheels"/*.whl "$2.part"; then
        mv "$2.part" "$2"
    fi
    rm -r "$wheels"
    [ -d "$2" ]
}

# What the runtime needs beside it: the compiler's libraries of the same version, and of TBB what pip would choose.
version() { # VERSION
    local at=$folder/$1 tbb library libraries
    mkdir -p "$at"
    fetch "intel-opencl-rt==$1" "$at/runtime" || return
    fetch "intel-cmplr-lib-rt==$1" "$at/compiler" || return
    tbb=$(sed -n 's/^Requires-Dist: tbb *(\{0,1\}\(==[0-9.*]*\).*/\1/p' "$at"/runtime/*.dist-info/METADATA)
    fetch "tbb$tbb" "$folder/tbb${tbb//[^0-9]/-}" || return
    library=$(find "$at/runtime" -name libintelocl.so)
    libraries=$(find "$at" "$folder/tbb${tbb//[^0-9]/-}" -name '*.so*' -printf '%h\n' | sort -u | paste -sd:)
    local store=$folder/$1.db
    local run=(run --seed "${SEED:-1}" --store "$store")
    run+=(--expect ci/expectations/intel-2026.yaml --expect ci/expectations/intel-2021.yaml)
    if [ -s "$store" ]; then
        run=(run --resume --store "$store")
    else
        # Options are words.
        # shellcheck disable=SC2206
        run+=(--device "$library" --budget "${BUDGET:-60}" ${OPTIONS:-})
    fi
    LD_LIBRARY_PATH=$libraries "$classay" "${run[@]}" > "$folder/$1.log" 2>&1
    # A failed case is what a history is for.
    [ $? -le 1 ] && [ -s "$store" ]
}

stores=()
for version in "${versions[@]}"; do
    if version "$version"; then
        stores+=("$version=$folder/$version.db")
    else
        echo "$version: cannot be had or does not run; $folder/$version.log may say why" >&2
    fi
done
exec "$classay" history "${stores[@]}" --html "$folder/history.html" --json "$folder/history.json"
