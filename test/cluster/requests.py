#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws sbatch requests, and compares what two clusters do with them.

requests.py shapes [RELEASE]          names of the cluster shapes (that RELEASE can hold)
requests.py conf SHAPE DIR            files of a shape into DIR; prints contrib/vcluster's
                                      options, one a line
requests.py sql SHAPE                 what sacctmgr is told for a shape; may be nothing
requests.py qos SHAPE                 partitions and their QOS, for slurm.conf once slurmdbd
                                      knows them; may be nothing
requests.py draw SHAPE SEED COUNT     requests, one a line
requests.py compare SHAPE OPTION...   see test/cluster/requests.sh

A request is a line of sbatch options.  It is drawn from the random numbers of (seed,
shape, its number) alone: the same three give the same request.

One at a time: both clusters are idle, the request is given to both.  Either both refuse
it, with the same words, or both accept it; and act starts as many of its array tasks as
stock does, within LIMIT_S of its start.  What differs is tried once more with more
patience, and is a failure only if it differs again.  act never starts a job on fewer CPUs
than it asks for; what stock starts on fewer, as below switches -n5 -c3 on 4 nodes of 4, act
may leave.  Where act gives jobs with a profile whole nodes by its policy (place=cover), it
need start only as many tasks as stock starts without a node in common.  With slice=gang all
jobs have whole nodes, and those between the first and the last, too (a node is a processor
of the matrix): it need start only as many as stock starts with no node of one among or
between another's.  On n1 to n6, of which n5 and n6 are large, stock gives two tasks n1,n5 and
n2,n6; no two pairs of neighbours have a large node each.

