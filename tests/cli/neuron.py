# SPDX-License-Identifier: Apache-2.0
"""neuron.py - NTFF of versions 4 to 6 that tests/tools/ntff_make.py draws from seeds, held
against the independent reader tests/tools/ntff_read.py; the NEFF by its uuid; what is private;
waits and work; JSON of neuron-profile whose sections come in any order and size."""

import collections
import csv
import gzip
import io
import json
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tarfile
from fractions import Fraction

TOOLS = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'tools')
sys.path.insert(0, TOOLS)

import ntff_make  # noqa: E402
from harness import check, check_same, main, read, run, test, write  # noqa: E402
from ntff_read import NOTIFY, Ntff, union  # noqa: E402
from samples import samples_for  # noqa: E402
from viewserver import Server, strip_of  # noqa: E402

UUID = bytes(range(1, 17))


def decode(path, *options, how=()):
    shutil.rmtree('out', ignore_errors=True)
    result = run('run', '-s', 'csv', '-o', 'out/', '-a', 'device', *how, *options, path)
    result.expect(0)
    return result


def rows(name):
    return list(csv.DictReader(io.StringIO(read(f'out/{name}.csv').decode())))


def ps(text):
    return int(Fraction(text) * 1000)


def core_of(row):
    words = row['device' if 'device' in row else 'thread'].split()
    return int(words[-1])


def check_rows(real):
    events, tracks = rows('events'), {}
    for row in rows('tracks'):
        tracks[row['track']] = (*tracks.get(row['parent'], ()), row['label'] or row['key'])
    found, packets, updates = collections.Counter(), collections.Counter(), collections.Counter()
    for row in events:
        path = tracks[row['track']]
        core = int(path[2].split()[-1]) if len(path) > 2 else 0
        at = ps(row['start_ns']) if row['start_ns'] else None
        if row['category'] in ('instruction', 'semaphore wait', 'runtime setup'):
            found[
                core,
                path[3],
                at,
                ps(row['duration_ns']),
                int(row['pc']),
                row['opcode'],
                row['category'] == 'instruction',
            ] += 1
        elif row['category'] == 'dma':
            words = path[3].split()
            packets[
                core, int(words[1]), int(words[3]), at, ps(row['duration_ns']), int(row['bytes'])
            ] += 1
        elif row['category'] in ('semaphore', 'event'):
            updates[core, row['name'], at, int(float(row['value']))] += 1
    origin = real.origin
    check_same(
        found,
        collections.Counter(
            (
                i.core,
                i.engine,
                i.start - origin,
                i.end - i.start,
                i.slot,
                f'0x{i.opcode:02x}',
                real.active(i),
            )
            for i in real.instructions
        ),
        'instructions',
    )
    check_same(
        packets,
        collections.Counter(
            (p.core, p.number, p.queue, p.start - origin, p.end - p.start, p.bytes)
            for p in real.packets
        ),
        'packets',
    )
    check_same(
        updates,
        collections.Counter(
            (u.core, f'{"semaphore" if u.semaphore else "event"} {u.id}', u.time - origin, u.value)
            for u in real.updates
        ),
        'updates',
    )


@test
def layouts_of_versions_4_to_6(_folder):
    for version in (4, 5, 6):
        for seed in range(4):
            data = ntff_make.make(seed, version, UUID)
            write('a.ntff', data)
            result = decode('a.ntff')
            check('structure' not in result.err, result.err)
            real = Ntff(data)
            check_rows(real)
            for row in rows('devices'):
                number = core_of(row)
                expected = union(
                    [
                        (i.start, i.end)
                        for i in real.instructions
                        if i.core == number and real.active(i)
                    ]
                    + [(p.start, p.end) for p in real.packets if p.core == number]
                )
                check_same(ps(row['busy_ns']), expected, f'busy of core {number}')


def pairs_of(real):
    """(begin, duration) of each execution, from the NOTIFY of its engines, k-th by k-th."""
    marks = collections.defaultdict(list)
    for i in real.all_instructions:
        if i.opcode == NOTIFY and i.hint in (2, 3):
            marks[i.hint, i.engine].append((i.start, i.end))
    for marked in marks.values():
        marked.sort()
    number = len(next(iter(marks.values())))
    for k in range(number):
        begins = [marked[k] for (hint, _), marked in marks.items() if hint == 2]
        ends = [marked[k] for (hint, _), marked in marks.items() if hint == 3]
        yield (
            max(end for _, end in begins) - real.origin,
            max(start for start, _ in ends) - min(start for start, _ in begins),
        )


@test
def several_executions_in_one_file(_folder):
    """Hypothesis, as no such file is public: all rows count from the first, and each has its own
    time."""

    class Whole(Ntff):
        def cut(self):
            self.all_instructions = list(self.instructions)
            super().cut()

    for version in (4, 5):
        for count in (2, 3):
            write('a.ntff', ntff_make.make(count, version, UUID, count))
            decode('a.ntff')
            real = Whole(read('a.ntff'))
            check_rows(real)
            found = [
                (ps(row['start_ns']), ps(row['duration_ns']))
                for row in rows('events')
                if row['category'] == 'execution'
            ]
            check_same(found, list(pairs_of(real)), f'executions of version {version}')
            check_same(len(found), count, 'executions')


@test
def waits_of_more_than_65536_cycles(_folder):
    """The counter holds the low 16 bits of a wait; the gap before the instruction tells the rest,
    and where the two do not agree the counter stands as it is."""
    for cycles, gap, expected in (
        (5, 5, 5),
        (40000, 40060, 40000),
        (100, 65536 * 2 + 130, 65536 * 2 + 100),
        (65535, 65536 * 3 - 1 + 70, 65536 * 3 - 1),
        (100, 65536 + 30000, 100),
        (0, 65536, 65536),
        (100, 65536, 100),
    ):
        write('a.ntff', ntff_make.with_wait(cycles, gap, UUID))
        decode('a.ntff')
        row = next(r for r in rows('events') if r['pc'] == '2')
        check_same(
            row['event_wait_cycles'],
            str(expected),
            f'a wait of {gap} cycles that the counter calls {cycles}',
        )


def words_of(code):
    """Texts of what the 64 bytes of an instruction wait for, raise, and have raised by a
    transfer."""

    def number(at):
        return int.from_bytes(code[at : at + 4], 'little')

    def wait(mode, semaphore, value):
        return {
            0: '',
            1: f'S[{semaphore}]=={value}',
            5: f'S[{semaphore}]>={value}',
            7: f'E[{semaphore}]==1',
        }.get(mode, f'S[{semaphore}]?{mode}')

    def signal(mode, semaphore, value):
        if mode in (0x15, 0x19) and value is not None:
            return f'S[{semaphore}]{"+=" if mode == 0x15 else "="}{value}'
        return {
            0: '',
            0x11: f'E[{semaphore}]=1',
            0x13: f'S[{semaphore}]++',
            0x14: f'S[{semaphore}]--',
        }.get(mode, f'S[{semaphore}]?{mode}')

    own = code[0] == 0xA0
    waits = wait(code[4], code[5], number(8)), wait(code[32], code[33], number(36)) if own else ''
    signals = signal(code[6], code[7], None), signal(code[34], code[35], number(40)) if own else ''
    return (
        ' '.join(filter(None, waits)),
        ' '.join(filter(None, signals)),
        f'S[{code[13]}]+={code[14]}' if code[0] == 0xB8 else '',
    )


@test
def what_instructions_wait_for(_folder):
    """Modes that are known, in the common words and in those of EVENT_SEMAPHORE alone, and unknown
    modes."""
    modes, seen = (0, 1, 5, 7, 9, 0x11, 0x13, 0x14, 0x15, 0x19), set()
    for seed in range(3):
        rand = random.Random(seed)

        def change(core):
            for engine, code in core.code.items():
                slots = bytearray(code)
                for at in range(64, len(slots) - 64, 64):
                    slots[at] = rand.choice((0x02, 0xA0, 0xA0, 0xB8))
                    for place in (4, 6, 32, 34):
                        slots[at + place] = rand.choice(modes)  # pylint: disable=cell-var-from-loop
                core.code[engine] = bytes(slots)

        data = ntff_make.make(seed, 5, UUID, change=change)
        write('a.ntff', data)
        decode('a.ntff')
        codes = [core.code for core in Ntff(data).cores]
        tracks = {row['track']: row['key'] for row in rows('tracks')}
        for row in rows('events'):
            if row['category'] not in ('instruction', 'semaphore wait', 'runtime setup'):
                continue
            engine = ['PE', 'ACT', 'POOL', 'DVE', 'SP'].index(tracks[row['track']])
            found = row['waits_for'], row['signals'], row['dma_signals']
            at = int(row['pc']) * 64
            check(found in [words_of(code[engine][1][at : at + 64]) for code in codes], row)
            seen.update(re.findall(r'[SE?]|==|>=|\+\+|--|\+=|=', ' '.join(found)))
    check(seen >= {'S', 'E', '==', '>=', '++', '--', '+=', '=', '?'}, seen)


def arrows_of(found):
    """{(begin's id, end's id): name} and the waits that have an arrow, of rows of events."""
    ends = collections.defaultdict(dict)
    for row in found:
        if row['kind'] == 'flow' and row['category'] == 'semaphore':
            ends[row['flow']][row['flow_phase']] = (row['parent'], row['name'])
    return collections.Counter((e['begin'][0], e['end'][0], e['begin'][1]) for e in ends.values())


def proven(found, core):
    """What the values of semaphores prove on a core, of the words that instructions say."""
    own = [
        row
        for row in found
        if row['kind'] == 'span' and row['pc'] and core[row['track']] is not None
    ]
    end = {row['id']: ps(row['start_ns']) + ps(row['duration_ns']) for row in own}
    arrows, waits = collections.Counter(), 0
    for number in {core[row['track']] for row in own}:
        here = [row for row in own if core[row['track']] == number]
        raised, other = collections.defaultdict(list), set()
        issued = collections.defaultdict(list)
        for row in here:
            for what, how in re.findall(r'S\[(\d+)\](\+\+|\S+)', row['signals']):
                if how == '++':
                    raised[what].append((end[row['id']], int(row['id'])))
                else:
                    other.add(what)
            for what, by in re.findall(r'S\[(\d+)\]\+=(\d+)', row['dma_signals']):
                issued[what].append((end[row['id']], int(row['id']), int(by), row['track']))
        for what, all_of in issued.items():
            # Transfers of one engine end in its order, and where they reach a value is known.
            if raised[what] or len({track for *_, track in all_of}) > 1:
                other.add(what)
            for at, ident, by, _ in sorted(all_of):
                raised[what] += [(at, ident)] * by
        for row in here:
            waits += len(row['waits_for'].split())
            for what, value in re.findall(r'S\[(\d+)\][>=]=(\d+)', row['waits_for']):
                known = sorted(raised[what])[int(value) - 1 : int(value)] if int(value) else []
                until = (
                    end[row['id']]
                    if row['category'] == 'semaphore wait' and row['name'] == 'EVENT_SEMAPHORE'
                    else ps(row['start_ns'])
                )
                if what not in other and known and known[0][0] <= until:
                    arrows[(str(known[0][1]), row['id'], 'semaphore ' + what)] += 1
    return arrows, waits


