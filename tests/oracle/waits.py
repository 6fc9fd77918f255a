# SPDX-License-Identifier: Apache-2.0
"""waits.py - the critical path of a NeuronCore by brute force: what each instruction waited for,
from the operands that the vendor prints or from the 64 bytes of its code, and from the updates of
semaphores; then the walk backwards.

Times are ps from the begin of the execution."""

import re
import struct

import ntff
from exact import scaled

JITTER = 100000
WORD = re.compile(r'(?<![^\s$])([SE])\[(\d+)\](?: \([^)]*\))?(\S*)')
TRANSFER = re.compile(r' semaphore=(\d+) sem_increment=\d+')
VENDORS = {'Tensor': 'PE', 'Scalar': 'ACT', 'GpSimd': 'POOL', 'Vector': 'DVE', 'Sync': 'SP'}
DONE = '@complete'


class Instruction:
    def __init__(self, engine, name, first, end):
        self.engine, self.name, self.first, self.end = engine, name, first, end
        self.begin = first  # of a wait: when it was over
        self.waits, self.signals, self.transfers = (
            [],
            [],
            [],
        )  # (kind, id, what, value), the same, ids
        self.before, self.sources, self.unsure, self.kind = None, [], False, None

    @property
    def is_wait(self):
        return self.name == 'EVENT_SEMAPHORE'

    @property
    def over(self):
        return self.end if self.is_wait else self.first


class Core:
    def __init__(self, number, length):
        self.number, self.length, self.instructions, self.updates = (
            number,
            length,
            [],
            [],
        )  # updates: (at, id, value, engine)


# -- From the vendor's JSON
# -----------------------------------------------------------------------------------------


def add_operands(one, text):
    for kind, number, rest in WORD.findall(text):
        done = rest.endswith(DONE)
        what = re.match(r'(==|>=|\+\+)?(\d*)', rest.removesuffix(DONE))
        (one.signals if done else one.waits).append(
            (kind, int(number), what.group(1), int(what.group(2) or 0))
        )
    one.transfers += map(int, TRANSFER.findall(text))


def of_json(data):
    length = scaled(data['summary'][0]['total_time'], 12)
    cores = {model['sg_name']: Core(model['nc_idx'], length) for model in data['model_info']}
    alone = next(iter(cores.values()))
    for item in data['instruction']:
        first = item['timestamp'] * 1000
        one = Instruction(
            VENDORS[item['subgroup']], item['opcode'], first, first + item['duration'] * 1000
        )
        add_operands(one, item['operands'])
        cores.get(item.get('subgraph'), alone).instructions.append(one)
    for item in data['semaphore_update']:
        number = int(re.search(r'\d+', item['id']).group())
        cores.get(item.get('subgraph'), alone).updates.append(
            (item['timestamp'] * 1000, number, item['value'], None)
        )
    return list(cores.values())


# -- From the bytes
# -------------------------------------------------------------------------------------------------

WAITS = {1: ('S', '=='), 5: ('S', '>='), 7: ('E', '==')}
SIGNALS = {
    0x11: ('E', '='),
    0x13: ('S', '++'),
    0x14: ('S', '--'),
    0x15: ('S', '+='),
    0x19: ('S', '='),
}


def add_code(one, code):
    words = [(code[4], code[5], struct.unpack_from('<I', code, 8)[0], code[6], code[7])]
    if code[0] == ntff.WAIT:
        words.append(
            (code[32], code[33], struct.unpack_from('<I', code, 36)[0], code[34], code[35])
        )
    for wait, number, value, signal, other in words:
        if wait:
            one.waits.append((WAITS[wait][0], number, WAITS[wait][1], value))
        if signal:
            one.signals.append((SIGNALS[signal][0], other, SIGNALS[signal][1], 0))
    if code[0] == 0xB8:
        one.transfers.append(code[13])


def of_ntff(path):
    file, cores = ntff.File(path), []
    for graph in file.graphs:
        core = Core(
            graph.core, file.last - file.first if file.last != ntff.NEVER else file.graphs[0].total
        )
        cores.append(core)
        for engine, code, first, end in ntff.instructions(graph):
            if first < max(file.first, graph.begins) or end > file.last:
                continue
            one = Instruction(
                ntff.ENGINES[engine],
                ntff.OPCODES.get(code[0], ntff.GUESSED),
                first - file.first,
                end - file.first,
            )
            add_code(one, code)
            core.instructions.append(one)
        for low, value, ticks in graph.records(1):
            at = graph.clocks[6][0].ps(ticks) - file.first
            if low >> 8 & 1 and at >= 0:
                source = (low >> 24 & 31) // 4 - 1
                core.updates.append((at, low & 255, value, ntff.ENGINES.get(source, 'AXI')))
    return cores


# -- What was waited for
# --------------------------------------------------------------------------------------------