All at once: both get the same queue of short jobs, no heterogeneous ones (behind some of
these stock's queue stands still, while act's goes on).  What runs under stock must run under
act, and the last end of these may be 1.25 times as late, and ALLOWANCE_S more: act looks
once a second, so that the first start and the one after each end of a chain come up to a
second later (jobs here sleep 1 to 5 s, and chains are short), and Slurm's times are whole
seconds.  What fails is tried once more, too.  A job that stock leaves on an idle cluster, for
a limit, it may run in the queue, where cores that others leave happen to make it fit (five
processes that QOS lets have two CPUs a node): that act need not.
"""

import argparse
import math
import os
import random
import re
import shlex
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

LIMIT_S = 3.0       # act's time to start, from stock's start on
LEFT_S = 2.0        # stock, which decides each second, leaves what it did not start by then
PATIENT_S = 6.0     # both, at the second try
SOME = 9            # of so many requests stock starts at least one
FACTOR = 1.25
ALLOWANCE_S = 3.0
LONGEST_S = 5       # of the jobs of a mixed queue
NOTHING_RAN = 'stock ran nothing'  # of a mixed queue

VCLUSTER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '../../contrib/vcluster')

# --- shapes -------------------------------------------------------------------------------
#
# up: options of contrib/vcluster; files: beside slurm.conf; the rest is what the drawing
# knows: nodes, cpus (of the largest node), memory (MB a node), and words for options.

PLAIN_NODES = ['--nodes', '6', '--memory', '4000',
    '--node', 'n[1-2] Feature=red', '--node', 'n[3-4] Feature=blue',
    '--node', 'n[5-6] ThreadsPerCore=2 Feature=red,big Gres=gpu:2',
    '--set', 'GresTypes=gpu', '--set', 'DefMemPerCPU=100', '--set', 'Licenses=lic:3']
GPU_FILES = {'gres.conf': 'NodeName=n[5-6] Name=gpu File=/dev/null\n'
    'NodeName=n[5-6] Name=gpu File=/dev/zero\n'}


def partitions(*lines):
    out = []
    for line in lines:
        out += ['--set', 'PartitionName=' + line]
    return out


SHAPES = {
    # The two on which the first requests failed.
    'cores': dict(
        up=PLAIN_NODES + ['--select-params', 'CR_Core'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'b Nodes=ALL MaxNodes=3 MaxTime=30'),
        files=GPU_FILES, nodes=6, cpus=8, memory=4000, parts=['b', 'b,main', 'main,b'],
        features=['red', 'blue', 'big'], gpus=['gpu:1', 'gpu:2']),
    'memory': dict(
        up=PLAIN_NODES + ['--select-params', 'CR_Core_Memory',
            '--set', 'TopologyPlugin=topology/tree'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'b Nodes=ALL MaxNodes=3 MaxTime=30 MaxCPUsPerNode=3'),
        files=dict(GPU_FILES, **{'topology.conf':
            'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-6]\n'}),
        nodes=6, cpus=8, memory=4000, parts=['b', 'b,main', 'main,b'],
        features=['red', 'blue', 'big'], gpus=['gpu:1', 'gpu:2'], tree=True),
    # Threads everywhere: an ordinary x86 site.
    'threads': dict(
        up=['--nodes', '5', '--threads', '2', '--memory', '4000',
            '--select-params', 'CR_Core_Memory', '--set', 'DefMemPerCPU=200',
            '--node', 'n[1-2] Feature=red Weight=5', '--node', 'n[3-4] Feature=blue',
            '--node', 'n5 CoresPerSocket=4 Feature=big TmpDisk=100',
            '--set', 'Licenses=lic:3'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'b Nodes=n[1-4] MaxTime=30 MaxCPUsPerNode=5'),
        nodes=5, cpus=16, memory=4000, parts=['b', 'b,main'],
        features=['red', 'blue', 'big'], threads=True),
    'gpus': dict(
        up=['--nodes', '4', '--cores', '4', '--memory', '8000',
            '--select-params', 'CR_Core_Memory', '--set', 'GresTypes=gpu',
            '--set', 'DefMemPerCPU=100',
            '--node', 'n[1-2] Gres=gpu:a:2 Feature=red',
            '--node', 'n3 Gres=gpu:b:4 Feature=blue'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'g Nodes=n[1-3] MaxTime=30 DefMemPerGPU=1000 DefCpuPerGPU=2'),
        files={'gres.conf':
            'NodeName=n[1-2] Name=gpu Type=a File=/dev/null Cores=0-3\n'
            'NodeName=n[1-2] Name=gpu Type=a File=/dev/zero Cores=4-7\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/null Cores=0-3\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/zero Cores=0-3\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/full Cores=4-7\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/random Cores=4-7\n'},
        nodes=4, cpus=8, memory=8000, parts=['g', 'g,main', 'main,g'],
        features=['red', 'blue'],
        gpus=['gpu:1', 'gpu:2', 'gpu:4', 'gpu:a:1', 'gpu:a:2', 'gpu:b:1', 'gpu:b:3']),
    # GPUs without Cores: of any type, and of two types on a node.
    'devices': dict(
        up=['--nodes', '4', '--cores', '4', '--memory', '8000',
            '--select-params', 'CR_Core', '--set', 'GresTypes=gpu',
            '--node', 'n[1-2] Gres=gpu:4 Feature=red',
            '--node', 'n3 Gres=gpu:a:2,gpu:b:2 Feature=blue'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'b Nodes=n[2-4] MaxNodes=2 MaxTime=30'),
        files={'gres.conf':
            'NodeName=n[1-2] Name=gpu File=/dev/null\n'
            'NodeName=n[1-2] Name=gpu File=/dev/zero\n'
            'NodeName=n[1-2] Name=gpu File=/dev/full\n'
            'NodeName=n[1-2] Name=gpu File=/dev/random\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/null\n'
            'NodeName=n3 Name=gpu Type=a File=/dev/zero\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/full\n'
            'NodeName=n3 Name=gpu Type=a File=/dev/random\n'},
        nodes=4, cpus=8, memory=8000, parts=['b', 'b,main', 'main,b'],
        features=['red', 'blue'],
        gpus=['gpu:1', 'gpu:2', 'gpu:3', 'gpu:a:1', 'gpu:a:2', 'gpu:b:1', 'gpu:b:2']),
    # Cores kept for GPUs, on nodes of one partition and of two.
    'restricted': dict(
        release=(24, 5),
        up=['--nodes', '4', '--cores', '4', '--memory', '8000',
            '--select-params', 'CR_Core', '--set', 'GresTypes=gpu',
            '--node', 'n[1-2] Gres=gpu:a:2 RestrictedCoresPerGPU=2 Feature=red',
            '--node', 'n3 Gres=gpu:b:4 Feature=blue'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'g Nodes=n[1-2] MaxTime=30', 'c Nodes=n[3-4] MaxTime=30'),
        files={'gres.conf':
            'NodeName=n[1-2] Name=gpu Type=a File=/dev/null Cores=0-3\n'
            'NodeName=n[1-2] Name=gpu Type=a File=/dev/zero Cores=4-7\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/null Cores=0-3\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/zero Cores=0-3\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/full Cores=4-7\n'
            'NodeName=n3 Name=gpu Type=b File=/dev/random Cores=4-7\n'},
        nodes=4, cpus=8, memory=8000, parts=['g', 'c', 'c,g', 'g,main'],
        features=['red', 'blue'],
        gpus=['gpu:1', 'gpu:2', 'gpu:4', 'gpu:a:1', 'gpu:a:2', 'gpu:b:1', 'gpu:b:3']),
    'tree': dict(
        up=['--nodes', '8', '--select-params', 'CR_Core',
            '--set', 'TopologyPlugin=topology/tree', '--node', 'n[2,5] Weight=3',
            '--node', 'n[1-4] Feature=red', '--node', 'n[5-8] Feature=blue'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60', 'b Nodes=n[2-7] MaxTime=30'),
        files={'topology.conf':
            'SwitchName=s1 Nodes=n[1-2]\nSwitchName=s2 Nodes=n[3-4]\n'
            'SwitchName=s3 Nodes=n[5-6]\nSwitchName=s4 Nodes=n[7-8]\n'
            'SwitchName=m1 Switches=s[1-2]\nSwitchName=m2 Switches=s[3-4]\n'
            'SwitchName=top Switches=m[1-2]\n'},
        nodes=8, cpus=4, memory=2000, parts=['b', 'b,main'], features=['red', 'blue'],
        tree=True),
    'block': dict(
        release=(24, 11),
        up=['--nodes', '8', '--select-params', 'CR_Core',
            '--set', 'TopologyPlugin=topology/block'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60', 'b Nodes=n[2-7] MaxTime=30'),
        files={'topology.conf': 'BlockName=b1 Nodes=n[1-4]\nBlockName=b2 Nodes=n[5-8]\n'
            'BlockSizes=2,4\n'},
        nodes=8, cpus=4, memory=2000, parts=['b', 'b,main'], tree=True, block=True),
    'partitions': dict(
        up=['--nodes', '6', '--memory', '4000', '--select-params', 'CR_Core_Memory',
            '--set', 'DefMemPerCPU=', '--node', 'n[5-6] CoresPerSocket=4 Weight=2',
            '--node', 'n[1-2] Feature=red', '--node', 'n[3-6] Feature=blue',
            '--set', 'Licenses=lic:3'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60 DefMemPerCPU=300',
            'two Nodes=ALL MaxNodes=2 MaxTime=30 DefMemPerNode=1000',
            'wide Nodes=ALL MinNodes=2 MaxTime=30',
            'thin Nodes=ALL MaxCPUsPerNode=2 MaxTime=30 DefMemPerCPU=100 MaxMemPerCPU=800',
            'own Nodes=n[1-4] OverSubscribe=EXCLUSIVE MaxTime=30',
            'over Nodes=n[3-6] OverSubscribe=FORCE:1 MaxTime=30 DefMemPerCPU=100',
            'mine Nodes=ALL ExclusiveUser=YES MaxTime=30 DefMemPerCPU=100',
            'lln Nodes=ALL LLN=YES MaxTime=30 DefMemPerCPU=100'),
        nodes=6, cpus=8, memory=4000, features=['red', 'blue'],
        parts=['two', 'wide', 'thin', 'own', 'over', 'mine', 'lln', 'two,wide', 'thin,main',
            'own,thin', 'wide,two,main', 'lln,main', 'over,two']),
    'limits': dict(
        up=['--nodes', '6', '--memory', '4000', '--select-params', 'CR_Core_Memory',
            '--set', 'DefMemPerCPU=100', '--node', 'n[5-6] CoresPerSocket=4'] + partitions(
            'main Nodes=ALL Default=YES MaxTime=60',
            'q Nodes=ALL MaxTime=30'),
        part_qos={'q': 'part'},
        sql=['add qos node1 set GrpTRES=node=1', 'add qos node2 set MaxTRESPerJob=node=2',
            'add qos cpu6 set MaxTRESPerJob=cpu=6', 'add qos mem2 set GrpTRES=mem=2000',
            'add qos cpn2 set MaxTRESPerNode=cpu=2',
            'add qos cpn8 set MaxTRESPerNode=cpu=8', 'add qos min set MinTRES=cpu=4',
            'add qos wall set MaxWall=10', 'add qos mins set MaxTRESMinsPerJob=cpu=40',
            'add qos jobs set GrpJobs=1', 'add qos deny set MaxTRESPerJob=node=2 flags=DenyOnLimit',
            'add qos part set MaxTRESPerJob=node=3',
            'add account small cluster={cluster} set MaxTRESPerJob=node=2',
            'add account tiny cluster={cluster} set GrpTRES=cpu=4,node=2',
            'add account any cluster={cluster}',
            'add user root cluster={cluster} account=any,small,tiny defaultaccount=any '
            'qos=normal,node1,node2,cpu6,mem2,cpn2,cpn8,min,wall,mins,jobs,deny,part'],
        nodes=6, cpus=8, memory=4000, parts=['q', 'q,main'],
        qos=['node1', 'node2', 'cpu6', 'mem2', 'cpn2', 'cpn8', 'min', 'wall', 'mins', 'jobs', 'deny'],
        accounts=['small', 'tiny']),
}

# --- drawing ------------------------------------------------------------------------------


def some_nodes(r, s, most):
    n = r.randint(1, most)
    first = r.randint(1, s['nodes'])
    picks = sorted({(first + i * r.choice([1, 1, 2]) - 1) % s['nodes'] + 1 for i in range(n)})
    return ','.join('n%d' % i for i in picks)


def draw_constraint(r, s):
    f = s['features']
    a, b = r.choice(f), r.choice(f)
    return '-C', r.choice([a, a, '%s|%s' % (a, b), '%s&%s' % (a, b), '[%s|%s]' % (a, b),
        '%s*%d' % (a, r.randint(1, 3)), '[%s*%d&%s*%d]' % (a, r.randint(1, 2), b,
        r.randint(1, 2)), '!' + a if s.get('not') else a])


def draw_nodes(r, s):
    a = r.randint(1, s['nodes'])
    b = r.randint(a, s['nodes'])
    return '-N%d' % a if r.random() < .55 else '-N%d-%d' % (a, b)


def joined(option, *values):
    return lambda r, s: (option + str(r.choice(values)),)


def flag(name):
    return lambda r, s: (name,)


def of(option, key):
    return lambda r, s: ('%s=%s' % (option, r.choice(s[key])),)


def gpu_count(r, s):
    return r.choice(s['gpus'])[len('gpu:'):]


# weight, group (one of a group at most), what the shape must have, the drawing
OPTIONS = [
    (5, 'size', '', lambda r, s: (draw_nodes(r, s),)),
    (7, 'pernode', '', lambda r, s: ('--ntasks-per-node=%d' % r.randint(1, s['cpus'] - 1),)),
    (4, 'mincpus', '', lambda r, s: ('--mincpus=%d' % r.randint(1, s['cpus'] // 2 + 1),)),
    (4, 'c', '', lambda r, s: ('-c%d' % r.choice([1, 2, 2, 3, 4, s['cpus'] // 2]),)),
    (4, 'w', '', lambda r, s: ('-w', some_nodes(r, s, 3))),
    (3, 'x', '', lambda r, s: ('-x', some_nodes(r, s, 3))),
    (6, 'mem', '', lambda r, s: (r.choice(['--mem=0', '--mem=0', '--mem=100',
        '--mem=%d' % (s['memory'] // 2), '--mem=%d' % s['memory'], '--mem-per-cpu=500',
        '--mem-per-cpu=%d' % (s['memory'] // 4), '--mem-per-cpu=%d' % (s['memory'] // 3),
        '--mem-per-cpu=0']),)),
    (2, 'gpu', 'gpus', lambda r, s: ('--mem-per-gpu=%d' % (s['memory'] // r.choice([8, 4, 2])),
        r.choice(['--gpus=', '--gpus-per-node=']) + gpu_count(r, s))),
    (4, 'gpu', 'gpus', lambda r, s: ('--gres=' + r.choice(s['gpus']),)),
    (3, 'gpu', 'gpus', lambda r, s: ('--gpus=' + gpu_count(r, s),)),
    (14, 'gpu', 'kinds', lambda r, s: (r.choice(['--gres=gpu:', '--gpus=', '--gpus-per-node=',
        '--gpus-per-task=']) + gpu_count(r, s),)),
    (3, 'gpu', 'gpus', lambda r, s: ('--gpus-per-node=' + gpu_count(r, s),)),
    (2, 'gpu', 'gpus', lambda r, s: ('--gpus-per-task=' + gpu_count(r, s),)),
    (1, 'gpu', 'gpus', lambda r, s: ('--gpus-per-socket=' + gpu_count(r, s),
        '--sockets-per-node=%d' % r.randint(1, 2))),
    (1, 'gpu', 'gpus', lambda r, s: ('--ntasks-per-gpu=%d' % r.randint(1, 3),
        '--gpus=' + gpu_count(r, s))),
    (1, 'gpu', 'gpus', lambda r, s: ('--gres=' + r.choice(s['gpus']), '--gres-flags=' +
        r.choice(['enforce-binding', 'disable-binding']))),
    (2, 'gpu', 'gpus', lambda r, s: ('--cpus-per-gpu=%d' % r.randint(1, 3),
        '--gpus=' + gpu_count(r, s))),
    (4, 'hint', '', joined('--hint=', 'multithread', 'nomultithread', 'compute_bound',
        'memory_bound')),
    (2, 'hint', '', joined('--threads-per-core=', 1, 1, 2)),
    (2, 'hint', '', joined('--ntasks-per-core=', 1, 1, 2)),
    (2, 'persocket', '', joined('--ntasks-per-socket=', 1, 2, 3)),
    (2, 'sockets', '', joined('--sockets-per-node=', 1, 2)),
    (2, 'cores', '', joined('--cores-per-socket=', 1, 2, 2, 4)),
    (1, 'sockets', '', joined('-B', '1', '2', '2:2', '1:2:1', '2:1:1', '*:2', '2:2:2',
        '*:*:1')),
    (2, 'spec', '', joined('--core-spec=', 0, 1, 1, 2)),
    (1, 'spec', '', joined('--thread-spec=', 1, 2)),
    (2, 'order', '', flag('--contiguous')),
    (2, 'order', '', flag('--spread-job')),
    (2, 'order', '', flag('--use-min-nodes')),
    (1, 'switches', '', joined('--switches=', '1', '1@1', '2', '2@5')),
    (6, 'switches', 'tree', joined('--switches=', '1', '1@1', '2', '2@5')),
    (4, 'segment', 'block', joined('--segment=', 1, 2, 2, 4)),
    (2, 'exclusive', '', joined('--exclusive', '', '', '=user')),
    (2, 'exclusive', '', flag('--oversubscribe')),
    (1, 'overcommit', '', flag('--overcommit')),
    (3, 'm', '', joined('-m', 'block', 'cyclic', 'plane=2', 'cyclic:block', 'block:cyclic',
        'cyclic:cyclic', 'block:fcyclic', 'block,Pack', 'block,NoPack', 'cyclic:block:fcyclic')),
    (4, 'C', 'features', draw_constraint),
    (5, 'p', 'parts', lambda r, s: ('-p', r.choice(s['parts']))),
    (12, 'p', 'many', lambda r, s: ('-p', r.choice(s['parts']))),
    (3, 'array', '', joined('--array=', '0-1', '0-2', '1-4%2', '0')),
    (2, 'timemin', '', joined('--time-min=', 1, 3)),
    (1, 'time', '', joined('-t', 1, 10, 30, 45, 90)),
    (1, 'lic', 'lic', joined('-Llic:', 1, 2, 3)),
    (1, 'tmp', '', joined('--tmp=', 0, 50)),
    (14, 'qos', 'qos', of('--qos', 'qos')),
    (5, 'account', 'accounts', of('--account', 'accounts')),
    (5, 'profile', '', joined('--comment=cosched:profile=', *'abcd')),
]


def usable(s):
    has = {k for k, v in s.items() if v}
    if len(s.get('parts', ())) > 4:
        has.add('many')
    if len(s.get('gpus', ())) > 4:
        has.add('kinds')
    if any('Licenses=' in o for o in s['up']):
        has.add('lic')
    return [o for o in OPTIONS if not o[2] or o[2] in has]


def draw_component(r, s):
    options, left = [], usable(s)
    most = s['cpus'] * s['nodes'] // 2
    if r.random() < .8:
        options.append('-n%d' % r.choice([1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16,
            r.randint(1, most), r.randint(1, most)]))
    for _ in range(r.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4])):
        pick = r.choices(left, [o[0] for o in left])[0]
        left = [o for o in left if o[1] != pick[1]]
        options += pick[3](r, s)
    return options or ['-n1']


# Stock slurmctld 24.11.5 dies (in topology/default) of one of these with --spread-job.
TOTAL_GPUS = {'--gpus', '--gpus-per-task', '--gpus-per-socket', '--ntasks-per-gpu'}


def draw(shape, seed, number):
    """The request of that number: a list of words."""
    s = SHAPES[shape]
    r = random.Random('%s %s %d' % (seed, shape, number))
    words = draw_component(r, s)
    if r.random() < .03 and not any(w.startswith('--array') for w in words):
        other = [w for w in draw_component(r, s) if not w.startswith('--array')]
        words += [':'] + other
    if TOTAL_GPUS & {w.split('=')[0] for w in words}:
        words = [w for w in words if w != '--spread-job']
    return words


def text(words):
    return ' '.join(w if w == ':' else shlex.quote(w) for w in words)


# --- a cluster ----------------------------------------------------------------------------


class Dead(Exception):
    """A slurmctld is no more."""

    def __str__(self):
        return self.args[0].name


class Cluster:
    def __init__(self, name, conf, prefix, work):
        self.name, self.prefix = name, prefix
        self.env = {k: v for k, v in os.environ.items()
            if not k.startswith(('SLURM_', 'SBATCH_', 'SQUEUE_'))}
        self.env.update(SLURM_CONF=conf, SBATCH_TIMELIMIT='5',
            COSCHED_VCLUSTER=os.path.dirname(conf))
        self.script = os.path.join(work, 'sleeper')
        self.work = work
        self.dir = os.path.dirname(conf)

    def lives(self):
        try:
            with open(os.path.join(self.dir, 'run/slurmctld.pid')) as f:
                os.kill(int(f.read()), 0)
            return True
        except (OSError, ValueError):
            return False

    def revive(self):
        """Start slurmctld again, without the job that it died of."""
        state = os.path.join(self.dir, 'state')
        for name in os.listdir(state):
            if name.startswith('job_state'):
                os.unlink(os.path.join(state, name))
        for what in (['start-ctld'], ['wait-idle', '60']):
            rc, said = self.call(VCLUSTER, *what)
            if rc:
                raise SystemExit('%s does not start again: %s' % (self.name, said))

    def call(self, *words):
        p = subprocess.run(words, env=self.env, cwd=self.work, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        return p.returncode, p.stdout.strip()

    def submit(self, words, sleep_s):
        """Number of the job, 0 if refused; what was said; the time of the answer."""
        rc, said = self.call('sbatch', '--parsable', '-o', '/dev/null', *words, self.script,
            str(sleep_s))
        at = time.monotonic()
        last = said.splitlines()[-1].split(';')[0] if said else ''
        return (int(last) if rc == 0 and last.isdigit() else 0), said, at

    def rows(self, *more):
        """Each living job: a dict."""
        keys = ('id', 'base', 'state', 'nodes', 'cpus', 'list', 'start', 'end', 'reason')
        for _ in range(20):
            if not self.lives():
                raise Dead(self)
            rc, out = self.call('squeue', '-h', '-a', '-o', '%i|%F|%T|%D|%C|%N|%S|%e|%r', *more)
            if rc == 0:
                return [dict(zip(keys, line.split('|', 8))) for line in out.splitlines()]
            time.sleep(.5)
        raise SystemExit('squeue of %s fails: %s' % (self.name, out))

    def cancel(self, job):
        if job:
            self.call('scancel', '--quiet', str(job))

    def clear(self):
        """Cancel what there is; wait until nothing is left."""
        until = time.monotonic() + 60
        while True:
            rows = self.rows()
            if not rows:
                return
            if time.monotonic() > until:
                raise SystemExit('%s does not get idle: %s' % (self.name, rows))
            ids = {w['base'] for w in rows if w['state'] not in ('COMPLETING',)}
            if ids:
                self.call('scancel', '--quiet', *sorted(ids))
            time.sleep(.15)


RAN = ('RUNNING', 'COMPLETING', 'CONFIGURING', 'COMPLETED', 'TIMEOUT')


def started(rows):
    """How many of the rows have started; of a heterogeneous job all or none."""
    n = sum(w['state'] in RAN for w in rows)
    if any('+' in w['id'] for w in rows) and n < len(rows):
        return 0
    return n


def held(rows):
    """What the started rows hold, for people."""
    run = [w for w in rows if w['state'] in RAN]
    if not run:
        return 'pending: ' + '; '.join(sorted({w['reason'] for w in rows}) or ['gone'])
    return 'started ' + ', '.join('%s %s (%s)' % (w['nodes'], w['cpus'], w['list']) for w in run)


def hosts(text):
    """The nodes of 'n[1-3,5]'."""
    out = set()
    for prefix, inside, plain in re.findall(r'(\w+)\[([^]]+)\]|(\w+)', text):
        for part in inside.split(',') if inside else ():
            first, _, last = part.partition('-')
            out |= {prefix + str(i) for i in range(int(first), int(last or first) + 1)}
        if plain:
            out.add(plain)
    return out


def span(text):
    """The same and what is between them."""
    at = [int(h.lstrip('n')) for h in hosts(text)]
    return {'n%d' % i for i in range(min(at), max(at) + 1)} if at else set()


def apart(rows, of, taken=frozenset()):
    """How many of what has started could run at once if no two had a node in common; @of,
    hosts or span, says what each has."""
    best, left = 0, [w for w in rows if w['state'] in RAN]
    for i, w in enumerate(left):
        if not of(w['list']) & taken:
            best = max(best, 1 + apart(left[i + 1:], of, taken | of(w['list'])))
    return best


def number(words, option):
    """The value of -n5 and its like; 1 without."""
    given = [w[len(option):] for w in words if w.startswith(option) and w[len(option):].isdigit()]
    return int(given[-1]) if given else 1


def short(rows, words):
    """Has one that started fewer CPUs than it asks for? (Slurm's own mistake, with a tree
    and -c on nodes whose cores are no multiple of it.)"""
    if ':' in words or '--overcommit' in words:
        return False
    asked = number(words, '-n') * number(words, '-c')
    return any(w['state'] in RAN and int(w['cpus']) < asked for w in rows)


class Watch:
    """One request on one cluster, from its submission until it has started."""

    def __init__(self, cluster, submitted):
        self.cluster = cluster
        self.job, self.said, self.at = submitted
        self.tasks, self.rows, self.after = 0, [], None

    def look(self, want=1):
        """Has it started (want tasks of it)?"""
        self.rows = self.cluster.rows()
        if not self.rows:   # it ended: by itself it does not
            self.rows = [w for w in self.cluster.rows('-t', 'all') if w['base'] == str(self.job)]
        n = started(self.rows)
        if n > self.tasks or self.after is None and n:
            self.tasks, self.after = n, time.monotonic() - self.at
        return self.tasks >= want

    def age(self):
        return time.monotonic() - self.at

    def looked_at(self):
        """Has the scheduler said why it waits?"""
        return any(w['reason'] != 'None' for w in self.rows)


class Result:
    def __init__(self):
        self.kind, self.fault, self.detail, self.delay, self.note = '', '', '', 0., ''


def answer(said):
    """sbatch's refusal without what names the cluster or the job."""
    return [line for line in said.splitlines() if line.startswith('sbatch: error')]


