# SPDX-License-Identifier: Apache-2.0
"""damage.py - broken inputs: cut at every byte, every byte changed, lengths that lie.  nprof ends
with a status that it has words for, never by a signal, and leaves no file when it failed."""

import concurrent.futures
import gzip
import json
import os
import random
import shutil
import zlib

from harness import add_test, check, check_same, files_below, main, read, rows_of, run, test, write
from samples import components, samples_for
import xspace

# Small, so that each byte can be tried: one plane, two events, one attribute.
DATA = xspace.tiny()


def attempt(folder, name, data, *options, decoder='xplane'):
    path = write(os.path.join(folder, name + '.xplane.pb'), data)
    out = os.path.join(folder, 'out-' + name)
    shutil.rmtree(out, ignore_errors=True)
    result = run('run', '-d', decoder, '-s', 'csv', '-o', out, *options, path)
    check(result.status in (0, 2, 3), result.describe())
    check('Sanitizer' not in result.err and 'runtime error' not in result.err, result.describe())
    if result.status == 2:
        check(not os.path.exists(out), f'{name}: failed, but {sorted(files_below(out))} are left')
        check(name in result.err, 'the error does not name the file\n' + result.describe())
    if result.status == 3:
        check(options, 'losses without --keep-going\n' + result.describe())
    return result.status


def attempt_all(folder, inputs, *options, decoder='xplane'):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [
            pool.submit(attempt, folder, name, data, *options, decoder=decoder)
            for name, data in inputs
        ]
        return [job.result() for job in jobs]


def cuts():
    return [(f'cut-{at}', DATA[:at]) for at in range(len(DATA))]


@test
def control_bytes_within_strings_are_read_and_said(_):
    """In names, categories, keys, args and names of threads, as Python's reader that is not strict
    reads them; each is counted once, whatever the instructions and parts."""
    rows = [
        {'ph': 'M', 'name': 'thread_name', 'pid': 1, 'tid': 1, 'args': {'name': 'T\x01h'}},
        {
            'ph': 'X',
            'name': 'a\n\tb',
            'cat': 'kernel\x0b',
            'pid': 1,
            'tid': 1,
            'ts': 1,
            'dur': 2,
            'args': {'k\x02': 'v\x1f', 'stream': 7, 'n\n': {'m': ['x\ny' * 40]}},
            'extra': 'e\n',
        },
        {'ph': 'X', 'name': '\n' * 100, 'pid': 1, 'tid': 1, 'ts': 5, 'dur': 2, 'args': {}},
    ]
    data = json.dumps({'traceEvents': rows}).encode()
    for code in range(32):
        data = data.replace(b'\\u%04x' % code, bytes([code])).replace(
            json.dumps(chr(code))[1:-1].encode(), bytes([code])
        )
    controls = [at for at, byte in enumerate(data) if byte < 32]
    check(
        len(controls) > 100 and json.loads(data, strict=False)['traceEvents'] == rows, 'the trace'
    )
    path = write('raw.json', data)
    for options in ('', ':scan=scalar', ':scan=sse2', ':part=1'):
        result = run('run', '-d', 'chrome' + options, '-s', 'csv', '-o', '-', path).expect(0)
        check_same(
            result.err.count(
                f'raw.json: byte {controls[0]}: {len(controls)} control bytes stand within strings'
            ),
            1,
            result.err,
        )
        found = {row['name']: row for row in rows_of(result.out) if row['kind'] == 'span'}
        check_same(sorted(found), sorted(row['name'] for row in rows[1:]), 'names')
        row = found['a\n\tb']
        check_same(
            (row['thread'], row['category'], row['stream']), ('T\x01h', 'kernel\x0b', '7'), 'row'
        )
        check_same(
            (json.loads(row['args']), json.loads(row['fields'])),
            (rows[1]['args'], {'extra': 'e\n'}),
            'JSON, by a strict reader',
        )
    for wrong in (b'"a\n, "dur"', b'"a\n'):  # a quote that is missing is no line end
        broken = data.replace(b'"a\n\tb"', wrong)
        run('run', '-s', 'csv', '-o', '-', write('broken.json', broken)).expect(
            2, err='*broken.json: byte *'
        )


