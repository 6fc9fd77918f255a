# SPDX-License-Identifier: Apache-2.0
"""sweep.py - runs that differ in numbers: where the numbers come from, what is measured of each
run, and where the step begins to grow.  Steps are drawn here, and powers are reckoned here."""

import json
import math
import os
import shutil

from gputrace import Trace
from harness import SAMPLES, check, check_same, main, run, test, write

TPU = os.path.join(SAMPLES, 'synthetic_tpu.xplane.pb')
US = 1000000


def made(name, us):
    """A run whose kernels take so long a step."""
    os.makedirs(os.path.dirname(name) or '.', exist_ok=True)
    return Trace([('gemm', 'aten::mm', us * 0.8), ('relu', 'aten::relu', us * 0.2)]).save(name)


def sweep(by, *words, status=0, **expected):
    result = run('sweep', '-q', '--by', by, '--format', 'json', *words).expect(status, **expected)
    return json.loads(result.out) if status == 0 else None


def keys(found):
    return {r['run']: list(r['keys'].values()) for r in found['runs']}


def knee_by_hand(steps):
    """By the rule of the manual; steps: {key: ps}."""
    points = sorted(steps.items())
    powers = [
        math.log(t2 / t1) / math.log(x2 / x1) for (x1, t1), (x2, t2) in zip(points, points[1:])
    ]
    dear = [power >= 0.5 for power in powers]
    if len(points) < 3:
        return 'few_values', None
    if len(set(dear)) == 1:
        return ('dear' if dear[0] else 'cheap'), None
    if sorted(dear) != dear:
        return 'unclear', None
    return 'knee', points[dear.index(True)][0]


SERIES = {
    # The larger of a constant and of work: they meet at 16.
    'corner': ({x: max(400, 25 * x) for x in (1, 2, 4, 8, 16, 32, 64)}, ('knee', 16)),
    # Their sum: they are equal at 16.
    'sum': ({x: 400 + 25 * x for x in (1, 2, 4, 8, 16, 32, 64, 128)}, ('knee', 16)),
    'all cheap': ({x: 400 + x for x in (1, 2, 4, 8)}, ('cheap', None)),
    'all dear': ({x: 200 * x for x in (1, 2, 4, 8)}, ('dear', None)),
    'quadratic': ({x: max(300, x * x) for x in (4, 8, 16, 32, 64)}, ('knee', 16)),
    # Tiles of 64: the step is a stair.
    'stair': ({x: 300 * math.ceil(x / 64) for x in (32, 64, 65, 128, 129)}, ('unclear', None)),
    # Falls back: dear, then cheap.
    'backward': ({1: 100, 2: 200, 4: 210, 8: 220}, ('unclear', None)),
    'two values': ({1: 100, 2: 200}, ('few_values', None)),
    # Not all that was there was run: the corner is at 16, which is between the neighbours.
    'sparse': ({x: max(400, 25 * x) for x in (1, 64, 128)}, ('knee', 64)),
}


@test
def knees(_folder):
    for n, (name, (series, expected)) in enumerate(SERIES.items()):
        paths = [made(f's{n}_x{key}.json', us) for key, us in series.items()]
        found = sweep('x', *paths)
        steps = {r['keys']['x']: r['step_ps'] for r in found['runs']}
        for key, us in series.items():
            check(abs(steps[key] / US - us) < 0.05 * us + 12, f'{name}: step {key}: {steps[key]}')
        knee = found['knees'][0]
        check_same((knee['code'], knee['knee']), expected, name)
        check_same((knee['code'], knee['knee']), knee_by_hand(steps), f'{name}, by hand')
        check_same(list(steps), sorted(steps), 'the order')
    check('between 1 and 128' in knee['text'], knee)


@test
def several_runs_of_a_value_are_one(_folder):
    paths = [made(f'x{x}_try{i}.json', max(400, 25 * x)) for x in (4, 16, 64) for i in range(2)]
    paths.append(made('x16_bad.json', 4000))
    check_same(sweep('x', *paths)['knees'][0]['knee'], 16, 'by the median')


