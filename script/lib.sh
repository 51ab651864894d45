# What the scripts share. Sourced by each, after `set -euo pipefail`.
# Progress goes to stderr, so that stdout carries only what was asked for.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

die() {
    echo "${0##*/}: $*" >&2
    exit 1
}

as_root() {
    if [[ $(id -u) -eq 0 ]]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "needs root or sudo to run: $*"
    fi
}

apt_get() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" </dev/null >&2
}

# Installs those of the named Debian packages that are missing; says nothing where none is.
need_packages() {
    command -v dpkg-query >/dev/null || die "installs Debian packages, and this is no Debian; it wants: $*"
    local package missing=()
    for package in "$@"; do
        [[ $(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) == installed ]] ||
            missing+=("$package")
    done
    [[ ${#missing[@]} -eq 0 ]] && return
    echo "Installing ${missing[*]}" >&2
    apt_get update
    apt_get install -y --no-install-recommends "${missing[@]}"
}

# build PRESET [TARGET]: configures and builds into build/PRESET.
build() {
    (cd "$root" && cmake --preset "$1" && cmake --build --preset "$1" ${2:+--target "$2"}) >&2
}

# Every C++ file of the project that is tracked or about to be, NUL-separated.
sources() {
    git -C "$root" ls-files -z --cached --others --exclude-standard -- '*.h' '*.cpp'
}
