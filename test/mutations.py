# SPDX-License-Identifier: GPL-2.0-or-later
"""The small changes of a C file that test/mutants.py makes: inside a function, another operator,
a constant one off, a negated condition, no simple statement, another return value.

Left as they are: preprocessor lines, assert(), `(void)x;`, free() (only a sanitizer notices a
leak).
"""
import re
from collections import namedtuple

# file: path below the tree; line, column: from 1, of `before`, the text that `after` replaces
Mutation = namedtuple('Mutation', 'file line column before after start')

OTHER = {
    '<': ['<=', '>'], '<=': ['<', '>='], '>': ['>=', '<'], '>=': ['>', '<='],
    '==': ['!='], '!=': ['=='], '&&': ['||'], '||': ['&&'],
    '+': ['-'], '-': ['+'], '*': ['/'], '/': ['*'], '%': ['*'],
    '&': ['|'], '|': ['&'], '^': ['|'], '<<': ['>>'], '>>': ['<<'],
    '++': ['--'], '--': ['++'], '+=': ['-='], '-=': ['+='], '*=': ['/='], '/=': ['*='],
    '|=': ['&='], '&=': ['|='], '^=': ['|='], '<<=': ['>>='], '>>=': ['<<='],
}
BINARY_ONLY = set('+-*&')
TOKEN = re.compile(r'[A-Za-z_]\w*|0[xX][0-9a-fA-F]+\w*|\d+\.?\d*(?:[eE][-+]?\d+)?\w*|\.\d+\w*'
    r'|->|\+\+|--|<<=|>>=|<<|>>|[-+*/%&|^<>=!]=|&&|\|\||\.\.\.|\S')
HIDDEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r'|^[ \t]*#(?:\\\n|[^\n])*', re.S | re.M)
NOT_VALUE = {'return', 'case', 'sizeof', 'else', 'do'}
KEPT = {'return', 'assert', 'else', 'do', 'if', 'for', 'while', 'switch', 'case', 'default', ';',
    '(', '{', '}', 'const', 'struct', 'enum', 'union', 'static', 'int', 'double', 'bool', 'char',
    'size_t', 'unsigned', 'long'}


def hide(text):
    """@text with strings, comments and preprocessor lines as signs that no mutation touches."""
    def blank(m):
        s = m.group()
        fill = '"' if s[0] in '"\'' else ' '
        return ''.join('\n' if c == '\n' else fill for c in s)
    return HIDDEN.sub(blank, text)


def tokens_of(text):
    """(text, start, end) of each token; a string is one token."""
    hidden = hide(text)
    return [(m.group(), m.start(), m.end())
        for m in re.finditer('"+|' + TOKEN.pattern, hidden)]


def match(tokens, i):
    """The index of the bracket that closes that at @i."""
    depth = 0
    for k in range(i, len(tokens)):
        if tokens[k][0] in '([{':
            depth += 1
        elif tokens[k][0] in ')]}':
            depth -= 1
            if not depth:
                return k
    return len(tokens) - 1


def bodies(tokens):
    """(first, last) token of each function's body."""
    i = 0
    while i < len(tokens):
        if tokens[i][0] == '{':
            last = match(tokens, i)
            if i and tokens[i - 1][0] == ')':
                yield i, last
            i = last
        elif tokens[i][0] in '([':
            i = match(tokens, i)
        i += 1


def is_value(token):
    return re.match(r'[\w"\])]', token) is not None and token not in NOT_VALUE