@test
def json_of_attributes_is_utf8(_):
    """A byte of a key of args that is no UTF-8 is U+FFFD there, as it is in names."""
    text = '{"ph": "X", "name": "a", "pid": 1, "tid": 1, "ts": 1, "dur": 2, "args": {"key": 1}}'
    with open('key.json', 'wb') as file:
        file.write(f'[{text}]'.encode().replace(b'key', b'k\xe5y'))
    (row,) = rows_of(run('run', '-s', 'csv:table=events', '-o', '-', 'key.json').expect(0).out)
    check_same(json.loads(row['args']), {'k\ufffdy': 1}, 'args')


@test
def cut_at_every_byte(folder):
    # Nothing at all is no profile, and every other cut falls into the one plane.
    found = attempt_all(folder, cuts())
    wrong = [at for at, status in enumerate(found) if status != 2]
    check(not wrong, f'cut after these bytes, yet not refused: {wrong}')


@test
def cut_at_every_byte_with_keep_going(folder):
    found = attempt_all(folder, cuts()[1:], '--keep-going')
    check(3 in found, 'no cut was survived with --keep-going')
    check(0 not in found, 'a cut went unnoticed')


@test
def every_byte_changed(folder):
    changed = [
        (f'byte-{at}-{value}', DATA[:at] + bytes([value]) + DATA[at + 1 :])
        for at in range(len(DATA))
        for value in (0xFF,)
    ]
    attempt_all(folder, changed)


@test
def a_compressed_file_that_was_cut_off(folder):
    """A trace whose writer was killed: what comes before is read and right. A cut between two
    events is a loss as well. Of changed bytes it is unknown which are right."""
    lines = [
        '{"ph":"X","name":"n%d","pid":1,"tid":1,"ts":%d,"dur":1}' % (n, 2 * n) for n in range(20000)
    ]
    data = ('[' + ',\n'.join(lines) + ']').encode()
    packed = gzip.compress(data, 1)
    half = len(packed) // 2
    flushed = zlib.compressobj(1, wbits=31)
    between = flushed.compress(data[: data.index(b',\n', 1000)]) + flushed.flush(zlib.Z_SYNC_FLUSH)
    arguments = ('run', '-s', 'csv:table=events', '-o')
    for name, content, least in (
        ('cut', packed[:half], 1000),
        ('between', between, 10),
        ('crc', packed[:-8], 19999),
    ):
        path, out = write(os.path.join(folder, name + '.json.gz'), content), os.path.join(
            folder, name + '.csv'
        )
        run(*arguments, out, path).expect(
            2,
            err='*: byte * gzip data: copy or record it again; --keep-going reads what comes before',
        )
        check(not os.path.exists(out), f'{name}: failed, but wrote')
        result = run(*arguments, out, '-k', path).expect(
            3, err='*: byte * gzip data: copy or record it again'
        )
        check_same(result.err.count('gzip data'), 1, result.describe())
        rows = rows_of(read(out))
        check(any(r['kind'] == 'gap' and not r['duration_ns'] for r in rows), f'{name}: no loss')
        names = [row['name'] for row in rows if row['kind'] == 'span']
        check(least <= len(names) <= 20000, f'{name}: {len(names)} rows')
        check(names == [f'n{n}' for n in range(len(names))], f'{name}: not the first rows')
    for content in (packed[:half] + bytes(64) + packed[half + 64 :], packed[:12]):
        run('info', '-k', write(os.path.join(folder, 'broken.gz'), content)).expect(
            2, err='*gzip data*'
        )


