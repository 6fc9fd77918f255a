# SPDX-License-Identifier: Apache-2.0
"""security.py - the promises of SECURITY.md as users meet them: names in a profile that want to
command a terminal, a spreadsheet, JSON, Markdown or a path; links where outputs go; an environment
that says nothing. Each promise there names its test; formats alone are tested beside their plugins.
"""

import csv
import io
import json
import os

import xspace
import re

from harness import (
    add_test,
    check,
    check_same,
    files_below,
    main,
    read,
    run,
    test,
    through_terminal,
    write,
)
from samples import analyzers, sinks, together

HOSTILE = [
    '\x1b]0;title\x07\x1b[31mred',
    'a\nb\rc\td',
    '\x9b31m',
    '\u202eesrever',
    '=cmd|"/c calc"!A1',
    '@SUM(1)',
    '+1',
    '-2+3',
    '","x":"',
    '\\u0000\\',
    '</script><b>',
    '| a | b |',
    '../../etc/passwd',
    'a,b=c d="e',
    'x\x00y',
    '%n%s%x',
    '$(touch pwned)',
    "'; DROP TABLE events; --",
]
NAMES = [name.replace('\x00', '\ufffd') for name in HOSTILE]  # as the decoder reads them
RAW = [*map(chr, (*range(9), 11, 12, *range(14, 32), 127, *range(0x80, 0xA0))), '\u202e', '\u2066']


def hostile():
    """A profile whose plane, lines, events, keys and texts are all such names."""
    parts = [xspace.named(4, n + 1, name) for n, name in enumerate(HOSTILE)]
    parts += [xspace.named(5, n + 1, name) for n, name in enumerate(HOSTILE)]
    events = b''.join(
        xspace.event(
            n + 1,
            n * 5000,
            4000,
            xspace.message(4, xspace.number(1, n + 1) + xspace.message(5, name)),
        )
        for n, name in enumerate(HOSTILE)
    )
    lines = [xspace.line(n + 1, name, events) for n, name in enumerate(HOSTILE)]
    data = b''.join(
        xspace.plane(n + 1, '/device:TPU:' + name, *lines[n : n + 3], *parts)
        for n, name in enumerate(HOSTILE)
    )
    return write('a\x1b[31m.xplane.pb', data)


def check_printable(result):
    for name, text in (('stdout', result.out), ('stderr', result.err)):
        found = [c for c in RAW if c in text]
        check(not found, f'{name} holds {found!r} raw\n$ {result.command!r}')


COMMANDS = {
    'report': ['report'],
    'report-markdown': ['report', '--format', 'markdown'],
    'report-json': ['report', '--format', 'json'],
    'info': ['info'],
    'info-count': ['info', '--count'],
    'run-verbose': ['run', '-v', '-v', '-s', 'null', *analyzers()],
    'gate': ['gate', '--'],
    'diff': ['diff'],
}


def says_nothing_raw(name):
    path = hostile()
    arguments = [path, path] if name == 'diff' else [path]
    arguments += ["max('*') < 1us"] if name == 'gate' else []
    command = [word for word in COMMANDS[name] if word != '--']
    result = run(*command, *arguments)
    check(result.status in (0, 6), result.describe())
    check_printable(result)


for command_name in COMMANDS:
    add_test('nothing-raw-in-' + command_name, lambda _folder, n=command_name: says_nothing_raw(n))


def hostile_json():
    """A Kineto trace whose processes, threads, rows, keys and texts are all such names."""
    rows = [
        {'ph': 'M', 'name': kind, 'pid': n, 'tid': n, 'args': {'name': name}}
        for n, name in enumerate(HOSTILE)
        for kind in ('process_name', 'thread_name')
    ]
    rows += [
        {
            'ph': 'X',
            'name': name + end,
            'cat': category,
            'pid': n,
            'tid': n,
            'ts': 100 * n,
            'dur': 50,
            'args': {name: name, 'stream': n, 'device': n, 'correlation': n, 'Input type': [name]},
        }
        for n, name in enumerate(HOSTILE)
        for end, category in (
            ('', 'cpu_op'),
            ('k', 'kernel'),
            (name, 'python_function'),
            ('cudaLaunchKernel', 'cuda_runtime'),
        )
    ]
    return write('j\x1b[31m\u202e.json', json.dumps({'traceEvents': rows, 'hostname': HOSTILE[0]}))


