#!/usr/bin/env bash
# A Debian package of classay, of what cargo builds here: the program, its manual pages, completions for bash, zsh
# and fish, the README, and the licences of all that the program is made of.
#
#   ci/deb.sh            writes target/debian/classay_VERSION_ARCHITECTURE.deb and prints its name
#
# MAINTAINER           who the package names ("The classay contributors <noreply@invalid>")
# REVISION             the package's revision of this version (1)
#
# Needs Rust and dpkg-deb. Where `strip` is installed the program goes without lines for backtraces. Packages of one
# commit by one compiler are the same but for the paths of the machine that they are built on.
set -euo pipefail
cd "$(dirname "$0")/.."

target=${CARGO_TARGET_DIR:-target}
cargo build --release --locked >&2
classay=$target/release/classay
version=$("$classay" version | sed -n '1s/^classay //p')-${REVISION:-1}
architecture=$(dpkg --print-architecture)
out=$target/debian
root=$out/root
rm -rf "$root"
mkdir -p "$root/DEBIAN"

install -D -m 755 "$classay" "$root/usr/bin/classay"
if command -v strip >/dev/null; then
    strip --strip-debug "$root/usr/bin/classay"
fi

pages=$root/usr/share/man/man1
"$classay" man --out "$pages"
gzip -9n "$pages"/*

complete() { mkdir -p "$(dirname "$root/$2")" && "$classay" completions "$1" > "$root/$2"; }
complete bash usr/share/bash-completion/completions/classay
complete zsh usr/share/zsh/vendor-completions/_classay
complete fish usr/share/fish/vendor_completions.d/classay.fish

documents=$root/usr/share/doc/classay
install -D -m 644 README.md "$documents/README.md"
{
    echo 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/'
    echo
    echo 'Files: *'
    echo "Copyright: $(sed -n 's/^Copyright (c) //p' LICENSE-MIT)"
    echo 'License: Apache-2.0 or MIT'
    echo 'Comment: crates.txt.gz has the licences of the crates in the program.'
    echo
    echo 'License: Apache-2.0'
    echo ' /usr/share/common-licenses/Apache-2.0'
    echo
    echo 'License: MIT'
    sed -n '/^Permission/,$p' LICENSE-MIT | sed 's/^$/./; s/^/ /'
} > "$documents/copyright"

# What the licences of others ask for: their text goes with the program.
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
cargo tree --locked --package classay --edges normal,build --prefix none --format '{p}|{l}' |
    grep -v ' (/' | sed 's/ (proc-macro)//; s/ (\*)$//' | sort -u |
    while IFS='|' read -r crate licence; do
        printf '== %s: %s\n\n' "$crate" "$licence"
        name=${crate%% v*}-${crate##* v}
        find "$sources"/*/"$name" -maxdepth 1 -type f \
            \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'copyright*' -o -iname 'notice*' \) \
            -print0 | sort -z | xargs -0 --no-run-if-empty cat
        echo
    done | gzip -9n > "$documents/crates.txt.gz"

# The symbols that the program and the libraries within it take from the C library say which versions have them.
libc=$(grep -aohE 'GLIBC_2\.[0-9]+' "$classay" "$target"/release/deps/lib{touchstone,classay_layer,classay_vulkan_layer}.so |
    sort -uV | tail -1)
cat > "$root/DEBIAN/control" <<END
Package: classay
Version: $version
Architecture: $architecture
Maintainer: ${MAINTAINER:-The classay contributors <noreply@invalid>}
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= ${libc#GLIBC_}), libgcc-s1
Recommends: ocl-icd-libopencl1
Suggests: pocl-opencl-icd
Section: devel
Priority: optional
Description: assays OpenCL implementations
 Drives an OpenCL library through litmus tests of the memory model and through
 generated programs of queues, events, memory objects, index spaces and
 kernels, runs each many times, and reports how often each outcome occurs, with
 what certainty, and whether the specification allows it. The reference runtime
 Touchstone comes with it.
END
(cd "$root" && find usr -type f -print0 | sort -z | xargs -0 md5sum > DEBIAN/md5sums)
chmod -R u=rwX,go=rX "$root"

SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || date +%s)}
export SOURCE_DATE_EPOCH
package=$out/classay_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$root" "$package" >/dev/null
rm -r "$root"
echo "$package"
