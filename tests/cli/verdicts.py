# SPDX-License-Identifier: Apache-2.0
"""verdicts.py - what is concluded of a device: each rule of tables verdict and verdict_parts on a
trace that is made for it, with what it must not be mistaken for, and parts of random models beside
a plain look at every microsecond. The edges of the rules are in rules.py; files whose verdicts are
known in conclusions.py."""

import csv
import io
import json
import os
import random
import re

import xspace
from harness import check, check_same, main, read, rows_of, run, test, write
from verdicttrace import GEMM, MS, US, Trace, loop, one, parts, picoseconds, table

# -- Which part leads
# --------------------------------------------------------------------------------------------------


@test
def a_half_is_no_verdict(_folder):
    """51 and 49 % are mixed, whichever is larger."""
    called = {'host': 'CPU', 'compute.gemm': 'compute'}
    for busy, first, second in ((490, 'host', 'compute.gemm'), (510, 'compute.gemm', 'host')):
        path = loop(lambda *_: None, busy=busy)
        run('report', '-q', path).expect(
            0, out=f'MIXED: {called[first]} 51.0 %, {called[second]} 49.0 % of a mean step'
        )
        found = one(path)
        check_same(
            (found['code'], found['group'], found['word']),
            (f'mixed:{first}+{second}', 'mixed', 'MIXED'),
            busy,
        )
        check_same(
            (found['base'], found['windows'], picoseconds(found['median_ns'])),
            ('step', '5', MS),
            'periods',
        )
    check_same(one(loop(lambda *_: None, busy=800))['code'], 'compute.gemm', 'four fifths')
    check_same(one(loop(lambda *_: None, busy=200))['code'], 'host', 'a fifth')


@test
def the_page_calls_parts_as_sentences_do(_folder):
    """Idle time is said to be so there, and names begin with a capital; the looks are the same."""
    source = os.environ['NPROF_SOURCE']
    header = read(os.path.join(source, 'plugins/common/profile/window-parts.h')).decode()
    page = read(os.path.join(source, 'share/viewer/base/step-parts.js')).decode()
    ours = re.findall(r'^  P \(\w+, "(\w+)", "([^"]+)", "([\w ]+)"\)', header, re.M)
    theirs = re.findall(r"^  (\w+): \{ name: '([^']+)', look: '([\w ]+)'", page, re.M)
    check_same(
        {name: (said.lower(), look) for name, said, look in theirs},
        {
            name: (('idle: ' if look.startswith('idle') else '') + said.lower(), look)
            for name, said, look in ours
        },
        'words and looks',
    )


@test
def windows_lie_end_to_end_and_add_up(_folder):
    """As many as the verdict counts, and their lengths are what its parts add up to."""
    path = loop(lambda *_: None, busy=490)
    rows = table(path, 'verdict_windows')
    check_same(len(rows), int(one(path)['windows']), 'how many')
    check_same(
        sum(picoseconds(r['duration_ns']) for r in rows), picoseconds(one(path)['window_ns']), 'sum'
    )
    check_same([int(r['window']) for r in rows], list(range(1, len(rows) + 1)), 'numbers')
    ends = [picoseconds(r['start_ns']) + picoseconds(r['duration_ns']) for r in rows]
    check_same([picoseconds(r['start_ns']) for r in rows[1:]], ends[:-1], 'each begins where')


@test
def parts_add_up_and_gains_stand_beside_conditions(_folder):
    path = loop(lambda *_: None, busy=490)
    rows = table(path, 'verdict_parts')
    check_same(
        sum(picoseconds(r['duration_ns']) for r in rows), picoseconds(one(path)['window_ns']), 'sum'
    )
    (host,) = (r for r in rows if r['part'] == 'host')
    (launch,) = (r for r in rows if r['part'] == 'launch')
    reached = picoseconds(host['duration_ns']) + picoseconds(launch['duration_ns'])
    check(abs(float(host['gain']) - 5 * MS / (5 * MS - reached)) < 1e-9, host)
    check_same(
        (host['gaps'], host['condition'], host['action']),
        ('short', 'if launches cost nothing', 'device_graph, compile, larger_batch'),
        'host',
    )
    check_same([r['gain'] for r in rows if r['part'] == 'compute'], [''], 'no gain of computing')


@test
def long_gaps_are_not_mended_by_graphs(_folder):
    path = loop(
        lambda t, a, b: t.span('python_function', 'adam.py(7): step', a, b), length=9000, busy=3000
    )
    (host,) = (
        r for r in table(path, 'verdict_parts') if r['part'] == 'host' and r['gaps'] == 'long'
    )
    check_same(
        (host['place'], host['action'], host['condition']),
        (
            'adam.py(7): step',
            'keep_on_device, overlap_host',
            'if adam.py(7): step ran beside the device',
        ),
        'host',
    )


def in_gaps(names):
    """Work of 300 us, and before each the name that the host is in for a time in us."""
    t, at = Trace(), 1000
    for name, us in names:
        t.span('python_function', name, at, at + us)
        t.work(at + us + 20, at + us + 320, (at + us + 10, at + us + 11))
        at += us + 320
    return t.write()


@test
def a_place_is_of_gaps_as_long_as_those(_folder):
    """Where the host was in short gaps says nothing of long ones. Most is there where it is more
    than half; of less the share is said, and the first screen does not name it. A condition
    names what takes nine tenths, as the gain is of all of it."""
    short = [(f'short.py({max(k, 4)}): f', 500) for k in range(13)]  # 4 of 12 in one: k = 1 to 4
    for long, most in ((('g', 'g', 'h'), True), (('g', 'h', 'i'), False)):
        long = [(f'long.py(2): {name}', 2000 + (name == 'g')) for name in long]
        path = in_gaps(short + long)
        found = {r['gaps']: r for r in table(path, 'verdict_parts') if r['part'] == 'host'}
        check_same(
            [(found[k]['place'], found[k]['place_time_ns']) for k in ('short', 'long')],
            [
                ('short.py(4): f', str(4 * 500_000)),
                ('long.py(2): g', str((1 + most) * 2_001_000)),
            ],
            'places',
        )
        check_same(
            found['long']['condition'],
            'if the host ran beside the device',
            'condition',
        )
        findings = ' '.join(run('report', '--findings', path).expect(0).out.split())
        whole = {k: picoseconds(found[k]['duration_ns']) for k in found}
        # With the latency of the launches: what the gain takes.
        window = picoseconds(table(path, 'verdict')[0]['window_ns'])
        lost = {k: window - window / float(found[k]['gain']) for k in found}
        check(all(lost[k] > whole[k] for k in found), whole)
        share = 100 * 4 * 500 * US / lost['short']
        check(f', {share:.1f} % of it in short.py(4): f' in findings, findings)
        share = 100 * 2001 * US / lost['long']
        check(
            (', most in long.py(2): g' if most else f', {share:.1f} % of it in long.py(2): g')
            in findings,
            findings,
        )
        first = run('report', path).expect(0).out
        check('HOST-BOUND' in first and 'most in' not in first, first)


@test
def loading_data_leads_beside_computing(_folder):
    """By the function of a frame or the file of a library, never by a file of the user's; a span
    that launches is none, nor a frame of a library of kernels."""
    loading = 'torch/utils/data/dataloader.py(631): __next__'
    for name, code in (
        (loading, 'input'),
        ('loop.py(5): get_batch', 'input'),
        ('image_processing.py(3): resize_all', 'preprocess'),
        ('model/data.py(3): text_preprocessing', 'preprocess'),
        ('pipelines/video_classification.py(129): preprocess', 'preprocess'),
        ('pipelines/video_classification.py(174): read_video_pyav', 'preprocess'),
        ('loop.py(5): imread', 'preprocess'),
        ('torchvision/io/image.py(3): decode_jpeg', 'preprocess'),
        ('preprocess.py(3): main', 'mixed:compute.gemm+host'),
        ('generate.py(3): decode', 'mixed:compute.gemm+host'),
        ('generate.py(3): decode_step', 'mixed:compute.gemm+host'),
        ('triton_kernels/matmul_ogs.py(9): init_preprocessing_features', 'mixed:compute.gemm+host'),
        ('dataloader_train.py(10): main', 'mixed:compute.gemm+host'),
    ):
        found = one(
            loop(lambda t, a, b, name=name: t.span('python_function', name, a, b), busy=550)
        )
        check_same(found['code'], code, name)
    around = one(loop(lambda t, a, b: t.span('python_function', loading, a, b + 8), busy=550))
    check_same(around['code'], 'mixed:compute.gemm+host', 'a span that launches')


@test
def allocations_in_the_loop(_folder):
    found = one(loop(lambda t, a, b: t.span('cuda_runtime', 'cudaMalloc', a, b), busy=550))
    check_same((found['code'], found['word']), ('alloc', 'ALLOCATION-BOUND'), 'alloc')


@test
def a_host_that_stands_still(_folder):
    """An operator takes a hundred times its median; where all take as long it is simply slow."""

    def body(t, a, b, slow):
        t.span('cpu_op', 'aten::view', a, a + 20000 if slow(a) else a + 20)

    often = one(
        loop(
            lambda t, a, b: [
                t.span('cpu_op', 'aten::view', a + 21000 + 30 * i, a + 21020 + 30 * i)
                for i in range(9)
            ]
            + [body(t, a, b, lambda _: True)],
            length=40000,
            busy=12000,
            prepare=lambda t: t.span('cpu_op', 'aten::view', 0, 20),
        )
    )
    check_same((often['code'], often['word']), ('stall', 'CPU-STARVED'), 'stands')
    slow = one(loop(lambda t, a, b: body(t, a, b, lambda _: True), length=40000, busy=12000))
    check_same(slow['code'], 'host', 'always as long')


@test
def ranks_are_judged_each_by_itself(_folder):
    """A call is as long as the others of its own rank, whatever its neighbour has: a long median, a
    profiler at work, garbage, graphs, or a kernel that was launched before."""

    def slow(t, a, b):
        t.span('cpu_op', 'aten::view', a, a + 20000)

    def fast(t, a, b):
        for i in range(30):
            t.span('cpu_op', 'aten::view', a + 100 * i, a + 100 * i + 20)
        t.span('overhead', 'Activity Buffer Request', a + 5000, b)
        t.span('python_function', '<built-in method gc.collect>', a + 4000, b)

    os.rename(loop(slow, length=40000, busy=12000), 'slow.json')
    os.rename(loop(fast, length=40000, busy=12000), 'fast.json')
    first = ['device', 'code', 'share', 'second', 'sentence']
    alone = {
        file: [{k: r[k] for k in first} for r in table(file, 'verdict')]
        for file in ('slow.json', 'fast.json')
    }
    together = run('run', '-a', 'steps', '-s', 'csv:table=verdict', '-o', '-', *alone).expect(0).out
    found = {r['input']: [{k: r[k] for k in first}] for r in csv.DictReader(io.StringIO(together))}
    check_same(found, alone, 'verdicts')
    check_same(alone['slow.json'][0]['code'], 'host', 'always as long')


