# SPDX-License-Identifier: Apache-2.0
"""decided.py - what the contract decided for good: names, roles, what is refused, dependencies,
cancelling, failures that were hidden, types of options.  decided.c has a component for each.

Arguments: NAME=PLUGIN.so ...: decided.c, and the same with CONTRACT, LEAST, NEEDS.
"""

import csv
import json
import os
import re
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
sys.dont_write_bytecode = True
sys.path += [os.path.join(os.path.dirname(HERE), 'cli')]
os.environ.setdefault('NPROF', 'nprof')
import xspace  # noqa: E402
from harness import NPROF, add_test, check, check_same, main, read, run, write  # noqa: E402

PLUGINS = {}


def environment(variant='decided', **more):
    os.makedirs('plugins', mode=0o755, exist_ok=True)
    write('plugins/acme.maker.so', read(PLUGINS[variant]))
    write('in', 'acme')
    return {
        'NPROF_PLUGIN_PATH': os.path.abspath('plugins'),
        'XDG_DATA_HOME': os.path.abspath('none'),
        **more,
    }


def nprof(*args, variant='decided', **more):
    return run(*args, env=environment(variant, **more))


def names(_folder):
    """A third party's names have one dot; tables keep it in files, and quoted in a gate."""
    nprof('run', '-a', 'acme.maker', '-s', 'csv', '-o', 'out/', 'in').expect(0, err='')
    check_same(
        read('out/acme.made.csv').decode(), 'input,gaps,lost,why\nin,7,0,because\n', 'acme.made.csv'
    )
    result = nprof('sql', 'in', 'select gaps from "acme.made"', '-a', 'acme.maker')
    if 'no SQLite' not in result.err:
        check('7' in result.out, result.describe())
    nprof('gate', '-a', 'acme.maker', 'in', '"acme.made".gaps == 7').expect(0)


def roles(_folder):
    """A column that is called gaps means nothing by that: the gate decides, and is met."""
    nprof('gate', '-a', 'acme.maker', 'in', '"acme.made".lost == 0').expect(0)
    nprof('gate', '-a', 'acme.maker', 'in', '"acme.made".gaps > 7').expect(6, out='*not met*')


def refused(_folder):
    for breaks, what in (
        ('kind', 'kind 17'),
        ('negative', 'a duration of -2 ps'),
        ('over', 'whose sum is no int64'),
        ('counter', 'no value'),
        ('track', '99 is no kind of track'),
        ('status', 'returned the status 17'),
        ('name', 'the name 987654321, which intern never returned'),
        ('place', 'the track 9999, which track never returned'),
        ('set', 'the shared set 987654321, which attrs never returned'),
        ('key', 'an attribute of key 987654321, which intern never returned'),
        ('truth', 'a truth of 5'),
        ('id', 'an id128 of 3 bytes'),
        ('cell', 'a cell of column "text" has the string 987654321'),
    ):
        nprof('run', '-d', f'acme.rows:breaks={breaks}', '-s', 'csv', '-o', 'out/', 'in').expect(
            5, err=f'*{what}*'
        )
        check(not os.path.exists('out/events.csv'), f'{breaks}: something was written')
    nprof('run', '-d', 'acme.rows', '-s', 'null', 'in').expect(0, err='')


def hidden_failures(_folder):
    for breaks in ('swallowed', 'damaged'):
        nprof('run', '-d', f'acme.rows:breaks={breaks}', '-s', 'null', 'in').expect(
            5, err='*returned NPROF_OK after it had failed*a bad record*'
        )


