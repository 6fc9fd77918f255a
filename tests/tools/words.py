#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""words.py SOURCES - finds words that no engineer writes in what people read: texts that the
program prints, its questions, manual pages and docs. Comments are left alone, as are words of other
tools."""

import glob
import os
import re
import sys

# What was printed once: what an engineer writes.
INSTEAD = {
    r'if (copies|comm) hid(den)?': 'with copies (comm) fully overlapped',
    r'no finding input': 'checked, not the bottleneck: ...',
    r'where nobody looks': 'not analyzed: ...',
    r'(before|after) the launch\b': 'waiting for a launch, launch latency',
    r'wait(s|ing)? for other work': 'gaps in queued work',
    r'holds work of hosts alone': 'no device activity recorded',
    r'BOUND BY': 'UNDETERMINED: ...',
    r"[Cc]an't be told|\*?not told\*?[,.:]|\"not told": 'inconclusive',
    r'[Pp]assed over|[Pp]asses over': 'skipped',
    r'[Nn]obody knows': 'unknown',
    r'Operators of the host': 'CPU operators',
    r'What a faster operator would gain': 'Speedup if an operator were free',
    r'\d x (faster|slower)': '4.2x faster',
    r'=True would tell|Activity\.\w+ would tell|-a \w+ would tell': 'record with ...',
    r'of its work (compute|memory)': 'of GPU time is compute-bound',
    r'\b[Tt]ells whether': 'returns whether, says whether',
}
PATTERNS = {re.compile(pattern): words for pattern, words in INSTEAD.items()}
TEXTS = {  # where they lie: which of their lines people read
    'core/**/*.c': r'"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"',
    'plugins/**/*.[ch]': r'"(?:[^"\\]|\\.)* (?:[^"\\]|\\.)*"',
    'share/answers/**/*.sql': r'^-- (?:say|word|note): .*',
    'share/man/*.[1-9]': r'^(?!\.\\").*',
    'share/skill/**/*.md': r'.*',
    'docs/*.md': r'.*',
    'docs/guides/*.md': r'.*',
    'README.md': r'.*',
    'llms.txt': r'.*',
}


def found(text, read):
    """(line, words of another tongue, what to write) of each place."""
    for number, line in enumerate(text.split('\n'), 1):
        if line.lstrip().startswith(('/*', '*', '//')):
            continue
        for piece in re.findall(read, line):
            for pattern, words in PATTERNS.items():
                match = pattern.search(piece)
                if match:
                    yield number, match[0], words


def main(sources):
    bad, files = [], 0
    for place, read in TEXTS.items():
        for path in sorted(glob.glob(os.path.join(sources, place), recursive=True)):
            files += 1
            with open(path, encoding='utf-8') as file:
                text = file.read()
            name = os.path.relpath(path, sources)
            bad += [f'{name}:{n}: `{said}`: write {words}' for n, said, words in found(text, read)]
    if files < 500:
        bad.append(f'{files} files in {sources}: these are not its sources')
    for line in bad:
        print('#', line)
    print(f'1..1\n{"not ok" if bad else "ok"} 1 - words of {files} files')
    return bool(bad)


if __name__ == '__main__':
    sys.exit(main(sys.argv[1]))