@test
def semaphores_are_arrows(_folder):
    """From the v-th instruction that raised a semaphore, or whose transfers did, to what waits for
    v of it; other waits are counted."""
    drawn = transfers = 0
    for seed in range(8):
        rand = random.Random(seed)

        def change(core):
            for engine, code in core.code.items():
                slots = bytearray(code)
                for at in range(64, len(slots) - 64, 64):
                    issues = seed % 4 == 3 and (seed < 4 or engine == 1)
                    slots[at] = rand.choice((0x02, 0x02, 0xA0, 0xB8 if issues else 0x02))
                    slots[at + 4 : at + 8] = bytes(
                        (
                            rand.choice((0, 1, 5, 5, 7)),
                            rand.randrange(3 + seed // 4),  # the fourth is of transfers alone
                            rand.choice((0x13, 0x13, 0, 0x14 if seed % 4 == 2 else 0x13)),
                            rand.randrange(3),
                        )
                    )
                    slots[at + 8 : at + 12] = rand.randrange(6).to_bytes(4, 'little')
                    slots[at + 13 : at + 15] = bytes((2 + seed // 4, rand.randrange(4)))
                    slots[at + 32 : at + 36] = bytes(
                        (rand.choice((0, 5)), 1, rand.choice((0, 0x13)), 1)
                    )
                    slots[at + 36 : at + 40] = rand.randrange(6).to_bytes(4, 'little')
                core.code[engine] = bytes(slots)

        write('a.ntff', ntff_make.make(seed, 6, UUID, change=change))
        decode('a.ntff')
        tracks, found = {row['track']: row for row in rows('tracks')}, rows('events')
        lost = any(row['name'] == 'hardware overflow' for row in found)
        arrows, waits = proven(found, {number: row['parent'] for number, row in tracks.items()})
        told = arrows_of(found)
        check_same(told, collections.Counter() if lost else arrows, f'arrows of seed {seed}')
        skipped = [
            row for row in rows('skipped') if row['what'] == 'signal of a wait for a semaphore'
        ]
        check_same(
            sum(told.values()) + sum(int(row['count']) for row in skipped),
            waits,
            f'waits of seed {seed}',
        )
        drawn += sum(told.values())
        transfers += sum(n for (*_, name), n in told.items() if name == 'semaphore 3')
    check(drawn > 20 and transfers > 2, f'{drawn} arrows, {transfers} of transfers')


def debug_info(instructions):
    """A debug_info_*.dbg of (id, parents, {list: [(id, type)]}, kind)."""
    varint, blob, integer = ntff_make.varint, ntff_make.blob, ntff_make.integer

    def packed(field, numbers):
        return blob(field, b''.join(varint(n) for n in numbers)) if numbers else b''

    out = blob(1, b'debug info')
    for number, parents, lists, kind in instructions:
        flow, order = lists
        out += blob(
            3,
            integer(1, number)
            + packed(3, parents)
            + packed(4, [one for one, _ in flow])
            + packed(5, [one for one, _ in order])
            + integer(6, kind)
            + packed(9, [what for _, what in flow])
            + packed(10, [what for _, what in order]),
        )
    return out


WORDS = ('PE', 'Activation', 'Pool', 'DVE', 'SP')
TYPES = {1: 'ORDERED', 2: 'ANTI_DEPENDENCE', 3: 'OUTPUT_DEPENDENCE', 4: 'FLOW_DEPENDENCE'}


def compiled(rand, code):
    """Members of a NEFF whose code the runtime made `code` (by engine) of, the compiler's id by
    engine and slot, and by id its predecessors and kind."""
    members, ids, made = {}, {}, {}
    everyone = [100 * engine + k for engine in code for k in range(1, 20)]
    for engine, ran in code.items():
        first, slots = 3, []
        for slot in range(first, len(ran) // 64 - 4):
            own = bytearray(ran[slot * 64 : slot * 64 + 64])
            own[12:] = rand.randbytes(52)  # addresses
            if own[0] == 0xB8:
                own[0] = 0xD4
            ids[engine, slot] = 100 * engine + 1 + (slot - first) // 2
            slots.append((bytes(own), [ids[engine, slot]]))
        slots.insert(1, (bytes([0xCC]) + rand.randbytes(63), []))
        lines = [(0, parents, ((), ()), 0) for _, parents in slots]
        known = sorted({number for (its, _), number in ids.items() if its == engine})
        for number in known:
            flow = [(rand.choice(everyone), rand.randrange(1, 5)) for _ in range(3)]
            order = [(rand.choice(everyone), 1) for _ in range(2)] + flow[:1]
            made[number] = (flow, order), rand.choice((1, 3))
        backend = [(number, (), *made[number]) for number in known]
        members[f'sg04/{WORDS[engine]}.bin'] = b''.join(own for own, _ in slots)
        members[f'sg04/debug_info_asm_{WORDS[engine]}.dbg'] = debug_info(lines)
        members[f'sg04/debug_info_backend_{WORDS[engine]}.dbg'] = debug_info(backend)
    return members, ids, made


def neff_of(uuid, members):
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode='w') as tar:
        for name, data in members.items():
            head = tarfile.TarInfo(name)
            head.size = len(data)
            tar.addfile(head, io.BytesIO(data))
    head = struct.pack('<QQQQQ', 2, 1024, len(packed.getvalue()), 2, 0).ljust(
        0xA8, b'\0'
    ) + struct.pack('<I', 1)
    return (head.ljust(0xCC, b'\0') + uuid).ljust(1024, b'\0') + packed.getvalue()


def predecessors_of(found, place, ids, made):
    """(arrows, pairs that are not drawn as something of them ran twice or not at all)"""
    ran, arrows, missing = collections.defaultdict(list), collections.Counter(), 0
    for row in found:
        if row['kind'] == 'span' and row['pc'] and place(row)[0] == 'NeuronCore 4':
            number = ids.get((place(row)[1], int(row['pc'])))
            if number:
                ran[number].append(row)
    again = {n for n, its in ran.items() if len({(place(r), r['pc']) for r in its}) < len(its)}
    for number, its in ran.items():
        for before, what in set(made[number][0][0] + made[number][0][1]):
            if before not in ran or again & {before, number}:
                missing += 1
                continue
            for one in ran[before]:
                for other in its:
                    arrows[one['id'], other['id'], TYPES[what]] += 1
    return arrows, missing


@test
def what_the_compiler_lists_are_arrows(_folder):
    """Of the debug info of the NEFF, from each instruction that one depends on to that one, and
    which products are transposes; none where the code fits nowhere, or in two places."""
    engines, drawn, products = ('PE', 'ACT', 'POOL', 'DVE', 'SP'), 0, 0
    os.makedirs('d')
    for seed in range(4):
        rand, codes = random.Random(seed), {}

        def change(core):
            for engine in core.code:
                head = bytearray(core.code[engine][:64])
                more = [
                    bytes([rand.choice((0x02, 0xB8, 0xA0)), 0x10]) + rand.randbytes(62)
                    for _ in range(40)
                ]
                if seed == 3 and engine == 1:  # the same twice: in two places
                    more = more[:18] * 2 + more[:6]
                core.code[engine] = bytes(head) + b''.join(more)
            codes.update(core.code)

        write('d/a.ntff', ntff_make.make(seed, 6, UUID, change=change))
        members, ids, made = compiled(rand, codes)
        if seed == 2:  # one slot waits for another value: PE fits nowhere
            data = bytearray(members['sg04/PE.bin'])
            data[5 * 64 + 8] ^= 1
            members['sg04/PE.bin'] = bytes(data)
            ids = {key: number for key, number in ids.items() if key[0] != 0}
        if seed == 3:
            short = members['sg04/Activation.bin'][: 64 * 9]
            members['sg04/Activation.bin'] = short
            lines = [(0, [101 + i], ((), ()), 0) for i in range(9)]
            members['sg04/debug_info_asm_Activation.dbg'] = debug_info(lines)
            ids = {key: number for key, number in ids.items() if key[0] != 1}
        write('d/a.neff', neff_of(UUID, {'info.json': b'{}', **members}))
        decode('d/a.ntff')
        tracks, found = {row['track']: row for row in rows('tracks')}, rows('events')

        def place(row):
            track = tracks[row['track']]
            name = track['label'] or track['key']
            core = tracks.get(track['parent'], {}).get('label')
            return core, engines.index(name) if name in engines else None

        expected, missing = predecessors_of(found, place, ids, made)
        told = collections.defaultdict(dict)
        for row in found:
            if row['kind'] == 'flow' and row['category'] == 'predecessor':
                told[row['flow']][row['flow_phase']] = row['parent'], row['name']
        arrows = collections.Counter(
            (one['begin'][0], one['end'][0], one['end'][1]) for one in told.values()
        )
        check_same(arrows, expected, f'arrows of seed {seed}')
        skipped = sum(int(r['count']) for r in rows('skipped') if r['what'] == 'predecessor')
        check_same(skipped, missing, f'left out of seed {seed}')
        for row in found:
            if row['flops'] and place(row)[0] == 'NeuronCore 4':
                number = ids.get((place(row)[1], int(row['pc'])))
                kind = made[number][1] if number else None
                flops = {None: '', 1: '0', 3: row['flops']}[kind]
                check_same(row['flops_transpose'], flops, f'transpose of seed {seed}')
                products += kind == 3
        drawn += sum(arrows.values())
    check(drawn > 20 and products > 5, f'{drawn} arrows, {products} transposes')


@test
def throttling_is_a_span_to_the_next_record(_folder):
    """k of n of the rate; n 0 is no limit; the last one lasts to the latest end of an
    instruction."""
    write('a.ntff', ntff_make.with_throttle(((0, 7, 8), (1000, 0, 128), (5000, 6, 8)), UUID))
    decode('a.ntff')
    found = [
        (ps(r['start_ns']), ps(r['duration_ns']), r['limit_k'], r['limit_n'], r['limit_type'])
        for r in rows('events')
        if r['limit_n']
    ]
    last = max(
        ps(r['start_ns']) + ps(r['duration_ns'])
        for r in rows('events')
        if r['category'] in ('instruction', 'semaphore wait')
    )
    starts = [start for start, *_ in found]
    check_same([b - a for a, b in zip(starts, starts[1:])], [1000, 4000], 'times between records')
    check_same([length for _, length, *_ in found], [1000, 4000, last - starts[2]], 'lengths')
    check_same(
        [tuple(rest) for _, _, *rest in found],
        [('7', '8', '0'), ('1', '1', '99'), ('6', '8', '0')],
        'limits',
    )


@test
def what_does_not_fit_is_refused(_folder):
    """Another version, a message of another size, a pointer beyond the file, clocks that are not
    all stated: one sentence names the file, the byte, the version, what was expected, and what to
    do. Without a name that says so, content tells that it is an NTFF."""
    whole = ntff_make.make(1, 5, UUID)

    def without_clocks(core):
        core.clocks[3].message = lambda: b''

    for data, version, why in (
        (b'\x07' + whole[1:], 7, '*byte 0: *only versions 4, 5 and 6 are known*'),
        (b'\x01' + whole[1:], 1, '*byte 0: *only versions 4, 5 and 6 are known*'),
        (whole[:1] + struct.pack('<Q', 1 << 40) + whole[9:], 5, '*byte 1: *behind the file*'),
        (whole[:600], 5, '*byte 1: *behind the file*'),
        (whole[:100], 5, '*byte 100: *within its header*'),
        (whole[:128] + b'\0' + whole[129:], 5, '*byte 128: *no message of the size*'),
        (whole[:-600], 5, '*ends behind the file*'),
        (ntff_make.make(1, 5, UUID, change=without_clocks), 5, '*clocks of a core*'),
    ):
        write('a.ntff', data)
        for command in (['run', '-s', 'csv', '-o', 'out'], ['info'], ['report']):
            result = run(*command, 'a.ntff').expect(2, err=why)
            check(
                re.search(
                    rf'a\.ntff: byte \d+: NTFF version {version} is not read: [^;]*; .*'
                    'take what the vendor\'s own tool makes of it: '
                    'neuron-profile view --output-format json',
                    result.err,
                ),
                result.err,
            )
        check(not os.path.exists('out'), 'something was written')
    for version in (1, 3, 5, 7):
        write('a.bin', bytes([version]) + whole[1:])
        run('info', 'a.bin').expect(0 if version == 5 else 2, err='' if version == 5 else '*NTFF*')


def neff(uuid):
    """A header that passes for one, before an empty tar."""
    payload = b'\0' * 10240
    head = struct.pack('<QQQQQ', 2, 1024, len(payload), 2, 0).ljust(0xA8, b'\0') + struct.pack(
        '<I', 1
    )
    tar = b'info.json'.ljust(257, b'\0') + b'ustar\0' + b'00'
    return (head.ljust(0xCC, b'\0') + uuid).ljust(1024, b'\0') + tar.ljust(512, b'\0') + payload


@test
def neff_by_uuid(_folder):
    """Also where the uuid is cut at a 0 byte; none where it is another's."""
    for version, uuid in ((6, UUID), (5, UUID), (5, UUID[:5] + b'\0' + UUID[6:])):
        os.makedirs('d', exist_ok=True)
        write('d/run.ntff', ntff_make.make(3, version, uuid))
        for name, its in (('a.neff', bytes(16)), ('b.neff', uuid), ('run.neff', UUID[::-1])):
            write(f'd/{name}', neff(its))
        result = run('info', '-v', 'd/run.ntff')
        check('its NEFF is b.neff: it has the uuid' in result.err, result.err)
        os.remove('d/b.neff')
        result = run('info', '-v', 'd/run.ntff')
        check('no NEFF was found' in result.err, result.err)
        run('info', '-d', 'ntff:neff=d/a.neff', 'd/run.ntff').expect(1)


@test
def a_neff_of_another_uuid_among_the_inputs_is_said(_folder):
    """In every command that takes the pair and in both orders; beside a second profile it may be
    that one's."""
    os.makedirs('d'), os.makedirs('e')
    right, wrong = write('d/right.neff', neff_with(UUID, {})), write(
        'e/wrong.neff', neff_with(UUID[::-1], {})
    )
    profile, other = write('d/run.ntff', ntff_make.make(3, 6, UUID)), write(
        'e/run.ntff', ntff_make.make(3, 6, UUID[::-1])
    )
    for said, inputs in (
        (True, [profile, wrong]),
        (True, [wrong, profile]),
        (True, [right, wrong, profile]),
        (False, [profile, right]),
        (False, [profile]),
        (False, [profile, other, wrong]),
    ):
        for command in (['run', '-s', 'null'], ['report']):
            result = run(*command, *inputs).expect(0)
            check_same(
                result.err.count('wrong.neff is not the NEFF that was profiled, by its uuid'),
                int(said),
                f'{command} {inputs}: {result.err}',
            )
    result = run(
        'view', '--ingest-only', '--force', '--store', 'S', '-n', wrong, '-s', profile
    ).expect(0)
    check('wrong.neff is not the NEFF that was profiled' in result.err, result.err)


@test
def neffs_of_one_name_in_two_folders(_folder):
    """Each is an input of its own, and its tensors are not added to those of the other."""
    sizes = {'d': 4096, 'e': 24576}
    profiles = []
    for number, (folder, size) in enumerate(sizes.items()):
        uuid = UUID[number:] + UUID[:number]
        os.makedirs(folder)
        graph = {'name': 'sg00', 'var': {'x': {'type': 'input', 'size': size}}}
        write(
            f'{folder}/file.neff',
            neff_of(uuid, {'sg00/def.json': json.dumps(graph).encode()}),
        )
        profiles.append(write(f'{folder}/run.ntff', ntff_make.make(3, 6, uuid)))
    told = run('run', '-q', '-s', 'csv:table=tensors', '-o', '-', *profiles).expect(0).out
    found = {row['input']: row['bytes'] for row in csv.DictReader(io.StringIO(told))}
    check_same(found, {'file.neff': '4096', 'e/file.neff': '24576'}, told)


def neff_with(uuid, queues):
    """A NEFF whose subgraph sg00 says what its queues are for."""
    other = {'name': 'sg01', 'dma_queue': {'qSPSpillReload0': {'type': 'wrong'}}}
    return neff_of(
        uuid,
        {
            './sg00/def.json': json.dumps({'name': 'sg00', 'dma_queue': queues}).encode(),
            'sg01/def.json': json.dumps(other).encode(),
        },
    )


@test
def a_tensor_is_listed_once(_folder):
    """Each core of a logical core puts out all outputs; one of another shape is another tensor."""
    for shapes, expected in (
        ([[4, 8], [4, 8]], [('out', '[4,8]', '128')]),
        ([[4, 8], [8, 4]], [('out', '[4,8]', ''), ('out', '[8,4]', '128')]),
    ):
        graph = {
            'nodes': [
                {
                    'op': 'tvm_op',
                    'name': 'n',
                    'attrs': {'kelf': 'file.tgz'},
                    'output_names': ['out', 'out'],
                }
            ],
            'node_row_ptr': [0, 2],
            'heads': [[0, 0, 0], [0, 1, 0]],
            'attrs': {
                'shape': ['list_shape', shapes],
                'dltype': ['list_str', ['float32', 'float32']],
            },
        }
        var = {'var': {'out': {'size': 128, 'type': 'output', 'var_id': 4}}}
        members = {'info.json': b'{}', 'neff.json': json.dumps(graph).encode()}
        for core in ('sg00', 'sg01'):
            members[f'{core}/def.json'] = json.dumps({'name': core, **var}).encode()
        write('a.neff', neff_of(UUID, members))
        decode('a.neff')
        found = sorted((r['name'], r['shape'], r['bytes']) for r in rows('tensors'))
        check_same(found, expected, f'{shapes}')


@test
def what_queues_are_for(_folder):
    """As the NEFF states it, of the queue itself or of that whose instance it is; else weights,
    where the NTFF says so of a queue that is not dynamic; else nothing."""
    os.makedirs('u')
    spill, dynamic = 'qSyncSpillReload0', 'qGpSimdDynamic'  # as the vendor calls them
    for kind, queues, expected in (
        (2, None, {spill: 'weights', dynamic: ''}),
        (1, None, {spill: '', dynamic: ''}),
        (0, None, {spill: '', dynamic: ''}),
        (
            2,
            {
                'qSPSpill': {'type': 'data', 'queue_instances': ['qSPSpillReload0', 7]},
                'qPoolDynamic': {'type': 'dynamic'},
                'q': 4,
            },
            {spill: 'data', dynamic: 'dynamic'},
        ),
        (0, {'qSPSpillReload0': {'type': 'out'}, 'qPoolDynamic': {}}, {spill: 'out', dynamic: ''}),
    ):
        write('u/run.ntff', ntff_make.with_queue_type(kind, UUID))
        if queues is not None:
            write('u/run.neff', neff_with(UUID, queues))
        decode('u/run.ntff')
        found = collections.defaultdict(set)
        for row in rows('events'):
            if row['category'] in ('dma', 'transfer'):
                found[row['queue'] or row['name'], row['queue_type'] == 'instruction'].add(
                    row['queue_use']
                )
        for name, use in expected.items():
            check_same(found[name, False], {use}, f'{kind} {queues}: {name}')
        check(all(uses == {''} for (_, fetches), uses in found.items() if fetches), f'{found}')


@test
def private_only_on_request(_folder):
    write('a.ntff', ntff_make.make(1, 6, UUID))
    decode('a.ntff')
    for name in os.listdir('out'):
        check(
            b'i-0123456789abcdef0' not in read(f'out/{name}'),
            f'{name} holds the id of the instance',
        )
    decode('a.ntff', '-d', 'ntff:private=yes')
    check(b'i-0123456789abcdef0' in read('out/inputs.csv'), 'private=yes prints no id')


# -- Windows ---------------------------------------------------------------------------

# Metrics that are sums of time, bytes or flops: of windows that follow each other they add up to
# those of the whole.
SUMS = [
    *(
        f'{engine}_engine_{what}_time'
        for engine in ('tensor', 'vector', 'scalar', 'gpsimd', 'sync')
        for what in ('instruction', 'semaphore_wait')
    ),
    'tensor_engine_active_time',
    'total_active_time',
    'dma_active_time',
    'dma_packet_time',
    'activate_instruction_time',
    'hbm_read_bytes',
    'hbm_write_bytes',
    'sbuf_read_bytes',
    'hardware_flops',
]


def summary(path, *options):
    """{(device, metric): (value, reason)}"""
    decode(path, '-a', 'neuron', *options)
    return {
        (r['device'], r['metric']): (float(r['value']) if r['value'] else None, r['reason'])
        for r in rows('neuron_summary')
    }


@test
def windows_add_up(_folder):
    for seed in (1, 2, 3):
        write('w.ntff', ntff_make.make(seed, 4 + seed % 3, UUID))
        whole = summary('w.ntff')
        spans = [
            (ps(r['start_ns']), ps(r['duration_ns'])) for r in rows('events') if r['duration_ns']
        ]
        first, last = min(s for s, _ in spans), max(s + d for s, d in spans)
        cuts = [first, *sorted(random.Random(seed).sample(range(first + 1, last), 3)), last]
        parts = [
            summary('w.ntff', '--clip', '--from', f'{a}ps', '--to', f'{b}ps')
            for a, b in zip(cuts, cuts[1:])
        ]
        seen = 0
        for (device, metric), (value, _) in whole.items():
            if metric not in SUMS or value is None:
                continue
            seen += value > 0
            found = sum(part.get((device, metric), (0, ''))[0] or 0 for part in parts)
            rounded = (
                len(spans) * len(parts)
                if metric.endswith(('bytes', 'flops'))
                else len(spans) * len(parts) * 1e-12 + 1e-9 * value
            )
            check(
                value - rounded <= found <= value + rounded,
                f'{seed} {device} {metric}: {found} of {value}',
            )
        check(seen > 3, f'{seed}: {seen} sums')
        for part in parts:
            check(
                all(
                    value is not None or 'whole profile' in reason
                    for value, reason in part.values()
                ),
                'why a metric is unknown',
            )


# -- JSON -------------------------------------------------------------------------------


def profile():
    return {
        'instruction': [
            {
                'opcode': 'EVENT_SEMAPHORE',
                'subgroup': 'Sync',
                'timestamp': 10,
                'duration': 1000000,
                'pc': 1,
            },
            {
                'opcode': 'MATMUL',
                'subgroup': 'Tensor',
                'timestamp': 1000010,
                'duration': 4000,
                'pc': 2,
                'elements': 7,
                'instruction_type': 'TRANSPOSE',
            },
        ],
        'dma': [
            {
                'dma_engine': '3',
                'dma_queue': '1',
                'subgroup': 'qSync-Q1-E3',
                'timestamp': 1000100,
                'duration': 50,
                'transfer_size': 64,
                'aggregated': 'no',
                'queue_type': 'data',
            },
            {
                'dma_engine': '3',
                'dma_queue': '1',
                'subgroup': 'qSync',
                'timestamp': 1000100,
                'duration': 50,
                'transfer_size': 64,
                'aggregated': 'yes',
                'queue_type': 'data',
            },
        ],
        'semaphore_update': [{'timestamp': 20, 'id': 'S[8] (qSync)', 'value': 1}],
        'dma_throughput': [{'timestamp': 30, 'transfer_rate': 5, 'uses_hbm': 'false'}],
        'nc_mem_usage': [
            {'usage_type': 'Weights', 'amount_bytes': 67, 'nd': 0, 'nc': 1},
            {'nc': 1, 'nd': 0, 'amount_bytes': 32, 'usage_type': 'IO'},
            {'usage_type': 'Late', 'amount_bytes': 5, 'nd': 0, 'nc': 1, 'since': 3},
            {'usage_type': 'Total', 'amount_bytes': 99, 'nd': 0, 'nc': 1},
        ],
        'metadata': [{'first_hw_timestamp': 0, 'last_hw_timestamp': 1004010, 'ntff_version': 5}],
        'summary': [{'total_time': 0.00100401, 'nc_idx': 0}],
        'unheard_of': [{'timestamp': 1, 'name': 'x', 'filler': 'y' * 80}] * 1000,
    }


def execution(macs, cores, transposed=None, other='REGULAR'):
    """A profile of matrix products: macs by core; the last one of core `transposed` is a
    transpose, and the compiler calls each of the others what `other` says, '' where it is silent.
    """
    names = {0: 'sg00', 1: 'sg01'}
    products = [
        {
            'opcode': 'MATMUL',
            'subgroup': 'Tensor',
            'subgraph': names[core],
            'timestamp': 1000 * i,
            'duration': 900,
            'pc': i,
            'elements': n,
            'instruction_type': other,
        }
        for core, amounts in macs.items()
        for i, n in enumerate(amounts)
    ]
    for row in products:
        if (
            transposed is not None
            and row['subgraph'] == names[transposed]
            and row['pc'] == len(macs[transposed]) - 1
        ):
            row['instruction_type'] = 'TRANSPOSE'
    return {
        'instruction': products,
        'metadata': [
            {
                'first_hw_timestamp': 0,
                'last_hw_timestamp': 10000,
                'ntff_version': 6,
                'pe_num_rows': 8,
                'pe_num_cols': 4,
                'pe_clock_freq': 2.5,
            }
        ],
        'neff_header': [{'number_of_neuroncores_per_lnc': str(cores)}],
        'model_info': [
            {'sg_name': names[i], 'nc_idx': 4 + i, 'nd_idx': 0}
            for i in range(max(cores, len(macs)))
        ],
        'summary': [{'total_time': 1e-5}],
    }


def held_by(core, cores):
    """What tables call the device of a core: a logical core is what holds its cores."""
    return core.rpartition('/')[0] if cores > 1 else core


def use_of(profile_name, cores):
    """{device: (mfu, hfu)} of the whole, which tables devices and mfu must agree on; a logical core
    has one row of table mfu, and one of devices for each of its cores"""
    decode(profile_name, '-a', 'device', '-a', 'mfu')
    devices = {r['device']: (r['mfu'], r['hfu']) for r in rows('devices')}
    check_same(
        sorted(
            (r['device'], r['mfu'], r['hfu']) for r in rows('mfu') if r['operator'] == '(total)'
        ),
        sorted({(held_by(device, cores), *use) for device, use in devices.items()}),
        'table mfu',
    )
    return {
        device: tuple(float(v) if v else None for v in pair) for device, pair in devices.items()
    }


@test
def use_of_a_logical_core(_folder):
    """Its peak is that of all its cores, whichever of them works, and transposes are no work of the
    model.  Expected: flops of the rows by the time and 2 * rows * columns * clock of each core."""
    one = 2 * 8 * 4 * 2.5e9
    for macs, cores, transposed, other in (
        ({0: [200000, 150000, 50000]}, 2, 0, 'REGULAR'),
        ({0: [200000, 150000], 1: [250000, 30000]}, 2, 1, 'REGULAR'),
        ({0: [200000, 150000, 50000]}, 1, 0, 'REGULAR'),
        ({0: [200000, 150000, 50000]}, 2, None, 'REGULAR'),
        ({0: [200000, 150000], 1: [250000, 30000]}, 2, None, 'REGULAR'),
        ({0: [200000, 150000, 50000]}, 2, None, ''),
        ({0: [200000, 150000, 50000]}, 1, None, ''),
    ):
        silent = other == ''
        write('a.json', json.dumps(execution(macs, cores, transposed, other)).encode())
        found = use_of('a.json', cores)
        decode('a.json')
        spans = [
            (ps(r['start_ns']), ps(r['start_ns']) + ps(r['duration_ns']))
            for r in rows('events')
            if r['name'] == 'MATMUL'
        ]
        all_flops = 2 * sum(map(sum, macs.values()))
        check(len(spans) == sum(map(len, macs.values())), spans)
        for device, (mfu, hfu) in found.items():
            could = 1e-5 * one * cores
            check(
                abs(hfu / (all_flops / could) - 1) < 1e-9,
                f'{macs} {cores} {device}: HFU {hfu}, {all_flops / could}',
            )
            if silent:
                check(mfu is None, f'{macs}: no row says what is a transpose, MFU {mfu}')
                continue
            model = all_flops - (0 if transposed is None else 2 * macs[transposed][-1])
            check(
                abs(mfu / (model / could) - 1) < 1e-9,
                f'{macs} {cores} {device}: MFU {mfu}, {model / could}',
            )
        check(found, 'no device')
        screen = run('report', 'a.json').expect(0).out
        check(
            ('HFU' in screen) == (silent or transposed is not None)
            and ('which flops are transposes is not in the file' in screen) == silent,
            screen,
        )


@test
def a_logical_core_is_one_device_of_table_mfu(_folder):
    """Expected, of the rows of the file: of all work its flops, and when any core worked; of an
    operator the sums of all cores."""
    for macs, cores in (
        ({0: [200000, 150000], 1: [250000, 30000]}, 2),
        ({0: [200000, 150000], 1: [250000, 30000, 70000]}, 2),
        ({0: [200000, 150000, 50000]}, 2),
        ({0: [200000, 150000], 1: [250000, 30000]}, 1),
    ):
        made = execution(macs, cores)
        for i, row in enumerate(made['instruction']):
            row['timestamp'] += 37 * (i % 3)
        write('a.json', json.dumps(made).encode())
        decode('a.json', '-a', 'mfu')
        work, flops = {}, {}
        for core, of_core in macs.items():
            device = held_by(f'Neuron device 0/NeuronCore {4 + core}', cores)
            flops[device] = flops.get(device, 0) + 2 * sum(of_core)
            for row in made['instruction']:
                if row['subgraph'] == f'sg0{core}':
                    span = row['timestamp'], row['timestamp'] + row['duration']
                    work.setdefault(device, []).append(span)
        parts = ('(total)', '(busy)', 'MATMUL')
        found = [r for r in rows('mfu') if r['operator'] in parts and not r['step']]
        check_same(
            sorted((r['device'], r['operator'], int(r['flops'])) for r in found),
            sorted((device, part, flops[device]) for device in flops for part in parts),
            f'{macs}, {cores}: flops',
        )
        for device, spans in work.items():
            times = {r['operator']: ps(r['time_ns']) for r in found if r['device'] == device}
            whole = {at for start, end in spans for at in range(start, end)}
            check_same(times['(busy)'], 1000 * len(whole), f'{macs}, {cores}: busy')
            summed = sum(end - start for start, end in spans)
            check_same(times['MATMUL'], 1000 * summed, f'{macs}, {cores}: time of an operator')


@test
def flops_of_a_logical_core_are_counted_once(_folder):
    """What the page says of all devices together.  Expected: two a multiplication with addition."""
    for macs, cores in (
        ({0: [200000, 150000], 1: [250000, 30000]}, 2),
        ({0: [200000, 150000, 50000]}, 2),
        ({0: [200000, 150000], 1: [250000, 30000]}, 1),
    ):
        write('a.json', json.dumps(execution(macs, cores)).encode())
        name = run('view', '--ingest-only', '--force', 'a.json').expect(0).out.split('"')[1]
        with Server() as server:
            base = f'/api/v1/p/{name}/{server.generation(name)}/'
            for route in (f'window?t0={-(10**12)}&t1={10**12}', 'window?t0=0&t1=100000000'):
                told = server.get(base + route).json()['totals']['flops']
                expected = 2 * sum(map(sum, macs.values()))
                check_same(told['value'], expected, f'{macs}, {cores} in {route}')


@test
def strip_of_a_core(_folder):
    """Waits are no work, and control and setup are no computing: they show where nothing else
    runs. Expected: by the opcodes, each nanosecond."""
    kinds = {
        'MATMUL': 'compute',
        'EVENT_SEMAPHORE': None,
        'DRAIN': 'control',
        'TENSOR_LOAD': 'control',
        'NOP': 'control',
    }
    for seed in range(3):
        rand = random.Random(seed)
        data = execution({0: [1000] * 10}, 1, 0)
        for at, engine in enumerate(('Tensor', 'Scalar', 'Vector')):
            for i in range(10):
                row = dict(data['instruction'][0], pc=100 * at + i, subgroup=engine)
                row['opcode'] = rand.choice(list(kinds))
                row.update(timestamp=1000 * i + rand.randrange(100), duration=rand.randrange(900))
                data['instruction'].append(row)
        data['instruction'] = data['instruction'][10:]
        write('a.json', json.dumps(data).encode())
        at = {'compute': set(), 'control': set(), None: set()}
        for row in data['instruction']:
            start = row['timestamp']
            at[kinds[row['opcode']]].update(range(start, start + row['duration']))
        with Server('a.json') as server:
            (name,) = re.findall('n_[0-9a-f]{40}', server.lines[0])
            found, off = strip_of(server, name, 'NeuronCore 4')
        expected = {
            'busy': len(at['compute'] | at['control']),
            'communication': 0,
            'copies': 0,
            'control': len(at['control'] - at['compute']),
        }
        for kind, ns in expected.items():
            check(abs(found[kind] - 1000 * ns) <= off / 4, f'{kind}: {found}, {expected}')


@test
def a_window_without_transposes(_folder):
    """Its MFU is its HFU where its rows say that they are none, and unknown where they do not say.
    Expected: flops of the products within by the peak and the window, all of which the execution
    fills."""
    amounts = [200000, 150000, 90000, 50000]
    for other in ('REGULAR', ''):
        write('a.json', json.dumps(execution({0: amounts}, 1, 0, other)).encode())
        window = ('--clip', '--from', '0.95us', '--to', '2.95us')
        decode('a.json', '-a', 'mfu', how=window)
        could = 2 * 8 * 4 * 2.5e9 * 2e-6
        expected = 2 * (amounts[1] + amounts[2]) / could
        found = [r for r in rows('devices') if r['hfu']]
        found += [r for r in rows('mfu') if r['operator'] == '(total)']
        check_same(len(found), 2, 'rows')
        for r in found:
            check(abs(float(r['hfu']) / expected - 1) < 1e-9, f'{r}: HFU is not {expected}')
            check_same(r['mfu'], r['hfu'] if other else '', f'MFU of {other!r}')


@test
def a_logical_core_is_its_cores_together(_folder):
    """Its times are those in which any of its cores did so, by the rows of the file alone; findings,
    and the line of the list, are of it, and a core alone is none."""
    for cores in (2, 1):
        made = execution({core: [1000] * 9 for core in range(cores)}, cores, 0)
        rand = random.Random(cores)
        for row in made['instruction']:
            row['timestamp'] = 1000 * row['pc'] + rand.randrange(100)
            row['duration'] = rand.randrange(1, 400)
        starts = [row['timestamp'] for row in made['instruction']]
        ends = [row['timestamp'] + row['duration'] for row in made['instruction']]
        write('a.json', json.dumps(made).encode())
        decode('a.json')
        found = rows('logical_cores')
        if cores == 1:
            check(not found, found)
            continue
        busy = len({ns for at, end in zip(starts, ends) for ns in range(at, end)})
        (row,) = found
        check_same(
            [row[c] for c in ('device', 'cores', 'span_ns', 'busy_ns', 'idle_ns', 'compute_ns')],
            ['Neuron device 0', '2', '10000', str(busy), str(10000 - busy), str(busy)],
            'table logical_cores',
        )
        told = run('report', '--findings', 'a.json').expect(0).out.split()
        check('NeuronCore 5' not in ' '.join(told), told)
        check(f'Neuron device 0 idles {100 - busy / 100:.1f} %' in ' '.join(told), told)
        run('view', '--ingest-only', 'a.json').expect(0)
        listed = run('profiles').expect(0).out
        check(f' {busy / 100:.1f} % ' in listed, listed)
        part = len({ns for a, b in zip(starts, ends) for ns in range(a, b) if 2000 <= ns < 7500})
        with Server('a.json') as server:
            (name,) = re.findall('n_[0-9a-f]{40}', server.lines[0])
            for window, expected in ('', busy), ('?t0=2000000&t1=7500000', part):
                route = 'window' + window if window else 's'
                totals = server.profile(route, name).json()['totals']
                check_same(
                    (totals['together']['count'], int(totals['busy']['value'])),
                    (1, 1000 * expected),
                    window,
                )


@test
def operators_of_a_chosen_engine_are_of_its_core(_folder):
    """Both cores of a logical core have a track PE: of one that is chosen, in a part of the time, its
    own rows alone are summed, and the list of names beside it says the same."""
    made = execution({0: [1000] * 9, 1: [1000] * 4}, 2, 0)
    for row in made['instruction']:
        row['duration'] = 500 if row['subgraph'] == 'sg00' else 200
    write('a.json', json.dumps(made).encode())
    from_, to = 1000, 4300  # ns
    with Server('a.json') as server:
        (name,) = re.findall('n_[0-9a-f]{40}', server.lines[0])
        tracks = server.profile('meta', name).json()['tracks']
        engines = [t['track'] for t in tracks if (t['label'] or t['key']) == 'PE']
        check_same(len(engines), 2, tracks)
        seen = []
        for track in engines:
            part = f't0={from_ * 1000}&t1={to * 1000}&tracks={track}'
            said = server.profile('operators?level=name&' + part, name).json()
            (row,) = (dict(zip([c['name'] for c in said['columns']], r)) for r in said['rows'])
            (beside,) = server.profile('s?by=name&n=9&' + part, name).json()['rows']
            check_same(int(row['self_ns']), int(beside['share_self']), f'{row}, {beside}')
            seen.append((row['operator'], int(row['calls']), int(row['self_ns'])))
    expected = []
    for core in 'sg00', 'sg01':
        own = [r for r in made['instruction'] if r['subgraph'] == core]
        cut = [min(r['timestamp'] + r['duration'], to) - max(r['timestamp'], from_) for r in own]
        inside = [1000 * ns for ns in cut if ns > 0]
        expected.append(('MATMUL', len(inside), sum(inside)))
    check_same(sorted(seen), sorted(expected), 'each engine')


@test
def what_is_concluded_is_of_the_logical_core(_folder):
    """Verdict, its parts, gaps and the findings about operators, by the rows of the file alone; two
    cores that are a logical core each stay two devices."""
    cores = ['Neuron device 0/NeuronCore 4', 'Neuron device 0/NeuronCore 5']
    for lnc, devices in ((2, ['Neuron device 0']), (1, cores)):
        rand = random.Random(lnc)
        made = execution({0: [1000] * 9, 1: [1000] * 9}, lnc, 0)
        for row in made['instruction']:
            row['timestamp'] = 1000 * row['pc'] + rand.randrange(100)
            row['duration'] = rand.randrange(1, 900)
            if row['pc'] % 3 == 0:
                row.update(subgroup='Scalar', opcode='ACTIVATE')
        write('a.json', json.dumps(made).encode())
        shutil.rmtree('out', ignore_errors=True)
        run(
            *(
                'run',
                '-s',
                'csv',
                '-o',
                'out/',
                '-a',
                'device:gap=0',
                '-a',
                'steps',
                '-a',
                'operators',
            ),
            'a.json',
        ).expect(0)
        parts, gaps, found = rows('verdict_parts'), rows('gaps'), rows('verdict')
        check_same(sorted(row['device'] for row in found), devices, f'{lnc}: table verdict')
        told, most = run('answers', 'operator', 'a.json').expect(0).out, {}
        for place, device in enumerate(devices):
            own = [r for r in made['instruction'] if lnc == 2 or r['subgraph'] == f'sg0{place}']
            times = sorted((r['timestamp'], r['timestamp'] + r['duration']) for r in own)
            busy = {ns for start, end in times for ns in range(start, end)}
            of = {r['part']: ps(r['duration_ns']) // 1000 for r in parts if r['device'] == device}
            check_same(of, {'compute': len(busy), 'wait': 10000 - len(busy)}, f'{lnc}: {device}')
            idle = {ns for ns in range(10000) if ns not in busy}
            begins = sorted(ns for ns in idle if ns - 1 not in idle)
            ends = sorted(ns + 1 for ns in idle if ns + 1 not in idle)
            check_same(
                sorted(
                    (ps(g['start_ns']) // 1000, ps(g['duration_ns']) // 1000)
                    for g in gaps
                    if g['device'] == device
                ),
                [(start, end - start) for start, end in zip(begins, ends)],
                f'{lnc}: gaps of {device}',
            )
            (compute,) = {
                (ps(r['busy_ns']) // 1000, r['share'])
                for r in rows('categories')
                if (r['device'], r['category']) == (device, 'compute')
            }
            check_same(compute, (len(busy), f'{len(busy) / 10000:.6g}'), f'{lnc}: categories')
            operators = {
                r['operator']: (
                    ps(r['self_ns']) // 1000,
                    int(r['calls']),
                    round(float(r['share']), 6),
                )
                for r in rows('operators')
                if (r['device'], r['level']) == (device, 'opcode')
            }
            whole = sum(r['duration'] for r in own)
            check_same(
                operators,
                {
                    name: (
                        sum(r['duration'] for r in own if r['opcode'] == name),
                        sum(r['opcode'] == name for r in own),
                        round(sum(r['duration'] for r in own if r['opcode'] == name) / whole, 6),
                    )
                    for name in ('MATMUL', 'ACTIVATE')
                },
                f'{lnc}: operators of {device}',
            )
            for name in 'MATMUL', 'ACTIVATE':
                self_time = sum(r['duration'] for r in own if r['opcode'] == name)
                share = 100 * self_time / sum(r['duration'] for r in own)
                said = f'{name} takes {share:.1f} % of the self time of {device} '
                most[name] = max(most.get(name, (0, '')), (self_time, said if share > 25 else ''))
        for _, said in most.values():  # of each operator that of one device
            check(said in told, f'{lnc}: {said}: {told}')
        if lnc == 2:
            check('NeuronCore' not in told, told)
            page = run('report', 'a.json').expect(0).out
            for title in 'Operators', 'Time by category':
                check(f'\n{title} of Neuron device 0\n' in page, f'{title}: {page}')
            check('CPU operators' not in page, page)


@test
def a_logical_core_idles_through_a_window(_folder):
    """The file has work of its cores elsewhere, so that all of the window is one gap."""
    made = execution({0: [1000] * 3, 1: [1000] * 3}, 2, 0)
    for row in made['instruction']:
        row['duration'] = 300
    write('a.json', json.dumps(made).encode())
    decode('a.json', '--from', '500ns', '--to', '900ns', '--clip')
    check_same(
        [(row['device'], row['start_ns'], row['duration_ns']) for row in rows('gaps')],
        [('Neuron device 0', '500', '400')],
        'gaps',
    )


@test
def an_option_is_the_peak_of_the_logical_core(_folder):
    write('a.json', json.dumps(execution({0: [400, 100]}, 2, 0)).encode())
    decode('a.json', '-a', 'device:peak_flops=1e9')  # behind one without
    check_same(
        {round(float(r['hfu']), 9) for r in rows('devices')},
        {round(1000 / 1e-5 / (2 * 2 * 8 * 4 * 2.5e9), 9), round(1000 / 1e-5 / 1e9, 9)},
        'HFU',
    )


@test
def no_mfu_of_an_ntff(_folder):
    """It does not say which products are transposes: HFU alone, never under the name MFU."""
    seen = 0
    for seed in range(1, 9):
        write('a.ntff', ntff_make.make(seed, 6, UUID))
        decode('a.ntff', '-a', 'device:peak_flops=1e15', '-a', 'mfu:peak_flops=1e15')
        for r in rows('devices'):
            seen += bool(r['hfu'])
            check(not r['mfu'], f'{seed}: {r}')
        check(not any(r['mfu'] for r in rows('mfu')), f'{seed}: table mfu')
    check(seen, 'no file has flops')


@test
def memory_by_use(_folder):
    """What the table has no column for, and the total, stay details."""
    write('a.json', json.dumps(profile()).encode())
    decode('a.json')
    check_same(
        [(r['device'], r['use'], r['bytes']) for r in rows('neuron_memory')],
        [
            ('Neuron device 0/NeuronCore 1', 'Weights', '67'),
            ('Neuron device 0/NeuronCore 1', 'IO', '32'),
        ],
        'held',
    )
    check_same(
        [
            r['text']
            for r in rows('neuron_details')
            if r['section'] == 'nc_mem_usage' and r['field'] == 'usage_type'
        ],
        ['Late', 'Total'],
        'details',
    )
    out = run('report', '--only', 'memory', 'a.json').expect(0).out
    check('Weights' in out and '67' in out, out)
    out = run('report', 'a.json').expect(0).out
    check(re.search(r'^  memory +held 99\S* \S+; Weights 67.7 %, IO 32.3 % of it$', out, re.M), out)


@test
def memory_by_use_of_an_ntff(_folder):
    """Of each version; an unknown use keeps its word, and one of no bytes is 0."""
    for version in (4, 5, 6):
        numbers = []

        def change(core, numbers=numbers):
            numbers.append(core.number)
            core.memory = [
                (2**33 + version, b'profiler buffers'),
                (7, b'pe'),
                (0, b'spill'),
                (1, b'quantum foam'),
            ]

        write('a.ntff', ntff_make.make(3, version, UUID, change=change))
        decode('a.ntff')
        core = f'NeuronCore {numbers[0]}'
        check_same(
            [
                (r['device'].rpartition('/')[2], r['use'], int(r['bytes']))
                for r in rows('neuron_memory')
            ],
            [
                (core, 'Profiler Buffers', 2**33 + version),
                (core, 'Tensor Instructions', 7),
                (core, 'DRAM Spill', 0),
                (core, 'quantum foam', 1),
            ],
            f'version {version}',
        )
        out = run('report', '--only', 'memory', 'a.ntff').expect(0).out
        check(
            'memory: unknown: the file says what is held, not when; table neuron_memory' in out, out
        )
        check(
            re.search(
                r'^  memory +held 8\.00 GiB; Profiler Buffers 100.0 %',
                run('report', 'a.ntff').expect(0).out,
                re.M,
            ),
            version,
        )


@test
def memory_whose_uses_have_no_names(_folder):
    """Version 4 numbers them, and nothing says what the numbers mean: the sum is known."""

    def change(core):
        core.memory = [(5 * 2**20, 14), (3 * 2**20, 13)]

    write('a.ntff', ntff_make.make(3, 4, UUID, change=change))
    result = run('report', 'a.ntff').expect(0)
    check(
        re.search(
            r'^  memory +held 8\.00 MiB; for what, the file does not name$', result.out, re.M
        ),
        result.out,
    )
    check('screen_held' not in result.out + result.err, result.err)


@test
def memory_that_is_not_told(_folder):
    write('a.json', json.dumps({**profile(), 'nc_mem_usage': []}).encode())
    out = run('report', '--only', 'memory', 'a.json').expect(0).out
    check('unknown: the file does not say what is held' in out, out)


@test
def memory_of_the_core_over_time(_folder):
    """SBUF and PSUM by instruction_usage are counters; what is said of HBM is said apart."""
    held = profile()['nc_mem_usage']
    usage = [
        {'timestamp': 1000 * at, 'type': kind, 'subgraph': 'sg00', 'usage_avg': at / 8}
        for at in range(4)
        for kind in ('sb', 'psum')
    ]
    for of_hbm, said in (
        (held, 'of HBM what is held, not when, table neuron_memory'),
        ([], 'of HBM the file says nothing'),
    ):
        write(
            'a.json',
            json.dumps({**profile(), 'nc_mem_usage': of_hbm, 'instruction_usage': usage}).encode(),
        )
        decode('a.json')
        for kind in 'sbuf', 'psum':
            check_same(
                [
                    float(r['value'])
                    for r in rows('events')
                    if r['name'] == f'{kind}_usage/usage_avg'
                ],
                [at / 8 for at in range(4)],
                f'{kind}',
            )
        line = 'when SBUF and PSUM were used, counters of the timeline say; ' + said
        check(line in run('doctor', 'a.json').expect(0).out, said)


@test
def waits_are_no_work(_folder):
    write('a.json', json.dumps(profile()).encode())
    decode('a.json')
    (device,) = rows('devices')
    check_same(device['busy_ns'], '4000', 'busy')
    check_same(device['span_ns'], '1004010', 'span')
    run('gate', 'a.json', 'busy > 90%').expect(6)
    run('gate', 'a.json', 'busy < 1%').expect(0)
    events = rows('events')
    check_same(
        [r['start_ns'] for r in events if r['name'] == 'MATMUL'], ['1000010'], "the vendor's time 0"
    )
    check_same(
        [(r['flops'], r['flops_transpose']) for r in events if r['name'] == 'MATMUL'],
        [('14', '14')],
        'flops',
    )
    check_same([r['bytes'] for r in events if r['category'] == 'dma'], ['64'], 'bytes of packets')
    check_same(
        [r['category'] for r in events if r['name'] == 'EVENT_SEMAPHORE'],
        ['semaphore wait'],
        'wait',
    )


@test
def bytes_of_instructions_are_of_their_operators(_folder):
    """Those of the main memory and those of the core apart, unknown where no row states any."""
    rand, made = random.Random(3), profile()
    keys = ('hbm_read_bytes', 'hbm_write_bytes'), ('sbuf_read_bytes', 'psum_write_bytes')
    expected = {}
    row = made['instruction'][0]
    made['instruction'] = []
    for at in range(40):
        name = rand.choice(['MATMUL', 'DMA_DIRECT2D', 'COPY', 'DRAIN'])
        states = {'MATMUL': [1], 'DMA_DIRECT2D': [0, 1], 'COPY': [1], 'DRAIN': []}[name]
        stated = {rand.choice(keys[which]): rand.randrange(1 << 40) for which in states}
        sums = expected.setdefault(name, [None, None])
        for which in states:
            sums[which] = (sums[which] or 0) + sum(stated.get(key, 0) for key in keys[which])
        made['instruction'].append({**row, 'opcode': name, 'timestamp': 5000 * at, **stated})
    write('a.json', json.dumps(made).encode())
    decode('a.json', '-a', 'operators')
    check_same(
        {
            r['operator']: [int(r[c]) if r[c] else None for c in ('bytes', 'on_chip_bytes')]
            for r in rows('operators')
            if r['level'] == 'opcode' and r['operator']
        },
        expected,
        'bytes by opcode',
    )


@test
def waits_are_no_operators(_folder):
    """Nor do they hide in the row of what has no opcode: that is the DMA packet."""
    write('a.json', json.dumps(profile()).encode())
    decode('a.json', '-a', 'operators')
    found = {
        row['operator']: row['total_ns'] for row in rows('operators') if row['level'] == 'opcode'
    }
    check_same(found, {'MATMUL': '4000', '': '50'}, 'operators by opcode')


@test
def transfers_that_the_vendor_leaves_out(_folder):
    """Those of a queue whose first one began before the execution are rows, and no work of DMA."""

    def dma(transfers):
        write('a.ntff', ntff_make.with_straddling(transfers, UUID))
        decode('a.ntff', '-a', 'steps')
        left_out = sum(row.get('left_out') == 'true' for row in rows('events'))
        return left_out, [(r['code'], r['sentence']) for r in rows('verdict')]

    _, plain = dma(())
    within = (3 * 10**6, 10**8)
    check_same(dma(((-(10**6), 3 * 10**6), within)), (1, plain), 'behind one that straddles')
    before, other = dma((within,))
    check_same(before, 0, 'all in the execution')
    check(other != plain, other)


@test
def bytes_of_a_window_are_those_of_its_transfers(_folder):
    """Instructions of an NTFF state none. Expected: of each packet the part within the window."""
    for version in (4, 5, 6):
        data = ntff_make.make(version, version, UUID)
        write('a.ntff', data)
        real = Ntff(data)
        packets = [(p.start - real.origin, p.end - real.origin, p.bytes) for p in real.packets]
        ends = sorted(end for _, end, _ in packets)
        name = run('view', '--ingest-only', 'a.ntff').expect(0).out.split('"')[1]
        with Server() as server:
            base = f'/api/v1/p/{name}/{server.generation(name)}/'
            for t0, t1 in (
                (-(10**12), 10**12),
                (ends[len(ends) // 4], ends[len(ends) // 2] + 1),
            ):
                told = server.get(f'{base}window?t0={t0}&t1={t1}').json()['totals']['bytes']
                within = [
                    (min(end, t1) - max(start, t0), end - start, n)
                    for start, end, n in packets
                    if start <= t1 and end >= t0
                ]
                expected = sum(n * part // whole if whole else n for part, whole, n in within)
                check_same(int(told['value']), expected, f'version {version} from {t0} to {t1}')
                check('dma' in told['source'] and 'transfers' in told['source'], told)


@test
def queues_of_a_core_are_no_order(_folder):
    """Transfers of one queue go side by side, which is no fault of the file."""
    listed = [
        {'timestamp': 100 * i, 'duration': 150, 'queue_name': 'qSpill0', 'transfer_size': 4}
        for i in range(40)
    ]
    product = {'timestamp': 0, 'duration': 50, 'opcode': 'MATMUL', 'subgroup': 'Tensor'}
    write('a.json', json.dumps({'dma': listed, 'instruction': [product]}).encode())
    decode('a.json', '-a', 'sanity')
    check_same(sum(row['category'] == 'dma' for row in rows('events')), 40, 'transfers')
    check_same(rows('sanity'), [], 'sanity')


@test
def predecessors_are_arrows(_folder):
    """One of each that an instruction names, wherever it stands; ids fill 64 bits."""
    rng = random.Random(5)
    ids = [rng.randrange(2**63, 2**64) for _ in range(40)] + [
        rng.randrange(1, 2**63) for _ in range(40)
    ]
    kinds = ['FLOW_DEPENDENCE', 'ORDERED', 'ANTI_DEPENDENCE']
    listed = [
        {
            'timestamp': 10 * i,
            'duration': 5,
            'opcode': 'MATMUL',
            'subgroup': rng.choice(['Tensor', 'Vector']),
            'id': ids[i],
            'predecessors': [
                {'id': ids[k], 'type': rng.choice(kinds)}
                for k in rng.sample(range(80), rng.randrange(4))
                if k != i
            ],
        }
        for i in range(80)
    ]
    rng.shuffle(listed)
    place = {row['id']: row['timestamp'] for row in listed}
    wanted = sorted(
        (place[p['id']], row['timestamp'], p['type']) for row in listed for p in row['predecessors']
    )
    write(
        'a.json',
        json.dumps(
            {
                'dma': [{'timestamp': 1, 'duration': 1, 'transfer_size': 4, 'id': ids[0]}],
                'instruction': listed,
            }
        ).encode(),
    )
    decode('a.json')
    span = {
        row['id']: float(row['start_ns'])
        for row in rows('events')
        if row['kind'] == 'span' and row['id']
    }
    check_same(len(span), 80, 'instructions with an id of their own')
    arrows = collections.defaultdict(dict)
    for row in rows('events'):
        if row['kind'] == 'flow':
            check_same(
                (row['category'], float(row['start_ns'])),
                ('predecessor', span[row['parent']]),
                'an end lies on its span',
            )
            arrows[row['flow']][row['flow_phase']] = (span[row['parent']], row['name'])
    check_same(
        sorted((a['begin'][0], a['end'][0], a['end'][1]) for a in arrows.values()), wanted, 'arrows'
    )
    check_same([row for row in rows('skipped') if row['what'] == 'predecessor'], [], 'skipped')


@test
def a_predecessor_that_is_not_known_is_counted(_folder):
    def instruction(at, ident, *predecessors):
        return {
            'timestamp': at,
            'duration': 1,
            'opcode': 'A',
            'id': ident,
            'predecessors': [{'id': p} for p in predecessors],
        }

    write(
        'a.json',
        json.dumps(
            {
                'instruction': [
                    instruction(1, 7),
                    instruction(2, 7),
                    instruction(3, 8, 7, 99, 9),
                    instruction(4, 9),
                ]
            }
        ).encode(),
    )
    decode('a.json')
    check_same(
        [(row['count'], row['reason']) for row in rows('skipped') if row['what'] == 'predecessor'],
        [
            ('1', 'several instructions have that id'),
            ('1', 'no instruction of that id is in the file'),
        ],
        'skipped',
    )
    check_same(
        [(row['name'], row['start_ns']) for row in rows('events') if row['kind'] == 'flow'],
        [('dependency', '3'), ('dependency', '2')],
        'arrows, from the first row on',
    )


@test
def the_line_of_the_application_stands_beside_that_of_the_kernel(_folder):
    lines = [('kern.py:3', 'app.py:7'), ('kern.py:3', ''), ('', 'app.py:7'), ('', '')]
    write(
        'a.json',
        json.dumps(
            {
                'instruction': [
                    {
                        'timestamp': i,
                        'duration': 1,
                        'opcode': 'A',
                        'id': i + 1,
                        'nki_source_location': kernel,
                        'bir_debug_info_source_location': app,
                    }
                    for i, (kernel, app) in enumerate(lines)
                ]
            }
        ).encode(),
    )
    decode('a.json')
    check_same(
        [
            (row['source'], row['source_stack'])
            for row in rows('events')
            if row['kind'] == 'span' and row['name'] == 'A'
        ],
        [('kern.py:3', 'kern.py:3\napp.py:7'), ('kern.py:3', ''), ('app.py:7', ''), ('', '')],
        'lines',
    )


@test
def sections_of_any_order_and_size(_folder):
    """Each of them first, longer than what the decoder is chosen by."""
    whole, expected = profile(), None
    for first in whole:
        order = [first] + random.Random(first).sample(
            [k for k in whole if k != first], len(whole) - 1
        )
        data = {key: whole[key] for key in order}
        text = json.dumps(data)
        if first in ('dma_throughput', 'semaphore_update', 'nc_mem_usage', 'unheard_of'):
            long = json.dumps({first: whole[first] * (3000 // len(whole[first]))})
            check(len(long) > 65536, first)
            write('long.json', (long[:-1] + ',' + text[1:]).encode())
            decode('long.json')
        write('a.json', text.encode())
        decode('a.json')
        found = sorted(
            (r['category'], r['name'], r['start_ns'], r['duration_ns']) for r in rows('events')
        )
        expected = expected or found
        check_same(found, expected, f'rows with {first} first')


@test
def a_section_that_nobody_knows_may_come_first(_folder):
    """Whatever it holds, and however long it is; without -d."""
    whole, expected = profile(), None
    for strange in (
        {},
        {'zzz': ['m' * 100] * 3000},
        {'zzz': {str(i): {'deep': [{'n': i}]} for i in range(9000)}},
        {'zzz': [{'ph': 'X', 'id': i} for i in range(9000)]},
        {'zzz': 'm' * 2000000},
        {'zzz': ['"instruction":[{"timestamp":1,"opcode":2}],'] * 9000},
    ):
        for packed in (bytes, gzip.compress):
            write('a.json', packed(json.dumps({**strange, **whole}).encode()))
            decode('a.json')
            found = [
                (r['category'], r['name'], r['start_ns'], r['duration_ns']) for r in rows('events')
            ]
            expected = expected or found
            check_same(found, expected, f'rows behind {str(strange)[:40]}')
    write('b.json', json.dumps({'zzz': ['m' * 100] * 3000, 'yyy': [1]}))
    run('info', 'b.json').expect(2, err='*b.json: is JSON, but no decoder knows this format*')


@test
def one_document_is_a_file(_folder):
    """Bytes behind a document, of whatever kind, are damage at their place; white space is none."""
    os.makedirs('made')
    subprocess.run(
        [
            sys.executable,
            '-B',
            os.path.join(TOOLS, 'neuron-tools-make.py'),
            'made',
            '--instructions',
            '5',
        ],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    made = [name for name in sorted(os.listdir('made')) if name.endswith('.json')]
    check(len(made) > 3, made)
    for name, text in [('profile', json.dumps(profile()))] + [
        (n, read(f'made/{n}').decode().rstrip()) for n in made
    ]:
        for rest in ('', ' \n\t'):
            write('a.json', (text + rest).encode())
            run('info', '-d', 'ntff', 'a.json').expect(0)
        for rest in ('\n' + text, ' x', ',', ']', '\0'):
            write('a.json', (text + rest).encode())
            at = len(text) + (rest[0] in ' \n')
            where = f'*byte {at}: the JSON document has ended, and more follows it: give each document a file of its own*'
            run('run', '-d', 'ntff', '-s', 'csv', '-o', name, 'a.json').expect(2, err=where)
            check(not os.path.exists(f'{name}/events.csv'), f'{name} is left behind')
            run('run', '-d', 'ntff', '--keep-going', '-s', 'null', 'a.json').expect(3, err=where)


@test
def unknown_opcodes_make_busy_unknown(_folder):
    """Code that is not in the file: work or a wait is unknown."""
    data = ntff_make.make(2, 5, UUID)
    real = Ntff(data)
    for engine, (address, _) in real.cores[0].code.items():  # move every stream by a million slots
        old = ntff_make.integer(2, address)
        new = ntff_make.integer(2, address ^ (1 << 24))
        if len(old) == len(new) and data.count(old) == 1:
            data = data.replace(old, new)
            break
    else:
        raise AssertionError('no address can be changed')
    write('a.ntff', data)
    result = decode('a.ntff')
    device = rows('devices')[0]
    check_same(device['busy_ns'], '', 'busy')
    check('the opcode is not known' in result.err, result.err)


@test
def unknown_opcodes_make_what_is_exposed_unknown(_folder):
    """What an instruction hides is unknown where nothing says whether it is work: never 0, and
    never all of it."""

    def change(core):
        core.outside = True

    write('a.ntff', ntff_make.make(5, 5, UUID, change=change))
    decode('a.ntff', '-a', 'steps')
    (step,) = rows('step_breakdown')
    parts = (
        'compute_ns',
        'exposed_communication_ns',
        'exposed_copy_ns',
        'control_ns',
        'idle_ns',
        'idle_host_ns',
        'idle_launch_ns',
        'idle_wait_ns',
        'idle_unlinked_ns',
        'infeed_ns',
    )
    check_same({part: step[part] for part in parts}, dict.fromkeys(parts, ''), 'parts of the step')
    check(float(step['window_ns']) > 0, f'{step}')
    check_same(
        rows('idle_causes') if os.path.exists('out/idle_causes.csv') else [],
        [],
        'causes of idle time',
    )
    summary = run('report', 'a.ntff').expect(0).out
    check(
        'unknown        when Neuron device 0/NeuronCore 0 is busy: ' in summary
        and '\nUNDETERMINED: it is unknown when the device was busy\n' in summary
        and '-BOUND' not in summary,
        summary[:900],
    )


BUCKET = 'n_' + '6a' * 20
STATED = f"""{BUCKET}
    total_time                    2.6416626e-05
    dma_transfer_average_bytes    1.024e+06
    hbm_read_bytes                9007199254740993
    dma_packet_time               0.000127892749
    runtime_version               2.27.23 (8deec)
    hfu_estimated_percent         0
"""


def go(x):
    """A float as Go's %v: the shortest digits, an exponent below 1e-4 and from 1e6 on."""
    digits = repr(float(x))
    if x and not 1e-4 <= x < 1e6:
        return next(t for t in (f'{x:.{n}e}' for n in range(18)) if float(t) == x)
    return digits[:-2] if digits.endswith('.0') else digits


@test
def the_style_of_neuron_profile(_folder):
    """What the vendor prints is printed again, to the letter, and as JSON by the same name."""
    write('vendor.txt', STATED.encode())
    check_same(run('report', '--style', 'neuron', 'vendor.txt').expect(0).out, STATED, 'text')
    captured = (
        '$ neuron-profile view --output-format summary-text -n a.neff\n-s profile.ntff\n'
        'WARN queue 3: some events were dropped\n'
    )
    write('captured.txt', (captured + STATED).encode())
    said = run('report', '-q', '--style', 'neuron', 'captured.txt').expect(0).out
    check_same(said, STATED, 'of a terminal that was captured')
    values = {
        'total_time': 2.6416626e-05,
        'dma_transfer_average_bytes': 1024000,
        'hbm_read_bytes': 9007199254740993,
        'dma_packet_time': 0.000127892749,
        'runtime_version': '2.27.23 (8deec)',
        'hfu_estimated_percent': 0,
    }
    made = run('view', '--output-format', 'summary-json', 'vendor.txt').expect(0).out
    check_same(json.loads(made), {BUCKET: values}, 'JSON')
    check('"total_time": 0.000026416626' in made, made)
    write('vendor.json', made.encode())
    lines = run('view', '--output-format', 'summary-text', '-s', 'vendor.json').expect(0).out
    check_same(lines, STATED, 'text of JSON')


@test
def the_style_of_what_is_computed(_folder):
    """Every known metric of table neuron_summary has its line; how many have none is said."""
    write('x.ntff', ntff_make.make(3, 6, UUID))
    known = [
        (name, value)
        for (_, name), (value, _) in summary('x.ntff').items()
        if value is not None
        and not re.search('_semaphore_wait_time|^small_dma_|^transpose_active_time', name)
    ]
    shown = run('report', '--style', 'neuron', 'x.ntff').expect(0, err='*are unknown and left out*')
    first, *lines = shown.out.splitlines()
    check(re.fullmatch('n_[0-9a-f]{40}', first), first)
    found = dict(line.split(None, 1) for line in lines)
    column = {len(line) - len(line[4:].split(None, 1)[1]) for line in lines}
    check_same(column, {8 + max(map(len, found))}, 'column')
    own = ('throttle_active_time', 'throttle_active_time_percent', 'throttle_count')
    ends = ('_time', '_percent', '_average_bytes', '_intensity', '_ratio')
    for name, value in known:
        if name in own:
            check(name not in found, name)
        elif name.endswith(ends):
            check_same(found[name], go(value), name)
        else:
            check_same(float(found[name]), value, name)


@test
def a_format_that_neuron_profile_has_and_nprof_not(_folder):
    write('vendor.txt', STATED.encode())
    for other in ('--port=1', '--ingest-only', '--store=x', '--no-open-path'):
        run('view', '--output-format', 'summary-text', other, 'vendor.txt').expect(
            1, out='', err='*nothing is stored or served*'
        )
    run('view', '--output-format', 'parquet', 'vendor.txt').expect(
        1, err='*--output-format parquet: expected summary-text, summary-json or json*-s parquet*'
    )
    run('view', '--output-format', 'json', 'vendor.txt').expect(
        1, err='*no rows of a NeuronCore*takes an NTFF*'
    )


VENDOR_ENGINE = {
    'tensor': 'Tensor',
    'scalar': 'Scalar',
    'gpsimd': 'GpSimd',
    'vector': 'Vector',
    'sync': 'Sync',
}


def down(ns):
    """Whole ns of what the CSV says, rounded down."""
    return math.floor(Fraction(ns or 0))


def of_csv(row):
    """The record of neuron-profile that a row of the CSV is, in the members that it must have."""
    times = {'timestamp': down(row['start_ns']), 'duration': down(row['duration_ns'])}
    if row['category'] in ('instruction', 'semaphore wait'):
        known = {'opcode': row['name'], 'subgroup': VENDOR_ENGINE[row['engine']]}
        if row['pc']:
            known['pc'] = int(row['pc'])
        return 'instruction', {**times, **known}
    if row['category'] == 'dma':
        engine, queue = re.match(r'DMA (\d+) queue (\d+)', row['thread']).groups()
        known = {'dma_engine': engine, 'dma_queue': queue, 'transfer_size': int(row['bytes'])}
        return 'dma', {**times, **known, 'aggregated': 'no'}
    if row['category'] == 'semaphore':
        known = {'id': row['name'].split()[1], 'value': int(row['value'])}
        return 'semaphore_update', {'timestamp': times['timestamp'], **known}
    return None, None


@test
def the_json_of_neuron_profile(_folder):
    """Each row of an NTFF is a record, by the rows of the CSV; read again it has the same rows."""
    write('x.ntff', ntff_make.make(3, 6, UUID))
    run('run', '-s', 'csv', '-o', 'rows.csv', 'x.ntff').expect(0)
    made = run('view', '--output-format', 'json', '-s', 'x.ntff').expect(0).out
    sections = json.loads(made)
    wanted = collections.defaultdict(list)
    with open('rows.csv', newline='') as file:
        for row in csv.DictReader(file):
            section, record = of_csv(row)
            if section and row.get('left_out') != 'true':
                wanted[section].append(record)
    check(len(wanted['instruction']) > 10 and wanted['dma'], {k: len(v) for k, v in wanted.items()})
    for section, records in wanted.items():
        kept = [
            {key: record[key] for key in records[0].keys() & record.keys()}
            for record in sections[section]
        ]
        check_same(*(sorted(map(str_of, each)) for each in (kept, records)), section)
    write('again.json', made.encode())
    again = json.loads(run('view', '--output-format', 'json', '-s', 'again.json').expect(0).out)
    for section in wanted:
        check_same(len(again[section]), len(sections[section]), section)
    run('run', '-s', 'report-neuron-json', '-o', 'two.json', 'x.ntff', 'again.json').expect(
        1, err='*x.ntff and again.json both have rows of a device*holds one profile*'
    )
    check(not os.path.exists('two.json'), 'nothing is left of it')


@test
def a_core_without_a_number_in_the_json_of_neuron_profile(_folder):
    """Rows that name no core come first: only cores and devices with numbers are listed."""
    row = {'opcode': 'MATMUL', 'subgroup': 'Tensor', 'duration': 5}
    rows_of = [{**row, 'timestamp': 5}]
    rows_of += [{**row, 'timestamp': 10 * nc, 'nc_idx': nc} for nc in (1, 2)]
    for device in ({}, {'nd_idx': 3}):
        cores = [{**device, 'sg_name': f'sg{nc:02}', 'nc_idx': nc} for nc in (1, 2)]
        write('0.json', json.dumps({'instruction': rows_of, 'metadata': [device]}).encode())
        for time in range(2):  # of what was made, too
            made = run('view', '--output-format', 'json', '-s', f'{time}.json').expect(0).out
            write(f'{time + 1}.json', made.encode())
            found = json.loads(made)['model_info']
            check_same([core['nc_idx'] for core in found], [1, 2], 'cores')
            check_same({core.get('nd_idx') for core in found}, {device.get('nd_idx')}, 'devices')
            check(time or found == cores, found)


def str_of(record):
    return json.dumps(record, sort_keys=True)


def number(value):
    return Fraction(str(value).replace('NaN', '0'))


@test
def figures_beside_those_of_the_vendor(_folder):
    """What a summary in the vendor's JSON states, and the same of its rows, added up here."""
    for seed in range(1, 5):
        made = [sys.executable, '-B', os.path.join(TOOLS, 'neuron-tools-make.py'), 'made']
        subprocess.run([*made, '--seed', str(seed), '--instructions', '9'], check=True)
        path = 'made/synthetic_device.json'
        told = json.loads(read(path))
        (stated,), (machine,) = told['summary'], told['metadata']
        time = number(stated['total_time'])
        peak = 2 * 128 * 128 * number(machine['pe_clock_freq']) * 10**9
        mfu = number(stated['model_flops']) / peak
        ours = {
            ('total_time', 'vendor'): time,
            ('hbm_read_bytes', 'vendor'): sum(
                number(row['hbm_read_bytes']) for row in told['instruction']
            ),
            ('model_flops', 'vendor'): number(stated['model_flops']),
            ('mfu_estimated_percent', 'vendor'): mfu / time,
        }
        decode(path, '-a', 'vendor')
        found = {(row['figure'], row['rule']): row for row in rows('vendor_figures')}
        by_nprof = {key for key in found if key[1] == 'nprof'}
        check_same(set(found) - by_nprof, set(ours), 'metrics that the rows give')
        check_same(
            by_nprof, {('total_time', 'nprof'), ('mfu_estimated_percent', 'nprof')}, 'and of nprof'
        )
        for metric in ('total_time', 'mfu_estimated_percent'):
            ours[metric, 'nprof'] = ours[metric, 'vendor']  # here the rows span all of the run
        for (metric, rule), expected in ours.items():
            row, vendor = found[metric, rule], number(stated[metric])
            check_same(number(row['vendor']), vendor, metric)
            near = abs(number(row['ours']) - expected) <= abs(expected) / 10**12
            check(near, f'seed {seed}: {metric} by {rule}: {row["ours"]}, not {float(expected)}')
            less = number(row['difference']) - (vendor - number(row['ours']))
            check(abs(less) <= abs(vendor) / 10**12, f'{metric}: the difference')
            check_same(bool(row['reason']), number(row['difference']) != 0, f'{metric}: a reason')


def beside_vendor(told, stated):
    """Rows of vendor_figures where the summary states these figures: (figure, rule) -> row."""
    told['summary'][0].update({name: float(value) for name, value in stated.items()})
    write('stated.json', json.dumps(told))
    decode('stated.json', '-a', 'vendor')
    return {(row['figure'], row['rule']): row for row in rows('vendor_figures')}


@test
def whole_ns_explain_what_the_vendor_has_more(_folder):
    """Durations in the vendor's JSON are cut to whole ns: up to 1 ns of each row, and no less."""
    made = [sys.executable, '-B', os.path.join(TOOLS, 'neuron-tools-make.py'), 'made']
    subprocess.run([*made, '--seed', '1', '--instructions', '9'], check=True)
    told = json.loads(read('made/synthetic_device.json'))
    own = [number(row['duration']) for row in told['instruction'] if row['subgroup'] == 'Tensor']
    name, cut = 'tensor_engine_instruction_time', 'durations in the JSON are whole ns, cut'
    other = 'the rows of the file do not give it by the formula in neuron_summary'
    for more, said in ((0, ''), (1, cut), (len(own), cut), (len(own) + 1, other), (-1, other)):
        stated = (sum(own) + more) / 10**9 - (Fraction(1, 10**15) if more == len(own) else 0)
        found = beside_vendor(told, {name: stated})
        check_same(found[name, 'vendor']['reason'], said, f'{more} ns more')
    # A share of total_time: of the union of the rows, whose ends are cut.
    share, time = 'tensor_engine_active_time_percent', number(told['summary'][0]['total_time'])
    found = beside_vendor(told, {share: Fraction(1, 2)})
    ours, n = number(found[share, 'vendor']['ours']), len(own)
    for more, said in ((0, ''), (1, cut), (n - 1, cut), (n + 1, other), (-1, other)):
        stated = ours + Fraction(more, 10**9) / time
        found = beside_vendor(told, {share: stated})
        check_same(found[share, 'vendor']['reason'], said, f'{more} ns more of {time} s')


@test
def without_a_summary_there_are_no_figures_of_the_vendor(_folder):
    write('a.json', b'{"instruction": [{"timestamp": 1, "duration": 2, "opcode": "MATMUL"}]}')
    run('report', '--only', 'vendor_figures', 'a.json').expect(
        0, out='vendor_figures: unknown: no summary of neuron-profile in the file'
    )
    run('report', '--only', 'vendor_figures', samples_for('ntff')[0]).expect(
        0, out='vendor_figures: unknown: no summary of *; the JSON that neuron-profile view *'
    )


@test
def the_summary_beside_cores(_folder):
    """By nprof's rule each figure has a row: of the core, or with a reason."""
    made = [sys.executable, '-B', os.path.join(TOOLS, 'neuron-tools-make.py'), 'made']
    subprocess.run([*made, '--seed', '1', '--instructions', '9'], check=True)
    told = json.loads(read('made/synthetic_device.json'))
    names = ('total_active_time', 'mfu_estimated_percent', 'hfu_estimated_percent')
    stated = dict.fromkeys((*names, 'mbu_estimated_percent'), Fraction(1, 8))
    found = beside_vendor(told, stated)
    decode('stated.json', '-a', 'device')
    of = {row['device']: row for row in rows('devices')}
    for name, column in zip(stated, ('busy_ns', 'mfu', 'hfu', 'mbu')):
        row = found[name, 'nprof']
        device = of[row['device']]
        check_same(row['of_table'], f'devices.{column}', name)
        check_same(bool(row['ours']), bool(device[column]), f'{name}: {row}')
        check(bool(row['reason']), f'{name}: no reason')


if __name__ == '__main__':
    main()
