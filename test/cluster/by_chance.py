# SPDX-License-Identifier: GPL-2.0-or-later
"""
Has act lost more than stock Slurm, or is the difference chance?

Problem.  Faults strike two clusters at the same moments, and what each costs is counted on
both.  One fault takes many at once: a kill forgets all that was submitted since slurmctld last
saved, a reconfigure may lose a whole round of launches.  So 12 lost against 6 may be one fault
of 10 and a handful of ones and twos on either side, and says nothing.

Rule.  Were act like stock, the two counts of a fault might as well be exchanged.  p is the part
of all 2^n ways to exchange those of n faults in which act has as many more as it has, or more
still: the sign test by sums, exact.

Example.  Differences 10, 1, -1, -1, -1, -2 and -2 have the sum 4, and p = 1/2 within a
hundredth; ten faults of one each against none have p = 1/1024.
"""


def chance(differences):
    """p of these differences, act's less stock's, one of each fault; 1 if there are none"""
    ways = {0: 1.}  # sum: part of all ways that have it
    for d in filter(None, differences):
        more = {}
        for s, part in ways.items():
            for t in (s + d, s - d):
                more[t] = more.get(t, 0) + part / 2
        ways = more
    least = sum(differences)
    return min(1., sum(part for s, part in ways.items() if s >= least))