def dependencies(_folder):
    nprof('run', '-a', 'acme.reader', '-s', 'csv', '-o', 'out/', 'in').expect(0, err='')
    check(os.path.exists('out/acme.made.csv'), 'the maker took no part')
    check_same(
        read('out/acme.told.csv').decode().splitlines()[1].split(',')[-1], '1', 'tables that it got'
    )
    nprof('run', '-a', 'acme.modest', '-s', 'csv', '-o', 'few/', 'in').expect(0, err='')
    check(not os.path.exists('few/acme.made.csv'), 'what may be absent pulled its maker in')
    nprof('run', '-a', 'acme.reader', '-a', 'acme.maker', '-s', 'csv', '-o', 'late/', 'in').expect(
        0, err=''
    )
    check_same(
        read('late/acme.told.csv').decode(),
        read('out/acme.told.csv').decode(),
        'a maker that came late',
    )
    nprof('run', '-a', 'acme.lost', '-s', 'null', 'in').expect(
        1, err='*acme.lost reads the table "acme.nowhere"*'
    )


def answers(_folder):
    """An analyzer of tables gets the core's own, and other analyzers', wherever it stands."""
    nprof('run', '-a', 'acme.answers', '-a', 'acme.maker', '-s', 'csv', '-o', 'out/', 'in').expect(
        0, err=''
    )
    check_same(
        read('out/acme.told.csv').decode().splitlines()[1].split(',')[-1],
        '2',
        'inputs and acme.made',
    )


def needs(_folder):
    for variant, what in (
        ('contract-2', 'it needs contract 2 of nprof/plugin.h, this nprof has 1'),
        ('contract-99', 'it needs contract 99'),
        ('needs', 'it needs the extension "acme.clairvoyance"'),
    ):
        nprof('run', '-a', 'acme.maker', '-s', 'null', 'in', variant=variant).expect(
            5, err=f'*{what}*'
        )
    nprof('run', '-a', 'acme.maker', '-s', 'null', 'in', variant='contract-2-least-1').expect(
        0, err=''
    )


def cancelled(_folder):
    child = subprocess.Popen(
        [NPROF, 'run', '-d', 'acme.rows:breaks=stop', '-s', 'null', 'in'],
        env={**os.environ, **environment()},
        stderr=subprocess.PIPE,
    )
    maps = ''
    while 'acme.maker' not in maps:  # until the plugin is open
        check(child.poll() is None, f'it ended with status {child.returncode}')
        with open(f'/proc/{child.pid}/maps', encoding='utf-8') as file:
            maps = file.read()
    child.send_signal(signal.SIGINT)
    check(child.wait(timeout=20) == 130, f'status {child.returncode}')


def options(_folder):
    write('secret', 'from a file\n')
    written = 'path=/x/y,duration=1.5ms,list=one+two'

    def told(*specs, **more):
        shutil.rmtree('out', ignore_errors=True)
        run(
            'run', '-a', ','.join(specs), '-s', 'csv', '-o', 'out/', 'in', env=environment(**more)
        ).expect(0, err='')
        return read('out/acme.told.csv').decode().splitlines()[1].split(',')[1:5]

    check_same(
        told(f'acme.options:{written}'), ['/x/y', '11', '1500000000', '<one><two>'], 'options'
    )
    check_same(told(f'acme.options:{written}', 'secret=@secret')[1], '11', 'a secret of a file')
    check_same(
        told(f'acme.options:{written}', 'secret=$ACME', ACME='four')[1], '4', 'of the environment'
    )
    bad = nprof('run', '-a', 'acme.options:secret=@nowhere', '-s', 'null', 'in').expect(1)
    check('nowhere' not in bad.err, bad.err)
    nprof('run', '-a', 'acme.options:duration=2s', '-s', 'null', 'in').expect(1, err='*1ns..1s*')
    nprof('run', '-a', 'acme.options:duration=5', '-s', 'null', 'in').expect(1, err='*20us*')
    nprof('run', '-a', 'acme.options:list=a++b', '-s', 'null', 'in').expect(1, err='*joined by +*')
    nprof(
        'run', '-a', 'acme.options:secret=very-secret', '-s', 'store', '-o', 'stored', 'in'
    ).expect(0, err='nprof: warning: analyzer acme.options: the secret "secret" is written out, and '
        "ps shows it to everybody on this machine: write 'secret=@FILE' * or 'secret=$NAME' *")
    for folder, _folders, files in os.walk('stored'):
        for name in files:
            check(
                b'very-secret' not in read(os.path.join(folder, name)), f'{name} holds the secret'
            )
    for args in (['plugins', '--json'], ['plugins', 'acme.options']):
        check('unspeakable' not in nprof(*args).expect(0).out, 'a preset that is a secret is shown')


