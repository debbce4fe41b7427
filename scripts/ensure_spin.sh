#!/bin/sh
# Makes sure that `spin` and a C compiler can be run; only the benchmark of the checkers needs
# them. Does nothing where they can.
set -eu

ready() { spin -V >/dev/null 2>&1 && gcc --version >/dev/null 2>&1; }

if ready; then
    exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
    echo "Installing spin and gcc …" >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends spin gcc libc6-dev >&2
    ready && exit 0
fi
echo "SPIN or gcc is missing: install the packages spin and gcc. The benchmark says so where" >&2
echo "it goes without." >&2
exit 1
