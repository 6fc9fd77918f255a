# SPDX-License-Identifier: Apache-2.0
"""plain-sources.py - what no source of nprof does, as it gives another result elsewhere: it asks
the locale how letters and numbers are written, or counts until when something goes on from time 0,
before which inputs may lie too. The exceptions are named here, with their reason."""

import os
import re
import sys

OF_LOCALE = re.compile(
    r'\b(g_utf8_strdown|g_utf8_strup|strtod|strtof|strtold|atof|setlocale|localeconv|strcoll|strcasecmp'
    r'|toupper|tolower|isalpha|isalnum|isspace|isprint|isupper|islower) ?\('
)
LOCALE = {
    ('sdk/nprof/format.h', 'strtod'): 'of digits and an exponent, without a point',
    (
        'core/cli/main.c',
        'setlocale',
    ): 'LC_CTYPE alone, for messages of the system: so the program prints numbers with a point',
    ('core/base/process-state.c', 'setlocale'): 'asks whether a plugin has changed it',
    ('sdk/python/host.c', 'setlocale'): 'puts back what Python changes when it begins',
    ('plugins/common/gate/expr.c', 'strtold'): 'of the program alone, whose numbers are those of C',
    (
        'plugins/common/gate/judge.c',
        'strtold',
    ): 'of the program alone, whose numbers are those of C',
}
# Until when something goes on, so far: NAME = MAX (NAME, ...), or the other way round.
GROWS = re.compile(
    r'([\w>.\[\]-]*\b(covered|last|latest|told|until|[a-z]+_until|last_end)(\[\w+\])?) = MAX \((?:\1, |.*, \1\);)'
)
BEGINS = r'\b%s(\[\w+\])? = (?!0\b|MAX \()'
THREADED = ('core/base', 'core/pipeline', 'core/embed')
# np_thread_begin itself, and the pthread_create that plugins find
BEGINS_THREADS = ('core/base/thread.c', 'core/base/fence-threads.c')
UNTIL = {
    ('core/pipeline', 'last'): 'core/run/run-state.c begins it',
    ('plugins/analyzers/devicekit', 'covered'): 'AN_IDLE_NO_PROGRAMS begins it',
    ('plugins/analyzers/neuron', 'last_end'): 'counts from the begin of the execution',
}


def sources(root):
    for folder in ('core', 'plugins', 'sdk', 'testhost'):
        for at, _folders, names in os.walk(os.path.join(root, folder)):
            for name in sorted(names):
                if name.endswith(('.c', '.h')):
                    with open(os.path.join(at, name), encoding='utf-8') as file:
                        yield os.path.relpath(os.path.join(at, name), root), file.read()


def main():
    texts, found, used = dict(sources(sys.argv[1])), [], set()
    for path, text in texts.items():
        for match in OF_LOCALE.finditer(text):
            used.add((path, match.group(1)))
            if (path, match.group(1)) not in LOCALE:
                found.append(f'{path}: {match.group(1)} depends on the locale')
        for match in GROWS.finditer(
            '\n'.join(line for line in text.splitlines() if ' = MAX (' in line)
        ):
            key = (os.path.dirname(path), match.group(2))
            used.add(key)
            folder = ''.join(
                other for name, other in texts.items() if os.path.dirname(name) == key[0]
            )
            if key not in UNTIL and not re.search(BEGINS % key[1], folder):
                found.append(f'{path}: {match.group(1)} is a time so far, and begins at 0')
        if path.startswith(THREADED) and path not in BEGINS_THREADS and 'pthread_create (' in text:
            found.append(
                f'{path}: pthread_create: np_thread_begin begins a thread that writes numbers as C does'
            )
    found += [
        f'{name} of {path} is allowed for nothing'
        for path, name in sorted({**LOCALE, **UNTIL}.keys() - used)
    ]
    if found:
        sys.exit('\n'.join(found))


if __name__ == '__main__':
    main()