@test
def numbers_of_names(_folder):
    for name, expected in (
        ('batch8.json', 8),
        ('Batch=16_x.json', 16),
        ('run_batch_2.json', 2),
        ('a-batch-0.5.json', 0.5),
        ('batch12/trace.json', 12),
        ('batch12/batch13.json', 13),
        ('batch7.pt.trace.json', 7),
        ('minibatch8.json', None),
        ('batch4k.json', None),
        ('batch.json', None),
        ('batch1_batch2.json', None),
        ('batch3_batch3.json', 3),
        ('8batch.json', None),
    ):
        found = sweep('batch', made(name, 50))['runs'][0]
        check_same(found['keys']['batch'], expected, name)
        check(('batch' in found['reasons']) == (expected is None), found)
    reason = sweep('batch', 'batch1_batch2.json')['runs'][0]['reasons']['batch']
    check_same(reason, 'two numbers in its name, 1 and 2', 'two numbers')


@test
def numbers_of_a_file_and_of_properties(_folder):
    made('batch1.json', 50), made('b.json', 50)
    write('v.tsv', 'file\tbatch\tlr\nruns/batch1.json\t3\t2.5e-05\n\nb.json\tmany\t-1 \r\n')
    found = sweep('batch,lr', '--values', 'v.tsv', 'batch1.json', 'b.json')
    check_same(keys(found), {'batch1.json': [3, 2.5e-05], 'b.json': [None, -1]}, 'values')
    reason = found['runs'][1]['reasons']['batch']
    check_same(reason, 'v.tsv: line 4 has "many", which is no number', 'no number')
    with open('b.json', encoding='utf-8') as file:
        trace = json.load(file)
    write('c.json', json.dumps({'distributedInfo': {'rank': 0, 'world_size': 4}, **trace}))
    check_same(keys(sweep('world_size', 'c.json', 'b.json'))['c.json'], [4], 'a property')
    for text, err in (
        ('', '*expected a first line*'),
        ('files\tbatch\nb.json\t1\n', '*line 1: expected file as the first head, found "files"*'),
        ('b.json\t1\n', '*line 1: expected file as the first head, found "b.json"*'),
        ('file\n', '*line 1: expected at least 2 columns*'),
        ('file\tbatch\na\n', '*line 2: expected 2 columns between tabs*found 1*'),
        ('file\tbatch\na/t.json\t1\nb/t.json\t2\n', '*line 3: t.json is there twice*'),
    ):
        write('w.tsv', text)
        sweep('batch', '--values', 'w.tsv', 'b.json', status=1, err=err)
    sweep('batch', '--values', 'none.tsv', 'b.json', status=2, err='*--values none.tsv: cannot*')


@test
def values_that_do_not_apply(_folder):
    for path in ('batch4/x.json', 'batch9/x.json', 'plain.json'):
        made(path, 50)
    write('v.tsv', 'file\tbatch\nx.json\t3\nother.json\t5\n')
    words = ('--by', 'batch,length', '--values', 'v.tsv')
    both = ('batch4/x.json', 'batch9/x.json')
    run('sweep', *words, *both).expect(
        1, out='', err='*line 2: x.json could be batch4/x.json or batch9/x.json: *'
    )
    # The file has no line for them: their folders say it.
    write('w.tsv', 'file\tbatch\nplain.json\t3\n')
    found = sweep('batch', '--values', 'w.tsv', *both)
    check_same(keys(found), {both[0]: [4], both[1]: [9]}, 'folders')
    run('sweep', *words, both[0], 'plain.json').expect(
        0,
        out='*batch: v.tsv: no line for plain.json, and neither its name*',
        err='*--values v.tsv: line 3: other.json is no input*',
    )
    with open('bom.tsv', 'wb') as file:
        file.write(b'\xef\xbb\xbffile\tbatch\r\nplain.json\t7\r\n')
    check_same(keys(sweep('batch', '--values', 'bom.tsv', 'plain.json'))['plain.json'], [7], 'BOM')
    run('sweep', *words).expect(1, out='', err='nprof: error: no input: *')
    reasons = sweep('length', '--values', 'v.tsv', 'plain.json')['runs'][0]['reasons']
    check(reasons['length'].startswith('v.tsv: no column length, and neither'), reasons)
    same = sweep('batch', '--values', 'v.tsv', both[0], both[0])
    check_same([r['keys']['batch'] for r in same['runs']], [3, 3], 'one file twice')