def try_request(pool, stock, act, words, patient):
    try:
        return try_living(pool, stock, act, words, patient)
    except Dead:
        time.sleep(1)   # the other may be dying of the same
        dead = [c for c in (stock, act) if not c.lives()]
        for c in dead:
            c.revive()
        for c in (stock, act):
            c.clear()
        res = Result()
        res.kind = 'fatal'
        res.detail = res.note = 'slurmctld dies of it: ' + ' and '.join(c.name for c in dead)
        if stock not in dead:
            res.fault = 'slurmctld dies of it in act'
        return res


def several_partitions(words):
    return any(a == '-p' and ',' in b for a, b in zip(words, words[1:]))


def held_for_a_partition(words, rows):
    """Slurm's own main loop holds a job one of whose partitions has no nodes that could
    ever hold it, if it comes there before the job has started elsewhere: in stock and in
    act by chance (24.11.5: `-n8 -c2 -p b,main`)."""
    return several_partitions(words) and {w['reason'] for w in rows} == {'BadConstraints'}


def forbids(words, reasons):
    """Does stock leave a request for a limit?  That holds for act, too; where stock
    finds no room act may.  The limit of a partition is no word on others that a
    component names; of those it may say the last that it looked at.  Nor is a
    partition whose nodes could never hold the job: stock 24.11.5 then leaves
    `-n8 -c2 -p b,main`, which it starts as -p main."""
    room = {'None', 'Resources', 'Priority'}
    if several_partitions(words):
        room.add('BadConstraints')
        if 'Resources' in reasons:
            room |= {'PartitionNodeLimit', 'PartitionTimeLimit'}
    return bool(reasons - room)