def changes(text):
    """(start, end, after) of each mutation of @text."""
    tokens = tokens_of(text)
    for first, last in bodies(tokens):
        i = first + 1
        begins = True # a statement begins here
        closing = set() # of if (...), for (...), while (...): a statement begins behind
        inside = -1 # the last token of the brackets of a for
        while i < last:
            t, start, end = tokens[i]
            if t == 'assert' and tokens[i + 1][0] == '(':
                i = match(tokens, i + 1) + 1
                begins = False
                continue
            if begins and t not in KEPT:
                stop = i
                while stop < last and tokens[stop][0] not in ';{}':
                    stop = match(tokens, stop) + 1 if tokens[stop][0] in '([' else stop + 1
                what = text[start:tokens[stop][2]]
                if tokens[stop][0] == ';' and not re.match(r'\(void\)|free\(|\w+_t ', what):
                    yield start, tokens[stop][2], ';'
            if t in ('if', 'for', 'while', 'switch') and tokens[i + 1][0] == '(':
                close = match(tokens, i + 1)
                closing.add(close)
                if t == 'for':
                    inside = close
                if t in ('if', 'while'):
                    inner = ' '.join(text[tokens[i + 1][2]:tokens[close][1]].split())
                    yield tokens[i + 1][1], tokens[close][2], '(!(%s))' % inner
            if t == 'return':
                yield from returns(text, tokens, i)
            elif t in OTHER and (t not in BINARY_ONLY or is_value(tokens[i - 1][0])):
                for after in OTHER[t]:
                    yield start, end, after
            elif re.fullmatch(r'\d+[uUlL]*', t):
                number, suffix = re.fullmatch(r'(\d+)(\w*)', t).groups()
                for after in (int(number) + 1, int(number) - 1):
                    yield start, end, str(after) + suffix if after >= 0 else '(-1)'
            begins = i in closing or i > inside and (t in (';', '{', '}', 'else', 'do') or
                t == ':' and (tokens[i - 2][0] in ('case', '}', ';') or tokens[i - 1][0] == 'default'))
            i += 1


def returns(text, tokens, i):
    end = i + 1
    while tokens[end][0] != ';':
        end += 1
    if end == i + 1:
        return
    start, stop = tokens[i + 1][1], tokens[end - 1][2]
    what = text[start:stop]
    if what in ('true', 'false'):
        yield start, stop, 'false' if what == 'true' else 'true'
    elif what == '0':
        yield start, stop, '-EINVAL'
    elif what.startswith('-E'):
        yield start, stop, '0'
    elif what != 'NULL':
        yield start, stop, '!(%s)' % ' '.join(what.split())


def mutation(file, text, start, end, after):
    line = text.count('\n', 0, start)
    return Mutation(file, line + 1, start - text.rfind('\n', 0, start), text[start:end], after, start)


def mutations(file, text):
    """Those of @text, once each, in the file's order."""
    seen = set()
    for start, end, after in changes(text):
        if (start, end, after) not in seen:
            seen.add((start, end, after))
            yield mutation(file, text, start, end, after)


def name_of(m):
    """FILE:LINE:COLUMN:BEFORE => AFTER, on one line"""
    return '%s:%d:%d:%s => %s' % (m.file, m.line, m.column, ' '.join(m.before.split()),
        ' '.join(m.after.split()))


def named(name, read):
    """The mutation of @name, in which COLUMN may be missing: the first BEFORE of the line; any
    text may replace any other. read(FILE) is the file's text. ValueError says what is wrong.
    """
    m = re.fullmatch(r'([^:]+):(\d+):(?:(\d+):)?(.+?) => ?(.*)', name)
    if not m:
        raise ValueError("'%s': FILE:LINE:BEFORE => AFTER expected" % name)
    file, line, column, before, after = m.groups()
    text = read(file)
    starts = [0] + [k.end() for k in re.finditer('\n', text)]
    if not 0 < int(line) < len(starts):
        raise ValueError("'%s': %s has %d lines" % (name, file, len(starts) - 1))
    begin = starts[int(line) - 1] + int(column or 1) - 1
    found = re.compile(r'\s+'.join(re.escape(w) for w in before.split())).search(text, begin)
    if not found or found.start() >= starts[int(line)] or column and found.start() != begin:
        raise ValueError("'%s': no such text there" % name)
    return mutation(file, text, found.start(), found.end(), after)


def mutated(text, m):
    """@text after @m, each further line where it was."""
    end = m.start + len(m.before)
    return text[:m.start] + m.after + '\n' * (m.before.count('\n') - m.after.count('\n')) + text[end:]
