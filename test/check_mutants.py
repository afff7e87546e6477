#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What test/mutants.py changes, and what it counts: a mutant of base/err.c is noticed by a small
test, by its failure, its crash or its time; one is equivalent, one does not compile.
"""
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
import mutants
import mutations

FAILED = []
FILE = 'src/common/base/err.c'
TEST = r'''
#include <string.h>
#include "base/err.h"
int main(void)
{
	struct cs_err err;

	return cs_err_set(&err, -5, "%d\n", 7) != -5 || strcmp(err.text, "7?");
}
'''
TEXT = r'''
#define TWICE(x) ((x) + 2)
static const int table[] = { 1 + 2 };

int f(int *a, int n) /* n < 1 */
{
	int k = 0;

	assert(n > 0);
	(void)a;
	for (k = 1; k < n; k++)
		a[k] = *a;
	if (n && k)
		g("a < b", 'x' + -n);
	return 0;
}
'''
CHANGES = ['0 => 1', '0 => (-1)', '1 => 2', '1 => 0', '< => <=', '< => >',
    '++ => --', 'a[k] = *a; => ;', '(n && k) => (!(n && k))', '&& => ||', '+ => -',
    'g("a < b", \'x\' + -n); => ;', '0 => -EINVAL', '0 => 1', '0 => (-1)']


def check(text, got, want):
    if got != want:
        FAILED.append(text)
        print('not ok - %s: got %r, expected %r' % (text, got, want))


def test_changes():
    found = ['%s => %s' % (m.before, m.after) for m in mutations.mutations('f.c', TEXT)]
    check('changes', sorted(found), sorted(CHANGES))
    for m in mutations.mutations('f.c', TEXT):
        again = mutations.named(mutations.name_of(m), lambda f: TEXT)
        check('its name', again, m)
        check('lines', mutations.mutated(TEXT, m).count('\n'), TEXT.count('\n'))


def small_build(folder):
    """A Build of one test, without configure."""
    b = mutants.Build.__new__(mutants.Build)
    b.folder, b.source = folder, os.path.dirname(HERE)
    cc = [os.environ.get('CC', 'gcc'), '-D_GNU_SOURCE', '-O2', '-I%s/src/common' % b.source]
    b.compiles = {FILE: cc}
    with open(os.path.join(folder, 'test_err.c'), 'w') as f:
        f.write(TEST)
    subprocess.run([*cc, '-c', 'test_err.c'], cwd=folder, check=True)
    subprocess.run([*cc, '-c', os.path.join(b.source, FILE)], cwd=folder, check=True)
    subprocess.run(['ar', 'rc', 'libcosched.a', 'err.o'], cwd=folder, check=True)
    b.links = {'test_err': [*cc, '-o', 'test_err', 'test_err.o', 'libcosched.a']}
    return b


def test_rows(folder):
    build = small_build(folder)
    text = mutants.read(os.path.join(build.source, FILE))
    lines = list(range(1, 1 + len(text.splitlines())))
    facts = {'test_err': {'seconds': -.9, 'lines': {FILE: lines}, 'known': {FILE: lines}}}
    at = {what: 1 + text[:text.index(what)].count('\n') for what in ("= '?'", 'return rc;\n}', 'c++')}
    for line, change, result, by in (
            (at["= '?'"], "= '?'; => = '!';", 'noticed', 'failed'),
            (at['return rc;\n}'], 'rc => 0', 'noticed', 'failed'),
            (at['return rc;\n}'], 'return => *(volatile int *)0 = 0; return', 'noticed', 'crashed'),
            (at['c++'], 'c++ => c += 0', 'noticed', 'did not end'),
            (at['return rc;\n}'], 'rc => rc + 0', 'equivalent', None),
            (at['return rc;\n}'], 'rc => rb', 'does not compile', None),
            (at["= '?'"], "*c = '?'; => *c = '?', err->text[40] = 0;", 'not noticed', None)):
        m = mutations.named('%s:%d:%s' % (FILE, line, change), lambda f: text)
        row = mutants.judge(build, facts, m, text, os.path.join(folder, 'one'))
        check(change, (row['result'], row.get('how')), (result, by))


def main():
    if not shutil.which(os.environ.get('CC', 'gcc')):
        sys.exit(77)
    test_changes()
    with tempfile.TemporaryDirectory() as folder:
        test_rows(folder)
    sys.exit(1 if FAILED else 0)


main()