def on_a_terminal(sample):
    """Command -> command lines that may print what somebody else wrote; `job` holds a state of the
    sample, and the store the sample."""
    name, word = HOSTILE[0], '\x1b]0;x\x07'
    query = [
        'select name, category from events',
        'select label from tracks',
        f"select '{name}' as \"{name}\"",
        'select * from args',
        f'select {name}',
        'select char(27, 155, 8238, 127, 13)',
    ]
    return {
        'run': [
            ['-s', f'{sink}{spec}', '-o', '-', sample]
            for sink in sinks()
            for spec in ('', ':table=events')
        ]
        + [
            ['-v', '-v', '-s', 'null', *analyzers(), sample],
            ['-o', 'out' + word, sample],
            ['-s', word, sample],
        ],
        'report': [['--full', sample], ['--full', '--color=always', sample]]
        + [['--format', f, sample] for f in ('plain', 'markdown', 'html', 'json', word)],
        'info': [['--color=always', sample], ['--count', sample]]
        + [['--format', f, sample] for f in ('markdown', 'json')],
        'diff': [['--format', f, sample, sample] for f in ('text', 'markdown', 'json', word)],
        'view': [
            ['--ingest-only', '--force', sample],
            ['--ingest-only', 'no' + word],
            ['-o', 'page' + word, sample],
            ['--source', word],
        ],
        'profiles': [[], ['list'], ['rename', 'n_000000', word], [word]],
        'capture': [['-n', sample], ['-n', word], ['--kineto', word], [word, word]],
        'flame': [
            ['--format', f, '--weight', w, sample]
            for f in ('folded', 'speedscope', word)
            for w in ('host', 'device', 'bytes')
        ],
        'map': [['--rank', '1', '-o', 'again' + word, sample], ['--rank', word, sample]],
        'reduce': [['--full', 'job'], ['--format', 'json', 'job'], [word]],
        'gate': [
            [sample, demand] for demand in ("max('*') < 1us", f"max('{word}') < 1us", word + ' < 1')
        ]
        + [['--format', f, sample, "max('*') < 1us"] for f in ('json', 'junit', 'markdown')],
        'sql': [
            ['--format', f, sample, q] for f in ('text', 'csv', 'json', 'markdown') for q in query
        ],
        'answers': [
            [],
            ['exposed', sample],
            ['--check', sample],
            ['--cost', sample],
            [word],
            ['exposed', word],
        ],
        'ask': [
            ['open', sample],
            ['verdict', sample],
            ['table', sample, 'name=tracks'],
            ['table', sample, 'name=' + word],
            ['sql', sample, 'query=' + query[0]],
            ['schema', sample],
            [word, sample],
            ['open', word],
            ['--json', 'open', sample],
        ],
        'baseline': [[], ['save', word, sample], ['save', 'main', sample], ['rm', word], [word]],
        'sweep': [
            ['--by', 'batch', sample],
            ['--by', word + ',batch', '--format', 'markdown', sample, sample],
            ['--by', word, '--format', 'json', sample],
            [word],
        ],
        'doctor': [[sample], ['--json', sample], [word]],
        'mcp': [['--print-config', 'claude', word], ['--print-config', word], [word]],
        'plugins': [[], ['--json'], [word]],
        'check': [[word], ['--meaning', sample], ['--meaning', sample, '--json']],
        'new': [['decoder', word], [word, 'x']],
    }


def commands_of_help():
    text = run('--help').expect(0).out.partition('Commands:\n')[2].partition('\n\n')[0]
    return [line.split()[0] for line in text.splitlines()]


COLOUR = re.compile(
    '\033\\[[0-9;]*m|\r\033\\[K'
)  # nprof's own, and what clears its line of progress


def check_terminal(text, what, colours):
    shown = text.replace('\r\n', '\n')
    check(
        '\033[31mred' not in shown and '\033]' not in shown,
        f'{what}: a name commands the terminal: {shown!r:.4000}',
    )
    shown = COLOUR.sub('', shown) if colours else shown.replace('\r\033[K', '')
    found = sorted({c for c in RAW if c in shown})
    check(not found, f'{what}: {found!r} raw in {shown!r:.4000}')


@test
def nothing_raw_reaches_a_terminal_in_any_command(_folder):
    """A command that is new stands in the help, and has to be tried here."""
    commands, marks = commands_of_help(), []
    check(len(commands) > 10, f'the help lists {commands!r}')
    run('map', '-q', '--rank', '0', '-o', 'job', hostile_json()).expect(0)
    for sample in (hostile(), hostile_json()):
        lines = on_a_terminal(sample)
        check_same(sorted(set(commands) - set(lines)), [], 'commands that are not tried')
        for command in commands:
            for arguments in lines[command]:
                status, data = through_terminal(100, command, *arguments, errors=True)
                check(status < 128, f'{command} {arguments!r}: status {status}: {data!r:.2000}')
                colours = '--color=always' in arguments
                check_terminal(
                    data.decode('latin-1' if b'\xff' in data else 'utf-8', 'strict'),
                    f'{command} {arguments!r}',
                    colours,
                )
                marks += [command] if '\u241b' in data.decode('utf-8', 'replace') else []
    check(
        {'flame', 'sql', 'run'} <= set(marks),
        f'escapes are shown as pictures by {sorted(set(marks))!r}',
    )


@test
def what_no_terminal_gets_is_not_changed(_folder):
    """Pictures are for terminals: a pipe and a file get the bytes of the names."""
    path = hostile_json()
    for arguments in (
        ['flame', path],
        ['run', '-s', 'csv:table=events', '-o', '-', path],
        ['sql', '--format', 'csv', path, 'select name from events'],
    ):
        found = run(*arguments).expect(0).out
        check('\x1b' in found and '\u241b' not in found, f'{arguments!r}: {found!r:.2000}')


