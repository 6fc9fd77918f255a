# SPDX-License-Identifier: Apache-2.0
"""inputs.py - the forms in which an input may come (file, stdin, pipe, gzip, zstd, folder, several
at once), and what part of it is looked at (--from, --to, ...): the same rows each time."""

import collections
import glob
import gzip
import json
import os
import pickle
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import zipfile

from harness import (
    NPROF,
    Skip,
    check,
    check_same,
    feed,
    files_below,
    finish,
    main,
    read,
    rows_of,
    run,
    sample,
    start,
    test,
    through_terminal,
    write,
)
import xspace


def events_of(*arguments, stdin=b'', env=None):
    result = run('run', '-s', 'csv', '-o', '-', *arguments, stdin=stdin, env=env)
    return rows_of(result.expect(0).out)


def without_input(rows):
    return [{k: v for k, v in row.items() if k != 'input'} for row in rows]


def zstd_frame(data):
    """A frame of raw blocks (RFC 8878), so that no zstd program is needed."""
    out = struct.pack('<IBQ', 0xFD2FB528, 0xE0, len(data))
    blocks = [data[i : i + 65536] for i in range(0, len(data), 65536)] or [b'']
    for number, block in enumerate(blocks):
        last = number == len(blocks) - 1
        out += struct.pack('<I', len(block) << 3 | last)[:3] + block
    return out


