#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Draws slurm.conf: keys that bear on scheduling, with odd values.

settings.py show SEED NUMBER RELEASE   a configuration: its shape, its keys
settings.py conf SEED NUMBER RELEASE DIR [--params] [--honoured]
                                       files into DIR; contrib/vcluster's options, one a
                                       line; --params: SchedulerParameters instead;
                                       --honoured: without the keys of named
settings.py named SEED NUMBER RELEASE  keys that mode act does not honour, one a line
settings.py whole SEED NUMBER RELEASE  has it no CR_Core?
settings.py resv SEED NUMBER RELEASE   scontrol's words for a reservation; may be nothing
settings.py compare SEED NUMBER RELEASE OPTION...   as requests.py's, without a shape
settings.py keys COUNT                 each list and key that COUNT configurations set, by the
                                       name of the list in doc/admin/settings.md, with a tab
settings.py row SEED NUMBER RELEASE FILE VERDICT COMMIT FAULTS   add a row to FILE
settings.py kept FILE SEED NUMBER RELEASE           is its row there, as it is drawn now?
settings.py table FILE                 the rows as Markdown, but for those drawn otherwise now

A configuration is one of requests.py's shapes and some of the knobs below.  It is drawn
from the random numbers of (seed, its number) alone; what a release does not know is left
out.  Most have honoured keys only; every third may have some that are not, which `cosched
doctor` must name beforehand.
"""

import copy
import hashlib
import json
import os
import random
import re
import sys

import requests
import row_file

BASES = ['cores', 'memory', 'threads', 'gpus', 'tree', 'partitions']
NEW, OLD, BOTH = '24.11', '22.05', ''

# --- knobs ---------------------------------------------------------------------------------
#
# (list, key, release, values): a value is drawn; of a list of items '' is the bare key.

SCHED = [(k, rel, v) for k, rel, v in (
    ('allow_zero_lic', BOTH, ['']), ('batch_sched_delay', BOTH, ['0', '1']),
    ('bf_interval', BOTH, ['1', '2']), ('bb_array_stage_cnt', BOTH, ['1', '7']),
    ('bf_allow_magnetic_slot', NEW, ['']), ('bf_licenses', BOTH, ['']),
    ('bf_one_resv_per_job', BOTH, ['']), ('bf_window', BOTH, ['1', '7', '4320']),
    ('bf_min_age_reserve', BOTH, ['1', '600']), ('bf_min_prio_reserve', BOTH, ['1', '4000000000']),
    ('correspond_after_task_cnt', BOTH, ['1', '3']), ('defer', BOTH, ['']),
    ('defer_batch', NEW, ['']), ('delay_boot', BOTH, ['0', '30']), ('enable_user_top', BOTH, ['']),
    ('extra_constraints', NEW, ['']), ('ignore_constraint_validation', NEW, ['']),
    ('ignore_prefer_validation', BOTH, ['']), ('max_array_tasks', BOTH, ['3', '500']),
    ('max_switch_wait', BOTH, ['1', '3']), ('no_backup_scheduling', BOTH, ['']),
    ('pack_serial_at_end', BOTH, ['']), ('preempt_reorder_count', BOTH, ['3']),
    ('preempt_strict_order', BOTH, ['']), ('preempt_youngest_first', BOTH, ['']),
    ('spec_cores_first', BOTH, ['']), ('bf_continue', BOTH, ['']), ('bf_resolution', BOTH, ['1', '600']),
    ('bf_yield_interval', BOTH, ['1000', '9000000']), ('bf_max_time', BOTH, ['2', '600']),
    ('max_rpc_cnt', BOTH, ['150']), ('max_rpc_count', BOTH, ['150']), ('sched_min_interval', BOTH, ['1', '500000']),
    ('bf_running_job_reserve', BOTH, ['']), ('bf_window_linear', BOTH, ['10']),
    ('whole_hetjob', BOTH, ['']))]
NOT_HONOURED = [
    ('assoc_limit_stop', BOTH, ['']), ('bf_busy_nodes', BOTH, ['']),
    ('bf_hetjob_prio', BOTH, ['min', 'max']), ('bf_job_part_count_reserve', BOTH, ['1']),
    ('bf_max_job_array_resv', BOTH, ['1']), ('bf_max_job_part', BOTH, ['1', '5']),
    ('bf_max_job_start', BOTH, ['1']), ('bf_max_job_test', BOTH, ['3']),
    ('bf_max_job_user', BOTH, ['1', '4']), ('bf_max_job_assoc', BOTH, ['1']),
    ('bf_max_job_user_part', BOTH, ['1', '3']), ('bf_topopt_enable', NEW, ['']),
    ('bf_topopt_iterations', NEW, ['2']), ('default_queue_depth', BOTH, ['2']),
    ('partition_job_depth', BOTH, ['1']), ('reduce_completing_frag', BOTH, ['']),
    ('sched_max_job_start', BOTH, ['1']), ('time_min_as_soft_limit', NEW, ['']),
    ('no_such_key', BOTH, ['1'])]
NOT_LINES = [('TopologyParam', BOTH, 'Dragonfly'), ('PreemptParameters', NEW, 'reclaim_licenses')]
SELECT = ['CR_ONE_TASK_PER_CORE', 'CR_CORE_DEFAULT_DIST_BLOCK', 'CR_LLN', 'CR_PACK_NODES']
SELECT_NEW = ['LL_SHARED_GRES', 'MULTIPLE_SHARING_GRES_PJ', 'ENFORCE_BINDING_GRES',
    'ONE_TASK_PER_SHARING_GRES']
# instead of CR_Core, CR_Core_Memory: all by Slurm's own test
# (CR_CPU_Memory twice: of four all would be drawn anew)
WHOLE = ['CR_CPU', 'CR_CPU_Memory', 'CR_CPU_Memory', 'CR_Socket', 'CR_Socket_Memory']
PREEMPT = ['min_exempt_priority=5', 'reorder_count=3', 'send_user_signal', 'strict_order',
    'suspend_grace_time=2', 'youngest_first']
PRIORITY = ['ACCRUE_ALWAYS', 'CALCULATE_RUNNING', 'DEPTH_OBLIVIOUS', 'INCR_ONLY', 'MAX_TRES',
    'NO_FAIR_TREE', 'NO_NORMAL_ALL', 'NO_NORMAL_ASSOC', 'NO_NORMAL_PART', 'NO_NORMAL_QOS',
    'NO_NORMAL_TRES', 'SMALL_RELATIVE_TO_TIME']
# stock 24.11 dies of these without slurmdbd: its decay thread follows the root association
FATAL_24_11 = ['DEPTH_OBLIVIOUS', 'NO_FAIR_TREE']
CTLD = [('idle_on_node_suspend', BOTH), ('max_powered_nodes=9', NEW),
    ('node_reg_mem_percent=90', BOTH), ('preempt_send_user_signal', BOTH)]
EXIT = '99' # what the first run of some jobs of the mixed queue ends with
CLUSTER = [
    ('AllowSpecResourcesUsage', BOTH, ['YES']), ('CompleteWait', BOTH, ['1', '2']),
    ('DependencyParameters', BOTH, ['kill_invalid_depend', 'disable_remote_singleton']),
    ('EnforcePartLimits', BOTH, ['ALL', 'ANY', 'NO']), ('EpilogSlurmctld', BOTH, ['/bin/true']),
    ('FairShareDampeningFactor', BOTH, ['5']), ('JobRequeue', BOTH, ['0']),
    ('MaxBatchRequeue', NEW, ['1']), ('MaxArraySize', BOTH, ['2', '4']),
    ('MaxMemPerCPU', BOTH, ['400', '1500']), ('MaxMemPerNode', BOTH, ['1500', '3900']),
    ('MaxTasksPerNode', BOTH, ['2', '512']), ('MCSPlugin', BOTH, ['mcs/user']),
    ('PriorityCalcPeriod', BOTH, ['1']), ('PriorityFavorSmall', BOTH, ['YES']),
    ('PriorityMaxAge', BOTH, ['1-0']), ('PriorityParameters', BOTH, ['any=1']),
    ('PrologFlags', BOTH, ['Alloc', 'NoHold']), ('PrologSlurmctld', BOTH, ['/bin/true']),
    ('RequeueExit', BOTH, [EXIT, '1-%s' % EXIT]), ('RequeueExitHold', BOTH, [EXIT]),
    ('ResvOverRun', BOTH, ['5', 'UNLIMITED']),
    ('ReturnToService', BOTH, ['1']), ('SchedulerTimeSlice', BOTH, ['7']),
    ('SchedulerType', BOTH, ['sched/backfill']), ('SuspendExcNodes', BOTH, ['n1']),
    ('SuspendExcParts', BOTH, ['main']), ('SuspendExcStates', NEW, ['DRAIN']),
    ('TaskPlugin', BOTH, ['task/none']), ('TopologyParam', BOTH, ['TopoOptional']),
    ('KillWait', BOTH, ['1', '9']), ('OverTimeLimit', BOTH, ['0', '7', 'UNLIMITED'])]
WEIGHTS = ['PriorityWeightAge', 'PriorityWeightAssoc', 'PriorityWeightJobSize',
    'PriorityWeightPartition', 'PriorityWeightQOS', 'PriorityWeightTRES']
NODE = [('Boards=1', BOTH), ('CoreSpecCount=1', BOTH), ('CPUSpecList=0', BOTH),
    ('MemSpecLimit=300', BOTH), ('Features=odd', BOTH), ('Weight=7', BOTH), ('TmpDisk=40', BOTH)]
# on nodes of as many cores with two threads each
CPUS = {'threads': (1, 4), 'cores': (5, 6)}
PART = [('AllocNodes=ALL', BOTH), ('AllocNodes=elsewhere', BOTH), ('AllowGroups=root', BOTH),
    ('DenyAccounts=nobody', BOTH),
    ('AllowQos=ALL', BOTH), ('AllowQos=other', BOTH), ('DenyQos=nobody', BOTH),
    ('RootOnly=YES', BOTH),
    ('DisableRootJobs=NO', BOTH), ('DisableRootJobs=YES', BOTH),
    ('ReqResv=NO', BOTH), ('ReqResv=YES', BOTH), ('ExclusiveTopo=YES', NEW),
    ('MaxCPUsPerSocket=2', NEW), ('MaxMemPerNode=1000', BOTH), ('MaxMemPerCPU=500', BOTH),
    ('PowerDownOnIdle=NO', NEW),
    ('Priority=10', BOTH), ('ResumeTimeout=30', BOTH), ('SelectTypeParameters=CR_Socket', BOTH),
    ('Shared=NO', BOTH), ('Shared=EXCLUSIVE', BOTH), ('Shared=FORCE:2', BOTH),
    ('State=DOWN', BOTH), ('State=DRAIN', BOTH), ('State=INACTIVE Alternate=main', BOTH),
    ('SuspendTime=900', BOTH),
    ('SuspendTimeout=10', BOTH), ('TRESBillingWeights=CPU=1.0,Mem=0.25G', BOTH),
    ('LLN=YES', BOTH), ('DefaultTime=3', BOTH), ('MaxCPUsPerNode=3', BOTH), ('Hidden=YES', BOTH),
    ('OverTimeLimit=3', BOTH), ('PriorityTier=7', BOTH),
    ('PriorityJobFactor=9', BOTH), ('GraceTime=2', BOTH), ('MaxNodes=2', BOTH), ('MinNodes=2', BOTH),
    ('ExclusiveUser=YES', BOTH)]
# Slurm takes one of them and has an error for the other
OTHER = {'Shared': ['OverSubscribe'], 'MaxMemPerCPU': ['MaxMemPerNode'],
    'MaxMemPerNode': ['MaxMemPerCPU']}
RESV = [('HOURLY', BOTH), ('WEEKDAY', BOTH), ('WEEKEND', BOTH), ('WEEKLY', BOTH),
    ('FIRST_CORES', OLD), ('NO_HOLD_JOBS_AFTER_END', BOTH), ('PURGE_COMP', BOTH),
    ('REPLACE', BOTH), ('REPLACE_DOWN', BOTH), ('STATIC_ALLOC', BOTH), ('FLEX', BOTH),
    ('DAILY', BOTH), ('MAGNETIC', BOTH), ('PART_NODES', BOTH), ('MAINT', BOTH), ('OVERLAP', BOTH),
    ('PROMISCUOUS', BOTH), ('TIME_FLOAT', BOTH), ('ANY_NODES', BOTH), ('LICENSE_ONLY', BOTH)]

requests.OPTIONS.append((9, 'resv', 'resv', requests.flag('--reservation=r')))


class Drawn:
    """A configuration."""

    def __init__(self, seed, number, release):
        r = random.Random('%s settings %d' % (seed, number))
        self.release = '.'.join(release.split('.')[:2])
        self.seed, self.number = seed, number
        self.base = r.choice(BASES)
        self.shape = copy.deepcopy(requests.SHAPES[self.base])
        self.keys, self.params, self.named, self.whole = [], [], [], False
        self.up = self.shape['up']
        self.resv = []
        # the same draws whatever the release knows
        for n, draw in ((r.randint(1, 4), self.sched), (r.choice([0, 1, 1, 2]), self.select),
                (r.choice([0, 1, 2, 2]), self.cluster), (r.choice([0, 0, 1, 1, 2]), self.part),
                (r.choice([0, 0, 1]), self.node), (r.choice([0, 0, 1]), self.priority),
                (r.choice([0, 0, 0, 1]), self.preempt), (r.choice([0, 0, 1]), self.ctld),
                (r.choice([0, 0, 1]), self.reserve), (r.choice([0, 0, 1, 2])
                if r.random() < .33 else 0, self.not_honoured)):
            for _ in range(n):
                draw(r)
        requests.SHAPES['settings'] = self.shape

    def honoured(self):
        """Leaves out what mode act does not honour."""
        self.params = [w for w in self.params if w.split('=')[0] not in self.named]
        pairs = list(zip(self.up[::2], self.up[1::2]))
        self.up = [w for option, value in pairs for w in (option, value)
            if option != '--set' or value.split('=', 1)[1] not in self.named]

    def knows(self, release):
        return release in (BOTH, self.release)

    def set(self, key, value):
        self.up += ['--set', '%s=%s' % (key, value)]
        self.keys.append('%s=%s' % (key, value))

    def item(self, row, r):
        key, release, values = row
        word = key + ('' if values == [''] else '=') + r.choice(values)
        known = self.knows(release) and not any(
            w.split('=')[0] == key for w in self.params)
        if known:
            self.params.append(word)
            self.keys.append(word)
        return known and key

    def sched(self, r):
        self.item(r.choice(SCHED), r)

    def not_honoured(self, r):
        row, line = r.choice(NOT_HONOURED), r.choice(NOT_LINES)
        if r.random() < .2:
            key, release, value = line
            if self.knows(release) and not self.has(key):
                self.set(key, value)
                self.named.append(value)
            return
        key = self.item(row, r)
        if key:
            self.named.append(key)

    def has(self, key):
        return any(w.startswith(key + '=') for w in self.up)

    def select(self, r):
        whole, more, new = r.choice(WHOLE), r.choice(SELECT), r.choice(SELECT_NEW)
        kind = r.random()
        at = self.up.index('--select-params') + 1
        if kind < .2:
            if 'CR_CPU' in whole and 'CR_ONE_TASK_PER_CORE' in self.up[at]:
                return # slurmctld refuses the two
            self.up[at] = ','.join([whole] + self.up[at].split(',')[1:])
            self.whole = True
            self.keys.append(whole)
        elif kind < .8 or not self.knows(NEW):
            if more == 'CR_ONE_TASK_PER_CORE' and 'CR_CPU' in self.up[at]:
                return
            if more not in self.up[at]:
                self.up[at] += ',' + more
                self.keys.append(more)
        elif new not in self.up[at]:
            self.up[at] += ',' + new
            self.keys.append(new)

    def cluster(self, r):
        key, release, values = r.choice(CLUSTER)
        value = r.choice(values)
        if not self.knows(release) or any(map(self.has, (key, *OTHER.get(key, ())))):
            return
        if key.startswith('RequeueExit'):
            self.shape['exit'] = EXIT
        if key == 'MCSPlugin': # MCSParameters
            self.set('MCSParameters', 'enforced')
        self.set(key, value)

    def part(self, r):
        word, release = r.choice(PART)
        lines = [i for i, w in enumerate(self.up) if w.startswith('PartitionName=')]
        i = r.choice(lines)
        key = word.split('=')[0]
        if key in ('State', 'Alternate') and word != 'State=DRAIN' and \
                'PartitionName=main ' in self.up[i]:
            return # nothing would run
        if self.knows(release) and not any(' %s=' % k in self.up[i] for k in (key,
                *OTHER.get(key, ()))):
            self.up[i] += ' ' + word
            self.keys.append('%s %s' % (self.up[i].split()[0][len('PartitionName='):], word))

    def node(self, r):
        word, release = r.choice(NODE)
        node, cpus, word_of_cpus = r.randint(1, 4), r.random(), r.choice(['CPUs=4', 'Procs=4'])
        if cpus < .2 and self.base in CPUS:
            node, word = r.randint(*CPUS[self.base]), word_of_cpus
        if self.knows(release) and ' %s=' % word.split('=')[0] not in ' '.join(self.up):
            self.up += ['--node', 'n%d %s' % (node, word)]
            self.keys.append('%s %s' % (self.up[-1].split()[0], word))

    def priority(self, r):
        flags = r.sample(PRIORITY, 2)
        weights = r.sample(WEIGHTS, 2)
        values = [r.choice(['1', '1000', '100000']) for _ in weights]
        self.set('PriorityType', 'priority/multifactor')
        if self.knows(NEW):
            flags = [f for f in flags if f not in FATAL_24_11]
        if flags:
            self.set('PriorityFlags', ','.join(flags))
        for k, v in zip(weights, values):
            self.set(k, 'CPU=' + v if k.endswith('TRES') else v)

    def preempt(self, r):
        words = r.sample(PREEMPT, 2)
        mode = r.choice(['OFF', 'REQUEUE', 'CANCEL', 'REQUEUE', 'CANCEL', 'SUSPEND,GANG', 'GANG'])
        exempt = r.choice(['', '', '00:00:02'])
        self.set('PreemptMode', mode)
        if mode not in ('OFF', 'GANG'):
            self.set('PreemptType', 'preempt/partition_prio')
            self.tiers(r)
            if exempt:
                self.set('PreemptExemptTime', exempt)
        if self.knows(NEW) and not self.has('PreemptParameters'):
            self.set('PreemptParameters', ','.join(words))

    def tiers(self, r):
        """Some partition is above another."""
        lines = [i for i, w in enumerate(self.up) if w.startswith('PartitionName=')]
        low = r.choice(lines)
        for i in lines:
            tier = 1 if i == low else r.choice([2, 2, 9])
            self.up[i] = re.sub(' Priority(Tier)?=\\d+', '', self.up[i]) + ' PriorityTier=%d' % tier
            self.keys.append('%s PriorityTier=%d' % (
                self.up[i].split()[0][len('PartitionName='):], tier))

    def ctld(self, r):
        word, release = r.choice(CTLD)
        if self.knows(release):
            self.set('SlurmctldParameters', word)

    def reserve(self, r):
        flag, release = r.choice(RESV)
        if not self.knows(release):
            return
        start, nodes = 'now', 'nodecnt=%d' % r.randint(1, 2)
        if flag == 'PART_NODES':
            nodes = 'nodes=ALL partition=main'
        elif flag in ('ANY_NODES', 'LICENSE_ONLY'):
            nodes = 'licenses=lic:1'
        elif flag == 'TIME_FLOAT':
            start = 'now+4minutes' # a job has 5
        self.resv = ('create reservation reservation=r user=root duration=2:00:00 '
            'starttime=%s flags=%s,IGNORE_JOBS %s' % (start, flag, nodes)).split()
        self.shape['resv'] = True
        self.keys.append('reservation %s' % flag)

    def digest(self):
        """Changes with the drawing: of the keys, the shape, or the requests that are tried."""
        tried = [requests.draw('settings', '%s.%d' % (self.seed, self.number), i)
            for i in range(5)]
        drawn = [self.base, self.up, sorted(self.shape.get('files', {}).items()), self.params,
            self.named, self.whole, self.resv, tried]
        return hashlib.sha256(json.dumps(drawn).encode()).hexdigest()[:16]


LISTS = {'PreemptMode', 'PreemptParameters', 'PriorityFlags', 'SlurmctldParameters',
    'TopologyParam'}
LINE = 'Lines of slurm.conf'


def line_keys(line):
    """What a line of slurm.conf sets."""
    key, _, value = line.partition('=')
    yield LINE, key
    if key == 'PartitionName':
        for word in value.split()[1:]:
            yield 'Partitions', word.split('=')[0]
    elif key in LISTS:
        for word in value.split(','):
            yield key, word.split('=')[0]


def keys_set(d):
    """What the configuration sets: (list, key) each."""
    for word in d.params:
        yield 'SchedulerParameters', word.split('=')[0]
        yield LINE, 'SchedulerParameters'
    for option, value in zip(d.up, d.up[1:]):
        if option == '--set':
            yield from line_keys(value)
        elif option == '--node':
            for word in value.split()[1:]:
                yield 'Nodes', word.split('=')[0]
        elif option == '--select-params':
            yield LINE, 'SelectTypeParameters'
            for word in value.split(','):
                yield 'SelectTypeParameters', word
    for word in d.resv:
        if word.startswith('flags='):
            for flag in word[len('flags='):].split(','):
                yield 'Flags of reservations', flag


def print_keys(count):
    drawn = {k for release in (OLD, NEW) for i in range(count)
        for k in keys_set(Drawn('keys', i, release))}
    for words in sorted(drawn):
        print('\t'.join(words))


def write_conf(d, folder):
    for name, content in d.shape.get('files', {}).items():
        with open(os.path.join(folder, name), 'w') as f:
            f.write(content)
    words = list(d.up)
    for name in d.shape.get('files', {}):
        words += ['--file', os.path.join(folder, name)]
    print('\n'.join(words))


def add_row(d, path, verdict, commit, faults):
    row_file.keep(path, [dict(seed=d.seed, number=d.number, release=d.release, shape=d.base,
        keys=d.keys, named=d.named, drawn=d.digest(), verdict=verdict, commit=commit,
        faults=[line for line in faults.splitlines() if line])],
        lambda r: (r['seed'], r['number'], r['release']))


def drawn_now(row):
    """Is what the row is about still what is drawn for its number?"""
    return row.get('drawn') == Drawn(row['seed'], row['number'], row['release']).digest()


def verdict_of(row):
    dies = [f for f in row['faults'] if 'slurmctld of stock dies' in f]
    return 'stock dies' if row['verdict'] == 'named' and dies == row['faults'] else row['verdict']


HEAD = '''# Random settings, stock Slurm and mode act side by side

Written by `contrib/settings`. Each row is a slurm.conf drawn at random (test/cluster/settings.py):
one of the shapes of test/cluster/requests.py, and some of Slurm's keys that bear on scheduling
(doc/admin/settings.md), with odd values. Stock Slurm and mode act get it, the same random requests
one at a time, and the same mixed queue; the bounds are those of test/cluster/requests.sh.

- *as stock*: within the bounds.
- *named*: `cosched doctor` named a key beforehand that mode act does not honour, act differs, and
  without that key it is as stock.
- *stock dies*: the same, but what differs is that stock Slurm's slurmctld ends itself under the
  mixed queue, and ours does not.
- *worse*: act differs otherwise; what differs stands in the .jsonl beside this page.

%s

| number | release | shape | keys | not honoured | verdict | commit |
|---:|---|---|---|---|---|---|
'''


def table(all_rows):
    now = [r for r in all_rows if drawn_now(r)]
    old = len(all_rows) - len(now)
    count = {}
    for r in now:
        count[verdict_of(r)] = count.get(verdict_of(r), 0) + 1
    said = ', '.join('%d %s' % (count[k], k) for k in sorted(count))
    seeds = ', '.join(sorted({str(r['seed']) for r in now}))
    print(HEAD % ('%d configurations have run, of seed %s: %s.%s' % (len(now), seeds or '-',
        said or '-', ' Of an earlier drawing, and left out: %d.' % old if old else '')), end='')
    for r in now:
        print('| %d | %s | %s | %s | %s | %s | %s |' % (r['number'], r['release'], r['shape'],
            ', '.join(r['keys']), ', '.join(r['named']), verdict_of(r), r['commit']))


def main():
    what, rest = (sys.argv[1:2] or ['--help'])[0], sys.argv[2:]
    if what == 'table':
        table(row_file.read(rest[0]))
        return 0
    if what == 'kept':
        d = Drawn(rest[1], int(rest[2]), rest[3])
        return not any((r['seed'], r['number'], r['release']) == (d.seed, d.number, d.release)
            and drawn_now(r) for r in row_file.read(rest[0]))
    if what == 'keys':
        print_keys(int(rest[0]))
        return 0
    if what not in ('show', 'conf', 'named', 'whole', 'resv', 'compare', 'row'):
        print(__doc__)
        return what not in ('-h', '--help')
    d = Drawn(rest[0], int(rest[1]), rest[2])
    if '--honoured' in rest:
        d.honoured()
    if what == 'show':
        print('%s: %s' % (d.base, ', '.join(d.keys)))
    elif what == 'named':
        print('\n'.join(d.named))
    elif what == 'whole':
        return not d.whole
    elif what == 'resv':
        print(' '.join(d.resv))
    elif what == 'conf' and '--params' in rest:
        print(','.join(d.params))
    elif what == 'conf':
        write_conf(d, rest[3])
    elif what == 'row':
        add_row(d, *rest[3:7])
    elif what == 'compare':
        sys.argv[1:] = ['compare', 'settings'] + rest[3:]
        return requests.main()
    return 0


if __name__ == '__main__':
    sys.exit(main())