def meaning(_folder):
    """What rows mean is written when it is asked for."""
    nprof('run', '-s', 'csv:table=events', '-o', 'out.csv', 'in').expect(0, err='')
    check('work' not in read('out.csv').decode().splitlines()[0], 'a column work')
    check('"work"' not in read('out.csv').decode(), 'an attribute work')
    nprof(
        'run', '--meaning', '-s', 'csv:table=events,columns=name+work', '-o', 'more.csv', 'in'
    ).expect(0, err='')
    check_same(read('more.csv').decode(), 'name,work\nwork,work\n', '--meaning')


def meaning_is_not_a_files_word(_folder):
    """What a file calls work, step or launch is written like any attribute, and means nothing."""
    own = {'work': 'by me', 'step': 7, 'launch': 3}
    nprof('run', '-d', 'acme.words', '-s', 'csv:table=events', '-o', 'columns.csv', 'in').expect(
        0, err=''
    )
    nprof('run', '-d', 'acme.words', '-s', 'parquet', '-o', 'columns.parquet', 'in').expect(
        0, err=''
    )
    nprof('run', '-s', 'csv', '-o', 'back/', 'columns.parquet').expect(0, err='')
    for name in ('columns.csv', 'back/events.csv'):
        row = table(name)[0]
        check_same({k: row.get(k) for k in own}, {k: str(v) for k, v in own.items()}, name)
    nprof('run', '-s', 'chrome', '-o', 'back.json', 'columns.parquet').expect(0, err='')
    check_same(arguments('back.json', 'copy'), own, 'back.json')
    nprof(
        'run',
        '--meaning',
        '-d',
        'acme.words',
        '-s',
        'csv:table=events,columns=work+attr_work',
        '-o',
        'said.csv',
        'in',
    ).expect(0, err='')
    check_same(read('said.csv').decode(), 'work,attr_work\ncopy,by me\n', '--meaning')

    plane = xspace.Plane(2, '/device:TPU:0')
    plane.add('XLA Ops', 'matmul', 1, 5, **own)
    write('x.xplane.pb', plane.data())
    nprof('run', '-s', 'chrome', '-o', 'x.json', 'x.xplane.pb').expect(0, err='')
    check_same(arguments('x.json', 'matmul'), own, 'x.json')
    nprof('run', '-s', 'csv', '-o', 'rows/', 'x.xplane.pb').expect(0, err='')
    nprof('run', '-s', 'parquet', '-o', 'rows.parquet', 'x.xplane.pb').expect(0, err='')
    nprof('run', '-s', 'csv', '-o', 'again/', 'rows.parquet').expect(0, err='')
    for folder in ('rows', 'again'):
        with open(f'{folder}/events.csv', encoding='utf-8', newline='') as file:
            row = next(csv.DictReader(file))
        check_same({'step': int(row['step']), **json.loads(row['attributes'])}, own, folder)


def arguments(path, name):
    return next(e for e in json.loads(read(path))['traceEvents'] if e['name'] == name)['args']


def table(path):
    lines = [line.split(',') for line in read(path).decode().splitlines()]
    return [dict(zip(lines[0], line)) for line in lines[1:]]


