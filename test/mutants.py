#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Which small wrong changes of src/common do the unit tests notice?

A mutant is the library with one random change (test/mutations.py). It is compiled; what does
not compile, and what gives the same object file (an equivalent mutant), is not counted. Then
the compiled unit tests that execute the changed line run, those of the fewest seconds first,
until one fails, crashes or does not end (ten times as long as without the change): the mutant
is noticed. Tests that do not execute the line could not notice it; scripts of `make check` are
not run.

The tree is copied and built twice: with gcov, which says once for each test what it executes,
and plain. A mutant costs one compilation, and one link for each test that runs.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import mutations

# What compilers and tests print.
QUIET = {'stdout': subprocess.DEVNULL, 'stderr': subprocess.DEVNULL}
LIMITS = 'ulimit -c 0 -v 8000000; exec "$0"'


def die(text):
    sys.exit('mutants: ' + text)


def read(path):
    with open(path, encoding='utf-8') as f:
        return f.read()


def digest(path):
    with open(path, 'rb') as f:
        return hashlib.sha256(f.read()).hexdigest()


# ------------------------------------------------------------------ the copy

LEFT_OUT = re.compile(r'\.git|\.libs|\.deps|\.dirstamp|autom4te\.cache|Makefile|config\.(status|log)'
    r'|libtool|__pycache__|.*\.(o|lo|la|a|gc..)|(test|bench|fuzz)_[^.]*')


def order(path):
    """What is generated is copied last, so that make does not generate it again."""
    return {'aclocal.m4': 1, 'configure': 2, 'Makefile.in': 2}.get(os.path.basename(path), 0), path


def copy_tree(source, copy, work):
    """Only what differs is written: make builds what it must."""
    files = []
    for folder, names, here in os.walk(source):
        names[:] = [n for n in names if not LEFT_OUT.fullmatch(n) and
            not os.path.exists(os.path.join(folder, n, 'config.status')) and
            os.path.realpath(os.path.join(folder, n)) != work]
        files += [os.path.join(folder, n) for n in here if not LEFT_OUT.fullmatch(n)]
    for path in sorted(files, key=order):
        target = os.path.join(copy, os.path.relpath(path, source))
        if not os.path.exists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copy2(path, target)
        elif os.path.isfile(path) and digest(path) != digest(target):
            shutil.copyfile(path, target)