def try_living(pool, stock, act, words, patient):
    res = Result()
    left_s, limit_s = (PATIENT_S, PATIENT_S) if patient else (LEFT_S, LIMIT_S)
    both = [pool.submit(c.submit, words, 90) for c in (stock, act)]
    s, a = (Watch(c, f.result()) for c, f in zip((stock, act), both))
    try:
        if not s.job or not a.job:
            res.kind = 'refused'
            if bool(s.job) != bool(a.job):
                res.fault = 'stock accepts, act refuses' if s.job else 'stock refuses, act accepts'
            elif answer(s.said) != answer(a.said):
                res.fault = 'refused with other words'
            res.detail = 'stock: %s\nact: %s' % (s.said, a.said)
            return res
        pause = .05
        want, settled = 1, None
        while True:
            looks = []
            if not s.tasks or settled is None:
                looks.append(pool.submit(s.look))
            if a.tasks < want or not s.tasks:
                looks.append(pool.submit(a.look))
            for f in looks:
                f.result()
            if s.tasks and settled is None:
                # the other tasks of an array come in the same pass
                pending = any(w['state'] == 'PENDING' for w in s.rows)
                if not pending or s.age() > s.after + 1.2:
                    settled, want = True, s.tasks
                    if act.whole == 'all' or act.whole and 'profile=' in ' '.join(words):
                        of = span if act.whole == 'all' else hosts
                        want = min(want, max(1, apart(s.rows, of)))
            if settled and a.tasks >= want:
                break
            if settled and min(a.age(), s.age()) > (s.after or 0.) + limit_s:
                break
            if not s.tasks and s.age() > (left_s if s.looked_at() else PATIENT_S):
                break
            time.sleep(pause)
            pause = min(pause * 1.5, .25)
        if not s.tasks:
            res.kind = 'left'
            if a.tasks and forbids(words, {w['reason'] for w in s.rows}):
                res.fault = 'stock leaves it, act starts it'
        else:
            res.kind = 'started'
            res.delay = a.after or 0.
            if a.tasks < want:
                res.fault = 'stock starts it, act does not' if not a.tasks else \
                    'act starts %d tasks of %d' % (a.tasks, want)
            elif res.delay > (s.after or 0.) + LIMIT_S:
                res.fault = 'act starts it after %.1f s, stock after %.1f' % (res.delay, s.after)
            elif short(a.rows, words) and not short(s.rows, words):
                res.fault = 'act starts it on fewer CPUs than it asks for'
        if res.fault and a.tasks < want and s.tasks and short(s.rows, words):
            res.kind, res.fault = 'short', ''
        if res.fault and not a.tasks and held_for_a_partition(words, a.rows):
            res.kind, res.fault = 'held', ''
        res.detail = 'stock: %s\nact: %s' % (held(s.rows), held(a.rows))
        if res.fault and not a.tasks:
            rc, said = act.call(os.path.join(act.prefix, 'bin/cosched'), 'explain', str(a.job))
            res.detail += '\nexplain: ' + said.replace('\n', '\n    ')
        res.note = '%s -> %s' % (held(s.rows), held(a.rows))
        return res
    finally:
        for f in [pool.submit(c.clear) for c in (stock, act)]:
            f.result()