def meaning_is_read(_folder):
    """A decoder whose names and categories tell nothing gets its copies, communication, steps and
    what its host waited for from the keys; the sums are those of decided.c, by hand."""
    nprof(
        'run',
        '-d',
        'acme.meaning',
        '-a',
        'device',
        '-a',
        'steps',
        '-a',
        'critical',
        '-a',
        'operators',
        '-s',
        'csv',
        '-o',
        'out/',
        'in',
    ).expect(0, err='')
    us = lambda text: float(text) / 1000
    device = table('out/devices.csv')[0]
    check_same(us(device['busy_ns']), 120.0, 'busy: compute, copies and communication, no wait')
    steps = [row for row in table('out/step_breakdown.csv') if row['step']]
    check_same([row['step'] for row in steps], ['first', 'second'], 'steps')
    for row in steps:
        check_same(
            [us(row[c]) for c in ('compute_ns', 'exposed_copy_ns', 'exposed_communication_ns')],
            [30.0, 20.0, 10.0],
            f'step {row["step"]}',
        )
    found = [row for row in table('out/operators.csv') if row['operator'] == 'model/attention']
    check_same(
        [(row['level'], row['calls'], us(row['total_ns'])) for row in found],
        [('framework', '2', 60.0)],
        'its operator',
    )
    path = {}
    for row in table('out/critical_path.csv'):
        if row['step'] == 'first':
            path[row['class']] = path.get(row['class'], 0) + us(row['duration_ns'])
    check(path.get('sync_return') == 10.0, f'the call returned 10 us after the work: {path}')
    check_same(
        [path.get(c) for c in ('compute', 'copy', 'communication')],
        [30.0, 20.0, 10.0],
        f'path {path}',
    )


def meaning_is_checked(_folder):
    """What a profile can have, and how many rows are compute because nobody says more."""
    kernel = {
        'ph': 'X',
        'cat': 'kernel',
        'pid': 0,
        'tid': 7,
        'dur': 5,
        'args': {'device': 0, 'stream': 7},
    }
    write(
        'k.json',
        json.dumps(
            {
                'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100'}],
                'traceEvents': [
                    {**kernel, 'name': 'gemm', 'ts': 1},
                    {**kernel, 'name': 'relu', 'ts': 9},
                    {**kernel, 'name': 'Memcpy HtoD', 'cat': 'gpu_memcpy', 'ts': 20},
                ],
            }
        ),
    )
    result = nprof('check', '--meaning', 'k.json').expect(0, err='')
    check_same(
        result.out.splitlines(),
        [
            'yes  busy and idle of devices',
            'yes  copies and communication',
            'no   steps: lacks work step, or step',
            'no   launches, idle time by cause, the critical path: lacks launch on calls of hosts and on work',
            'no   operators: lacks operator, framework_op or layer',
            'no   MFU and the roofline: lacks flops or model_flops',
            '3 rows of devices: 3 say their work, 0 are compute by default',
        ],
        'k.json',
    )
    nprof('check', '--meaning', 'nowhere').expect(2, out='', err='*nowhere*')


