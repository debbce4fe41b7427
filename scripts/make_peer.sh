#!/bin/sh
# Make the environment of the peer that `make parity` compares with: OpenMed 3.1.0 and nothing of
# ours. Does nothing where it's there already. The peer's version is pinned here and in
# verification/parity/peer_process.py, which refuses any other.
set -eu

directory=${1:-.venv-parity}
python=${PYTHON:-python3}

if "$directory/bin/python" -I -c 'import openmed.agent' 2>/dev/null; then
    exit 0
fi
echo "Setting up $directory …"
"$python" -m venv "$directory"
"$directory/bin/python" -m pip install --quiet --disable-pip-version-check 'openmed==3.1.0'