def holds(word, value):
    return value == word[3] if word[2] == '==' else value >= word[3]


class Updates:
    """Those of one semaphore, by time, each with the instruction that made it (None: not known)."""

    def __init__(self, core, number):
        self.all = sorted((u for u in core.updates if u[1] == number), key=lambda u: u[0])
        signals = [
            (i, word) for i in core.instructions for word in i.signals if word[:2] == ('S', number)
        ]
        self.raisers, used = [], set()
        for at, _, value, engine in self.all:
            near = [
                (abs(i.end - at), i.end, k)
                for k, (i, word) in enumerate(signals)
                if k not in used
                and abs(i.end - at) <= JITTER
                and engine in (None, i.engine)
                and self.gives(i, word) in (None, value)
            ]
            best = min(near)[2] if near else None
            used.add(best)
            self.raisers.append(None if best is None else signals[best][0])

    @staticmethod
    def gives(instruction, word):
        for wait in instruction.waits:
            if word[2] == '++' and wait[:3] == ('S', word[1], '=='):
                return wait[3] + 1
        return None

    def release(self, word, over):
        """Number of the update since which it held when the wait was over; None: not told."""
        at = sum(u[0] <= over for u in self.all) - 1
        while at >= 0 and not holds(word, self.all[at][2]) and self.all[at][0] > over - JITTER:
            at -= 1
        if at < 0 or not holds(word, self.all[at][2]):
            return None
        while at > 0 and holds(word, self.all[at - 1][2]):
            at -= 1
        return at


def find_waits(core, order):
    """(moment, instruction, instruction that raised it, one that began a transfer which did) of
    each word."""
    updates, found = {}, []
    for one in order:
        for word in one.waits:
            known = word[0] == 'S' and word[2] in ('==', '>=')
            of = updates.setdefault(word[1], Updates(core, word[1])) if known else None
            at = of.release(word, one.over) if of else None
            if at is None:
                one.unsure, one.begin = True, one.over
                continue
            moment = of.all[at][0]
            began = [i for i in order if word[1] in i.transfers and i.first <= moment]
            found.append((moment, one, of.raisers[at], began[-1] if began else None))
    return found


def earlier(a, b, place):
    return (a.begin, place[id(a)]) < (b.begin, place[id(b)])


def depend(core):
    order = sorted(core.instructions, key=lambda i: (i.first, -i.end))
    place, last = {id(one): n for n, one in enumerate(order)}, {}
    for one in order:
        one.before = last.get(one.engine)
        if one.before is None or one.end >= one.before.end:
            last[one.engine] = one
    waits = sorted(find_waits(core, order), key=lambda w: (w[0], place[id(w[1])]))
    for moment, one, raiser, _ in waits:
        if one.is_wait:
            one.begin = min(max(one.begin, moment, raiser.begin + 1 if raiser else moment), one.end)
    for one in reversed(order):
        if one.before and one.before.begin > one.begin:
            one.before.begin = one.begin
    for moment, one, raiser, began in waits:
        source = raiser
        if source is None and began:
            source = began
            if moment > began.end:
                source = Instruction(began.engine, began.name, began.end, moment)
                source.kind, source.sources = 'copy', [began]
                place[id(source)] = len(place)
        if source and earlier(source, one, place):
            one.sources.append(source)
        elif not (one.before and moment <= min(one.before.end, one.begin)):
            one.unsure = True
    return order


# -- The path
# -------------------------------------------------------------------------------------------------------


def binding(one):
    """(ready, class of the time until it began, source)"""
    ready = [(min(one.before.end, one.begin), 1, 'queue_gap', one.before)] if one.before else []
    ready += [(min(source.end, one.begin), 0, 'wait_gap', source) for source in one.sources]
    return max(ready, key=lambda r: r[:2], default=None)


def path(core):
    """[first, end, class, name, engine], equal neighbours joined."""
    parts, order = [], depend(core)

    def put(first, end, kind, one):
        first, end = max(first, 0), min(end, core.length)
        if end > first:
            parts.append([first, end, kind, one and one.name, one and one.engine])

    here = max(
        (i for i in order if i.first < core.length),
        key=lambda i: (min(i.end, core.length), i.first, order.index(i)),
    )
    put(here.end, core.length, 'unknown', None)  # the program, which is the window, has not ended
    at = min(here.end, core.length)
    while here:
        put(here.begin, at, 'wait_gap' if here.is_wait else here.kind or 'compute', here)
        at = min(at, here.begin)
        bound = binding(here)
        if not bound:
            put(0, at, 'unknown', None)
            break
        put(bound[0], at, 'unknown' if here.unsure else bound[2], here)
        at, here = min(at, bound[0]), bound[3]
    joined = []
    for part in reversed(parts):
        if joined and joined[-1][2:] == part[2:]:
            joined[-1][1] = part[1]
        else:
            joined.append(part)
    return joined