def a_secret_stands_nowhere(_folder):
    """Whatever is written, said or failed: only the plugin has it."""
    secret = 'hush-7c1d-hush'
    given = f'acme.options:secret={secret}'
    for number, (status, args) in enumerate(
        (
            (
                0,
                ['run', '-v', '-v', '-v', '-a', given, '-s', 'csv', '-s', 'store', '-o', 'o', 'in'],
            ),
            (0, ['run', '-a', given, '-s', 'chrome', '-o', 'o.trace', 'in']),
            (0, ['run', '-a', given, '-s', 'parquet', '-o', 'o.parquet', 'in']),
            (0, ['report', '-v', '-a', given, 'in']),
            (0, ['report', '-a', given, '-o', 'o.html', 'in']),
            (0, ['report', '-a', given, '-o', 'o.md', 'in']),
            (0, ['view', '--ingest-only', '--store', 'kept', '-a', given, 'in']),
            (0, ['gate', '-a', given, '-a', 'acme.maker', 'in', '"acme.made".gaps == 7']),
            (6, ['gate', '-a', given, '-a', 'acme.maker', 'in', '"acme.made".gaps == 8']),
            (1, ['run', '-a', f'{given},secret=again-{secret}', '-s', 'null', 'in']),
            (1, ['run', '-a', f'{given},duration=5', '-s', 'null', 'in']),
            (1, ['run', '-a', f'{given},nowhere=1', '-s', 'null', 'in']),
            (2, ['run', '-a', given, '-s', 'null', 'gone']),
            (1, ['run', '-a', f'acme.options:secet={secret}', '-s', 'null', 'in']),
            (1, ['run', '-a', f'acme.options:secret="{secret},{secret}', '-s', 'null', 'in']),
            (1, ['run', '-s', f'influx:token={secret}', 'in']),
            (1, ['run', '-s', f'influx:password={secret}', 'in']),
            (5, ['run', '-d', 'acme.rows:breaks=kind', '-a', given, '-s', 'null', 'in']),
        )
    ):
        result = nprof(*args)
        shown = f'{number}: {" ".join(args)}'.replace(secret, 'SECRET')
        check(result.status == status, f'{shown}: status {result.status}\n{result.err}')
        check(secret not in result.out, f'{shown}: stdout holds the secret')
        check(secret not in result.err, f'{shown}: stderr holds the secret: {result.err}')
    for folder, _folders, files in os.walk('.'):
        for name in files:
            found = read(os.path.join(folder, name))
            check(secret.encode() not in found, f'{folder}/{name} holds the secret')


def a_cell_is_16_bytes(_folder):
    layout = read(os.path.join(HERE, 'layout.txt')).decode()
    check('struct nprof_cell 16\n' in layout, 'struct nprof_cell')


def tests_of_decisions(_folder):
    """Each row of the page names tests, and each of them exists."""
    page = read(os.path.join(TOP, 'docs', 'decisions', '0019-contract-1.0.md')).decode()
    rows = re.findall(r'^\| (\d+) \|.*\| (.*) \|$', page, flags=re.M)
    check_same([int(number) for number, _ in rows], list(range(1, 13)), 'decisions')
    for number, held in rows:
        for part in held.split('; '):
            file, colon, names_ = part.rpartition(': ')
            path = os.path.join(TOP, file.strip('`')) if colon else os.path.abspath(__file__)
            text = read(path).decode()
            for name in re.findall(r'`(\w+)`', names_):
                check(f'\ndef {name}(' in text, f'{number}: {path} has no {name}')


def header(_folder):
    """plugin.h stays one that a person reads in an hour, and what may change is in nprof/draft."""
    text = re.sub(
        r'/\*.*?\*/', '', read(os.path.join(TOP, 'include/nprof/plugin.h')).decode(), flags=re.S
    )
    lines = [line for line in text.splitlines() if line.strip()]
    check(len(lines) <= 320, f'plugin.h has {len(lines)} lines of code, 320 at most')
    folder = os.path.join(TOP, 'include/nprof/draft')
    for name in os.listdir(folder):
        found = read(os.path.join(folder, name)).decode()
        check(
            'may change or go in every release' in found, f'{name} does not say that it is a draft'
        )
        ids = re.findall(r'^#define NPROF_\w+ "(.*)"', found, flags=re.M)
        check(all(i.startswith('draft.') for i in ids), f'{name}: {ids}')


if __name__ == '__main__':
    for argument in sys.argv[1:]:
        key, so = argument.split('=')
        PLUGINS[key] = so
    sys.argv[1:] = []
    for function in (
        names,
        roles,
        refused,
        hidden_failures,
        dependencies,
        answers,
        needs,
        cancelled,
        options,
        meaning,
        meaning_is_not_a_files_word,
        meaning_is_read,
        meaning_is_checked,
        a_secret_stands_nowhere,
        a_cell_is_16_bytes,
        tests_of_decisions,
        header,
    ):
        add_test(function.__name__.replace('_', '-'), function)
    main()