def ends_between_two_events(path, decoder, cut_at):
    """Five events; cut_at: the byte at which the file was cut off, None: it was not."""
    arguments = ('run', '-d', decoder, '-s', 'csv:table=events', '-o', '-', path)
    if cut_at is None:
        result = run(*arguments).expect(0, err='')
    else:
        at = f'byte {cut_at}'
        run(*arguments).expect(2, err=f'*: {at}: the file ends before its "traceEvents" does*')
        result = run(*arguments, '-k').expect(
            3, err=f'*: the file is cut off at {at}: what follows is not known*'
        )
    rows = [
        (r['kind'], r['name'], int(r['start_ns']), r['duration_ns']) for r in rows_of(result.out)
    ]
    spans = [('span', 'n', 1000 * n, '1000') for n in range(5)]
    gap = (
        [] if cut_at is None else [('gap', f'cut off at {at}: what follows is not known', 4000, '')]
    )
    check_same(rows, spans + gap, (path, decoder))


@test
def a_trace_that_ends_between_two_events(_folder):
    """The format allows an array to end so; an object was cut off, as within an event, and its row
    of kind gap begins with the last event."""
    event = '{"ph":"X","name":"n","pid":1,"tid":1,"ts":%d,"dur":1}'
    events = ',\n'.join(event % n for n in range(5))
    for name, text, is_cut in (
        ('array', '[' + events, False),
        ('comma', '[' + events + ',\n', False),
        ('whole', '[' + events + ']', False),
        ('object', '{"traceEvents":[' + events + ']}', False),
        ('open', '{"traceEvents":[' + events, True),
        ('open-comma', '{"traceEvents":[' + events + ',\n', True),
    ):
        write(name + '.json', text)
        for decoder in ('chrome', 'ascend-json', 'furiosa'):
            ends_between_two_events(name + '.json', decoder, len(text) if is_cut else None)
    for name, behind in (
        ('close', ']'),
        ('line', ']\n'),
        ('member', '],"displayTimeUnit":"ms"'),
        ('number', '],"baseTimeNanoseconds":17000000\n'),
    ):
        result = run(
            'run',
            '-s',
            'csv:table=events',
            '-o',
            '-',
            write(name + '.json', '{"traceEvents":[' + events + behind),
        )
        result.expect(
            0,
            err='*: the file ends before the } of its object: what follows "traceEvents", such as the time base, may be missing',
        )
        check_same(len(rows_of(result.out)), 5, name)
        run('info', write(name + '-whole.json', '{"traceEvents":[' + events + behind + '}')).expect(
            0, err=''
        )
    # a quote that is missing hides where the array ends: the byte alone is told
    text = '{"traceEvents":[' + events.replace('"dur"', 'dur"', 1) + ']}'
    result = run('info', write('quote.json', text)).expect(2, err='*quote.json: byte *')
    check('ends before' not in result.err, result.describe())
    run('info', write('within.json', '{"traceEvents":[' + events[:-5])).expect(
        2, err='*within.json: byte *'
    )


def damaged(data, seeded):
    """Cut, changed and spliced; each byte in turn is for fuzz targets and nprof check."""
    for n in range(6):
        at, other, length = (seeded.randrange(len(data)) for _ in range(3))
        yield f'cut-{n}', data[:at]
        yield f'bit-{n}', data[:at] + bytes([data[at] ^ 1 << n % 8]) + data[at + 1 :]
        yield f'splice-{n}', data[:at] + data[other : other + length] + data[at:]
        yield f'huge-{n}', data[:at] + b'\xff\xff\xff\xff\xff\xff\xff\x7f' + data[at + 8 :]
        yield f'off-by-one-{n}', data[:at] + bytes([(data[at] + (1, -1)[n % 2]) % 256]) + data[
            at + 1 :
        ]


def survives_damage(folder, decoder):
    for number, file in enumerate(samples_for(decoder)):
        made = os.path.join(folder, f'damaged-{number}')
        os.makedirs(made)
        inputs = list(damaged(read(file), random.Random(number)))
        attempt_all(made, inputs, decoder=decoder)
        attempt_all(made, inputs[::3], '--keep-going', decoder=decoder)