def zipped(name, *files, how=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(name, 'w', how) as archive:
        for inner, data in files:
            archive.writestr(inner, data)
    return read(name)


LONG = 100000  # bytes of a text, beyond a limit of 64 KiB


def long_trace(name, value, **args):
    """A trace of one kernel; its name may be a text of any length."""
    row = {
        'ph': 'X',
        'name': value,
        'cat': 'kernel',
        'pid': 1,
        'tid': 1,
        'ts': 1,
        'dur': 2.5,
        'args': args,
    }
    return write(name, json.dumps({'traceEvents': [row]}, ensure_ascii=False))


@test
def a_text_beyond_the_limit_is_cut_and_said(_):
    """It keeps its row, whole characters and how long it was; escapes count as what they stand
    for."""
    for value, shown in (('k' * LONG, 'k'), ('é' * (LONG // 2), 'é'), ('k\n' * (LONG // 2), 'k\n')):
        path = long_trace('long.json', value)
        result = run(
            'run', '-s', 'csv:columns=name+duration_ns', '-o', '-', '--text-max', '64K', path
        ).expect(0)
        (row,) = [r for r in rows_of(result.out) if r['name'].startswith(shown)]
        mark = f'… (cut, {len(value.encode())} bytes)'
        check_same((row['duration_ns'], row['name'][-len(mark) :]), ('2500', mark), 'row')
        check(
            65530 <= len(row['name'].encode()) <= 65536,
            f'{len(row["name"].encode())} bytes are kept',
        )
        check(value.startswith(row['name'][: -len(mark)]), 'the beginning of the text')
        check_same(
            result.err.count('is cut at 65536: --text-max SIZE keeps more'),
            1,
            f'warnings in {result.err!r}',
        )
        whole = run('run', '-s', 'csv:columns=name', '-o', '-', path).expect(0)
        check(
            value in [r['name'] for r in rows_of(whole.out)] and not whole.err,
            'by default 16 MiB are kept',
        )


@test
def a_text_of_a_table_beyond_the_limit_is_cut_and_said(_):
    """Six names of 300 bytes are a stack of 1,805; its row keeps its weight."""
    names = [letter * 300 for letter in 'abcdef']
    path = write(
        'deep.json',
        json.dumps(
            {
                'traceEvents': [
                    {'ph': 'X', 'name': name, 'pid': 1, 'tid': 1, 'ts': n, 'dur': 20 - 2 * n}
                    for n, name in enumerate(names)
                ]
            }
        ),
    )
    stacks = ['run', '-a', 'flame', '-s', 'csv:table=stacks', '-o', '-', path]
    whole, cut = run(*stacks).expect(0), run(*stacks, '--text-max', '1K').expect(0)
    *above, deepest = [row for row in rows_of(whole.out) if row['stack'].count(';') >= 1]
    check_same(
        len(deepest['stack']) - len(deepest['stack'].split(';')[0]),
        1806,
        'a stack behind its thread',
    )
    check(not whole.err, whole.describe())
    mark = f'… (cut, {len(deepest["stack"].encode())} bytes)'
    (found,) = [row for row in rows_of(cut.out) if row['stack'].endswith(mark)]
    check_same(
        (found['weight'], found['count']),
        (deepest['weight'], deepest['count']),
        'figures of the row',
    )
    check(
        len(found['stack'].encode()) == 1024
        and deepest['stack'].startswith(found['stack'][: -len(mark)]),
        found,
    )
    check_same(len(rows_of(cut.out)), len(rows_of(whole.out)), 'rows')
    check_same(
        cut.err.count('is cut at 1024: --text-max SIZE keeps more'),
        sum(len(row['stack'].encode()) > 1024 for row in above + [deepest]),
        'warnings',
    )


@test
def texts_that_differ_behind_the_limit_are_counted(_):
    """The first twenty are told, the others counted."""
    rows = [
        {'ph': 'X', 'name': 'k' * (2000 + n), 'pid': 1, 'tid': 1, 'ts': n, 'dur': 1}
        for n in range(30)
    ]
    result = run(
        'run',
        '-s',
        'null',
        '--text-max',
        '1K',
        write('many.json', json.dumps({'traceEvents': rows})),
    ).expect(0)
    check_same(result.err.count('is cut at 1024'), 21, 'warnings, of which one is the count')
    check('10 more' in result.err, f'count in {result.err!r}')


@test
def an_output_that_is_many_times_the_input_is_said(_):
    """A name that rows share is written with each: 256 kB become 128 MB."""
    path = write(
        'shared.xplane.pb',
        xspace.plane(
            1,
            '/device:TPU:0',
            xspace.line(1, 'XLA Ops', b''.join(xspace.event(1, i * 10, 5) for i in range(500))),
            xspace.named(4, 1, 'x' * 262144),
        ),
    )
    result = run('run', '-s', 'csv:columns=name', '-o', 'out', path).expect(0)
    check(
        re.search(r'the output, 125 MiB, is 4\d\d times the input', result.err),
        result.describe()[:2000],
    )
    check(
        'times the input'
        not in run('run', '-s', 'csv:columns=duration_ns', '-o', 'few', path).expect(0).err,
        'columns of no such text',
    )


@test
def an_attribute_beyond_the_limit_is_refused_with_its_row(_):
    """Half of a JSON text would be none."""
    path = long_trace('args.json', 'k', note='x' * 3000000)
    result = run('run', '-s', 'csv', '-o', '-', '--text-max', '64K', path).expect(2)
    check(
        'args.json: an attribute of the row "k" at 1000 ns has 30000' in result.err
        and 'expected at most 65536: --text-max SIZE reads it' in result.err,
        result.describe(),
    )
    run('run', '-s', 'csv', '-o', '-', '--text-max', '4M', path).expect(0)


@test
def limits_that_are_none(_):
    for text, why in (
        ('0', 'expected 1K to 1G'),
        ('1023', 'expected 1K to 1G'),
        ('2G', 'expected 1K to 1G'),
        ('much', 'expected a size such as 500M or 20G'),
        ('-1K', 'expected a size'),
    ):
        result = run('report', '--text-max', text, sample()).expect(1)
        check(why in result.err, result.describe())


@test
def progress_while_a_file_is_unpacked(_):
    """On a terminal, before any row of it is read; then it says that it is analyzed and written."""
    with gzip.open('blank.json.gz', 'wb', 1) as file:
        file.write(b'{"traceEvents":[' + b' ' * (500 << 20) + b']}')
    status, data = through_terminal(80, 'run', '-s', 'null', 'blank.json.gz', errors=True)
    check_same(status, 0, 'exit status')
    check(b'unpacked to' in data, data[:500])
    for stage in (b'analyzing', b'writing'):
        check(b'blank.json.gz  ' + stage in data, data[-500:])


@test
def files_without_an_end_are_refused(folder):
    """Devices at once, a pipe that nobody opens to write after ten seconds."""
    for path in ('/dev/zero', '/dev/urandom', '/dev/full', '/dev/null'):
        for command in (
            ['info'],
            ['report'],
            ['run', '-s', 'null'],
            ['view', '--ingest-only', '--store', 'S'],
        ):
            run(*command, path).expect(
                2, err=f'*{path}: is a device, which may never end, expected a file or a pipe*'
            )
    with open('/dev/zero', 'rb') as zero:
        result = subprocess.run(
            [NPROF, 'info', '-'], stdin=zero, capture_output=True, timeout=60, check=False
        )
    check(result.returncode == 2 and b'stdin: is a device' in result.stderr, result)
    os.mkfifo('silent')
    run('info', 'silent').expect(
        2,
        err='*silent: is a pipe that nobody has opened to write for 10 s: start its writer first*',
    )
    result = subprocess.run(
        ['bash', '-c', f'{NPROF} info <(true)'], capture_output=True, timeout=60, check=False
    )
    check(result.returncode == 2 and b'nobody' not in result.stderr, result)


@test
def a_writer_that_comes_late_is_waited_for(_):
    """Also one that says nothing for a while after it has opened the pipe."""
    os.mkfifo('late')
    process = start(
        'run', '-s', 'csv', '-o', '-', 'late', stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    feed(process, 'late', read(sample()))
    result = finish(process)
    check_same(len(rows_of(result.expect(0).out)), len(events_of(sample())), 'rows')


@test
def no_room_for_a_spooled_input_is_this_machines(_):
    """A limit of the size of files (ulimit -f) is one, as a full disk is."""
    with gzip.open('blank.json.gz', 'wb', 1) as file:
        file.write(b'{"traceEvents":[' + b' ' * (40 << 20) + b']}')
    result = subprocess.run(
        ['bash', '-c', f'ulimit -f 10000; exec {NPROF} info blank.json.gz'],
        capture_output=True,
        check=False,
    )
    check_same(result.returncode, 7, f'status: {result.stderr}')
    check(b'File too large' in result.stderr and b'set TMPDIR' in result.stderr, result.stderr)


@test
def a_zip_of_one_file(_folder):
    """As chrome://tracing saves it, also through a pipe; several files, damage and cuts are
    errors."""
    data = read(sample())
    expected = without_input(events_of(sample()))
    for how in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        whole = zipped(
            'a.zip', ('folder/', b''), ('__MACOSX/folder/._t', b'x'), ('folder/t', data), how=how
        )
        check_same(without_input(events_of('a.zip')), expected, f'rows of a zip ({how})')
        check_same(
            without_input(events_of('-', stdin=whole)), expected, f'rows of a zip in a pipe ({how})'
        )
    with zipfile.ZipFile('b.zip', 'w', zipfile.ZIP_DEFLATED) as archive:  # sizes behind the data
        with archive.open('t', 'w', force_zip64=True) as inner:
            inner.write(data)
    check_same(without_input(events_of('b.zip')), expected, 'rows of a zip64')
    zipped('c.zip', ('a', data), ('b', data))
    run('run', '-s', 'null', 'c.zip').expect(
        2, err='*c.zip: byte *: damaged zip data (it holds several files: unpack *'
    )
    for cut in (len(whole) // 3, len(whole) // 2):
        write('d.zip', whole[:cut])
        run('run', '-s', 'null', 'd.zip').expect(2, err='*d.zip: byte *: damaged zip data (*')
    for at in range(len(whole) // 4, len(whole) // 2, len(whole) // 16):
        write('e.zip', whole[:at] + bytes([whole[at] ^ 255]) + whole[at + 1 :])
        run('run', '-s', 'null', 'e.zip').expect(2, err='*e.zip: *')


@test
def files_of_other_tools_are_named(_folder):
    """The error says what they are and what to do; from a pipe and inside gzip, too."""
    with tarfile.open('a.tar', 'w') as tar:
        tar.add(sample(), 'trace')
    graph = json.dumps({'schema': '1.0.2-chakra.0.0.4', 'pid': 1, 'nodes': []}).encode()
    for name, data, what in (
        ('a.db', b'SQLite format 3\0', 'an SQLite database, but neither *'),
        (
            'a.pickle',
            pickle.dumps({'weights': []}),
            'a Python pickle, but neither a memory snapshot*',
        ),
        ('a.tar', read('a.tar'), 'a tar archive: unpack it *'),
        ('a.pt.trace.json', graph, 'an execution trace (Chakra, *'),
        ('a.json', '{"traceEvents": []}'.encode('utf-16'), 'text in UTF-16: *iconv *'),
    ):
        write(name, data)
        write('b.gz', gzip.compress(data))
        run('run', '-s', 'null', name).expect(2, err=f'nprof: error: {name}: is {what}')
        run('run', '-s', 'null', 'b.gz').expect(2, err=f'nprof: error: b.gz: is {what}')
        if name == 'a.json':
            run('run', '-s', 'null', '-', stdin=data).expect(2, err=f'nprof: error: *: is {what}')


@test
def two_profiles_in_one_xspace_are_refused(_):
    """Protobuf reads two messages as one. What contradicts is of another profile; pieces of one
    repeat what they say."""

    def cpu(name, start=0):
        return xspace.plane(
            1,
            '/host:CPU',
            xspace.line(5, 'main', xspace.event(1, start, 5)),
            xspace.named(4, 1, name),
        )

    def session(start):
        return xspace.plane(
            2,
            'Task Environment',
            xspace.named(5, 7, 'profile_start_time'),
            xspace.message(6, xspace.number(1, 7) + xspace.number(4, start)),
        )

    def host(name):
        return xspace.message(4, name)

    a_second = 1_700_000_000_000_000_000
    for before, behind, sign in (
        (cpu('a'), cpu('b'), 'metadata 1 of plane "/host:CPU" has another name than before'),
        (
            session(a_second) + cpu('a'),
            session(a_second + 10**9) + cpu('a', 10),
            'its session began at another time (profile_start_time)',
        ),
        (
            cpu('a') + host('x'),
            cpu('a', 10) + host('y'),
            'planes follow the names of hosts, and then other hosts',
        ),
    ):
        path = write('two.xplane.pb', before + behind)
        for keep in ([], ['-k']):
            result = run('run', '-s', 'null', *keep, path).expect(2)
            check(
                f'two.xplane.pb: byte {len(before)}: a second profile was written behind the first one into this file: {sign}: '
                'write each to a file of its own' in result.err,
                result.describe(),
            )
    pieces = session(a_second) + cpu('a') + session(a_second) + cpu('a', 10)
    for one in (
        pieces,
        pieces + host('x') + host('y'),
        cpu('a') + host('x') + cpu('a', 10) + host('x'),
        cpu('a') + cpu('a', 10),
    ):
        check_same(len(events_of(write('one.xplane.pb', one))), 2, 'rows of the pieces')


@test
def real_xspaces_behind_one_another_are_refused(_):
    data = os.environ.get('NPROF_TEST_DATA')
    if not data:
        raise Skip('no real traces here')
    good = [
        read(path) for path in sorted(glob.glob(os.path.join(data, 'xplane', '[!b]*.xplane.pb')))
    ]
    check_same(len(good), 5, 'files')
    for before in good:
        run('run', '-s', 'null', write('one.xplane.pb', before)).expect(0)
        for behind in good:
            if behind is not before:
                result = run('run', '-s', 'null', write('two.xplane.pb', before + behind)).expect(2)
                check(
                    'a second profile was written behind the first one' in result.err,
                    result.describe(),
                )


@test
def stdin(_folder):
    path = sample()
    expected = without_input(events_of(path))
    check(len(expected) > 10, 'the sample has no rows')
    found = events_of('-d', 'xplane', '-', stdin=read(path))
    check_same({row['input'] for row in found}, {'stdin'}, 'input')
    check_same(without_input(found), expected, 'rows')
    check_same(without_input(events_of('-', stdin=read(path))), expected, 'rows without -d')


@test
def stdin_as_gzip(_folder):
    found = events_of('-', stdin=gzip.compress(read(sample())))
    check_same(without_input(found), without_input(events_of(sample())), 'rows')


@test
def gzip_and_zstd_are_known_by_content(_folder):
    data = read(sample())
    expected = without_input(events_of(sample()))
    half = len(data) // 2
    forms = {
        'a.xplane.pb.gz': gzip.compress(data),
        'b.xplane.pb': gzip.compress(data),
        'members.gz': gzip.compress(data[:half]) + gzip.compress(data[half:]),
        'c.xplane.pb.zst': zstd_frame(data),
        'd': zstd_frame(data[:half]) + zstd_frame(data[half:]),
    }
    for name, packed in forms.items():
        check_same(without_input(events_of(write(name, packed))), expected, name)


@test
def cut_gzip_and_zstd_are_2(_folder):
    data = read(sample())
    for name, packed in (('cut.gz', gzip.compress(data)), ('cut.zst', zstd_frame(data))):
        write(name, packed[: len(packed) * 2 // 3])
        run('run', '-d', 'xplane', '-o', 'out', name).expect(2, out='', err=f'*{name}*')
    check_same(sorted(files_below('.')), ['cut.gz', 'cut.zst'], 'files')


@test
def named_pipe(folder):
    data = read(sample())
    expected = without_input(events_of(sample()))
    for name, content in (('plain', data), ('packed', gzip.compress(data))):
        fifo = os.path.join(folder, name)
        os.mkfifo(fifo)
        process = start('run', '-d', 'xplane', '-o', 'out', fifo, stderr=subprocess.PIPE)
        feed(process, fifo, content)
        finish(process).expect(0)
        check_same(without_input(rows_of(read('out/events.csv'))), expected, name)


@test
def pipes_are_spooled_to_tmpdir_and_nothing_stays(folder):
    os.mkdir('tmp')
    env = {'TMPDIR': os.path.join(folder, 'tmp')}
    events_of('-d', 'xplane', '-', stdin=xspace.many(200000), env=env)
    check_same(files_below('tmp'), {}, 'files in $TMPDIR')


@test
def recorded_trace_of_a_real_program(_folder):
    # 375 complete events, 92 pairs, 1016 async spans of which 123 were never closed
    rows = events_of(sample('node-workload.trace.json'))
    kinds = collections.Counter(row['kind'] for row in rows)
    check_same(kinds, {'span': 375 + 92 + 1016, 'instant': 12, 'counter': 5}, 'rows')
    check_same(sum(r['kind'] == 'span' and not r['duration_ns'] for r in rows), 123, 'unclosed')


@test
def two_inputs_come_in_command_order(_folder):
    write('b.xplane.pb', xspace.tiny(('first', 'second')))
    write('a.xplane.pb', xspace.tiny(('third', 'fourth')))
    rows = events_of('b.xplane.pb', 'a.xplane.pb')
    spans = [(row['input'], row['name']) for row in rows if row['kind'] == 'span']
    check_same(
        spans,
        [
            ('b.xplane.pb', 'first'),
            ('b.xplane.pb', 'second'),
            ('a.xplane.pb', 'third'),
            ('a.xplane.pb', 'fourth'),
        ],
        'rows',
    )
    tracks = {row['input']: row['track'] for row in rows if row['kind'] == 'span'}
    check(tracks['a.xplane.pb'] != tracks['b.xplane.pb'], 'two inputs share a track')


@test
def labels_are_paths_below_the_common_folder(folder):
    os.makedirs('runs/x/1')
    os.makedirs('runs/x/2')
    for number in '12':
        write(f'runs/x/{number}/t.xplane.pb', xspace.tiny())
    rows = events_of(
        os.path.join(folder, 'runs/x/1/t.xplane.pb'), os.path.join(folder, 'runs/x/2/t.xplane.pb')
    )
    check_same(sorted({row['input'] for row in rows}), ['1/t.xplane.pb', '2/t.xplane.pb'], 'labels')


@test
def folder_is_walked_in_byte_order(_folder):
    for path in ('B/z', 'a/b/c/y', 'a/x', '.hidden/h', 'a/.h'):
        os.makedirs(os.path.dirname('d/' + path), exist_ok=True)
        write(f'd/{path}.xplane.pb', xspace.tiny())
    write('d/notes.txt', 'not a profile\n')
    os.symlink('a', 'd/link')
    result = run('run', '-v', '-s', 'csv', '-o', '-', 'd').expect(0, err='*notes.txt*')
    found = list(dict.fromkeys(row['input'] for row in rows_of(result.out)))
    check_same(found, ['B/z.xplane.pb', 'a/b/c/y.xplane.pb', 'a/x.xplane.pb'], 'inputs')


@test
def of_several_tensorboard_runs_the_last_is_taken(_folder):
    for run_name in ('2024_01_01', '2024_02_01'):
        os.makedirs(f'log/plugins/profile/{run_name}')
        write(f'log/plugins/profile/{run_name}/host.xplane.pb', xspace.tiny((run_name, 'x')))
    result = run('run', '-s', 'csv', '-o', '-', 'log').expect(0, err='*2024_02_01*')
    check('2024_01_01' not in result.out, result.describe())
    check('2024_02_01' in result.out, result.describe())


@test
def times_keep_every_picosecond(_folder):
    write(
        't.xplane.pb',
        xspace.plane(
            1,
            '/device:TPU:0',
            xspace.line(1, 'XLA Ops', xspace.event(1, 123456789012345, 1)),
            xspace.named(4, 1, 'op'),
        ),
    )
    [row] = [r for r in events_of('t.xplane.pb') if r['kind'] == 'span']
    check_same((row['start_ns'], row['duration_ns']), ('123456789012.345', '0.001'), 'times')


@test
def from_and_to_select_rows_and_count_the_rest(_folder):
    write('m.xplane.pb', xspace.many(10))  # spans of 1 us that start every 2 us
    result = run(
        'run', '-v', '-s', 'csv', '-o', '-', '--from', '4us', '--to', '8.5us', 'm.xplane.pb'
    ).expect(0, err='*7 rows*')
    starts = [r['start_ns'] for r in rows_of(result.out) if r['kind'] == 'span']
    check_same(starts, ['4000', '6000', '8000'], 'starts')


@test
def spans_that_cross_an_edge_stay_whole(_folder):
    write('m.xplane.pb', xspace.many(10))
    rows = events_of('--from', '4500ns', '--to', '6us', 'm.xplane.pb')
    spans = [r for r in rows if r['kind'] == 'span']
    check_same([(r['start_ns'], r['duration_ns']) for r in spans][:1], [('4000', '1000')], 'times')
    check(
        'crosses_edge' in spans[0].get('attributes', '') or spans[0].get('crosses_edge'),
        f'not marked: {spans[0]}',
    )


@test
def name_and_track_globs(_folder):
    write('m.xplane.pb', xspace.many(9, lines=2))
    rows = events_of('--name', 'mat*', '--track', '*line 1*', 'm.xplane.pb')
    spans = {(r['name'], r['thread']) for r in rows if r['kind'] == 'span'}
    check_same(spans, {('matmul', 'line 1')}, 'rows')


@test
def config_file_says_what_the_command_line_does_not(_folder):
    shutil.copy(sample(), 's.xplane.pb')
    expected = events_of('s.xplane.pb')
    write(
        'pipeline.json',
        json.dumps(
            {
                'inputs': ['s.xplane.pb'],
                'decoder': {'name': 'xplane'},
                'sinks': [{'name': 'csv', 'options': {'delimiter': ';'}}],
                'output': 'out',
                'jobs': 1,
            }
        ),
    )
    run('run', '--config', 'pipeline.json').expect(0, out='')
    check_same(
        read('out/events.csv').split(b'\n')[0].count(b';'),
        len(expected[0]) - 1,
        'delimiters of the header',
    )
    result = run('run', '--config', 'pipeline.json', '-s', 'csv', '-o', '-').expect(0)
    check_same(rows_of(result.out), expected, 'rows when the command line overrides')


def made(tool, *arguments):
    subprocess.run(
        [
            sys.executable,
            '-B',
            os.path.join(os.environ['NPROF_SOURCE'], 'tests', 'tools', tool),
            '.',
            *arguments,
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def inputs_of(folder):
    return [(row['input'], row['decoder']) for row in rows_of(read(f'{folder}/inputs.csv'))]


@test
def a_file_that_a_decoder_finds_beside_another_is_decoded_once(_folder):
    """An NTFF takes the facts of the NEFF beside it, which is an input then as if it had been
    named."""
    if not os.path.exists(os.path.join(os.environ['NPROF_PLUGINS'], 'neff.so')):
        raise Skip('built without libarchive')
    made('ntff_make.py')
    made('neff-make.py')
    ntff, neff = 'synthetic_1.ntff', 'one/a.neff'
    os.mkdir('one')
    shutil.copy(ntff, 'one')
    shutil.copy('synthetic_pkg1_tar.neff', neff)
    both = [(ntff, 'ntff'), ('a.neff', 'neff')]
    run('run', '-v', '-s', 'csv', '-o', 'found', f'one/{ntff}').expect(
        0, err='*its NEFF is a.neff*'
    )
    check_same(inputs_of('found'), both, 'inputs')
    run('run', '-s', 'csv', '-o', 'named', f'one/{ntff}', neff).expect(0)
    check_same(inputs_of('named'), both, 'inputs')
    run('run', '-d', f'ntff:neff={neff}', '-s', 'csv', '-o', 'option', ntff).expect(0)
    check_same(inputs_of('option'), both, 'inputs')
    write('one/b.neff', 'junk')
    run('run', '-d', 'ntff:neff=one/b.neff', '-s', 'csv', '-o', 'junk', ntff).expect(
        1, err='*this is no NEFF*'
    )
    run('run', '-d', 'ntff:neff=one/c.neff', '-s', 'csv', '-o', 'none', ntff).expect(
        2, err='*one/c.neff: cannot be opened: No such file or directory*'
    )


def trace_of(number, n_rows, *more):
    """A trace with spans of its own, and records that are none."""
    spans = [
        {'name': f'op {i % 7}', 'ph': 'X', 'ts': i * 10 + number, 'dur': 5, 'pid': number, 'tid': 1}
        for i in range(n_rows)
    ]
    return json.dumps({'traceEvents': spans + list(more)})


def told_with(jobs, *arguments):
    """Exit status, files and words of a run with so many threads."""
    result = run('run', '-j', str(jobs), '-s', 'csv', '-o', f'out{jobs}', *arguments)
    files = (
        {name: read(f'out{jobs}/{name}') for name in sorted(files_below(f'out{jobs}'))}
        if os.path.isdir(f'out{jobs}')
        else {}
    )
    files.pop('nprof-manifest.json', None)
    return result.status, result.err.replace(f'out{jobs}', 'out'), files


@test
def many_inputs_at_once_are_told_as_one_after_the_other(_folder):
    """Inputs of very different sizes, with damaged records of which each is told, on 1, 2, 4 and 8
    threads."""
    names = []
    for number in range(24):
        names.append(f't{number:02}.json')
        lost = [{'name': 'x', 'ph': 'X', 'ts': 'none', 'dur': 1, 'pid': 1, 'tid': 1}] * (number % 3)
        write(names[-1], trace_of(number, 9000 if number % 11 == 0 else 1 + number, *lost))
    alone = told_with(1, '--keep-going', *names)
    check_same(alone[0], 3, 'exit status')
    for jobs in (2, 4, 8):
        check_same(told_with(jobs, '--keep-going', *names), alone, f'-j {jobs}')


@test
def of_many_inputs_the_first_damaged_one_is_named(_folder):
    """Also when a later one fails sooner; nothing stays behind."""
    names = [f't{number:02}.json' for number in range(16)]
    for number, name in enumerate(names):
        write(name, trace_of(number, 5000))
    for name in names[5:]:
        write(name, read(name)[:-30] if name == names[5] else '{"traceEvents":[{"name"]}')
    alone = told_with(1, *names)
    check_same(alone[0], 2, 'exit status')
    check('t05.json' in alone[1], alone[1])
    for jobs in (2, 4, 8):
        check_same(told_with(jobs, *names), alone, f'-j {jobs}')
    check_same(alone[2], {}, 'files')


@test
def siblings_of_inputs_at_once_have_the_same_numbers(_folder):
    """Each NTFF has a NEFF of its own beside it, which becomes an input behind all that were
    named."""
    if not os.path.exists(os.path.join(os.environ['NPROF_PLUGINS'], 'neff.so')):
        raise Skip('built without libarchive')
    made('ntff_make.py')
    made('neff-make.py')
    names = []
    for number in range(12):
        os.mkdir(f'f{number:02}')
        shutil.copy('synthetic_1.ntff', f'f{number:02}')
        shutil.copy('synthetic_pkg1_tar.neff', f'f{number:02}/a{number:02}.neff')
        names.append(f'f{number:02}/synthetic_1.ntff')
    alone = told_with(1, *names)
    check_same(alone[0], 0, 'exit status')
    check_same(
        [row['decoder'] for row in rows_of(alone[2]['inputs.csv'])],
        ['ntff'] * 12 + ['neff'] * 12,
        'decoders',
    )
    for jobs in (2, 4):
        check_same(told_with(jobs, *names), alone, f'-j {jobs}')


if __name__ == '__main__':
    main()