# --- the modes ----------------------------------------------------------------------------


class Report:
    def __init__(self, shape, save):
        self.shape, self.save = shape, save
        self.bad, self.tried, self.began = 0, 0, 0

    def ok(self, line):
        print('ok - requests: %s: %s' % (self.shape, line), flush=True)

    def fault(self, line, detail, request=None):
        self.bad += 1
        print(''.join(['not ok - requests: %s: %s\n' % (self.shape, line)] +
            ['    %s\n' % d for d in detail.splitlines()[:14]]), end='', flush=True)
        if self.save and request:
            with open(self.save, 'a') as f:
                f.write('%s %s\t# %s\n' % (self.shape, request, detail.split('\nexplain')[0]
                    .replace('\n', '; ')))


def one_at_a_time(pool, stock, act, report, what, requests, verbose):
    count, delay, again = {}, 0., 0
    failed = set()
    t0 = time.monotonic()
    for words in requests:
        res = try_request(pool, stock, act, words, False)
        if res.fault:
            first, res = res.fault, try_request(pool, stock, act, words, True)
            if not res.fault:
                again += 1
                if verbose:
                    print('# once: %s: %s' % (text(words), first))
        if not res.fault:
            count[res.kind] = count.get(res.kind, 0) + 1
        delay = max(delay, res.delay)
        if verbose:
            print('# %s: %s %.1f s: %s' % (text(words), res.kind, res.delay,
                res.note or res.detail.splitlines()[0]), flush=True)
        if res.fault:
            failed.add(text(words))
            report.fault('%s: %s' % (text(words), res.fault), res.detail, text(words))
    line = '%s, %d requests: %d started, %d left, %d refused%s, as by stock; act\'s longest ' \
        'start %.1f s, %d only at the second try; %.1f s each' % (what, len(requests),
        count.get('started', 0), count.get('left', 0), count.get('refused', 0),
        ''.join(', %d %s' % (count[k], why) for k, why in (
            ('short', 'that stock starts on fewer CPUs than asked and act does not'),
            ('held', 'that Slurm holds in act for one of its partitions'),
            ('fatal', 'that slurmctld dies of')) if k in count),
        delay, again, (time.monotonic() - t0) / max(1, len(requests)))
    report.tried += len(requests)
    report.began += count.get('started', 0)
    if failed:
        print('# %s (%d failed)' % (line, len(failed)), flush=True)
    else:
        report.ok(line)
    return failed