def losses_have_rows(decoder):
    """What is judged goes by rows of kind gap: whatever is lost has one, in any format."""
    for number, file in enumerate(samples_for(decoder)):
        data = read(file)
        for share in (3, 5, 8):
            path = write(
                f'{share}-{number}-{os.path.basename(file)}', data[: len(data) * share // 9]
            )
            result = run('run', '-k', '-d', decoder, '-s', 'csv:table=events', '-o', '-', path)
            check(result.status in (0, 2, 3), result.describe())
            gap = any(row['kind'] == 'gap' for row in rows_of(result.out))
            check(gap or result.status != 3, f'{path}: records are lost, and no row says so')


for any_decoder in components('decoder'):
    add_test(
        'damage-to-' + any_decoder, lambda folder, name=any_decoder: survives_damage(folder, name)
    )
    add_test('losses-of-' + any_decoder, lambda _folder, name=any_decoder: losses_have_rows(name))


@test
def lengths_that_lie(folder):
    tag = b'\x0a'
    lies = {
        'beyond': tag + xspace.varint(1000) + b'x',
        'huge': tag + xspace.varint(2**63) + b'x',
        'wraps': tag + xspace.varint(2**64 - 1) + b'x',
        'varint-without-end': tag + b'\xff' * 12,
        'group': b'\x0b\x0b\x0b',
        'field-0': b'\x02\x00',
    }
    found = attempt_all(folder, list(lies.items()))
    check(found == [2] * len(found), f'not all refused: {dict(zip(lies, found))}')


@test
def times_beyond_what_can_be_held(folder):
    for number, (offset, duration) in enumerate(
        ((2**63 - 1, 2**63 - 1), (-(2**63), 1), (1, -(2**63)), (2**63 - 1, 0))
    ):
        event = xspace.event(1, offset, duration)
        line = xspace.line(1, 'XLA Ops', event, timestamp_ns=2**62)
        data = xspace.plane(1, '/device:TPU:0', line, xspace.named(4, 1, 'op'))
        attempt(folder, f'time-{number}', data)


@test
def names_that_are_no_text(folder):
    data = xspace.tiny((b'\xff\xfe\x00"\n\x1b[31m', b''))
    attempt(folder, 'names', data)
    events = files_below(os.path.join(folder, 'out-names'))['events.csv']
    events.decode('utf-8')


# -- Trace-event JSON ------------------------------------------------------------


def events(*times):
    return json.dumps(
        {
            'traceEvents': [
                {'ph': 'X', 'name': f'k{i}', 'ts': ts, 'dur': 5, 'pid': 1, 'tid': 1}
                for i, ts in enumerate(times)
            ]
        }
    )


def kept(path, *options, status=3):
    """Starts in ns by name, without rows of kind gap; times without Unix time in ns as well."""
    found = run('run', '-d', 'chrome', '-s', 'csv', '-o', '-', *options, path).expect(status)
    return {
        row['name']: int(row['start_ns']) for row in rows_of(found.out) if row['kind'] == 'span'
    }


@test
def behind_the_json_document(_folder):
    first = events(0, 10)
    for name, behind in (
        ('two', '\n' + events(5)),
        ('word', 'x'),
        ('array', ' []'),
        ('brace', '}'),
        ('nul', '\0'),
    ):
        path = write(name + '.json', (first + behind).encode())
        at = len(first) + len(behind) - len(behind.lstrip())
        run('run', '-d', 'chrome', '-s', 'null', path).expect(
            2, err=f'*{name}.json: byte {at}: the JSON document has ended, and more follows it*'
        )
        check_same(kept(path, '-k'), {'k0': 0, 'k1': 10000}, f'{name}: rows that are kept')
    for name, behind in (('none', ''), ('space', ' \r\n\t\n')):
        kept(write(name + '.json', (first + behind).encode()), status=0)
    array = json.dumps(json.loads(first)['traceEvents'])
    path = write('arrays.json', (array + '\n' + array).encode())
    run('run', '-d', 'chrome', '-s', 'null', path).expect(2)


@test
def rows_of_kind_gap_lie_within_the_time_of_the_others(_folder):
    """A gap has the start of the event before; of the first, that of the event behind. Where the
    file was cut off it has the latest start, and no end. Times are absolute: time 0 is that of the
    second, far before the first event."""
    second = 1700000000
    times = [int(second * 1e6) + 500_000 + (n * 37) % 64 for n in range(64)]
    whole = [
        '{"ph":"X","name":"n%d","pid":1,"tid":1,"ts":%d,"dur":9}' % n for n in enumerate(times)
    ]
    ns = [(time - second * 10**6) * 1000 for time in times]
    broken, no_time = '{"ph":"X","ts" 7}', '{"ph":"X","ts":"late"}'

    def text(*events):
        return '{"traceEvents":[' + ',\n'.join(events) + ']}'

    def cut(n):
        return text(*whole)[: text(*whole[: n + 1]).rindex(',"ts')]

    def gaps(name, content, size, threads):
        path = write(name, content)
        out = run(
            'run', '-k', '-d', f'chrome:part={size}', '-j', threads, '-s', 'csv', '-o', '-', path
        )
        rows = rows_of(out.expect(3).out)
        found = [(r['start_ns'], r['duration_ns']) for r in rows if r['kind'] == 'gap']
        return found, out

    for name, content, expected in (
        ('begins.json', text(broken, *whole), [(ns[0], '0')]),
        ('middle.json', text(*whole[:20], broken, *whole[20:]), [(ns[19], '0')]),
        ('two.json', text(no_time, no_time, *whole), [(ns[0], '0')] * 2),
        ('behind.json', text(*whole) + ' []', [(max(ns), '0')]),
        ('half.json', cut(32), [(max(ns[:32]), '')]),
        ('most.json', cut(58), [(max(ns[:58]), '')]),
        ('few.json', cut(2), [(max(ns[:2]), '')]),
        ('half.json.gz', gzip.compress(cut(32).encode()), [(max(ns[:32]), '')]),
    ):
        expected = [(str(start), duration) for start, duration in expected]
        for size in (1, 300, '2M'):
            alone, one = gaps(name, content, size, '1')
            _, four = gaps(name, content, size, '4')
            check_same(alone, expected, f'{name}, parts of {size}')
            check_same(four.out, one.out, f'{name}: -j changes bytes')
        said = f'the file is cut off at byte {len(cut(32))}: what follows is not known'
        check_same(said in one.err, name.startswith('half'), one.describe())


@test
def the_origin_does_not_hang_on_one_event(_folder):
    now = 1700000000000000
    many = [now + 10 * i for i in range(100)]
    for name, times in (
        ('first', [0, *many]),
        ('three', [0, 1, 2, *many]),
        ('last', [*many, 0]),
        ('amid', [*many[:50], 0, *many[50:]]),
        ('far', [9 * 10**17, *many]),
        ('uptime', [5 * 10**16, *(10**9 + 10 * i for i in range(100))]),
        ('long', [0] * 40 + [now + 10 * i for i in range(9000)]),
    ):
        path = write(name + '.json', events(*times).encode())
        run('run', '-d', 'chrome', '-s', 'null', path).expect(
            2, err='*ts is more than 106 days from the origin*'
        )
        good = [i for i, ts in enumerate(times) if abs(ts - times[len(times) // 2 - 1]) < 10**12]
        zero = times[good[0]] // 1000000 * 1000000 if times[good[0]] > 4 * 10**12 else 0
        check_same(
            kept(path, '-k'),
            {f'k{i}': (times[i] - zero) * 1000 for i in good},
            f'{name}: rows that are kept',
        )


if __name__ == '__main__':
    main()
