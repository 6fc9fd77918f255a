# SPDX-License-Identifier: Apache-2.0
"""transfers.py - the critical path of a core of TPU by brute force, from the rows of its plane.

Between any two neighbouring ends of rows the core does one thing, the innermost of what is under
way. The walk goes back over these cells; where an operator waited for what another one started, it
goes on at that one."""

import re

from model import hlo_kind

LEAST_WAIT = 100000  # ps
OPERATORS = ('XLA Ops', 'Sparse Core Ops')
DONE = '-done'


class Cell:
    """What the core did from `first` to `end`; row: None where it did nothing."""

    def __init__(self, first, end, row):
        self.first, self.end, self.row = first, end, row


def operand(row):
    """Name of what an operator takes, from its HLO text; None: the text is not there."""
    text = row.args.get('hlo_text')
    names = re.findall(r'(?<!=)%([^ ,(){}]+)', text.split(' = ', 1)[1]) if text else []
    return next((name for name in names if '-start' in name), names[0] if names else None)


class Core:
    def __init__(self, lines, first, end):
        """lines: rows by the name of the line."""

        def meeting(name):
            return [row for row in lines.get(name, []) if row.end >= first and row.first <= end]

        self.first, self.end = first, end
        self.line = next(name for name in OPERATORS if lines.get(name))
        self.rows = sorted(meeting(self.line), key=lambda r: (r.first, -r.end, r.index))
        self.beside, self.programs = meeting('Async XLA Ops'), meeting('XLA Modules') + meeting(
            'Sparse Core Modules'
        )
        self.cells = self.drawn()

    def drawn(self):
        edges = sorted({edge for row in self.rows for edge in row.interval})
        cells = []
        for first, end in zip(edges, edges[1:]):
            under_way = [row for row in self.rows if row.first <= first and end <= row.end]
            cells.append(Cell(first, end, under_way[-1] if under_way else None))
        return cells

    def started_by(self, done):
        """The operator that started what this one ends; None: not told."""
        names = [operand(done)]
        if not names[0]:
            names = [done.name.replace(DONE, '-start'), done.name.replace(DONE, '')]
        for name in names:
            before = [
                row
                for row in self.rows
                if row.name == name and row.end <= done.first and row is not done
            ]
            if before:
                return before[-1]
        return None

    def transfer(self, start):
        """The row of what an operator started."""
        rows = [
            row
            for row in self.beside
            if start.first <= row.first <= start.end
            and row.args.get('hlo_text') in (None, start.args.get('hlo_text'))
        ]
        return min(rows, key=lambda row: (row.first, row.index), default=None)

    def waited(self, row):
        """(until when it waited, what started that, its row) or None."""
        if DONE not in row.name and not row.category.endswith(DONE):
            return None
        start = self.started_by(row)
        beside = self.transfer(start) if start else None
        until = min(beside.end, row.end) if beside else row.end
        return (until, start, beside) if until - row.first > LEAST_WAIT else None

    def began(self, first, end):
        """When the program began whose first operator is at `end`; None: before `first`."""
        return max(
            (
                p.first
                for p in self.programs
                if first <= p.first <= end
                and not any(p.first <= row.first < end for row in self.rows)
            ),
            default=None,
        )

    def ended(self, moment):
        """Until when programs last that were under way when the core had worked until then."""
        return max((p.end for p in self.programs if p.first <= moment), default=moment)

    def follows(self, moment):
        """What the core did then: first what takes no time."""
        none = [row for row in self.rows if row.first == row.end == moment]
        return none[0] if none else next(cell.row for cell in self.cells if cell.first == moment)


def kind_of(row):
    kind = hlo_kind(row.category, row.name)
    return kind if kind in ('communication', 'copy') else 'compute'


def path(core):
    """[first, end, class, name, line], equal neighbours joined."""
    parts, cells = [], core.cells

    def put(first, end, kind, name, line):
        first, end = max(first, core.first), min(end, core.end)
        if end > first:
            parts.append([first, end, kind, name, line])

    def before(moment):
        return max((i for i, cell in enumerate(cells) if cell.end <= moment), default=None)

    def idle(first, end, since=None):
        began, following = (
            core.began(first if since is None else since, end),
            core.follows(end).name,
        )
        if began is None:
            put(first, end, 'queue_gap', following, core.line)
        else:
            ended = min(core.ended(first), began)
            put(began, end, 'unknown', following, core.line)
            put(max(first, ended), began, 'host_gap', None, None)
            put(first, ended, 'unknown', None, None)

    def last():
        """The cell in which, or behind which, the core did something last."""
        return max(
            i
            for i, cell in enumerate(cells)
            if cell.first < core.end and (cell.row or cell.end < core.end)
        )

    at = last()
    worked = cells[at].end
    behind = max((p.first for p in core.programs if p.first > worked), default=core.end)
    ended = min(core.ended(worked), behind) if core.programs else core.end
    put(behind, core.end, 'unknown', None, None)
    put(max(worked, ended), behind, 'host_gap', None, None)
    put(worked, ended, 'unknown', None, None)
    while at is not None and cells[at].end > core.first:
        cell, row = cells[at], cells[at].row
        waited = row and core.waited(row)
        if not waited:
            if row:
                put(cell.first, cell.end, kind_of(row), row.name, core.line)
            else:
                idle(cell.first, cell.end)
            at = at - 1 if at else None
            continue
        until, start, beside = waited
        put(until, row.end, kind_of(row), row.name, core.line)
        if start:
            put(
                start.end,
                until,
                kind_of(start),
                start.name,
                'Async XLA Ops' if beside else core.line,
            )
            at = before(start.end)
            continue
        put(row.first, until, 'unknown', row.name, core.line)
        at = before(row.first)
    first = cells[0].first
    if at is None and core.began(float('-inf'), first) is not None:
        idle(core.first, first, since=float('-inf'))
    elif at is None:
        put(core.first, first, 'unknown', None, None)
    joined = []
    for part in reversed(parts):
        if joined and joined[-1][2:] == part[2:]:
            joined[-1][1] = part[1]
        else:
            joined.append(part)
    return joined
