#!/usr/bin/env bash
# Runs OpenCL programs that others wrote, as registries offer them and unmodified, on Touchstone, on PoCL
# and on Intel's CPU runtime, and prints what passes where.
#
#     ci/clients.sh [client ...]       all of them without a name; `ci/clients.sh list` names them
#
#     FOLDER    where programs are installed and results go; a later run uses what is there
#               (target/clients)
#     LIBRARY   Touchstone's library; built when not given
#     INTEL     the library of Intel's CPU runtime; without, it is left out
#     RUN_ON    the implementations, of touchstone, pocl and intel (all that are there)
#     JOBS      cases at a time (the number of cores)
#
# Needs python3 with venv, the ICD loader (libOpenCL.so.1), and for programs from Debian's registry
# apt-get; PoCL where it is to be compared. Leaves the system as it is: programs are unpacked into
# $FOLDER. Writes $FOLDER/table.md, and every case with its outcome to $FOLDER/results.tsv.
# Exits with 1 when a case fails on Touchstone that ci/clients/expected.txt does not name.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=$(mkdir -p "${FOLDER:-target/clients}" && cd "${FOLDER:-target/clients}" && pwd)

# What is fetched: the versions whose results ci/README.md shows.
python_packages=(pyopencl==2026.1.4 numpy==2.4.6 mako pytest pytest-timeout pytest-xdist)
python_sources=(pyopencl==2026.1.4)
debian_packages=(
    clinfo clpeak piglit libwaffle-1-0
    clblast-tests libclblast1 libblas3 libgfortran5 clfft-client libclfft2
    hashcat hashcat-data libminizip1 libxxhash0
)

fail() {
    echo "clients.sh: $*" >&2
    exit 2
}

if [ "${1:-}" = list ]; then
    exec python3 ci/clients/run.py list
fi

install_python() {
    [ -e "$folder/python.done" ] && return
    echo "clients.sh: installing ${python_packages[*]}"
    python3 -m venv "$folder/venv" || fail "python3 lacks its venv module (Debian: python3-venv)"
    "$folder/venv/bin/pip" install --quiet "${python_packages[@]}" ||
        fail "pip cannot install the Python clients: is the Python registry reached?"
    local package
    for package in "${python_sources[@]}"; do
        "$folder/venv/bin/pip" download --quiet --no-deps --no-binary "${package%%=*}" \
            --dest "$folder/sources" "$package" ||
            fail "pip cannot download the source of $package: is the Python registry reached?"
        tar -xf "$folder/sources/${package%%=*}-${package##*=}.tar.gz" -C "$folder/sources"
    done
    touch "$folder/python.done"
}

unpack_debian() {
    if ! apt-cache show "$1" >/dev/null 2>&1; then
        [ "$(id -u)" -eq 0 ] || fail "apt does not know $1: run apt-get update as root first"
        apt-get update -qq || fail "apt-get update fails: is Debian's registry reached?"
    fi
    (cd "$folder/debian" && apt-get download -qq "$1" 2>"$folder/apt.log") ||
        fail "apt-get cannot download $1: is Debian's registry reached?"
    dpkg-deb -x "$folder/debian/$1"_*.deb "$folder/root"
}

install_debian() {
    [ "$(cat "$folder/debian.done" 2>/dev/null)" = "${debian_packages[*]}" ] && return
    echo "clients.sh: unpacking ${debian_packages[*]}"
    command -v apt-get dpkg-deb >/dev/null || fail "no apt-get and dpkg-deb: this is no Debian"
    rm -rf "$folder/debian" "$folder/root"
    mkdir -p "$folder/debian"
    local package
    for package in "${debian_packages[@]}"; do
        unpack_debian "$package"
    done
    # What clFFT's client needs of Boost has its version, which is the release's, in its name.
    for package in $(apt-cache depends clfft-client | grep -o 'libboost-program-options[0-9.]*'); do
        unpack_debian "$package"
    done
    echo "${debian_packages[*]}" >"$folder/debian.done"
}

# An implementation is chosen with a folder that has one .icd file; the loader reads no other.
icd() {
    mkdir -p "$folder/icd/$1"
    echo "$2" >"$folder/icd/$1/$1.icd"
}

if [ -z "${LIBRARY:-}" ]; then
    cargo build --release --package touchstone
    LIBRARY=${CARGO_TARGET_DIR:-target}/release/libtouchstone.so
fi
[ -f "$LIBRARY" ] || fail "$LIBRARY is no file"
icd touchstone "$(realpath "$LIBRARY")"
there=(touchstone)
pocl=$(cat /etc/OpenCL/vendors/pocl*.icd 2>/dev/null | head -n 1 || true)
if [ -n "$pocl" ]; then
    icd pocl "$pocl"
    there+=(pocl)
else
    echo "clients.sh: PoCL is not installed (Debian: pocl-opencl-icd); it is left out"
fi
if [ -n "${INTEL:-}" ]; then
    [ -f "$INTEL" ] || fail "INTEL names $INTEL, which is no file"
    icd intel "$INTEL"
    there+=(intel)
fi

install_python
install_debian
read -r -a chosen <<<"${RUN_ON:-${there[*]}}"
exec "$folder/venv/bin/python" ci/clients/run.py "$folder" "${chosen[*]}" "${JOBS:-$(nproc)}" "$@"