@test
def what_is_measured_and_what_is_unknown(_folder):
    shutil.copy(TPU, 'n2.xplane.pb')
    os.makedirs('n1')
    shutil.copy(made('n1.json', 50), 'n1/a.json')
    found = sweep('n', 'n2.xplane.pb', 'n1')
    gpu, tpu = found['runs']
    summary = json.loads(
        run('report', '-q', '--format', 'json', '--only', 'summary', TPU).expect(0).out
    )['tables'][0]
    rows = [dict(zip(summary['columns'], row)) for row in summary['rows']]
    step, mfu, verdict = (
        next(r for r in rows if r['label'] == label) for label in ('step', 'mfu', 'verdict')
    )
    check_same(
        (tpu['step_ps'], tpu['mfu'], tpu['verdict']),
        (step['time_ps'], mfu['ratio'], verdict['code']),
        'as the report says',
    )
    check_same(
        (gpu['mfu'], gpu['memory_bytes'], tpu['memory_bytes']), (None, None, None), 'unknown'
    )
    check_same(
        gpu['reasons']['memory_bytes'],
        'no allocations in the file; record with profile_memory=True',
        'the reason is that of the doctor',
    )
    write('n3.json', json.dumps({'traceEvents': []}))
    empty = sweep('n', 'n3.json')['runs'][0]
    check_same((empty['step_ps'], empty['verdict']), (None, None), 'of an empty profile')
    check({'step_ps', 'verdict'} <= set(empty['reasons']), empty)


@test
def maps_and_words(_folder):
    for batch in (1, 2, 4):
        for length in (8, 16):
            made(f'batch{batch}_length{length}.json', 50 * batch * length)
    paths = sorted(name for name in os.listdir('.') if name.endswith('.json'))
    out = run('sweep', '--by', 'batch,length', *paths).expect(0).out
    check_same(out.count('; the darker, the larger'), 1, 'maps')
    lines = out.splitlines()
    at = lines.index('step, batch to the right, length down; the darker, the larger')
    check_same(lines[at + 2].split(), ['length', '1', '2', '4'], 'heads')
    check_same([line.split()[0] for line in lines[at + 3 : at + 5]], ['8', '16'], 'rows')
    check('█' in lines[at + 4] and '█' not in lines[at + 3], lines[at + 3 : at + 5])
    check_same(out.count('knee along batch at length'), 2, 'knees')
    check(
        'memory: no allocations in the file; record with profile_memory=True (all runs)' in out, out
    )
    run('sweep', '--by', 'batch,length', '-o', 'a.md', *paths).expect(0, out='')
    with open('a.md', encoding='utf-8') as file:
        check_same(
            file.readline(), '| batch | length | step | MFU | memory | verdict | run |\n', ''
        )
        page = file.read()
    check_same(page.count('\n- knee along batch at length'), 2, 'knees are a list')
    check('\n\nUnknown\n\n- ' in page and '\n  ' not in page, page)


@test
def wrong_use(_folder):
    path = made('batch1.json', 50)
    for words, err in (
        ((path,), '*--by is missing: expected 1 to 8 different keys*'),
        (('--by', 'a,a', path), '*--by a,a: expected*'),
        (('--by', 'a,,b', path), '*expected 1 to 8*'),
        (('--by', ','.join('abcdefghi'), path), '*expected 1 to 8*'),
        (('--by', 'batch', '--format', 'xml', path), '*expected text, markdown or json*'),
        (('--by', 'batch', '-o', 'x.csv', path), '*x.csv*'),
    ):
        run('sweep', *words).expect(1, out='', err=err)
    said = run('report').expect(1).err
    check_same(run('sweep', '--by', 'batch').expect(1, out='').err, said, 'no input')
    run('sweep', '--by', 'batch', path, 'none.json').expect(2, out='', err='*none.json*')


if __name__ == '__main__':
    main()