def seconds(when):
    return time.mktime(time.strptime(when, '%Y-%m-%dT%H:%M:%S'))


class Queue:
    """A mixed queue on one cluster."""

    def __init__(self, cluster):
        self.cluster, self.jobs, self.ran, self.rows = cluster, {}, {}, []
        self.begin, self.quiet, self.seen = None, None, None
        self.preempted = set()

    def fill(self, requests):
        self.begin = time.time()
        for i, (words, sleep_s) in enumerate(requests):
            job, said, _ = self.cluster.submit(words, sleep_s)
            if job:
                self.jobs[i] = job

    def look(self):
        self.rows = self.cluster.rows('-t', 'all')
        by = {}
        for w in self.rows:
            if w['state'] in ('COMPLETED', 'TIMEOUT'):
                by.setdefault(w['id'].split('+')[0].split('_')[0], []).append(w)
        self.ran = {i: by[str(j)] for i, j in self.jobs.items() if str(j) in by}
        gone = {w['base'] for w in self.rows if w['state'] == 'PREEMPTED'}
        self.preempted = {i for i, j in self.jobs.items() if str(j) in gone}
        live = [(w['id'], w['state']) for w in self.rows
            if w['state'] in ('RUNNING', 'COMPLETING', 'PENDING', 'CONFIGURING')]
        now = time.monotonic()
        if live != self.seen or any(s != 'PENDING' for _, s in live):
            self.seen, self.quiet = live, now
        return not live or now - self.quiet > 5

    def makespan(self, of):
        return max(seconds(w['end']) for i in of for w in self.ran[i]) - self.begin

    def done(self, i, runs):
        """Has job i run so often, or been cancelled for one of a higher tier?"""
        return len(self.ran.get(i, ())) >= runs or i in self.preempted

    def start(self, i):
        return max(seconds(w['start']) for w in self.ran[i]) - self.begin


