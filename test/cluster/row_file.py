# SPDX-License-Identifier: GPL-2.0-or-later
"""
Files of JSON lines in which contrib's storms, settings and stopping keep what has run.
"""
import json
import os


def read(path):
    """The rows of a file; none if there is no such file"""
    try:
        with open(path) as f:
            return [json.loads(line) for line in f if line.strip()]
    except FileNotFoundError:
        return []


def keep(path, new, key):
    """Add rows to a file, each in place of an older one of the same key(row), in its order"""
    rows = {key(r): r for r in read(path) + new}
    with open(path + '.new', 'w') as f:
        for k in sorted(rows):
            f.write(json.dumps(rows[k], sort_keys=True) + '\n')
    os.replace(path + '.new', path)
