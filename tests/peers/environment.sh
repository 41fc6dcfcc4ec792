# Sourced with $root set: makes the virtual environment of the peers if it is not there or its
# requirements changed, and sets $python to its interpreter.
venv=$root/target/venvs/peers
python=$venv/bin/python
wanted=$root/tests/peers/requirements.txt
if ! cmp -s "$wanted" "$venv/requirements.txt"; then
    python3 -m venv "$venv"
    "$python" -m pip install --quiet --disable-pip-version-check --requirement "$wanted"
    cp "$wanted" "$venv/requirements.txt"
fi
