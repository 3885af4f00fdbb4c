#!/usr/bin/env bash
# The runtime under ThreadSanitizer, with the stable compiler.
#
#     ci/tsan.sh [SECONDS]
#
# builds the runtime and the standard library with the detector and runs
#   - the tests of the queue engine, the executors and the API, ROUNDS times (3 if unset), as other
#     rounds meet other schedules;
#   - the C clients of runtime/opencl/tests/clients, compiled with gcc -fsanitize=thread, on one device and on
#     three, where gcc and the OpenCL headers are installed;
#   - random API calls for SECONDS (60 if not given) with the suppressions of ci/tsan.suppressions.
# Any report fails it (exit code 1); reports go to target/tsan/reports.
#
# How it works without a nightly compiler: the stable toolchain ships the detector's runtime and, as a
# component, the sources of the standard library; RUSTC_BOOTSTRAP lets it take the two -Z options.
# The standard library is built anew because its fences, as in Arc, are invisible to the detector
# unless it is compiled for it. Under the detector the library keeps the system's allocator and
# makes the accesses of kernels with Rust's atomics instead of assembly (the build scripts of runtime/exec and
# runtime/opencl), so that every access, every allocation and every order between threads is seen.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-60}
rounds=${ROUNDS:-3}
triple=x86_64-unknown-linux-gnu
sysroot=$(rustc --print sysroot)
detector=$(ls "$sysroot/lib/rustlib/$triple"/lib/librustc-*_rt.tsan.a 2>/dev/null | head -1)
if [ -z "$detector" ]; then
    echo "tsan.sh: the toolchain in $sysroot has no ThreadSanitizer for $triple" >&2
    exit 2
fi
if [ ! -d "$sysroot/lib/rustlib/src/rust/library" ]; then
    echo "tsan.sh: the sources of the standard library are missing: rustup component add rust-src" >&2
    exit 2
fi

export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=thread"
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target}/tsan
reports=$CARGO_TARGET_DIR/reports
rm -rf "$reports"
mkdir -p "$reports"
options="exitcode=66 log_path=$reports/report"
export TSAN_OPTIONS=$options
cargo=(-Zbuild-std=std,panic_unwind,test --target "$triple")
failed=0

step() { printf '\n== %s\n' "$*"; }

# A run that fails is noted; the others still run.
run() {
    if ! "$@"; then
        echo "tsan.sh: failed: $*" >&2
        failed=1
    fi
}

# The model test plays on shuttle's single thread; tests/clients.rs compiles its programs without the
# detector.
tests=(--lib --test threads --test it --test api --test coarse --test flush --test images --test many --test soak)
packages=(-p touchstone-queue -p touchstone-exec -p touchstone)
for round in $(seq "$rounds"); do
    step "tests, round $round of $rounds"
    run cargo test "${cargo[@]}" "${packages[@]}" "${tests[@]}" -- --quiet
done

step "C clients"
cargo build "${cargo[@]}" -p touchstone
library=$CARGO_TARGET_DIR/$triple/debug/libtouchstone.so
if [ -e /usr/include/CL/cl.h ] && command -v gcc >/dev/null; then
    folder=$(dirname "$library")
    for name in vector_add leave bounds behaviours; do
        # gcc instruments the client; the one detector of the process is Rust's, in the program.
        gcc -std=gnu11 -g -O1 -fsanitize=thread -DCL_USE_DEPRECATED_OPENCL_1_2_APIS \
            -c "runtime/opencl/tests/clients/$name.c" -o "$folder/$name.o"
        gcc "$folder/$name.o" -o "$folder/$name" -rdynamic -no-pie \
            -Wl,--whole-archive "$detector" -Wl,--no-whole-archive \
            -L"$folder" -l:libtouchstone.so -Wl,-rpath,"$folder" -lpthread -ldl -lm -lstdc++
    done
    for devices in 1 3; do
        run env TOUCHSTONE_DEVICES=$devices "$folder/vector_add"
        run env TOUCHSTONE_DEVICES=$devices "$folder/leave" "$library"
        run env TOUCHSTONE_DEVICES=$devices TOUCHSTONE_TIME_LIMIT=0.1 TOUCHSTONE_ZERO_DIVISION=error "$folder/bounds" "$library"
        run env TOUCHSTONE_DEVICES=$devices "$folder/behaviours"
    done
else
    echo "gcc or the OpenCL headers are missing: skipped"
fi

step "random API calls, $seconds s"
export TSAN_OPTIONS="$options suppressions=$PWD/ci/tsan.suppressions"
run cargo run "${cargo[@]}" -p touchstone --example fuzz_api -- "$seconds"

step "reports"
count=$(cat "$reports"/* 2>/dev/null | grep -c '^WARNING: ThreadSanitizer' || true)
echo "$count reports in $reports"
cat "$reports"/* 2>/dev/null | grep '^SUMMARY' | sort | uniq -c || true
if [ "$failed" -ne 0 ] || [ "$count" -ne 0 ]; then
    exit 1
fi