class Build:
    """A build of the copy, its tests, and the commands that compile and link them."""

    def __init__(self, work, name, cc, cflags, jobs):
        self.folder = os.path.join(work, name)
        self.source = os.path.join(work, 'source')
        os.makedirs(self.folder, exist_ok=True)
        if not os.path.exists(os.path.join(self.folder, 'Makefile')):
            self.run(['../source/configure', '--quiet', '--disable-shared', 'CC=' + cc,
                'CFLAGS=' + cflags])
        self.run(['make', '-s', 'Makefile'])
        sources = ['-W../source/' + f for f in common_files(self.source)]
        libraries = ['-Wlib%s.la' % n for n in ('cosched', 'sim', 'proc', 'procsim', 'logcheck')]
        tests = {w for w in self.run(['make', '-n', 'check', 'TESTS=']).split()
            if re.fullmatch(r'test_\w+', w)}
        plan = self.run(['make', '-n', 'V=1', *sources, *libraries, *sorted(tests)])
        self.read_plan(plan.replace('\\\n', ' '))
        if not self.links:
            die('no compiled unit test: is cmocka installed?')
        self.run(['make', '-s', '-j%d' % jobs, *self.links])

    def run(self, command):
        done = subprocess.run(command, cwd=self.folder, text=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if done.returncode:
            die('%s, in %s:\n%s' % (' '.join(command[:4]), self.folder,
                (done.stdout + done.stderr)[-2000:]))
        return done.stdout

    def read_plan(self, plan):
        self.compiles, self.links = {}, {}
        for line in plan.splitlines():
            m = re.search(r'--mode=compile (.*?) -MT .* -c -o .*?(src/common/\S+\.c)$',
                line.split(' &&')[0].rstrip())
            if m:
                self.compiles.setdefault(m.group(2), shlex.split(m.group(1)))
            m = re.search(r'--mode=link .* -o (test_\w+) ', line)
            if m:
                self.links[m.group(1)] = line

    def link_command(self, test):
        """The linker's own arguments: libtool is slow."""
        line = self.links[test]
        if isinstance(line, str):
            shown = self.run(['sh', '-c', line.replace('--mode=link', '--dry-run --mode=link', 1)])
            line = shlex.split(re.search(r'^libtool: link: (.* -o %s .*)$' % test, shown, re.M).group(1))
            self.links[test] = line
        return line

    def program(self, test):
        return os.path.join(self.folder, test)

    def compile(self, file, text, output):
        """Is @text valid C as @file? Without debug information: equal code, equal @output."""
        given = '# 1 "%s"\n%s' % (file, text)
        return not subprocess.run([*self.compiles[file], '-g0', '-Werror=int-conversion', '-iquote',
            os.path.join(self.source, os.path.dirname(file)), '-x', 'c', '-c', '-o', output, '-'],
            cwd=self.folder, input=given.encode(), **QUIET).returncode

    def link(self, test, extra, output):
        """With the object @extra before the libraries, so that its twin there is left out."""
        command = list(self.link_command(test))
        i = command.index('-o')
        command[i:i + 2] = ['-o', output, extra]
        return not subprocess.run(command, cwd=self.folder, **QUIET).returncode


def common_files(source):
    top = os.path.join(source, 'src/common')
    return sorted(os.path.relpath(os.path.join(folder, n), source)
        for folder, _, names in os.walk(top) for n in names if n.endswith('.c'))


# ----------------------------------------------------------------- the tests

def run_test(program, folder, source, limit_s):
    """(what happened, '' if the test passed; seconds)"""
    began = time.monotonic()
    test = subprocess.Popen(['sh', '-c', LIMITS, program], cwd=folder, start_new_session=True,
        env={**os.environ, 'srcdir': source}, stdin=subprocess.DEVNULL, **QUIET)
    try:
        status = test.wait(limit_s)
        what = '' if status in (0, 77) else 'failed' if status > 0 else 'crashed'
    except subprocess.TimeoutExpired:
        what = 'did not end'
    try:
        os.killpg(test.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass
    test.wait()
    return what, time.monotonic() - began


def known_facts(work):
    try:
        return json.loads(read(os.path.join(work, 'tests.json')))
    except (OSError, ValueError):
        return {}


def learn_tests(work, cover, plain):
    """{test: {seconds, failed, lines: {file: [executed lines]}, known: {file: [lines of code]}}};
    kept, of programs that did not change.
    """
    old, facts = known_facts(work), {}
    scratch = os.path.join(work, 'scratch')
    for k, test in enumerate(sorted(plain.links)):
        key = digest(plain.program(test)) + digest(cover.program(test))
        facts[test] = old.get(test, {})
        if facts[test].get('key') != key:
            show('tests: %d of %d, %s' % (k + 1, len(plain.links), test))
            os.makedirs(scratch, exist_ok=True)
            what, seconds = run_test(plain.program(test), scratch, plain.source, 600)
            facts[test] = {'key': key, 'failed': what, 'seconds': seconds,
                **executed(cover, test, scratch)}
            shutil.rmtree(scratch)
    with open(os.path.join(work, 'tests.json'), 'w') as f:
        json.dump(facts, f)
    for test, fact in facts.items():
        if fact['failed']:
            print('%s %s without any change: not used' % (test, fact['failed']))
    return {t: f for t, f in facts.items() if not f['failed']}


def executed(cover, test, scratch):
    top = os.path.join(cover.folder, 'src/common')
    counts = [os.path.join(folder, n) for folder, _, names in os.walk(top) for n in names
        if n.endswith('.gcda')]
    for path in counts:
        os.unlink(path)
    run_test(cover.program(test), scratch, cover.source, 1200)
    counts = [os.path.join(folder, n) for folder, _, names in os.walk(top) for n in names
        if n.endswith('.gcda')]
    lines, known = {}, {}
    printed = cover.run(['gcov', '--json-format', '--stdout', *counts]) if counts else ''
    for part in printed.splitlines():
        for file in json.loads(part)['files']:
            name = file['file'][max(file['file'].find('src/common/'), 0):]
            for line in file['lines']:
                known.setdefault(name, set()).add(line['line_number'])
                if line['count']:
                    lines.setdefault(name, set()).add(line['line_number'])
    return {'lines': {n: sorted(s) for n, s in lines.items()},
        'known': {n: sorted(s) for n, s in known.items() if n.endswith('.c')}}


def tests_of(facts, file, line):
    """Those that execute @line, or the last one before it that is code; the shortest first."""
    code = [k for f in facts.values() for k in f['known'].get(file, []) if k <= line]
    at = max(code, default=0)
    found = [t for t, f in facts.items() if at in f['lines'].get(file, [])]
    return sorted(found, key=lambda t: (facts[t]['seconds'], t))


# --------------------------------------------------------------- the mutants

def judge(plain, facts, m, text, folder):
    """The row of the mutation @m of @text."""
    row = {'name': mutations.name_of(m), 'file': digest(os.path.join(plain.source, m.file)),
        'before': text.splitlines()[m.line - 1].strip(),
        'after': mutations.mutated(text, m).splitlines()[m.line - 1].strip()}
    os.makedirs(folder, exist_ok=True)
    base, changed, program = (os.path.join(folder, n) for n in ('base.o', 'mutant.o', 'test'))
    try:
        if not plain.compile(m.file, text, base):
            die('%s does not compile as it is' % m.file)
        if not plain.compile(m.file, mutations.mutated(text, m), changed):
            return {**row, 'result': 'does not compile'}
        if digest(base) == digest(changed):
            return {**row, 'result': 'equivalent'}
        ran = 0
        for test in tests_of(facts, m.file, m.line):
            if not plain.link(test, changed, program):
                continue
            ran += 1
            what, _ = run_test(program, folder, plain.source, 10 + 10 * facts[test]['seconds'])
            if what:
                return {**row, 'result': 'noticed', 'by': test, 'how': what}
        return {**row, 'result': 'not noticed', 'tests': ran}
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def drawn(source, files, seed):
    """Mutations in random order, one of each place: of `<`, either `<=` or `>`."""
    draw = random.Random(seed)
    places = {}
    for file in files:
        for m in mutations.mutations(file, read(os.path.join(source, file))):
            places.setdefault((file, m.start, m.before), []).append(m)
    keys = sorted(places)
    draw.shuffle(keys)
    for key in keys:
        yield draw.choice(places[key])


def show(text, end=''):
    if sys.stderr.isatty() or end:
        sys.stderr.write('\r\033[K' * sys.stderr.isatty() + text + end)
        sys.stderr.flush()


class Rows:
    """What is known about mutants of the files as they are now: of two lines with one name the
    later one counts.
    """

    def __init__(self, path, source, again):
        self.path, self.known = path, {}
        now = {f: digest(os.path.join(source, f)) for f in common_files(source)}
        for line in read(path).splitlines() if os.path.exists(path) else []:
            row = json.loads(line)
            self.known[row['name']] = row
        self.known = {n: r for n, r in self.known.items() if now.get(n.split(':')[0]) == r['file'] and
            not (again and r['result'] == 'not noticed')}

    def add(self, row):
        self.known[row['name']] = row
        with open(self.path, 'a') as f:
            f.write(json.dumps(row) + '\n')


def counted(row):
    return row['result'] in ('noticed', 'not noticed')


def run(chosen, want, rows, one, jobs, end):
    """The rows of @chosen up to the @want-th that counts; @jobs at a time, none begun after @end."""
    done, begun = [], []
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        while True:
            while len(begun) < jobs and sum(map(counted, done)) + len(begun) < want and \
                    time.monotonic() < end:
                m = next(chosen, None)
                if m is None:
                    break
                name = mutations.name_of(m)
                if name in rows.known:
                    done.append(rows.known[name])
                else:
                    begun.append(pool.submit(one, m))
            if not begun:
                return done
            row = begun.pop(0).result()
            rows.add(row)
            done.append(row)
            if counted(row):
                show('%d of %d: %s %s' % (sum(map(counted, done)), want, row['name'], row['result']),
                    '\n')


def report(done, rest):
    noticed = sum(r['result'] == 'noticed' for r in done)
    print('%d of %d noticed (%d more do not compile, %d are equivalent)%s' % (noticed,
        sum(map(counted, done)), sum(r['result'] == 'does not compile' for r in done),
        sum(r['result'] == 'equivalent' for r in done), rest))
    for row in done:
        if row['result'] == 'not noticed':
            print('\n%s\n  - %s\n  + %s' % (row['name'], row['before'], row['after']))
            if not row['tests']:
                print('  no test executes this line')


def options():
    p = argparse.ArgumentParser(description=__doc__.split('\n\n')[0], epilog='A second call with the '
        'same rows goes on. Exit status 0, whatever is noticed.')
    p.add_argument('files', nargs='*', metavar='FILE', help='of src/common, or a folder of it: only these')
    p.add_argument('--seed', type=int, default=1, help='drawn from this seed (1)')
    p.add_argument('--count', type=int, default=100, help='mutants that count (100)')
    p.add_argument('--minutes', type=float, help='begin none after so long')
    p.add_argument('--jobs', type=int, default=1, help='so many at once (1)')
    p.add_argument('--at', action='append', metavar='FILE:LINE:BEFORE => AFTER',
        help='this mutant alone, whatever the texts are (again: these)')
    p.add_argument('--again', action='store_true', help='the unnoticed ones once more')
    p.add_argument('--work', default='mutants', help='folder of copy and builds (mutants)')
    p.add_argument('--rows', help='JSON lines, one for each mutant (rows.jsonl in that folder)')
    p.add_argument('--cc', default='gcc', help='compiler; its gcov is needed')
    return p.parse_args()


def chosen_files(source, wanted):
    wanted = [os.path.relpath(os.path.abspath(w), source) if os.path.exists(w) else w.rstrip('/')
        for w in wanted]
    files = [f for f in common_files(source)
        if not wanted or any(f == w or f.startswith(w + '/') for w in wanted)]
    if not files:
        die('no C file of src/common in %s' % ', '.join(wanted))
    return files


def main():
    o = options()
    source, work = os.path.dirname(HERE), os.path.realpath(o.work)
    files = chosen_files(source, o.files)
    copy = os.path.join(work, 'source')
    try:
        named = [mutations.named(n, lambda f: read(os.path.join(source, f))) for n in o.at or []]
    except (ValueError, OSError) as e:
        die(str(e))
    copy_tree(source, copy, work)
    plain = Build(work, 'plain', o.cc, '-O2 -g0', o.jobs)
    cover = Build(work, 'cover', o.cc, '-Og -g0 --coverage', o.jobs)
    facts = learn_tests(work, cover, plain)
    rows = Rows(o.rows or os.path.join(work, 'rows.jsonl'), copy, o.again or o.at)

    def one(m):
        return judge(plain, facts, m, read(os.path.join(copy, m.file)),
            os.path.join(work, 'one.%d' % (id(m) % 10 ** 9)))

    end = time.monotonic() + 60 * o.minutes if o.minutes else float('inf')
    if named:
        done = run(iter(named), len(named), rows, one, o.jobs, end)
        for row in done:
            print('%s: %s%s' % (row['name'], row['result'], ' by ' + row['by'] if 'by' in row else ''))
        return
    done = run(drawn(copy, files, o.seed), o.count, rows, one, o.jobs, end)
    report(done, ', seed %d' % o.seed)


if __name__ == '__main__':
    main()
