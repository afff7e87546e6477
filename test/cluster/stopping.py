#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The rows of contrib/stopping: one a run of stopping.sh, four ends of slurmctld.

    stopping.py kept ROWS RELEASE PART      exit 0 if there is such a row, and a good one
    stopping.py keep ROWS RELEASE PART COMMIT NEW   add the row of the file NEW
    stopping.py table ROWS                  the page; exit 1 if act is worse

Figures are pairs: act, stock Slurm.  Act is worse if it starts anything late, or loses more by a
way of ending than chance does to so many ends (by_chance.py): one end may lose a whole round of
launches.
"""
import sys

import row_file
from by_chance import chance

LEAST_P = .01  # a dozen figures are looked at

HEAD = """\
# slurmctld ends in the midst of a burst, stock Slurm and mode act

Written by `contrib/stopping`. 60 jobs start, slowed down alike on both, so that slurmctld ends
among them (test/cluster/stopping.sh). *Without a process*: RUNNING, once all has come to rest,
and never begun. *Late*: starts after slurmctld was told to end. Figures are those of act, then
those of stock Slurm, which loses the launches that wait in its agent. *Ends*: of act, of stock,
that lost any. *p*: the chance that act loses as many more as it does, were it like stock, end by
end (test/cluster/by_chance.py); below 0.01 it is worse.

| release | end | times | jobs | without a process | ends | p | late |
|---|---|---:|---:|---:|---:|---:|---:|
"""


def is_good(row):
    return not row['failed'] and not row['late'][0]


def key_of(row):
    return row['release'], row['part']


def keep(path, release, part, commit, new):
    row_file.keep(path, [dict(r, release=release, part=int(part), commit=commit)
        for r in row_file.read(new)], key_of)


def table(path):
    all_rows, worse = row_file.read(path), False
    print(HEAD, end='')
    for release in sorted({r['release'] for r in all_rows}):
        mine = [r for r in all_rows if r['release'] == release]
        late = [sum(r['late'][k] for r in mine) for k in (0, 1)]
        worse |= late[0] > 0
        for end in sorted({e for r in mine for e in r['ends']}):
            lost = [r['ends'][end] for r in mine if end in r['ends']]
            p = chance([a - s for a, s in lost])
            worse |= p < LEAST_P
            print('| %s | %s | %d | %d | %d, %d | %d, %d | %.2g | |' % (release, end, len(lost),
                len(lost) * mine[0]['jobs'], *(sum(x[k] for x in lost) for k in (0, 1)),
                *(sum(x[k] > 0 for x in lost) for k in (0, 1)), p))
        print('| %s | all | %d | %d | %d, %d | | | %d, %d |' % (release,
            sum(len(r['ends']) for r in mine), sum(len(r['ends']) * r['jobs'] for r in mine),
            *(sum(x[k] for r in mine for x in r['ends'].values()) for k in (0, 1)), *late))
    print('\nCommits: %s. Act is %s.' % (', '.join(sorted({r['commit'] for r in all_rows})),
        'worse' if worse else 'not shown to be worse in any'))
    return worse


def main():
    what, rest = sys.argv[1], sys.argv[2:]
    if what == 'kept':
        return not any(is_good(r) for r in row_file.read(rest[0])
            if key_of(r) == (rest[1], int(rest[2])))
    if what == 'keep':
        return keep(*rest)
    return table(rest[0])


if __name__ == '__main__':
    sys.exit(main())
