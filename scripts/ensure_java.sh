#!/bin/sh
# Makes sure that `java` can be run; TLC needs it. Does nothing where it can.
set -eu

if java -version >/dev/null 2>&1; then
    exit 0
fi
if command -v apt-get >/dev/null 2>&1 && [ "$(id -u)" -eq 0 ]; then
    echo "Installing a Java runtime …" >&2
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends default-jre-headless >&2
    java -version >/dev/null 2>&1 && exit 0
fi
echo "Java is missing: install a Java runtime (version 11 or newer, headless is enough)," >&2
echo "for example the package default-jre-headless, so that \`java\` is found. V4 isn't run without." >&2
exit 1