@test
def a_stage_that_waits_for_its_neighbour(_folder):
    """16 MiB in 45 ms are less than a tenth of any link; in 9 ms they are not, nor is it where no
    size is told."""

    def trace(length, **said):
        t = Trace()
        for k in range(6):
            a = 1000 + 100000 * k
            t.step(k, a, a + 100000)
            t.work(a + 5, a + 5 + length, (a, a + 1), name='ncclDevKernel_SendRecv', stream=20)
            t.events[-1]['args'].update(said)
            for i in range(4):
                t.work(a + 45010 + 13000 * i, a + 58010 + 13000 * i, (a + 2 + i, a + 3 + i))
        return one(t.write())

    said = {
        'Collective name': 'recv',
        'In msg nelems': 8388608,
        'Out msg nelems': 8388608,
        'dtype': 'BFloat16',
    }
    check_same(trace(45000, **said)['code'], 'mixed:compute.gemm+bubble', 'waits')
    check_same(trace(45000)['code'], 'mixed:compute.gemm+comm', 'no size')
    said['Collective name'] = 'allreduce'
    check_same(trace(45000, **said)['code'], 'mixed:compute.gemm+comm', 'a collective')
    rows = {
        'Collective name': 'send',
        'In msg nelems': 8388608,
        'Out msg nelems': 8388608,
        'dtype': 'BFloat16',
    }
    check('bubble' not in trace(9000, **rows)['code'], 'fast enough')


# -- What is left out
# --------------------------------------------------------------------------------------------------


@test
def long_periods_are_left_out_and_said(_folder):
    t, at = Trace(), 1000
    for k in range(7):
        length = 90000 if k == 3 else 1000
        t.step(k, at, at + length)
        if k == 3:
            t.span('python_function', 'torch/serialization.py(964): save', at, at + 88000)
        for i in range(4):
            t.work(
                at + length - 900 + 220 * i,
                at + length - 680 + 220 * i,
                (at + length - 950 + i, at + length - 949 + i),
            )
        at += length
    found = one(t.write())
    check_same(
        (found['code'], found['windows'], found['left_out'], picoseconds(found['window_ns'])),
        ('compute.gemm', '5', '1', 5 * MS),
        'left out',
    )
    check(
        '1 of 6 periods took 90.0 ms (torch/serialization.py(964): save): left out'
        in found['sentence'],
        found,
    )


@test
def the_gains_of_the_device_of_the_verdict_come_first(_folder):
    """Of two devices with steps of one length the one that idles less is judged, and the other one
    would gain more."""
    t = Trace()
    for k in range(12):
        a = 1000 * (k + 1)
        t.step(k, a, a + 1000)
        for device, busy in ((0, 300), (1, 400)):
            start = a + 990 - busy
            t.work(start, a + 990, (start - 9, start - 5), device=device, stream=7 + device)
    t.write()
    (verdict,) = (r for r in table('a.json', 'verdict') if r['place'] == '1')
    said = run('answers', '-q', 'gain', 'a.json').expect(0).out
    gains = re.findall(
        r'(GPU \d) waits for launches in gaps below 1 ms for .* \(([\d.]+) ms\)', said
    )
    check_same(verdict['device'], 'GPU 1', 'judged')
    check_same([device for device, _ in gains], ['GPU 1', 'GPU 0'], said)
    check(float(gains[0][1]) < float(gains[1][1]), said)


def copies_without_launches(busy, copying, wait=300):
    """Steps of 1 ms: work that was launched, `busy` us, then `wait` us until a copy whose launch is
    not in the file; for the last `copying` of them the CPU is in an operator that copies."""
    t = Trace()
    for k in range(6):
        a = 1000 * (k + 1)
        end = a + 100 + busy
        t.step(k, a, a + 1000)
        t.work(a + 100, end, (a + 94, a + 95))
        t.span('cpu_op', 'aten::_copy_from', end + wait - copying, end + wait + 5)
        t.work(end + wait, end + wait + 4, None, 'Memcpy DtoH', 'gpu_memcpy')
    return t.write()


@test
def idle_time_before_unknown_launches_names_what_the_cpu_does(_folder):
    """It has no cause, and so no gain: what the CPU does meanwhile is no reason, but where to look.
    Named is what takes more than half of it. From a fifth of the window on it stands before what
    gains less than as much would."""
    for copying, named in ((290, True), (140, False)):
        path = copies_without_launches(550, copying)
        (row,) = (r for r in table(path, 'verdict_parts') if r['part'] == 'unlinked')
        check_same(
            (picoseconds(row['duration_ns']), row['gain']), (5 * 300 * US, ''), 'of 5 periods'
        )
        if named:
            check_same(
                (row['place'], picoseconds(row['place_time_ns'])),
                ('aten::_copy_from', 5 * 290 * US),
                'where the CPU is',
            )
        said = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
        sentence = (
            'GPU 0 idles 30.0 % of its steps (1.50 ms) before work whose launch was not recorded, '
            'most of it while the CPU is in aten::_copy_from try fewer and larger copies'
        )
        check_same(sentence in said, named, said)
        check(named or 'while the CPU is in' not in said, said)
    for busy, wait in ((550, 300), (550, 210), (550, 190), (200, 210), (200, 190)):
        path = copies_without_launches(busy, wait - 10, wait)
        said = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
        order = re.findall(r'gain ([\d.]+)x|(was not recorded)', said)
        at = order.index(('', 'was not recorded'))
        counts = 1000 / (1000 - wait) if wait >= 200 else 0
        gains = [float(gain) for gain, _ in order if gain]
        check_same(at, sum(gain > counts for gain in gains), f'place of {wait} us in {order}')
    path = loop(lambda t, a, b: t.span('cpu_op', 'aten::_copy_from', a, b), busy=200)
    check('was not recorded' not in run('report', '-q', '--findings', path).expect(0).out, 'linked')


@test
def what_computes_and_idles_says_both(_folder):
    """From a quarter on: neither a cause that is unknown nor several small ones are in the verdict."""
    for made, said in (
        (lambda: copies_without_launches(550, 290), '55.0 % of a mean step, idles 44.6 % of it'),
        (lambda: loop(lambda *_: None, busy=800), '80.0 % of a mean step'),
    ):
        screen = run('report', '-q', made()).expect(0).out
        check(f'COMPUTE-BOUND (GEMM): the GPU computes {said}, MFU unknown\n' in screen, screen)


@test
def waiting_for_launches_is_in_the_call_where_most_of_it_is(_folder):
    """The host's part and that of the call are one finding, so the larger place of both is its own;
    one of less than a twentieth is none."""
    for host, call in ((5, 85), (60, 30)):
        t = Trace()
        for k in range(6):
            a = 1000 * (k + 1)
            t.step(k, a, a + 1000)
            for i in range(10):
                b = a + 100 * i + 92
                t.span('cpu_op', 'aten::relu', b - call - host, b - call)
                t.work(b, b + 8, (b - call, b))
        said = ' '.join(run('report', '-q', '--findings', t.write()).expect(0).out.split())
        place = 'most in ' + ('cudaLaunchKernel' if call > host else 'aten::relu')
        check(re.search(r'launches in gaps below 1 ms for [^,]*, ' + place, said), said)


@test
def decode_is_not_bound_by_computing_without_evidence(_folder):
    """A product of 4 rows reads its weights: 2 (4 x 4096 + 4096 x 4096 + 4 x 4096) bytes in 20 us are
    1.68 TB/s, half of an H100's 3.35. Without shapes it is unknown what the device is busy with; of
    prefill nothing changes, nor where the product is large."""

    def screen(name, rows, us=20):
        t = Trace()
        for k in range(3):
            a = 1000 + k * (30 * us + 10)
            t.span('user_annotation', name, a, a + 30 * us + 10)
            t.span('gpu_user_annotation', name, a + 10, a + 30 * us + 10, tid=7)
            t.events[-1]['pid'] = 0
            for i in range(30):
                dims = {'Input Dims': [[rows, 4096], [4096, 4096]]} if rows else {}
                kinds = {'Input type': ['c10::BFloat16'] * 2} if rows else {}
                t.span('cpu_op', 'aten::mm', a + i, a + i + 0.9, **dims, **kinds)
                t.work(a + 10 + us * i, a + 10 + us * (i + 1), (a + i + 0.2, a + i + 0.5))
        device = {'id': 0, 'name': 'NVIDIA H100 80GB HBM3', 'totalGlobalMem': 85 << 30}
        path = write('d.json', json.dumps({'deviceProperties': [device], 'traceEvents': t.events}))
        out = run('report', '-q', path).expect(0).out
        return next(line for line in out.splitlines() if '-BOUND' in line or 'MIXED' in line)

    decode, prefill = 'decode[bs=4 tok=4]', 'prefill[bs=1 tok=8192]'
    moved = 2 * (4 * 4096 + 4096 * 4096 + 4 * 4096) / 20e-6 / 3.35e12
    found = screen(decode, 4)
    check(
        found.startswith('MEMORY-BOUND: ') and f'memory at {100 * moved:.1f} % of peak' in found,
        found,
    )
    found = screen(decode, 0)
    check(found.startswith('DEVICE-BOUND: ') and found.endswith(', MFU unknown'), found)
    check(screen(prefill, 0).startswith('COMPUTE-BOUND (GEMM): '), 'prefill')
    # 2 x 512 x 4096^2 flop in 20 us: 87 % of the peak.
    check(screen(decode, 512).startswith('COMPUTE-BOUND (GEMM): '), 'a large batch')


