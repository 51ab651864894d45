# What the scripts share. Sourced by each, after `set -euo pipefail`.
# Progress goes to stderr, so that stdout carries only what was asked for.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

# Installs those of the named Debian packages that are missing; says nothing where none is.
need_packages() {
    command -v dpkg-query >/dev/null || die "installs packages on Debian only; it wants $*"
    local package missing=() as_root=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    if [[ $(id -u) -ne 0 ]]; then
        command -v sudo >/dev/null || die "neither root nor sudo here to install ${missing[*]}"
        as_root=(sudo)
    fi
    local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300)
    echo "Installing ${missing[*]}" >&2
    "${apt[@]}" update </dev/null >&2
    "${apt[@]}" install -y --no-install-recommends "${missing[@]}" </dev/null >&2
}

# build PRESET [TARGET]: configures and builds into build/PRESET.
build() {
    (cd "$root" && cmake --preset "$1" && cmake --build --preset "$1" ${2:+--target "$2"}) >&2
}

# Every C++ file of the project, NUL-separated.
sources() {
    find "$root" \( -path "$root/build" -o -path "$root/out" \) -prune -o \
        -type f \( -name '*.h' -o -name '*.cpp' \) -print0
}
