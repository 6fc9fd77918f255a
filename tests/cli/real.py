# SPDX-License-Identifier: Apache-2.0
"""real.py - every public trace that NPROF_TEST_DATA names, as CSV and as a Chrome trace, with and
without --decoder.  Counts and sums come from readers that are independent of nprof
(golden/oracles_*.tsv beside the data)."""

import csv
import json
import os
import shutil
from decimal import Decimal

from harness import Skip, add_test, check, check_same, files_below, main, read, rows_of, run

DATA = os.environ.get('NPROF_TEST_DATA', '')
# folder of the data, its decoder, and the endings of its files
FORMATS = (('xplane', 'xplane', ('.xplane.pb',)), ('json', 'chrome', ('.json', '.json.gz')))


def oracles(folder):
    path = os.path.join(DATA, '..', 'golden', f'oracles_{folder}.tsv')
    if not os.path.exists(path):
        return {}
    with open(path, encoding='utf-8', newline='') as table:
        return {row['file']: row for row in csv.DictReader(table, delimiter='\t')}


def check_xplane(rows, oracle):
    """Every event of the file is a row, and no picosecond is lost."""
    timed = [r for r in rows if r['kind'] in ('span', 'instant', 'counter')]
    check_same(len(timed), int(oracle['n_events']), 'events')
    total = sum(Decimal(r['duration_ns']) for r in timed if r['duration_ns'])
    check_same(total * 1000, Decimal(oracle['sum_duration_ps']), 'sum of durations, ps')
    first = min(Decimal(r['start_ns']) for r in timed) * 1000
    last = max(Decimal(r['start_ns']) + Decimal(r['duration_ns'] or 0) for r in timed) * 1000
    span = Decimal(oracle['max_end_ps']) - Decimal(oracle['min_start_ps'])
    check_same(last - first, span, 'first start to last end, ps')


def check_json(rows, oracle):
    """Spans are the complete events (X) and the pairs of B and E.  Where there are async events
    the file has more spans than the oracle counts."""
    spans = [r for r in rows if r['kind'] == 'span' and r['duration_ns']]
    count = int(oracle['n_complete']) + int(oracle['n_be_pairs'])
    total = Decimal(oracle['sum_dur_ps']) + Decimal(oracle['sum_be_ps'])
    found = sum(Decimal(r['duration_ns']) for r in spans) * 1000
    phases = {part.split(':')[0] for part in oracle['ph_exact'].split()}
    if phases & set('bneSTpF'):
        check(len(spans) >= count, f'{len(spans)} spans, expected {count} or more')
    else:
        check_same(len(spans), count, 'spans')
        check_same(found, total, 'sum of durations, ps')


def check_chrome(data):
    trace = json.loads(data)
    check(isinstance(trace['traceEvents'], list), 'no list of traceEvents')
    # Not a check for each: it would write each event into a text that nobody reads.
    for what, bad in (
        ('negative time', lambda event: event.get('ts', 0) < 0),
        ('tid 0', lambda event: event.get('tid', 1) == 0),
    ):
        found = next(filter(bad, trace['traceEvents']), None)
        check(found is None, f'{what}: {found}')


def check_file(path, decoder, oracle):
    by_bid, by_name = {}, {}
    for found, choice in ((by_bid, []), (by_name, ['--decoder', decoder])):
        for sink in ('csv', 'chrome'):
            shutil.rmtree('out', ignore_errors=True)
            run('run', *choice, '-s', sink, '-o', 'out/', path).expect(0, out='')
            found.update(files_below('out'))
    for found in (by_bid, by_name):
        del found['manifest.json']  # which names the run, and so what was asked for
    check(by_bid == by_name, 'with and without --decoder the outputs differ')
    check_chrome(by_bid['trace.json'])
    if oracle:
        compare = check_xplane if decoder == 'xplane' else check_json
        compare(rows_of(by_bid['events.csv']), oracle)


def check_refused(path, decoder):
    """A damaged or foreign file: what is said names it, and nothing is written. One that is no
    trace another decoder reads."""
    name = os.path.basename(path)
    for choice in ([], ['--decoder', decoder])[name.startswith('not_a_trace') :]:
        run('run', *choice, '-o', 'out', path).expect(2, out='', err=f'*{name}*')
        check_same(files_below('.'), {}, 'files')


def add(path, decoder, oracle):
    def test_one(_folder):
        refused = os.path.basename(path).startswith(('bad_', 'not_a_trace'))
        check_refused(path, decoder) if refused else check_file(path, decoder, oracle)

    add_test(os.path.relpath(path, DATA), test_one)


def skip_all(_folder):
    raise Skip('NPROF_TEST_DATA names no folder with real traces')


def collect():
    if not os.path.isdir(DATA):
        add_test('all', skip_all)
        return
    plugins = json.loads(run('plugins', '--json').expect(0).out)['plugins']
    decoders = [p['name'] for p in plugins if p['kind'] == 'decoder']
    for folder, decoder, endings in FORMATS:
        if decoder not in decoders:
            continue  # nobody reads these yet
        known = oracles(folder)
        for name in sorted(os.listdir(os.path.join(DATA, folder))):
            if name.endswith(endings):
                path = os.path.join(DATA, folder, name)
                add(path, decoder, known.get(f'{folder}/{name}'))


if __name__ == '__main__':
    collect()
    main()
