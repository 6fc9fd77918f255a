# SPDX-License-Identifier: Apache-2.0
"""declared.py - what a C header of nprof declares: its names, the members of its structs and
its enum constants.  Knows as much of C as plugin.h, keys.h and sdk.h use; says what they mean
to nobody."""

import re

TOKEN = re.compile(r'[A-Za-z_]\w*|\d[\w.]*|"(?:[^"\\]|\\.)*"|\S')
WORD = re.compile(r'[A-Za-z_]\w*$')


def strip_comments(text):
    return re.sub(r'//[^\n]*|/\*.*?\*/', ' ', text, flags=re.S)


def macros(text):
    """Names that are defined, in any branch."""
    return re.findall(r'^[ \t]*#[ \t]*define[ \t]+(\w+)', strip_comments(text), flags=re.M)


def code(text):
    """Tokens without comments, directives and the braces of extern "C"."""
    text = strip_comments(text).replace('\\\n', ' ')
    text = re.sub(r'#ifdef __cplusplus.*?#endif', ' ', text, flags=re.S)
    text = re.sub(r'^[ \t]*#[^\n]*', ' ', text, flags=re.M)
    text = re.sub(r'__attribute__\s*\(\([^\n]*\)\)', ' ', text)
    return TOKEN.findall(text)


def split_declarations(tokens):
    """The declarations of one level: token lists, which end before `;` or with a body."""
    depth, current = 0, []
    for token in tokens:
        if token in '({[' and len(token) == 1:
            depth += 1
        elif token in ')}]' and len(token) == 1:
            depth -= 1
        if token == ';' and depth == 0:
            yield current
            current = []
            continue
        current.append(token)
        if token == '}' and depth == 0 and is_function(current):
            yield current
            current = []
    if current:
        yield current


def is_function(tokens):
    return '{' in tokens and ')' in tokens[: tokens.index('{')]


def body(tokens):
    """Returns what stands between the first brace and its partner, and the tokens behind."""
    at = tokens.index('{')
    depth = 0
    for i in range(at, len(tokens)):
        depth += {'{': 1, '}': -1}.get(tokens[i], 0)
        if depth == 0:
            return tokens[at + 1 : i], tokens[i + 1 :]
    raise ValueError('no closing brace')


def declarators(tokens):
    """The names that `TYPE a, *b, (*c) (ARGS), d[4]` declares."""
    if is_function(tokens):
        tokens = tokens[: tokens.index('{')]
    if '{' in tokens:
        tokens = ['int'] + body(tokens)[1]
    for i in range(len(tokens) - 2):
        if tokens[i] == '(' and tokens[i + 1] == '*':
            return [tokens[i + 2]]
    if '(' in tokens:  # a function: the name before its arguments
        tokens = tokens[: tokens.index('(')]
    names, parts, depth = [], [[]], 0
    for token in tokens:
        depth += {'[': 1, ']': -1}.get(token, 0)
        if token == ',':
            parts.append([])
        elif depth == 0 and token != ']':
            parts[-1].append(token)
    for part in parts:
        words = [t for t in part if WORD.match(t)]
        if words:
            names.append(words[-1])
    return names


def enum_constants(tokens):
    parts, depth = [[]], 0
    for token in tokens:
        depth += {'(': 1, ')': -1}.get(token, 0)
        if token == ',' and depth == 0:
            parts.append([])
        else:
            parts[-1].append(token)
    return [p[0] for p in parts if p]


class Header:
    """structs: C name -> members in order; constants: of enums; names: all at file scope."""

    def __init__(self, text):
        self.structs, self.constants = {}, []
        self.names = list(macros(text))
        for tokens in split_declarations(code(text)):
            self.add(tokens)

    def add(self, tokens):
        typedef = tokens[0] == 'typedef'
        if typedef:
            tokens = tokens[1:]
        tag = (
            tokens[1]
            if tokens[0] in ('struct', 'union', 'enum') and WORD.match(tokens[1])
            else None
        )
        has_body = '{' in tokens and not is_function(tokens)
        if has_body and tokens[0] == 'enum':
            self.constants += enum_constants(body(tokens)[0])
            self.names += enum_constants(body(tokens)[0])
        if tag and (has_body or len(tokens) == 2):
            self.names.append(tag)
        forward = tag and len(tokens) == 2
        names = [] if forward or has_body and not body(tokens)[1] else declarators(tokens)
        self.names += names
        if has_body and tokens[0] in ('struct', 'union'):
            name = f'{tokens[0]} {tag}' if tag else names[0]
            self.structs[name] = [
                m for d in split_declarations(body(tokens)[0]) for m in declarators(d)
            ]