def all_at_once(pool, stock, act, report, requests):
    """Twice at most; what the second try shows counts.  It submits in the reverse order: a
    rule that loses time does so in both, the chance of who stands where in one."""
    for last in (False, True):
        try:
            faults, line = queue_of_both(pool, stock, act, requests[::-1] if last else requests)
        except Dead as dead:
            faults, line = [('slurmctld of %s dies of the queue' % dead, '')], ''
            for c in (stock, act):
                if not c.lives():
                    c.revive()
        for f in [pool.submit(c.clear) for c in (stock, act)]:
            f.result()
        faults = [f for f in faults if not by_chance(pool, stock, act, requests, *f)]
        if not faults:
            report.ok('all at once: ' + line)
            return
        if not last:
            print('# all at once: %s; once more (%s)' % (line, '; '.join(f[0] for f in faults)),
                flush=True)
    for fault, detail, *_ in faults:
        report.fault('all at once: ' + fault, detail)
    print('# all at once: ' + line, flush=True)


def by_chance(pool, stock, act, requests, fault, detail, words=None):
    """Does stock leave it on an idle cluster?  Or all, if it ran nothing (a reservation may
    have all nodes)?"""
    tried = [words] if words else [r[0] for r in requests] if fault == NOTHING_RAN else []
    if not tried or any(try_request(pool, stock, act, w, False).kind not in ('left', 'refused')
            for w in tried):
        return False
    print('# all at once: %s; nor does stock on an idle cluster' % fault, flush=True)
    return True