@test
def errors_name_hostile_files_and_words_escaped(_folder):
    for arguments in (
        ['info', '\x1b[31mabsent'],
        ['run', '\x1b[31m'],
        ['run', '-s', '\x1b]0;x\x07', 'x'],
        ['run', '-a', 'a\x9b', 'x'],
        ['run', '--config', '\x1b.json'],
        ['\x1b[31m'],
        ['gate', 'x', '\x1b[31m < 1'],
        ['plugins', '\x1b[31m'],
        ['run', '--from', '\x1b[31m', 'x'],
    ):
        result = run(*arguments)
        check(result.status in (1, 2), result.describe())
        check_printable(result)


@test
def json_outputs_are_json_whatever_the_names(_folder):
    path = hostile()
    run('run', '-s', 'chrome', '-o', 'trace.json', path).expect(0)
    names = {e.get('name') for e in json.loads(read('trace.json'))['traceEvents']}
    for name in NAMES:
        check(name in names, f'{name!r} is not in the trace')
    for how in ([], ['--full']):
        json.loads(run('report', *how, '--format', 'json', path).expect(0).out)
    json.loads(run('plugins', '--json').expect(0).out)


@test
def a_spreadsheet_runs_nothing(_folder):
    run('run', '-s', 'csv:excel=yes', '-o', 'out', hostile()).expect(0)
    for name, data in files_below('out').items():
        if not name.endswith('.csv'):
            continue
        for row in csv.reader(io.StringIO(data.decode('utf-8-sig'), newline='')):
            for cell in row:
                number = cell.replace('.', '', 1).lstrip('-+').isdigit()
                check(
                    number or cell[:1] not in ('=', '+', '-', '@', '\t', '\r'), f'{name}: {cell!r}'
                )


@test
def csv_gives_the_names_back(_folder):
    run('run', '-s', 'csv', '-o', 'out', hostile()).expect(0)
    rows = list(csv.DictReader(io.StringIO(read('out/events.csv').decode(), newline='')))
    names = {row['name'] for row in rows}
    for name in NAMES:
        check(name in names, f'{name!r} is not in the events')


@test
def names_are_no_paths_and_no_commands(folder):
    path = hostile()
    before = set(os.listdir(folder))
    words = [word for name in together() for word in ('-s', name)]
    run('run', *words, *analyzers(), '-o', 'out', path).expect(0)
    check_same(set(os.listdir(folder)) - before - {'data-home'}, {'out'}, 'files beside the output')
    for name in files_below('out'):
        check(all(c.isalnum() or c in '-_.' for c in name), f'a file of this name: {name!r}')


@test
def a_link_in_an_output_folder_is_replaced_not_followed(_folder):
    """Whoever may write there cannot lead nprof to another file."""
    os.makedirs('out')
    write('victim', 'precious')
    os.symlink('../victim', 'out/events.csv')
    write('t.xplane.pb', xspace.tiny())
    run('run', '-s', 'csv', '-o', 'out', 't.xplane.pb').expect(0)
    check_same(read('victim'), b'precious', 'the file behind the link')
    check(not os.path.islink('out/events.csv'), 'the link is still there')


@test
def a_temporary_name_that_others_foresee_does_no_harm(_folder):
    """Temporary files are made anew, never through a link that lies there."""
    write('victim', 'precious')
    os.makedirs('out')
    write('t.xplane.pb', xspace.tiny())
    for n in range(64):
        os.symlink('../victim', f'out/.events.csv.nprof-{n:06x}')
    run('run', '-s', 'csv', '-o', 'out', 't.xplane.pb').expect(0)
    check_same(read('victim'), b'precious', 'the file behind the links')


@test
def the_environment_decides_nothing_that_the_manual_does_not_name(_folder):
    write('t.xplane.pb', xspace.tiny())
    plain = run('run', '-s', 'csv', '-o', '-', 't.xplane.pb').expect(0).out
    env = {
        'LC_ALL': 'de_DE.UTF-8',
        'LANG': 'de_DE.UTF-8',
        'TZ': 'Asia/Tokyo',
        'IFS': 'x',
        'COLUMNS': '7',
        'G_MESSAGES_DEBUG': 'all',
        'HOME': '/nowhere',
        'POSIXLY_CORRECT': '1',
        'TERM': '\x1b[31m',
    }
    found = run('run', '-s', 'csv', '-o', '-', 't.xplane.pb', env=env).expect(0, err='')
    check_same(found.out, plain, 'in another environment')


@test
def without_any_environment(_folder):
    write('t.xplane.pb', xspace.tiny())
    plain = run('run', '-s', 'csv', '-o', '-', 't.xplane.pb').expect(0).out
    for name in ('PATH', 'HOME', 'TMPDIR', 'LANG', 'XDG_DATA_HOME'):
        found = run('run', '-s', 'csv', '-o', '-', 't.xplane.pb', env={name: ''}).expect(0, err='')
        check_same(found.out, plain, f'{name} is empty')


if __name__ == '__main__':
    main()
