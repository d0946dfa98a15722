#!/bin/sh
# Installs Chromium where it is missing, as root on Debian and its relatives; elsewhere says so, and fails.
as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}
command -v chromium >/dev/null && exit 0
if command -v apt-get >/dev/null && as_root true 2>/dev/null; then
    as_root apt-get update -q && as_root apt-get install -q -y --no-install-recommends chromium && exit 0
fi >/dev/null 2>&1
echo "Nothing is played in a browser: Chromium is missing, and could not be installed (on Debian, as root: apt-get install chromium)."
exit 1