def queue_of_both(pool, stock, act, requests):
    """What is wrong: (line, detail) each, of a job that act does not run its request, too; and
    the figures in a line."""
    s, a = queues = [Queue(c) for c in (stock, act)]
    for f in [pool.submit(q.fill, requests) for q in queues]:
        f.result()
    until = time.monotonic() + 60 + 5 * len(requests)
    limit = None
    while time.monotonic() < until:
        done = [pool.submit(q.look) for q in queues]
        done = [f.result() for f in done]
        if done[0]:
            if all(a.done(i, len(s.ran[i])) for i in s.ran):
                break
            limit = limit or s.begin + 2 * s.makespan(s.ran) + 10
            if time.time() > limit:
                break
        time.sleep(.5)
    faults = []
    if not s.ran and (s.jobs or a.jobs):
        faults.append((NOTHING_RAN, ''))
    running = ', '.join('%s on %s' % (w['id'], w['list']) for w in a.rows
        if w['state'] in ('RUNNING', 'COMPLETING')) or 'none'
    # Whom PreemptMode=CANCEL ends is up to who runs when a higher tier comes: their number
    # counts, and what chance does to one like it.
    chance = len(a.preempted) <= len(s.preempted) + 2 + 2 * math.sqrt(len(s.preempted))
    for i in s.ran:
        if len(a.ran.get(i, ())) >= len(s.ran[i]) or chance and i in a.preempted:
            continue
        job = str(a.jobs.get(i, 0))
        why = '; '.join(w['state'] + ' ' + w['reason'] for w in a.rows if w['base'] == job)
        rc, said = act.call(os.path.join(act.prefix, 'bin/cosched'), 'explain', job)
        faults.append(('act does not run %s' % text(requests[i][0]),
            'act: %s; running: %s\nexplain: %s' % (why, running, said.replace('\n', '\n    ')),
            requests[i][0]))
    both = [i for i in s.ran if i in a.ran]
    line = 'nothing ran under both'
    if both:
        ts, ta = s.makespan(both), a.makespan(both)
        line = 'the last of %d jobs of %d ends after %.1f s, under stock %.1f' % (
            len(both), len(requests), ta, ts)
        if a.preempted or s.preempted:
            line += '; %d preempted, under stock %d' % (len(a.preempted), len(s.preempted))
        if ta > FACTOR * ts + ALLOWANCE_S:
            late = sorted(both, key=lambda i: s.start(i) - a.start(i))[:6]
            faults.insert(0, (line, '\n'.join('start %.0f s, under stock %.0f: %s' % (
                a.start(i), s.start(i), text(requests[i][0])) for i in late)))
    return faults, line


def read_list(name, shape):
    """Requests of a file for a shape: 'SHAPE OPTIONS # what for'; without a shape, of all."""
    out = []
    with open(name) as f:
        for line in f:
            words = shlex.split(line, comments=True)
            if not words:
                continue
            if words[0] in SHAPES:
                if words.pop(0) != shape:
                    continue
            out.append(words)
    return out


def compare(args):
    report = Report(args.shape, args.save)
    with open(os.path.join(args.work, 'sleeper'), 'w') as f:
        code = SHAPES[args.shape].get('exit') # of the first run of the longest
        f.write('#!/bin/sh\nexec sleep "$1"\n' if not code else
            '#!/bin/sh\nsleep "$1"\n[ "$1" -ne %d ] || [ -n "$SLURM_RESTART_COUNT" ] || exit %s\n'
            % (LONGEST_S, code))
    stock = Cluster('stock', args.stock, args.prefix, args.work)
    act = Cluster('act', args.act, args.prefix, args.work)
    act.whole = args.whole
    verbose = bool(args.verbose)
    with ThreadPoolExecutor(4) as pool:
        failed = set()
        for what, name in (('from %s' % args.file, args.file), ('the list', args.list)):
            if not name:
                continue
            requests = read_list(name, args.shape)
            if requests:
                failed |= one_at_a_time(pool, stock, act, report, what, requests, verbose)
        if args.count:
            requests = [draw(args.shape, args.seed, i) for i in range(args.count)]
            failed |= one_at_a_time(pool, stock, act, report, 'seed %s' % args.seed, requests,
                verbose)
        if report.tried >= SOME and not report.began:
            report.fault('stock starts none of %d requests' % report.tried,
                'nothing was compared: are the nodes of both clusters there?')
        if args.mixed:
            r = random.Random('%s %s mixed' % (args.seed, args.shape))
            # numbers of their own; what has failed alone is told already
            requests = [(draw(args.shape, args.seed, 100000 + i), r.randint(1, LONGEST_S))
                for i in range(args.mixed)]
            all_at_once(pool, stock, act, report,
                [q for q in requests if text(q[0]) not in failed and ':' not in q[0]])
    return 0


def release_of(words):
    return tuple(int(x) for x in words.split('.')[:2]) if words else (99, 0)


def main():
    what, rest = (sys.argv[1:2] or ['--help'])[0], sys.argv[2:]
    if what == 'shapes':
        release = release_of(rest[0] if rest else '')
        print('\n'.join(n for n, s in SHAPES.items() if s.get('release', (0,)) <= release))
    elif what == 'conf':
        s = SHAPES[rest[0]]
        for name, content in s.get('files', {}).items():
            with open(os.path.join(rest[1], name), 'w') as f:
                f.write(content)
        words = list(s['up'])
        for name in s.get('files', {}):
            words += ['--file', os.path.join(rest[1], name)]
        print('\n'.join(words))
    elif what == 'sql':
        print('\n'.join(SHAPES[rest[0]].get('sql', [])))
    elif what == 'qos':
        for part, qos in SHAPES[rest[0]].get('part_qos', {}).items():
            print(part, qos)
    elif what == 'draw':
        for i in range(int(rest[2])):
            print(text(draw(rest[0], rest[1], i)))
    elif what == 'compare':
        p = argparse.ArgumentParser()
        p.add_argument('shape')
        for o in ('stock', 'act', 'prefix', 'work', 'seed', 'list', 'file', 'save', 'verbose', 'whole'):
            p.add_argument('--' + o, default='')
        for o in ('count', 'mixed'):
            p.add_argument('--' + o, type=int, default=0)
        return compare(p.parse_args(rest))
    else:
        print(__doc__)
        return what not in ('-h', '--help')
    return 0


if __name__ == '__main__':
    sys.exit(main())