@test
def what_a_cut_off_file_lost_is_no_idle_time(_folder):
    """As Kineto writes them: the host's rows, then those of the device, not all by time. What is left
    of the device then idles nowhere; of less than a quarter nothing else could lead. A cut between
    two events is one, too, where the format wants the array closed: an object, not an array."""

    def cut(busy, left, end=', {"ph": "X", "na'):
        with open(loop(lambda *_: None, busy=busy)) as file:
            events = sorted(json.load(file)['traceEvents'], key=lambda e: e['cat'] == 'kernel')
        text = json.dumps({'traceEvents': events[: len(events) - 24 + left]})
        return write('cut.json', text.removesuffix(']}') + end)

    def verdict(path):
        out = run('run', '-k', '-a', 'steps', '-s', 'csv:table=verdict', '-o', '-', path).expect(3)
        (row,) = csv.DictReader(io.StringIO(out.out))
        return row['code'], row['sentence']

    # Periods of 1 ms from the end of a step's work to that of the next: 2 of 6 steps are left.
    code, sentence = verdict(cut(400, 8))
    check_same(code, 'undetermined.lost_rows', 'a step idles 600 of 1000 us')
    check_same(sentence, '600 us of 1.00 ms are not judged: rows may be missing there', 'said')
    check_same(verdict(cut(900, 8))[0], 'compute.gemm', 'a tenth may be missing')
    check_same(verdict(cut(400, 8, end=',')), (code, sentence), 'cut between two events')
    check_same(verdict(cut(400, 16, end=''))[0], code, 'cut where two steps are missing')
    with open('cut.json') as file:
        array = write('array.json', file.read().removeprefix('{"traceEvents": '))
    out = run('run', '-a', 'steps', '-s', 'csv:table=verdict', '-o', '-', array).expect(0).out
    check_same([row['group'] for row in rows_of(out)], ['host'], 'an array that stays open')
    code, sentence = verdict(cut(400, 0))
    check_same(code, 'undetermined.lost_rows', 'nothing of the device is left')
    out = run('run', '-k', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', cut(400, 8))
    (row,) = csv.DictReader(io.StringIO(out.expect(3).out))
    with open('cut.json') as file:
        left = file.read().rpartition(', {"ph"')[0] + ']}'
    work = [e for e in json.loads(left)['traceEvents'] if e['cat'] == 'kernel']
    span = max(e['ts'] + e['dur'] for e in work) - min(e['ts'] for e in work)
    lost = round(1000 * (span - sum(e['dur'] for e in work)))
    check(lost > 0 and (row['idle_ns'], row['lost_ns']) == ('0', str(lost)), (row, lost))
    out = run('run', '-k', '-a', 'steps', '-s', 'csv:table=step_breakdown', '-o', '-', 'cut.json')
    rows = rows_of(out.expect(3).out)
    parts = [
        [float(r[part + '_ns']) for part in ('compute', 'idle', 'lost', 'window')] for r in rows
    ]
    check(sum(lost for _, _, lost, _ in parts) >= lost, parts)
    for computes, idle, missing, window in parts:
        check(idle == 0 and computes + missing == window, parts)
    causes = run('run', '-k', '-a', 'steps', '-s', 'csv:table=idle_causes', '-o', '-', 'cut.json')
    check_same(rows_of(causes.expect(3).out), [], 'causes of idle time')
    out = run('run', '-k', '-a', 'critical', '-s', 'csv:table=bound', '-o', '-', 'cut.json')
    bound = [(r['verdict'], r['evidence'].partition(';')[0]) for r in rows_of(out.expect(3).out)]
    unknown = ('unknown', 'the file is cut off, so that rows of any time may be missing')
    check_same(set(bound), {unknown}, 'what steps are bound by')
    screen = run('report', '-k', cut(400, 8)).expect(3).out
    check('UNDETERMINED: rows may be missing in 60.0 % of ' in screen, screen)
    check('late launches' not in screen, screen)


@test
def waits_for_what_is_not_recorded(_folder):
    def body(behind):
        t = Trace()
        for k in range(10):
            t.work(1000 + 100 * k, 1098 + 100 * k, (990 + 100 * k, 995 + 100 * k))
        t.work(2010 + behind, 2110 + behind, (1995, 1999))
        return t.write()

    found = one(body(5000))
    check_same(
        (found['code'], found['group'], found['base']),
        ('undetermined.unrecorded_wait', 'undetermined', 'span'),
        'waits',
    )
    check('of the rest is compute' in found['sentence'], found)
    check_same(one(body(200))['code'], 'compute.gemm', 'a fifth of a millisecond')


def said_of_idle(path):
    told = run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
    return [row for row in rows_of(told) if row['answer'] in ('idle', 'gap')]


@test
def no_idle_time_rests_on_what_is_not_recorded(_folder):
    """The device may have been busy with what was launched before the recording: then no finding
    has that wait as idle time, nor names it as a gap."""

    def trace(behind, late=0, other=False, before=True, first=0):
        t = Trace()
        at = 1000 + first
        if first:
            t.work(1000, at, (900, 905))
        for k in range(10):
            t.work(at, at + 98, (at - 10, at - 5), name=f'{GEMM}_{k}')  # no periods
            at += 100
        t.work(at + 50, at + 100, (at + 10, at + 15))  # 40 us behind its launch: launches are known
        at += 100
        launch = at - 20 if before else at + 10
        t.work(at + 10 + behind, at + 110 + behind, (launch, launch + 4))
        if other:
            t.work(at, at + behind, (at - 90, at - 88), device=1)
        at += 110 + behind
        t.work(at + late + 10, at + late + 110, (at + late, at + late + 5))
        busy = first + 10 * 98 + 50 + 100 + 100
        return t.write(), at + late + 110 - 1000 - busy

    for before in (False, True):
        path, idle = trace(5000, before=before)
        check_same(said_of_idle(path), [], 'all but some us is that wait')
        path, idle = trace(5000, before=before, first=500000)
        check_same(said_of_idle(path), [], '60 us of half a second')
        path, idle = trace(5000, late=6000, before=before, first=500000)
        (row,) = said_of_idle(path)  # of little idle time the longest gap
        check_same((row['answer'], float(row['stake_ns'])), ('gap', 6010e3), row)
        path, idle = trace(900, before=before)
        check_same(
            [float(row['stake_ns']) for row in said_of_idle(path)], [idle * 1e3], 'below 1 ms'
        )
        path, idle = trace(5000, late=3000, before=before)
        (row,) = said_of_idle(path)
        waits = 5000 + (10 if before else 0)
        check_same(float(row['stake_ns']), (idle - waits) * 1e3, row)
        check(
            'before {name}, which was not launched yet; whether it idled for 5.0' in row['text'],
            row,
        )
        check_same(float(row['end_ns']) - float(row['start_ns']), 3010e3, row)
    t = Trace()  # a call that loads code for 50 ms: what the device waits for is known
    for k in range(40):
        at = 1000 + 1000 * k + (50000 if k > 2 else 0)
        t.work(at + 20, at + 900, (at - (50000 if k == 3 else 0), at + 5), name=f'{GEMM}_{k}')
    check(float(said_of_idle(t.write())[0]['stake_ns']) > 50e6, 'loading code')
    path, idle = trace(5000, other=True)
    check(float(said_of_idle(path)[0]['stake_ns']) == idle * 1e3, 'another device works meanwhile')


@test
def another_device_is_waited_for(_folder):
    """The same wait while another device of the file works is one for that."""
    t = Trace()
    for k in range(10):
        t.work(1000 + 100 * k, 1098 + 100 * k, (990 + 100 * k, 995 + 100 * k))
    t.work(7010, 7110, (1995, 1999))
    t.work(2000, 7000, (1994, 1995), device=1)
    codes = {r['device'][-1]: r['code'] for r in table(t.write(), 'verdict')}
    check_same(codes['0'], 'wait', 'waits for GPU 1')


@test
def graphs_whose_kernels_are_missing(_folder):
    t = Trace()
    for k in range(12):
        t.work(
            1900 + 1000 * k,
            1950 + 1000 * k,
            (1000 + 1000 * k, 1050 + 1000 * k),
            call='cudaGraphLaunch',
        )
    check_same(one(t.write())['code'], 'undetermined.graphs_opaque', 'graphs')


@test
def first_use(_folder):
    """Half of all is a warm-up, but not where each period loads."""
    warm = Trace()
    for k in range(12):
        start = 900000 + 1000 * k
        warm.work(
            start + 20,
            start + 900,
            (100 if k == 0 else start, 899000 if k == 0 else start + 5),
            name=f'{GEMM}_{k % 2}',
        )
    found = one(warm.write())
    check_same(
        (found['code'], found['word']),
        ('compute.gemm', 'COMPUTE-BOUND (GEMM)'),
        'the launch before the first work is in no window',
    )
    warm.work(1000, 1100, (900, 901), name='other_gemm')
    found = one(warm.write())
    check_same(found['code'], 'first_use', 'half of all')
    check_same(found['word'], 'WARM-UP', 'its word')
    few = Trace()
    for k in range(9):
        few.work(
            900000 + 1000 * k,
            900900 + 1000 * k,
            (100 if k == 1 else 899990 + 1000 * k, 899999 + 1000 * k),
            name=f'k{k}',
        )
    few.work(1000, 1100, (900, 901), name='k9')
    check_same(one(few.write())['code'], 'first_use', 'ten rows')
    del few.events[:2]
    check_same(one(few.write())['code'], 'undetermined.few_rows', 'nine rows')
    every = one(
        loop(
            lambda t, a, b: t.span('cuda_runtime', 'cuModuleLoadData', a, b),
            length=50000,
            busy=30000,
        )
    )
    check_same(every['code'], 'mixed:compute.gemm+first_use', 'each step loads')
    most = one(
        loop(
            lambda t, a, b: t.span('cuda_runtime', 'cuModuleLoadData', a, b),
            length=50000,
            busy=10000,
        )
    )
    check_same(most['code'], 'host', 'loads all the time: it is the host')
    for length, loads in ((60, False), (160, True)):
        found = parts(
            loop(
                lambda t, a, b: [
                    t.span('cuda_runtime', 'cuModuleLoadData', at, at + length)
                    for at in range(a, b - length, length + 5)
                ]
            )
        )
        check_same('first_use' in found, loads, f'calls of {length} us: {found}')


@test
def no_single_event_carries_a_verdict(_folder):
    """One gap that is more than half of the idle time and a tenth of all, in which code is loaded,
    is left out and said."""
    for loads in (900, 250):
        t, at = Trace(), 1000
        for k in range(4):
            begin, at = at, at + (loads if k == 2 else 0)
            t.step(k, begin, at + 1000)
            if at > begin:
                t.span('cuda_runtime', 'cuModuleLoadData', begin, at)
            for i in range(4):
                start = at + 286 + 178.5 * i
                t.work(start, start + 178.5, (at + 280 + i, at + 281 + i))
            at += 1000
        found = one(t.write())
        check_same(found['code'], 'mixed:compute.gemm+host', f'{loads} us, 858 us of the host')
        # With the 286 us of the host before it the shorter one is less than half of the idle time.
        says = 'one gap of' in found['sentence'] and 'loading code' in found['sentence']
        check_same(says, loads == 900, found['sentence'])


def kernels_of_memory(names, region=None, other=0):
    """Six rounds of kernels of 100 us one behind the other, launched in a span `region`, with
    `other` us of products and a pause behind them."""
    t = Trace()
    at = 1000
    for _ in range(6):
        if region:
            t.span('cpu_op', region, at - 50, at - 10)
        for i, name in enumerate(names):
            t.work(at, at + 100, (at - 40 + i, at - 39 + i), name=name)
            at += 100
        if other:
            t.work(at, at + other, (at - 5, at - 4))
            at += other
        at += 100
    return t.write()


def check_moved(path, moves, window, saved):
    """Time and share are of what moves memory; what fusing gains of it is said as that."""
    told = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
    units = {'us': 10**6, 'ms': 10**9}
    said = re.search(
        r'moves memory between kernels for ([\d.]+) % of .* '
        r'\(([\d.]+) (us|ms); it gains ([\d.]+) (us|ms) by estimate\)',
        told,
    )
    check(said, told)
    share, time, unit, gains, gains_unit = said.groups()
    check(abs(float(share) - 100 * moves / window) <= 0.05, (told, moves, window))
    check(abs(float(time) * units[unit] / moves - 1) < 0.005, (told, moves))
    check(abs(float(gains) * units[gains_unit] / saved - 1) < 0.005, (told, saved))


@test
def chains_of_kernels_that_move_memory_gain_by_fusing(_folder):
    """Two thirds of their time, unless a compiler has made a tenth of all."""
    elementwise = 'void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add>'
    norm, adam = 'vectorized_layer_norm_kernel', f'multi_tensor_apply_kernel<{elementwise}>'
    triton = 'triton_poi_fused_add_0'
    chain = [elementwise, norm] * 5
    for names, region, other, unfused in (
        (chain, None, 0, 1000),
        (chain, None, 600, 1000),
        (chain + [triton], None, 0, 1000),
        (chain[:8] + [triton], None, 0, None),
        (chain, 'Torch-Compiled Region: 0/0', 0, None),
        (chain, 'CompiledFunction', 0, None),
        (chain, 'CompiledFunctionMaker', 0, 1000),
        (chain[:6] + [adam] * 4, None, 0, 600),
        ([adam] * 10, None, 0, 0),
    ):
        path = kernels_of_memory(names, region, other)
        what = f'{names[-1]}, {region}, {other}'
        verdict, rows = one(path), table(path, 'verdict_parts')
        window = picoseconds(verdict['window_ns'])
        (compute,) = (r for r in rows if r['part'] == 'compute')
        works = 100 * len(names) + other
        saved = picoseconds(compute['duration_ns']) * (unfused or 0) / works * 2 / 3
        if not saved:
            check_same((compute['gain'], compute['condition']), ('', ''), what)
        else:
            check(abs(float(compute['gain']) - window / (window - saved)) < 1e-9, (what, compute))
        for row in rows:
            beside = ' beside ' in row['condition']
            sure = (
                'modelled'
                if row['part'] == 'compute'
                else 'upper_bound'
                if beside
                else 'lower_bound'
            )
            check_same(row['certainty'], sure if row['gain'] else '', (what, row))
        asked = json.loads(run('ask', 'verdict', path, '--json').expect(0).out)['data']['findings']
        found = [one['certainty'] for one in asked if one['code'] == 'compute' and 'gain' in one]
        check_same(found, ['modelled'] if saved else [], what)
        action = 'layout' if unfused is None else 'fuse, layout'
        check_same((verdict['code'], compute['action']), ('compute.memory', action), what)
        says = ' by estimate, if each chain became one kernel: torch.compile'
        check_same(says in run('report', path).expect(0).out, bool(saved), what)
        if saved:
            moves = picoseconds(compute['duration_ns']) * 100 * len(names) / works
            check_moved(path, moves, window, saved)


@test
def what_is_compiled_is_not_advised_to_be(_folder):
    for region, action, advice in (
        (None, 'device_graph, compile, larger_batch', 'CUDA graph, torch.compile, larger batch'),
        ('Torch-Compiled Region: 0/0', 'device_graph, larger_batch', 'CUDA graph, larger batch'),
    ):

        def body(t, start, end, region=region):
            if region:
                t.span('cpu_op', region, start, end + 100)

        path = loop(body, busy=200)
        (host,) = (r for r in table(path, 'verdict_parts') if r['part'] == 'host')
        check_same(host['action'], action, region)
        check(advice in run('report', path).expect(0).out, region)


@test
def what_is_undetermined_gains_nothing(_folder):
    """A part has its gain all the same, but no sentence may promise it."""
    for rows, code, said in ((9, 'undetermined.few_rows', False), (10, 'host', True)):
        t = Trace()
        for k in range(rows):
            t.work(1000 + 5000 * k, 1100 + 5000 * k, (980 + 5000 * k, 990 + 5000 * k))
            t.span('cpu_op', 'aten::loads', 1200 + 5000 * k, 5900 + 5000 * k)
        path = t.write()
        check_same(one(path)['code'], code, rows)
        check(any(r['part'] == 'host' and r['gain'] for r in table(path, 'verdict_parts')), rows)
        screen = run('report', path).expect(0).out
        check_same(bool(re.search(r'\n  fix .*x (or more|at most), if ', screen)), said, screen)


@test
def copies_longer_than_compute_cannot_hide_behind_it(_folder):
    for copied, said in ((90, 'if copies ran beside compute'), (110, 'without these copies')):
        t = Trace()
        for k in range(12):
            at = 1000 + 300 * k
            t.work(at, at + 100, (at - 8, at - 4), name=f'a{k}')
            to = at + 100 + copied
            t.work(at + 100, to, (at - 4, at - 1), name='Memcpy HtoD', category='gpu_memcpy')
        path = t.write()
        (row,) = [r for r in table(path, 'verdict_parts') if r['part'] == 'copy']
        check_same(row['condition'], said, copied)
        sure = 'at most' if copied < 100 else 'or more'
        check(f' {sure}, {said}: ' in run('report', path).expect(0).out, said)
        told = run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
        (advice,) = [row['advice'] for row in rows_of(told) if row['code'] == 'copy']
        # Of each period of 300 us no more than the 100 that compute can hide copies.
        ahead = 'keep the data on the device (1.5x at most where it is prefetched)'
        check_same(
            advice, ahead if copied > 100 else 'keep the data on the device, or prefetch it', copied
        )


@test
def a_warm_up_gains_nothing(_folder):
    """Half of 20 ms of it in a call that loads: what a later step would gain is unknown. Less than
    half is no warm-up, and beside it the gain stands."""
    for loads, code, said in ((10_100, 'first_use', False), (9_000, 'host', True)):
        t = Trace()
        t.span('cuda_runtime', 'cuModuleLoadData', 1010, 1010 + loads)
        for k in range(12):
            at = 1000 if not k else 11_000 + 900 * (k - 1) + (0 if said else 300)
            t.work(at, at + 18, (at - 8, at - 4), name=f'a{k}')
            if k:
                t.span('cpu_op', 'aten::loads', at + 20, at + 800)
        path = t.write()
        check_same(one(path)['code'], code, loads)
        check(any(r['part'] == 'host' and r['gain'] for r in table(path, 'verdict_parts')), loads)
        screen = run('report', path).expect(0).out
        check_same(bool(re.search(r'\n  fix .*x (or more|at most), if ', screen)), said, screen)
        check_same('later steps: run some steps before' in screen, not said, screen)


@test
def missing_rows(_folder):
    few = Trace()
    for k in range(3):
        few.work(1000 + 5000 * k, 1100 + 5000 * k, (980 + 5000 * k, 990 + 5000 * k), name=f'a{k}')
    check_same(one(few.write())['code'], 'undetermined.few_rows', 'few rows')
    unlinked = Trace()
    for k in range(20):
        unlinked.work(1000 + 1000 * k, 1100 + 1000 * k, None, name=f'a{k}')
    check_same(one(unlinked.write())['code'], 'undetermined.no_launches', 'no launches')
    cpu = Trace()
    cpu.span('cpu_op', 'aten::mm', 0, 10)
    found = one(cpu.write())
    check_same((found['code'], found['device']), ('undetermined.cpu_only', ''), 'no launch')
    lost = Trace()
    for k in range(20):
        lost.span('cuda_runtime', 'cudaLaunchKernel', 10 * k, 10 * k + 1, correlation=k + 1)
    check_same(one(lost.write())['code'], 'undetermined.no_kernels', 'launches alone')
    other = Trace()
    other.span('x', 'y', 0, 10)
    check_same(one(other.write())['code'], 'undetermined.device_not_labelled', 'no row of a device')


# -- Windows
# -----------------------------------------------------------------------------------------------------------


@test
def a_sequence_that_repeats(_folder):
    """The step repeats, not the layers within it; names in an order that never repeats are a
    span."""
    t, at = Trace(), 1000
    for k in range(8):
        for layer in range(10):
            for name in ('norm_kernel', GEMM, 'flash_fwd', 'gelu'):
                t.work(at, at + 90, (at - 5, at - 4), name=name)
                at += 100
        t.work(at, at + 50, (at - 5, at - 4), name='argmax')
        at += 100
    found = one(t.write())
    check_same(
        (found['base'], found['windows'], picoseconds(found['median_ns'])),
        ('period', '7', 4100 * US),
        'repeats',
    )
    rng, never = random.Random(3), Trace()
    for k in range(200):
        never.work(
            1000 + 100 * k,
            1090 + 100 * k,
            (990 + 100 * k, 991 + 100 * k),
            name=rng.choice('abcdefgh') + '_gemm',
        )
    check_same(one(never.write())['base'], 'span', 'no order')


# -- Steps of servers


def served(n=5, name='step[DECODE bs=4]', around=None):
    """Every ms a step, whose annotation ends before its 600 us of work begin; tokens are sampled
    outside of it. In `around` another annotation begins, and work, before it."""
    t = Trace()
    for k in range(n):
        a = 1000 + 1000 * k
        if around:
            t.span('user_annotation', around, a - 180, a + 320)
            t.work(a - 160, a - 150, (a - 175, a - 170), name='resolve_ids')
        t.span('user_annotation', name, a, a + 300)
        for i in range(6):
            start = a + 350 + 100 * i
            t.work(start, start + 100, (a + 10 + 2 * i, a + 11 + 2 * i))
        t.work(a + 960, a + 970, (a + 500, a + 501), name='sample')
    return t


def windows_of(t):
    row = one(t.write())
    keys = ('base', 'windows', 'window_ns', 'median_ns', 'lag_ns')
    return tuple(row[key] and (row[key] if key == 'base' else int(row[key])) for key in keys)


@test
def steps_of_servers(_folder):
    """Periods lie between ends of what each step launched; of steps in each other the innermost
    counts, and what is launched around it begins none."""
    several, alone = ('phase', 4, 4000000, 1000000, 600000), ('phase1', 1, 600000, 600000, '')
    around = 'execute_4_context_0(sq0sk0sqsq0sqsk0)_generation_4(sq4sk9sqsq4sqsk9)'
    check_same(windows_of(served()), several, 'SGLang')
    check_same(parts(served().write())['compute'], 4 * 610 * US, 'its work, and the sampling')
    check_same(windows_of(served(around=around)), several, 'two dialects')
    check_same(windows_of(served(n=1, around=around)), alone, 'one alone')
    check_same(windows_of(served(name='execute_context_1(9)_generation_0(0)')), several, 'vLLM')
    check_same(windows_of(served(name='execute_diffusion_1_256x256')), several, 'xDiT')
    check_same(windows_of(served(name='step[IDLE bs=0]'))[0], 'period', 'nothing to do')
    check_same(windows_of(served(name='my_step'))[0], 'period', 'a name that says nothing')
    t = served()
    for k in range(3):
        t.step(k, 1000 + 1000 * k, 2000 + 1000 * k)
    check_same(windows_of(t)[:2], ('step', 2), 'steps of the profiler come first')
    screen = run('report', served().write()).expect(0).out
    check('5 steps' in screen and 'no steps' not in screen, screen)


@test
def steps_that_a_device_annotates(_folder):
    t = served(name='none')
    for k in range(4):
        start = 1340 + 1000 * k
        t.events.append(
            {
                'ph': 'X',
                'cat': 'gpu_user_annotation',
                'name': 'step[DECODE bs=4]',
                'ts': start,
                'dur': 620,
                'pid': 0,
                'tid': 7,
            }
        )
    check_same(windows_of(t), ('phase', 3, 3000000, 1000000, 600000), 'by start')


def brute(rows, start, end):
    """Parts of each us: rows (start, end, class, launch start, launch end)."""
    sums = {}
    for at in range(start, end):
        active = {r[2] for r in rows if r[0] <= at < r[1]}
        part = next((p for p in ('compute', 'comm', 'copy') if p in active), None)
        if not part:
            begins = min(r[0] for r in rows if r[0] > at and r[1] > r[0])
            fell_idle = max([r[1] for r in rows if r[1] <= at] or [start])
            first = min((r for r in rows if r[0] == begins and r[1] > r[0]), key=lambda r: r[3])
            if at < first[3]:
                part = 'host'
            elif at < first[4]:
                part = 'launch'
            else:
                part = 'launch' if first[4] > max(fell_idle, start) else 'wait'
        sums[part] = sums.get(part, 0) + US
    return sums


@test
def random_models(_folder):
    """One window, from first to last work: no moment is in two parts, and none in a wrong one."""
    rng = random.Random(11)
    kinds = {
        'compute': ('kernel', GEMM),
        'comm': ('kernel', 'ncclDevKernel_AllReduce'),
        'copy': ('gpu_memcpy', 'Memcpy DtoD'),
    }
    for n in range(40):
        t, rows, free, now = Trace(), [], {7: 0, 8: 0}, 10
        for k in range(rng.randrange(2, 30)):
            stream, kind = rng.choice((7, 8)), rng.choice(('compute', 'compute', 'comm', 'copy'))
            now += rng.randrange(1, 40)
            returned = now + rng.randrange(1, 6)
            start = max(free[stream], now + rng.randrange(1, 9)) + rng.choice((0, 0, 7))
            end = free[stream] = start + rng.randrange(1, 50)
            t.work(
                start,
                end,
                (now, returned),
                category=kinds[kind][0],
                name=f'{kinds[kind][1]}_{k}',
                stream=stream,
            )
            rows.append((start, end, kind, now, returned))
            now = returned
        path = t.write()
        found = one(path)
        if found['base'] == 'span':
            check_same(
                parts(path),
                brute(rows, min(r[0] for r in rows), max(r[1] for r in rows)),
                f'model {n}',
            )


# -- Beside the verdict
# ------------------------------------------------------------------------------------------------


@test
def bytes_of_operators(_folder):
    """Every input once, the result once; a reduction writes nothing, a copy reads and writes; half
    of what an H100 can is bandwidth."""
    t, at, want = Trace(), 1000, {}
    for name, kernel, shapes, moved in (
        (
            'aten::mul',
            'mul_kernel',
            [('c10::BFloat16', [64, 1024]), ('float', [1024])],
            2 * 131072 + 4096,
        ),
        ('aten::mean', 'mean_kernel', [('float', [64, 1024])], 262144),
        (
            'aten::copy_',
            'direct_copy_kernel',
            [('float', [1024, 64]), ('c10::BFloat16', [1024, 64])],
            262144 + 131072,
        ),
        ('aten::fill_', 'fill_kernel', [('long int', [32])], 256),
        ('aten::exp', 'exp_kernel', [('float', [64, 1024])] * 2, 2 * 262144),  # out=
        ('aten::sigmoid', 'sigmoid_kernel', [('float', [64, 1024])], 2 * 262144),
        ('aten::sub', 'sub_kernel', [('float', [64, 1024])] * 2, 3 * 262144),
        ('aten::add', 'add_kernel', [('some_type', [1024])], None),
        ('aten::mm', 'gemm', [('float', [64, 64]), ('float', [64, 64])], None),
    ):
        for k in range(3):
            t.span(
                'cpu_op',
                name,
                at,
                at + 20,
                **{'Input Dims': [d for _, d in shapes], 'Input type': [ty for ty, _ in shapes]},
            )
            for i in range(2):
                t.work(at + 4 + 3 * i, at + 6 + 3 * i, (at + 1 + i, at + 2 + i), name=kernel)
            at += 20
        if moved:
            want[name] = ('operator', '3', 3 * 2 * 2 * US, 3 * moved)
    found = {
        r['name']: (r['kind'], r['calls'], picoseconds(r['duration_ns']), int(r['bytes']))
        for r in table(t.write(), 'moved')
    }
    check_same(found, want, 'bytes')


@test
def work_that_begins_before_its_launch_counts(_folder):
    """Of its step, in its period, and the gap before it is the host's: 39.5 us in place of 40."""
    t = Trace()
    for k in range(20):
        a = 1000 + 100 * k
        t.step(k, a, a + 100)
        begin = a + (9.5 if k == 10 else 20)
        t.work(begin, begin + 50, (a + 10, a + 15))
    path = t.write()
    run('report', path).expect(0, out=['*device rows that begin before their launch: 1, *'])
    check_same(
        parts(path),
        {
            'compute': 19 * 50 * US,
            'host': 17 * 40 * US + 39.5 * US + 50.5 * US,
            'launch': 18 * 10 * US,
        },
        'parts',
    )


def slowing(*kernels):
    """Rows of `unsteady` of kernels one after the other: (name, length of its nth call of 30)."""
    t, at = Trace(), 1000
    for n in range(30):
        for name, length in kernels:
            t.work(at + 5, at + 5 + length(n), (at, at + 1), name=name)
            at += 10 + length(n)
    return table(t.write(), 'unsteady')


@test
def kernels_become_slower(_folder):
    """By 5 % and more, of half of what computes, and only where it is the same work: lengths that
    differ are of several shapes."""
    later = (
        lambda early, late: lambda n: early if n < 10 else late if n >= 20 else (early + late) / 2
    )
    (row,) = slowing(('a', later(100, 108)), ('b', lambda n: 50))
    check_same(
        (row['code'], row['step'], row['times'], picoseconds(row['duration_ns']), row['place']),
        ('drift', '', '1', 3120 * US, 'a'),
        'slower',
    )
    check('8.0 % slower' in row['sentence'], row)
    check_same(slowing(('a', later(100, 104))), [], '4 %')
    check_same(slowing(('a', later(108, 100))), [], 'faster')
    check_same(slowing(('a', later(100, 108)), ('b', lambda n: 110)), [], 'less than half')
    check_same(
        slowing(('a', lambda n: 100 + (n % 3 == 0) * 30 if n < 20 else 130)),
        [],
        'two shapes, one of them seldom',
    )


def bandwidth(size):
    t = Trace()
    for k in range(12):
        t.span(
            'cpu_op',
            'aten::mul',
            1000 + 10 * k,
            1009 + 10 * k,
            **{'Input Dims': [[size], [size]], 'Input type': ['float', 'float']},
        )
        t.work(
            1003 + 10 * k, 1012.5 + 10 * k, (1001 + 10 * k, 1002 + 10 * k), name=f'mul_kernel_{k}'
        )
    events = {
        'traceEvents': t.events,
        'deviceProperties': [{'id': 0, 'name': 'NVIDIA H100 80GB HBM3'}],
    }
    return one(write('a.json', json.dumps(events)))


@test
def half_of_the_bandwidth(_folder):
    """3.35 TB/s of an H100 for 9.5 us are 31.8 MB."""
    for size, code in ((1400000, 'compute.bandwidth'), (1200000, 'compute.memory')):
        found = bandwidth(size)
        check_same(found['code'], code, size)
        share = 100 * 3 * 4 * size / 9.5e-6 / 3.35e12
        check_same(
            found['sentence'],
            '100.0 % of computing is kernels that move memory, whose operators reach '
            f'{share:.1f} % of its peak',
            size,
        )


COPIES = {  # bytes of 1 ms
    'Memcpy HtoD (Pinned -> Device)': 32 * 10**6,
    'Memcpy DtoD (Device -> Device)': 670 * 10**6,
    'Memcpy PtoP (Device -> Device)': 45 * 10**6,
    'Memcpy (unknown)': 10**6,
}


def copies(device, devices=1):
    """A trace of such copies, one behind the other, on each device."""
    t = Trace()
    for n in range(devices):
        at = 1000
        for name, size in COPIES.items():
            t.work(at + 10, at + 1010, (at, at + 2), name, 'gpu_memcpy', 'cudaMemcpyAsync', n)
            t.events[-1]['args']['bytes'] = size
            at += 1010
    events = {
        'traceEvents': t.events,
        'deviceProperties': [{'id': n, 'name': device} for n in range(devices)],
    }
    return write('a.json', json.dumps(events))


@test
def copies_stand_beside_their_link(_folder):
    """A data sheet says 64 GB/s each way of PCIe, 3.35 TB/s of memory and 450 GB/s of NVLink of an
    H100; a copy within the memory reads and writes. What may be another link is unknown."""
    htod, dtod, ptop, other = COPIES
    for device, devices, want in (
        (
            'NVIDIA H100 80GB HBM3',
            1,
            {
                htod: ('host', 64e9, 32e9 / 64e9),
                dtod: ('memory', 3.35e12, 2 * 670e9 / 3.35e12),
                ptop: ('devices', 450e9, 45e9 / 450e9),
            },
        ),
        (
            'NVIDIA H100 80GB HBM3',
            2,
            {htod: ('host', 64e9, 0.5), ptop: ('devices', 450e9, 0.1)},
        ),
        (
            'NVIDIA A100 80GB PCIe',
            1,
            {
                htod: ('host', 32e9, 1),
                dtod: ('memory', 1.935e12, 2 * 670e9 / 1.935e12),
                ptop: ('devices', None, None),  # a bridge may be missing
            },
        ),
        (
            'Tesla V100-SXM2-16GB',
            1,
            {
                htod: ('host', None, None),  # NVLink in some hosts
                dtod: ('memory', 9e11, 2 * 670e9 / 9e11),
                ptop: ('devices', 150e9, 45e9 / 150e9),
            },
        ),
        (
            'Some GPU',
            1,
            {
                htod: ('host', None, None),
                dtod: ('memory', None, None),
                ptop: ('devices', None, None),
            },
        ),
    ):
        rows = table(copies(device, devices), 'moved')
        check_same(len(rows), 4 * devices, f'{devices} x {device}: rows')
        for row in rows:
            link, *figures = want.get(row['name'], ('', None, None))
            shown = [f'{f:.6g}' if f else '' for f in figures]
            found = [f'{float(row[c]):.6g}' if row[c] else '' for c in ('peak', 'share')]
            check_same((row['link'], found), (link, shown), f'{devices} x {device}: {row["name"]}')
            check_same(float(row['rate']), COPIES[row['name']] * 1e3, row['name'])


@test
def a_verdict_of_copies_says_how_fast_they_are(_folder):
    """And of which link, where that is known; a verdict without copies says nothing of them."""
    path = copies('NVIDIA H100 80GB HBM3')
    with open(path, encoding='utf-8') as file:
        made = json.load(file)
    htod = next(iter(COPIES))
    made['traceEvents'] = [e for e in made['traceEvents'] if e['name'] in (htod, 'cudaMemcpyAsync')]
    for device, share in (
        ('NVIDIA H100 80GB HBM3', ', 50.0 % of the link to the host'),
        ('Some GPU', ''),
    ):
        made['deviceProperties'][0]['name'] = device
        found = run('report', write('b.json', json.dumps(made))).expect(0).out
        says = f'copies         {htod}: 30.5 MiB in 1.00 ms, 32.0 GB/s{share}\n'
        check(says in found, found)
    found = run('report', loop(lambda *_: None)).expect(0).out
    check('\n  copies    ' not in found, found)


@test
def waits_for_copies_say_how_fast_they_are_at_most(_folder):
    """Rows copy-done of XLA are waits for copies, two of which are under way at a time: 16 MB a period
    in 800 us of waiting. Without bytes, or with those of one copy alone, the rate is unknown."""
    for of_one, of_other, said in (
        (8, 8, 'copy-done: 61.0 MiB in 3.20 ms of waiting, 20.0 GB/s at most'),
        (8, 0, 'rate unknown: the file has no bytes of them'),
        (0, 0, 'rate unknown: the file has no bytes of them'),
    ):
        core = xspace.Plane(1, '/device:TPU:0')
        for k in range(4):
            at = 1000 * k
            core.add('XLA Modules', 'main', at, 1000)
            core.add('XLA Ops', 'fusion.1', at, 100, 'loop fusion')
            for n, moved in ((1, of_one), (2, of_other)):
                bytes_of = {'bytes_accessed': moved * 10**6} if moved else {}
                core.add('XLA Ops', f'copy-start.{n}', at + 100 + n, 1, 'copy-start', **bytes_of)
                core.add(
                    'XLA Ops', f'copy-done.{n}', at + 400 * n - 290, 400, 'copy-done', **bytes_of
                )
        found = run('report', '-q', write('tpu.xplane.pb', core.data())).expect(0).out
        check('COPY-BOUND' in found and f'copies         {said}\n' in found, found)


ENGINES = ('Tensor', 'Scalar', 'Vector', 'GpSimd')


def neuron_core(rows, until, lnc=2):
    """A profile of a logical core of Neuron; rows: (core, label or 'dma', opcode, start, end) in
    ns."""
    instructions, packets = [], []
    for n, (core, label, opcode, start, end) in enumerate(rows):
        of = {'timestamp': start, 'duration': end - start, 'subgraph': f'sg0{core}'}
        if label == 'dma':
            packets.append(
                of
                | {
                    'dma_engine': str(64 + 16 * core),
                    'dma_queue': '1',
                    'subgroup': f'Q1-E{64 + 16 * core}',
                    'transfer_size': 64,
                    'aggregated': 'no',
                    'queue_type': 'data',
                }
            )
        else:
            instructions.append(of | {'opcode': opcode, 'subgroup': label, 'label': label, 'pc': n})
    return write(
        'core.json',
        json.dumps(
            {
                'instruction': instructions,
                'dma': packets,
                'summary': [{'total_time': until / 1e9}],
                'neff_header': [{'number_of_neuroncores_per_lnc': str(lnc)}],
                'model_info': [{'nc_idx': 4 + i, 'sg_name': f'sg0{i}'} for i in range(lnc)],
                'metadata': [
                    {'first_hw_timestamp': 0, 'last_hw_timestamp': until, 'ntff_version': 6}
                ],
            }
        ),
    )


def covered(spans):
    """How much of the time some of the spans covers, ns by ns."""
    return len(set().union(*(range(a, b) for a, b in spans)))


@test
def engines_of_neuron(_folder):
    """The engine that works longest on any core of the logical core, waits left out; and its
    counter-examples."""
    names = {'Tensor': 'tensor', 'Scalar': 'scalar', 'Vector': 'vector', 'GpSimd': 'gpsimd'}
    seen = set()
    for seed in range(24):
        r = random.Random(seed)
        most, rows = r.choice([*ENGINES, 'dma', None]), []
        for core in (0, 1):
            for label in (*ENGINES, 'dma'):
                at = 0
                while at < 1900:
                    length = r.randrange(20, 120) if label == most else r.randrange(5, 20)
                    rows.append((core, label, 'MATMUL', at, min(at + length, 2000)))
                    at += length + r.randrange(1, 60 if label == most else 150)
            # Neither a wait nor the engine that only starts others is work.
            rows.append((core, 'Scalar', 'EVENT_SEMAPHORE', 0, 1999))
            rows.append((core, 'Sync', 'NOP', 0, 1999))
        time = {
            label: covered([(a, b) for _, of, op, a, b in rows if of == label and op == 'MATMUL'])
            for label in (*ENGINES, 'dma')
        }
        order = sorted(time, key=lambda label: -time[label])
        code = 'data' if order[0] == 'dma' else 'compute.' + names[order[0]]
        code = code if 3 * time[order[0]] >= 2000 else 'undetermined.latency'
        found = table(neuron_core(rows, 2000), 'verdict')
        check_same(len(found), 1, 'logical cores')
        for row in found:
            check_same(row['code'], code, f'{seed}: {time}')
            check_same(round(float(row['share']) * 2000), time[order[0]], f'{seed}: share')
            check_same(round(float(row['second_share']) * 2000), time[order[1]], f'{seed}: second')
            check_same(row['engine'], names.get(order[0], 'dma'), f'{seed}: engine')
        seen.add(code)
    check({'data', 'compute.tensor', 'undetermined.latency'} <= seen, seen)
    core = [(0, 'Tensor', 'MATMUL', 0, 900), (0, 'dma', '', 100, 400)]
    check_same(one(neuron_core(core, 1000, 1))['code'], 'compute.tensor', 'one core')
    check_same(one(neuron_core(core, 2700, 1))['code'], 'compute.tensor', 'a third')
    check_same(one(neuron_core(core, 2701, 1))['code'], 'undetermined.latency', 'less')
    check_same(one(neuron_core(core[:1], 1000, 1))['code'], 'undetermined.not_recorded', 'no DMA')
    gains = table(neuron_core(core, 1000, 1), 'verdict_parts')
    check_same([row['gain'] for row in gains if row['gain']], [], 'engines work side by side')


@test
def what_makes_periods_unsteady(_folder):
    """None of it in a first step, and collecting counts in idle time alone."""

    def body(t, a, b):
        if a in (1000, 1000 + 3 * 50000):
            t.span('user_annotation', 'Torch-Compiled Region: 0/0', a, a + 15000)
        if a == 1000 + 4 * 50000:
            t.span('python_function', '<built-in method gc.collect>', a + 2000, a + 6000)
            t.span('python_function', '<built-in method gc.collect>', b + 9000, b + 11000)

    rows = table(loop(body, length=50000, busy=30000), 'unsteady')
    check_same(
        [
            (r['code'], r['step'], r['times'], picoseconds(r['duration_ns']), r['place'])
            for r in rows
        ],
        [
            ('recompile', 'ProfilerStep#3', '1', 15 * MS, 'Torch-Compiled Region: 0/0'),
            ('gc', '', '1', 4 * MS, ''),
        ],
        'rows',
    )
    check_same(table(loop(lambda *_: None), 'unsteady'), [], 'steady')


# -- Both sides of the thresholds of what a host did
# ------------------------------------------------------------------------------------------------


# -- One that the others wait for
# --------------------------------------------------------------------------------------------------


def ranks(begins, ends, size=4, steps=5, compute=False, devices=4, busy=False, streams=1):
    """Steps of 1,000 us on the devices of one file, a group a four: each launches and computes,
    until then if `busy`, then comes to an all-reduce at `begins(step, device)`, which all leave at
    `ends`, or to one of other size a stream at once; `compute`: what runs beside it."""
    t = Trace()
    for k in range(steps):
        a = 1000 + 1000 * k
        t.step(k, a, a + 1000)
        for device in range(devices):
            begin, first = a + begins(k, device), device // 4 * 4
            t.work(a + 20, begin if busy else a + 120, (a + 1, a + 2), device=device)
            if compute:
                t.work(begin, a + ends, (a + 3, a + 4), device=device, stream=8)
            for i in range(streams):
                t.work(
                    begin,
                    a + ends,
                    (a + 5 + 2 * i, a + 6 + 2 * i),
                    name='ncclDevKernel_AllReduce_Sum_f32_RING_LL',
                    device=device,
                    stream=20 + i,
                )
                t.events[-1]['args'].update(
                    {
                        'Collective name': 'allreduce',
                        'dtype': 'Float',
                        'In msg nelems': 1 << (20 + i),
                        'Out msg nelems': 1 << (20 + i),
                        'Group size': size,
                        'Process Group Ranks': json.dumps(list(range(first, first + size))),
                    }
                )
    return t.write()


def sentence(path):
    out = '\n' + run('report', '-q', path).expect(0).out
    return out.split('\nSummary of ')[1].split('\n')[1]


@test
def collectives_that_wait_at_once_wait_once(_folder):
    """Three of four devices are exposed for 750 of 1,000 us in two all-reduces at a time: that is
    what each waits at most, and not 1,400."""
    path = ranks(lambda _k, device: 850 if device == 3 else 150, 900, streams=2)
    said = ' '.join(run('answers', '-q', 'straggler', path).expect(0).out.split())
    # A mean of four; a span is from 20 us of the first step to 900 of the last.
    wait, span = 3 * 5 * 750 / 4, 4900 - 20
    check(
        f'GPU 3 keeps the others of its group waiting for {100 * wait / span:.1f} % ' in said, said
    )
    check('(2.81 ms)' in said, said)


@test
def a_verdict_has_100_letters(_folder):
    """Its longest words together, 30 letters more with where most of it is, and a straggler of 20
    letters."""
    source = os.environ['NPROF_SOURCE']
    answer = read(os.path.join(source, 'share/answers/screen/screen_verdict.sql')).decode()
    codes = read(os.path.join(source, 'plugins/analyzers/steps/codes.c')).decode()
    sets = {}
    for of, key, text in re.findall(r'^-- word: (\w+) (\S+): (.*)', answer, re.M):
        sets.setdefault(of, {})[key] = text
    known = {of: max(texts.values(), key=len) for of, texts in sets.items()}
    known |= {'share': '100.0 %', 'count': '2', 'name': 20 * 'n', 'other': 20 * 'o'}

    def fill(text, **words):
        places = known | words
        return re.sub(
            r'{(\w+):?(\w*)}', lambda place: places.get(place[1]) or places[place[2]], text
        )

    say = re.search('^-- say: (.*)', answer, re.M)[1]
    part = {re.search(r'{(\w+)', p)[1]: p for p in re.findall(r'\[([^]]*)\]', say)}
    heads = re.findall('{ "([a-z_.]+)", (?:"[a-z]+", )?"([A-Z][^"]+)"', codes)
    evidence = {'compute.memory': 'moving', 'compute.bandwidth': 'reached'}
    lines = [
        head
        + fill(part['noun'], does=sets['does'][code.split('.')[0]])
        + (fill(part[evidence.get(code, 'evidence')]) if code.startswith('compute') else '')
        for code, head in heads
        if code.split('.')[0] in sets['does']
    ]
    check(len(lines) >= 15, lines)
    lines += ['MIXED' + fill(part['first']), 'UNDETERMINED' + fill(part['why'])]
    lines += ['STRAGGLERS' + fill(part[p] + part['more']) for p in ('waited', 'unnamed')]
    line = max(lines, key=len)
    check(len(line) <= 100, f'{len(line)} letters: {line}')
    check_same(len(fill(part['at'])), 30, 'where most of it is')


def who_may_overlap(path):
    said = run('answers', '-q', 'gain', path).expect(0).out
    return sorted(re.findall(r'GPU (\d) communicates', said))


def answer_of(path):
    return json.loads(run('ask', 'verdict', path, '--json').expect(0).out)


@test
def who_is_waited_for_bounds_the_devices_of_a_file(_folder):
    """Device 2 comes 400 us behind the others: these wait 400 us of 1,000 in each step."""
    late = ranks(lambda _step, device: 900 if device == 2 else 500, 940)
    # Three of four devices wait 400 us in each of 5 steps; a span is from 20 to 4,940 us.
    wait, span = 3 * 5 * 400 / 4, 4940 - 20
    waited = f'{100 * wait / span:.1f} % of their spans'
    said = f'STRAGGLERS: the devices wait {waited} for GPU 2'
    check_same(sentence(late), said, 'the verdict')
    data = answer_of(late)['data']
    check_same((data['group'], data['name']), ('straggler', 'GPU 2'), 'ask')
    check(abs(data['share'] - wait / span) < 1e-6, data)
    trace = json.loads(read(late))
    process = {'ph': 'M', 'name': 'process_name', 'pid': 2, 'args': {'name': 30 * 'n'}}
    trace['traceEvents'].append(process)
    named = sentence(write('named.json', json.dumps(trace)))
    check_same(named, said.replace('GPU 2', 'one of them'), 'a long name')
    # Beside compute the others would wait as long; where all come at once, it is communication.
    check_same(who_may_overlap(late), ['2'], 'one is late')
    alike = ranks(lambda _step, _device: 500, 940)
    check_same(who_may_overlap(alike), ['0', '1', '2', '3'], 'all alike')


@test
def two_that_come_last_are_both_named(_folder):
    """Of four devices two wait 400 us in each of 5 steps; the two others share the blame."""
    path = ranks(lambda _step, device: 900 if device % 2 else 500, 940)
    wait, span = 2 * 5 * 400 / 4, 4940 - 20
    waited = f'{100 * wait / span:.1f} % of their spans'
    check_same(
        sentence(path),
        f'STRAGGLERS: the devices wait {waited} for GPU 1 and 1 more',
        'the verdict',
    )
    data = answer_of(path)['data']
    check_same((data['group'], data['name']), ('straggler', 'GPU 1'), 'ask')
    check(abs(data['share'] - wait / span) < 1e-6, data)


@test
def groups_are_told_apart(_folder):
    """Of each of two groups of four devices one comes last: what is said on the first screen is of
    one group, and a device is compared with those of its own."""
    late = {2: 900, 6: 820}
    path = ranks(lambda _step, device: late.get(device, 500), 940, devices=8, busy=True)
    span, waits = 4940 - 20, {d: 3 * 5 * (begin - 500) / 4 for d, begin in late.items()}
    share = 100 * waits[2] / span
    check_same(
        sentence(path),
        f'STRAGGLERS: the devices wait {share:.1f} % of their spans for GPU 2',
        'the verdict',
    )
    said = run('answers', '-q', 'straggler', path).expect(0).out
    check_same(who_may_overlap(path), ['2', '6'], 'one of each group is late')
    for device, begin in late.items():
        check(
            f'of all spans ({waits[device] / 1000:.2f} ms): it has {begin - 500} us' in said, said
        )


@test
def a_straggler_is_of_its_file(_folder):
    """Of two files the second has one, which the verdict is of only where that file is judged. It
    is rank 6: each device of a file is one."""
    os.mkdir('two')
    for busy, judged in ((False, 'a.json'), (True, 'b.json')):
        late = ranks(lambda _step, device: 900 if device == 2 else 500, 940, busy=busy)
        os.rename(late, 'two/b.json')
        os.rename(ranks(lambda _step, _device: 500, 940, steps=12, busy=True), 'two/a.json')
        said = sentence('two')
        check_same('for GPU 2 of rank 6' in said, judged == 'b.json', said)
        check_same('STRAGGLERS' in said, judged == 'b.json', said)
        check_same('STRAGGLERS' in answer_of('two')['text'], judged == 'b.json', judged)


@test
def what_is_no_straggler(_folder):
    """Devices that are late in turn; a group that has ranks elsewhere; a wait of less than a tenth;
    one that is hidden; none."""
    for name, *made in (
        ('in turn', lambda step, device: 900 if device == step % 4 else 500, 4, 8, False),
        ('ranks elsewhere', lambda _step, device: 900 if device == 2 else 500, 8, 5, False),
        ('short', lambda _step, device: 900 if device == 2 else 780, 4, 5, False),
        ('hidden', lambda _step, device: 900 if device == 2 else 500, 4, 5, True),
        ('all alike', lambda _step, _device: 500, 4, 5, False),
    ):
        begins, size, steps, compute = made
        path = ranks(begins, 940, size, steps, compute)
        said = sentence(path)
        check('STRAGGLERS' not in said, f'{name}: {said}')
        check('STRAGGLERS' not in answer_of(path)['text'], name)


@test
def without_computing_it_is_unknown_what_waits_cost(_folder):
    """Collectives alone, as a recorder that filters by name has them: that they wait is known, and
    not whether the devices computed meanwhile."""
    path = ranks(lambda _step, device: 900 if device == 2 else 500, 940)
    with open(path) as file:
        events = json.load(file)['traceEvents']
    for calls in (False, True):
        kept = [
            e
            for e in events
            if 'nccl' in e['name'] or (calls and not e['cat'].startswith('kernel'))
        ]
        alone = write(f'alone{calls}.json', json.dumps({'traceEvents': kept}))
        check('STRAGGLERS' not in sentence(alone), sentence(alone))
        check('kept up' not in run('report', '-q', alone).expect(0).out, 'a gain')
        told = ' '.join(run('report', '-q', '--findings', alone).expect(0).out.split())
        check(
            'GPU 2 keeps the others of its group waiting (1.50 ms): the file has no computing, which'
            ' may have run meanwhile' in told,
            told,
        )
        check(
            not told.split(': what can be', 1)[1].split(' ms ')[1].startswith('GPU 2 keeps'), told
        )


def collective(kind, elements, members):
    """What a file says of one; members a number: not which ranks."""
    named = isinstance(members, list)
    said = {'Process Group Ranks': json.dumps(members)} if named else {}
    return said | {
        'Collective name': kind,
        'dtype': 'Float',
        'In msg nelems': elements,
        'Out msg nelems': elements,
        'Group size': len(members) if named else members,
    }


def reduced(*calls, twice=False, beside=0):
    """Five steps of 1,000 us of one rank of four: it computes 200 us, then reduces: (elements, us,
    ranks) of each call, elements None: the file does not say; ranks a number: it does not say
    which. A gather of as many bytes runs beside each if `twice`, and products in the first `beside`
    us."""
    t = Trace()
    for k in range(5):
        a = 1000 + 1000 * k
        t.step(k, a, a + 1000)
        t.work(a + 20, a + 220, (a + 1, a + 2))
        at = a + 220
        for n, (elements, us, members) in enumerate(calls):
            launch = a + 3 + 2 * n
            times = (at, at + us, (launch, launch + 1))
            for kind in ('AllReduce', 'AllGather')[: 1 + twice]:
                name = f'ncclDevKernel_{kind}_Sum_f32_RING_LL'
                t.work(*times, name=name, stream=20 + (kind == 'AllGather'))
                if elements:
                    t.events[-1]['args'].update(collective(kind.lower(), elements, members))
            at += us
        if beside:
            t.work(a + 220, a + 220 + beside, (a + 900, a + 901), stream=8)
    return t.write()


@test
def what_more_bytes_need_less_time_for_is_waiting(_folder):
    """4 MB take 600 us, and 64 MB 100 us, in each of 5 steps: 500 us are no transfer, and beside
    compute they would be waited for as well."""
    four, two = [0, 1, 2, 3], [0, 1]
    path = reduced((1 << 20, 600, four), (1 << 24, 100, four))
    said = run('report', '-q', '--findings', path).expect(0).out
    said = re.sub(r'\s+', ' ', said)
    check(
        'At least 2.50 ms of 3.50 ms exposed communication of GPU 0 waits for other ranks:'
        ' allreduce of 4.00 MiB averages 600 us, 64.0 MiB at most 100 us' in said,
        said,
    )
    check('overlap it' not in said, said)
    out = run('report', '-q', path).expect(0).out
    check(len(re.findall('2.50 ms of waiting for other ranks|2.50 ms is waiting', out)) == 1, out)
    for name, *calls in (
        ('more bytes take longer', (1 << 20, 100, four), (1 << 24, 600, four)),
        ('other ranks', (1 << 20, 600, four), (1 << 24, 100, two)),
        ('unknown bytes', (None, 600, four), (1 << 24, 100, four)),
        ('less than half', (1 << 20, 300, four), (1 << 24, 260, four)),
        ('a latency', (1 << 10, 48, four), (1 << 24, 2, four)),
        ('alone', (1 << 20, 600, four)),
        ('groups that have no names', (1 << 20, 600, 4), (1 << 24, 100, 2)),
    ):
        said = run('report', '-q', '--findings', reduced(*calls)).expect(0).out
        check('waiting for other' not in said, f'{name}: {said}')


@test
def collectives_that_reach_little_of_their_links_may_wait(_folder):
    """All of 4 MiB between four ranks take 700 us: by nccl-tests 2 x 3/4 of the bytes, of the 300
    GB/s of an A100. Of 64 MiB that is half of it; of an unknown device nothing is said."""
    for elements, device, said in (
        (1 << 20, 'NVIDIA A100-SXM4-80GB', True),
        (1 << 24, 'NVIDIA A100-SXM4-80GB', False),
        (1 << 20, None, False),
    ):
        made = json.loads(read(reduced((elements, 700, [0, 1, 2, 3]))))
        made['deviceProperties'] = [{'id': 0, 'name': device}] if device else []
        path = write(f'links{elements}{bool(device)}.json', json.dumps(made))
        found = re.sub(r'\s+', ' ', run('report', '-q', '--findings', path).expect(0).out)
        check('try overlap it with compute' in found, found)
        share = 100 * (4 * elements * 2 * 3 / 4) / 700e-6 / 300e9
        reached = (
            f'overlap it with compute; collectives reach {share:.1f} % of its links: late ranks'
        )
        check_same(reached in found, said, found)
        check_same('collectives reach' in found, said, found)


@test
def time_that_something_else_fills_is_no_waiting(_folder):
    """4 MB take 600 us, and 64 MB 50 or 100 us. Beside another that waits as long, what each needs
    is taken off what both are exposed for; where a product runs beside the first 500 us, what is
    left may be the transfer."""
    four = [0, 1, 2, 3]
    both = reduced((1 << 20, 600, four), (1 << 24, 50, four), twice=True)
    said = re.sub(r'\s+', ' ', run('report', '-q', '--findings', both).expect(0).out)
    exposed, least = 5 * 650, 5 * (650 - 4 * 50)
    check(
        f'At least {least / 1000:.2f} ms of {exposed / 1000:.2f} ms exposed communication' in said,
        said,
    )
    for beside, waits in ((100, True), (500, False)):
        path = reduced((1 << 20, 600, four), (1 << 24, 100, four), beside=beside)
        said = run('report', '-q', '--findings', path).expect(0).out
        check_same('waits for other ranks' in re.sub(r'\s+', ' ', said), waits, said)


# -- A loop that begins late
# --------------------------------------------------------------------------------------------------


def late_loop(warm_up=10, times=30, launch=None, names=5, after=0, before=0, late=60000):
    """`late` us in which `warm_up` kernels run, then a loop: each time `names` products of 20 us
    and 200 us of communication in 320 us, then another of `after` us; ahead one of `before` us."""
    t = Trace()
    if before:
        at = late - before - 100
        t.work(at, at + before, launch and (at - 5, at - 4), name='before')
    for k in range(warm_up):
        at = 500 * k
        t.work(at, at + 30, launch and (at - 5, at - 4), name=f'warm_up_{k}')
    for k in range(times):
        at = late + 320 * k
        for n in range(names):
            t.work(at, at + 20, launch and (at - 5, at - 4), name=f'{GEMM}_{n}')
            at += 20
        t.work(
            at,
            at + 200,
            launch and (at - 5, at - 4),
            name='ncclDevKernel_AllReduce_Sum_f32_RING_LL',
        )
    if after:
        end = late + 320 * times
        t.work(end, end + after, launch and (end - 5, end - 4), name='after')
    return t.write()


@test
def idle_time_is_of_the_windows_of_the_verdict(_folder):
    """Of 320 us the device works 300 or all; between the kernels before the loop it idles for
    60 ms, which is no idle time of the periods, nor is the gap before the loop the longest."""
    path = late_loop()
    found = one(path)
    check_same(found['base'], 'period', 'judged by periods')
    (row,) = said_of_idle(path)
    check_same(
        (float(row['stake_ns']), float(row['end_ns']) - float(row['start_ns'])),
        (int(found['windows']) * 20e3, 20e3),
        row,
    )
    said = ' '.join(run('report', '-q', '--findings', path).expect(0).out.split())
    check('idles 6.3 % of its periods (' in said and 'the longest for 20.0 us before' in said, said)
    check_same(said_of_idle(late_loop(names=6)), [], 'busy in its periods')
    late = late_loop(names=6, warm_up=1, late=400)
    check_same(one(late)['base'], 'period', '370 us idle before them are 3.7 %')
    check_same(said_of_idle(late), [], 'a gap before the periods')


@test
def what_launches_is_not_to_be_moved_to_the_device(_folder):
    """In long gaps the CPU is in one name: what launches has the advice of launches. A name that has
    less than a quarter is not said."""
    for name, launches in (
        ('ExecutorState::Process', True),
        ('## Call CompiledFxGraph f3 ##', True),
        ('aten::mm', True),
        ('aten::item', False),
        ('adam.py(7): step', False),
        ('my_executor', False),
    ):
        path = in_gaps([(name, 2000)] * 12)
        (row,) = [
            r
            for r in rows_of(
                run('report', '-q', '--only', 'findings', '--format', 'csv', path).expect(0).out
            )
            if r['code'] == 'host'
        ]
        check_same('run it ahead' not in row['advice'], launches, (name, row))
        check_same('if launches cost nothing' in row['condition'], launches, (name, row))
    for names, said in ((4, True), (5, False)):
        path = in_gaps([(f'f.py(2): f{k % names}', 2000) for k in range(20)])
        findings = ' '.join(run('report', '--findings', path).expect(0).out.split())
        check_same('% of it in f.py' in findings, said, (names, findings))


@test
def a_loop_that_begins_late_is_judged_where_no_launch_is_known(_folder):
    """Its periods take 320 us of which it communicates 200, whatever was before it."""
    path = late_loop()
    found = one(path)
    check_same(
        (found['code'], found['base'], picoseconds(found['median_ns'])),
        ('comm', 'period', 320 * US),
        found,
    )
    check_same(picoseconds(found['window_ns']) % (320 * US), 0, 'whole periods')
    check_same(
        parts(path)['comm'] * 320, picoseconds(found['window_ns']) * 200, 'communication in them'
    )
    check('60.3 ms of 69.6 ms lie before and behind the periods' in found['sentence'], found)
    (device,) = rows_of(
        run('run', '-a', 'device', '-s', 'csv:table=devices', '-o', '-', path).expect(0).out
    )
    covered = picoseconds(found['window_ns']) / picoseconds(device['span_ns'])
    first_screen = run('report', '--only', 'summary', path).expect(0).out
    said = f' of {found["windows"]}, {100 * covered:.1f} % of the span\n'
    check(said in first_screen, (said, first_screen))
    all_of_it = run('report', late_loop(warm_up=0)).expect(0).out
    check(re.search(r'  step .*; median .* of \d+\n', all_of_it), all_of_it)
    check_same(one(late_loop(launch=True))['base'], 'span', 'launches tell why it idled')
    few = one(late_loop(warm_up=60))
    check_same(
        (few['base'], few['code']), ('span', 'undetermined.no_launches'), 'a third is no loop'
    )
    once = one(late_loop(times=2))
    check_same(once['base'], 'span', 'twice is no loop')
    # The loop is busy for 30 x 300 us.
    for after, base in ((7000, 'period'), (10000, 'span')):
        check_same(one(late_loop(after=after))['base'], base, f'{after} us behind the loop')
    # Three times as long as the loop is busy is 27 ms.
    for before, base in ((24000, 'period'), (28000, 'span')):
        check_same(one(late_loop(before=before))['base'], base, f'{before} us ahead of the loop')
    # Its 29 periods take 9.28 ms, of a span of 9.6 ms more than what is ahead of it, and are busy
    # for 8.7 ms.
    for late, before, base in (
        (83000, 1000, 'period'),
        (84000, 1000, 'span'),
        (84000, 0, 'period'),
    ):
        found = one(late_loop(late=late, before=before))
        check_same(found['base'], base, f'{late} us ahead of the loop, {before} of work')


def halting_loop(halt, times=12, own=0, step=None, halts=None):
    """A loop of ten products and a copy of 20 us each in 300 us, which halts once, or at the times
    `halts`, for `halt` us, of which the device works `own` us; `step`: each time is a step of the
    host."""
    t = Trace()
    at = 1000
    for k in range(times):
        if step:
            t.step(k, at - 20, at + 280)
        for n in range(11):
            name = f'{GEMM}_{n % 3}' if n else 'vectorized_elementwise_kernel'
            t.work(at + 25 * n, at + 25 * n + 20, (at + 25 * n - 5, at + 25 * n - 4), name=name)
        at += 300
        if k in (halts or [times // 2]):
            if own:
                t.work(at, at + own, (at - 5, at - 4), name='once')
            at += halt
    return t.write()


@test
def periods_that_cover_little_judge_nothing(_folder):
    """Of 12 periods of 300 us one holds the halt and is left out."""
    for halt, own, times, base in (
        (1000, 0, 12, 'period'),
        (26000, 0, 12, 'period'),  # 10 periods of together 3.0 ms, of 3.57 and the halt
        (27000, 0, 12, 'span'),
        (600000, 0, 40, 'period'),  # 38 of 40 hold nine tenths of the work
        (4000, 1500, 12, 'period'),  # they work for 2.2 ms
        (4000, 3000, 12, 'span'),
    ):
        found = one(halting_loop(halt, times, own))
        check_same(found['base'], base, f'a halt of {halt} us, {own} us of work: {found}')
        check_same(found['left_out'], str(int(base == 'period')), found)
    check_same(one(halting_loop(60000, step=True))['base'], 'step', 'stated steps stay')


@test
def a_period_repeats_where_lengths_are_even(_folder):
    """Three times or more, none of which takes more than twice the median; of several that are left
    out the sum is said as well."""
    for halt, times, halts, said in (
        (300, 12, [3, 6, 9], 'a period of 300 us repeats 11 times'),
        (310, 12, [3, 6, 9], '11 periods, 300 us to 610 us'),
        (700, 12, [3, 9], 'a period of 300 us repeats 9 times'),
    ):
        path = halting_loop(halt, times, halts=halts)
        (line,) = re.findall(r'Summary of .*', run('report', path).expect(0).out)
        check(line.endswith(', ' + said), (line, said))
    check(
        '2 of 11 periods took together 2.00 ms, the longest 1.00 ms' in one(path)['sentence'],
        one(path),
    )


@test
def a_rank_is_asked_for_where_the_job_has_others(_folder):
    """A job of one rank has none that is slow; of one of four, three are missing."""
    trace = json.loads(read(reduced((1 << 20, 600, [0, 1, 2, 3]))))
    for world, said in (
        (1, r'yes +none: the job has one rank\nhow long'),
        (4, r'no +one file of one rank\n +open the folder that holds one file a rank\n'),
    ):
        trace['distributedInfo'] = {'backend': 'nccl', 'rank': 0, 'world_size': world}
        out = run('doctor', write('a.json', json.dumps(trace))).expect(0).out
        check(re.search('which rank is slow +' + said, out), out)


main()
