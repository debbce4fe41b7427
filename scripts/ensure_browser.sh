#!/bin/sh
# Makes sure that Chromium, Node and npm can be run, and that the npm packages of the browser tests
# are there. Does nothing where they are.
set -eu

cd "$(dirname "$0")/.."
ready() {
    { command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null 2>&1 &&
        command -v node >/dev/null 2>&1 && command -v npm >/dev/null 2>&1
}

if ! ready; then
    if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
        echo "Installing Chromium, and Node where it is missing …" >&2
        apt-get update -qq >&2
        packages="chromium fonts-dejavu-core"
        command -v npm >/dev/null 2>&1 || packages="$packages nodejs npm"
        # shellcheck disable=SC2086  # a list of packages
        DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages >&2
    fi
    ready || {
        echo "Chromium, node or npm is missing: install them, so that they are found." >&2
        exit 1
    }
fi
if [ ! -e tests/browser/node_modules/.package-lock.json ] ||
    [ tests/browser/package.json -nt tests/browser/node_modules/.package-lock.json ]; then
    npm install --prefix tests/browser --no-package-lock --no-audit --no-fund --silent
    touch tests/browser/node_modules/.package-lock.json
fi
