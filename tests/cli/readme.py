# SPDX-License-Identifier: Apache-2.0
"""readme.py - what README.md, docs/tour.md and docs/guides show of nprof is what nprof prints. A
line `...` stands for any lines; commands of other programs, and those that need a server, are not
run."""

import glob
import os
import re
import shutil
import subprocess
import sys

from harness import NPROF, add_test, check, check_same, environment, main, read, run

SOURCE = os.environ['NPROF_SOURCE']
sys.path.insert(0, os.path.join(SOURCE, 'tests', 'tools'))
import ranks  # noqa: E402
import servers  # noqa: E402

PAGES = ['README.md', 'docs/tour.md'] + sorted(
    os.path.relpath(page, SOURCE) for page in glob.glob(SOURCE + '/docs/guides/*.md')
)
PROGRAMS = ('nprof', 'ls', 'grep', 'head')
NOT_HERE = ('influx', 'nprof new', 'my-format', 'plugins my-format')


def make_profiles():
    """Those of the guides: a job with a slow rank, a run before and after all of its kernels became
    slower, and a server of two replicas."""
    ranks.make(
        'traces', ranks.Job(hosts=2, steps=3, layers=6, offset_ms=0, slow={5: 1.08}, noise=0.005)
    )
    for name, seed, slow in ('before', 1, {}), ('after', 2, {0: 1.1}):
        ranks.make(
            name,
            ranks.Job(
                steps=6, layers=6, offset_ms=0, slow=slow, seed=seed, noise=0.005, named_hosts=False
            ),
        )
        shutil.copy(name + '/rank00000.json', name + '.json')
    servers.make('server')


def examples():
    """Returns, for each block, its commands, each with the lines that it prints."""
    text = '\n'.join(read(os.path.join(SOURCE, page)).decode() for page in PAGES)
    for block in re.findall(r'(?:^ {4}.*\n|^\n(?= {4}))+', text, re.M):
        lines = [line[4:] for line in block.strip('\n').split('\n')]
        if not lines[0].startswith('$ '):
            continue
        commands = []
        for line in lines:
            if line.startswith('$ '):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        yield [
            (c, out)
            for c, out in commands
            if c.split()[0] in PROGRAMS and not any(word in c for word in NOT_HERE)
        ]


def pattern(lines):
    parts = ['(?:.*\n)*?' if line == '...' else re.escape(line) + '\n' for line in lines]
    return ''.join(parts)


def check_block(commands):
    def run_block(_folder):
        make_profiles()
        os.symlink(os.path.join(SOURCE, 'share'), 'share')
        env = environment({'PATH': os.path.dirname(NPROF) + os.pathsep + os.environ['PATH']})
        for command, lines in commands:
            done = subprocess.run(
                ['sh', '-c', command.split('  #')[0]], env=env, capture_output=True, check=False
            )
            out = (done.stdout + done.stderr).decode()
            out = out if out.endswith('\n') else out + '\n'
            if command.startswith('ls '):  # in columns on a terminal
                check(out.split() == ' '.join(lines).split(), f'$ {command}\n{out}')
            elif lines:
                check(
                    re.fullmatch(pattern(lines), out),
                    f'$ {command}\nexpected:\n' + '\n'.join(lines) + f'\nfound:\n{out}',
                )
            else:
                check(done.returncode == 0, f'$ {command}\n{out}')

    return run_block


def names_every_component(_folder):
    """The tables of formats, analyzers and sinks, against what there is."""
    text = read(os.path.join(SOURCE, 'README.md')).decode()
    for kind in ('decoder', 'analyzer', 'sink'):
        table = re.search(rf'^\| (?:format \| )?{kind} \|.*\n((?:\|.*\n)+)', text, re.M).group(1)
        column = 2 if kind == 'decoder' else 1
        named = {
            name
            for row in table.splitlines()
            for name in re.findall(r'`([^`]+)`', row.split('|')[column])
        }
        there = run('plugins', '--names', kind).expect(0).out.split()
        check_same(sorted(named), sorted(there), f'{kind}s of README.md')


if __name__ == '__main__':
    add_test('names every component', names_every_component)
    for number, found in enumerate(examples(), 1):
        if found:
            add_test(f'{number}: ' + ' '.join(found[0][0].split()[:2]), check_block(found))
    main()
