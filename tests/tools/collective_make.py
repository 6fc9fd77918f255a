# SPDX-License-Identifier: Apache-2.0
"""collective_make.py - draws a job of ranks that call collectives, hangs it, and writes what logs
of collectives say of it: dumps of PyTorch's Flight Recorder (pickle, JSON) and lines of NCCL
Inspector. The same seed draws the same job. What a reader must find is worked out from the job, not
from the files."""

import json
import os
import pickle
import random

MS, S = 10**6, 10**9  # ns
KINDS = {
    'AllReduce': ('all_reduce', 1, 1),
    'AllGather': ('_all_gather_base', 1, 0),
    'ReduceScatter': ('_reduce_scatter_base', 0, 1),
    'Broadcast': ('broadcast', 1, 1),
}
CAUSES = ('none', 'missing', 'crashed', 'order', 'size', 'dtype', 'p2p', 'network')


class Group:
    def __init__(self, name, desc, ranks, number):
        self.name, self.desc, self.ranks, self.id = name, desc, ranks, number


class Call:
    """One collective of a group: when each rank called it and when all were done."""

    def __init__(self, number, group, kind, count, sequence, of_kind, came, end):
        self.number, self.group, self.kind, self.count = number, group, kind, count
        self.sequence, self.of_kind, self.came, self.end = sequence, of_kind, came, end

    def traffic(self):
        return (
            2
            * self.count
            * (len(self.group.ranks) if self.kind in ('AllGather', 'ReduceScatter') else 1)
        )

    def factor(self):
        n = len(self.group.ranks)
        return {'AllReduce': 2 * (n - 1) / n, 'Broadcast': 1}.get(self.kind, (n - 1) / n)

    def microseconds(self, rank):
        return (self.end - self.came[rank]) // 1000


class Job:
    def __init__(self, seed, cause=None):
        r = self.random = random.Random(seed)
        self.n = r.choice((2, 4, 6, 8))
        self.groups = [Group('0', 'default_pg', list(range(self.n)), r.getrandbits(62))]
        if self.n > 2:
            half = self.n // 2
            self.groups += [
                Group(str(1 + k), 'tp', list(range(k * half, k * half + half)), r.getrandbits(62))
                for k in (0, 1)
            ]
        self.calls = self.draw(r)
        self.cause = cause or r.choice(CAUSES)
        self.where = (
            r.randrange(len(self.calls) // 2, len(self.calls))
            if self.cause != 'none'
            else len(self.calls)
        )
        self.stuck = self.calls[self.where] if self.cause != 'none' else None
        self.culprit = r.choice(self.stuck.group.ranks) if self.stuck else None
        if self.cause == 'p2p':
            self.at = self.stuck.group.ranks.index(self.culprit)
            self.waits = (self.at + 1) % len(self.stuck.group.ranks)

    def draw(self, r):
        calls, t, sequence, of_kind, self.slow = (
            [],
            1_770_000_000 * S + r.randrange(S),
            {},
            {},
            r.randrange(self.n),
        )
        for number in range(r.randrange(30, 70)):
            group, kind = r.choice(self.groups), r.choice(tuple(KINDS))
            key = group.name, kind
            sequence[group.name] = sequence.get(group.name, 0) + 1
            of_kind[key] = of_kind.get(key, -1) + 1
            t += r.randrange(2 * MS, 9 * MS)
            came = {
                k: t + r.randrange(150_000) + (3 * MS if k == self.slow else 0) for k in group.ranks
            }
            t = max(came.values())
            end = t + r.randrange(20_000, 2 * MS)
            calls.append(
                Call(
                    number,
                    group,
                    kind,
                    r.choice((512, 8192, 1 << 20)),
                    sequence[group.name],
                    of_kind[key],
                    came,
                    end,
                )
            )
        return calls

    # -- Flight Recorder ----------------------------------------------------------------------

    def named(self):
        """The culprit; of two that differ which is wrong is unknown, and of a network neither."""
        even = self.cause in ('order', 'size', 'dtype') and len(self.stuck.group.ranks) == 2
        return None if self.cause in ('none', 'network') or even else self.culprit

    def entry(self, call, rank):
        late, stuck = call.number > self.where, call.number == self.where
        n = len(call.group.ranks)
        name, into, out = KINDS[call.kind]
        count, dtype, p2p = call.count, 'BFloat16', False
        if stuck and rank == self.culprit:
            name = {'order': 'all_reduce' if name == 'broadcast' else 'broadcast'}.get(
                self.cause, name
            )
            count += 64 * (self.cause == 'size')
            dtype = 'Float' if self.cause == 'dtype' else dtype
        if stuck and self.cause == 'p2p':
            name, p2p = f'recv {self.waits}<-{self.at}', True
        done = not (late or stuck)
        return {
            'frames': [
                {'name': 'forward', 'filename': '/home/me/train.py', 'line': 30 + call.number % 9},
                {'name': '<module>', 'filename': '/home/me/train.py', 'line': 5},
            ],
            'pg_id': int(call.group.name),
            'process_group': (call.group.name, call.group.desc),
            'collective_seq_id': call.sequence - p2p,
            'p2p_seq_id': int(p2p),
            'op_id': call.number + 1,
            'profiling_name': f'nccl:{name}',
            'time_created_ns': call.came[rank],
            **({'duration_ms': (call.end - call.came[rank]) / MS} if done else {}),
            'input_sizes': [[count if into else count * n]],
            'output_sizes': [[count if out else count * n]],
            'input_dtypes': [dtype],
            'output_dtypes': [dtype],
            'state': 'completed' if done else 'scheduled' if late else 'started',
            'time_discovered_started_ns': None if late else call.came[rank] + MS,
            'time_discovered_completed_ns': call.end + MS if done else None,
            'retired': done,
            'timeout_ms': 600000,
            'is_p2p': p2p,
        }

    def left_out(self, call, rank):
        if call.number < self.where or not self.stuck:
            return False
        if rank == self.culprit and self.cause in ('missing', 'p2p'):
            return True  # it is somewhere else
        if call.number == self.where and self.cause == 'p2p':
            return call.group.ranks.index(rank) != self.waits
        return call.number > self.where + 4  # the host runs only so far ahead

    def dump(self, rank, ring=40):
        """None: its process has crashed."""
        if self.cause == 'crashed' and rank == self.culprit:
            return None
        entries = [
            self.entry(c, rank)
            for c in self.calls
            if rank in c.group.ranks and not self.left_out(c, rank)
        ]
        for number, e in enumerate(entries):
            e['record_id'] = number
        groups = {
            g.name: {'name': g.name, 'desc': g.desc, 'ranks': str(g.ranks)}
            for g in self.groups
            if rank in g.ranks
        }
        return {
            'version': '2.10',
            'pg_config': groups,
            'comm_lib_version': '2.27.3',
            'pg_status': {},
            'entries': entries[-ring:],
        }

    def write_dumps(self, folder, as_json=False):
        os.makedirs(folder, exist_ok=True)
        for rank in range(self.n):
            dump = self.dump(rank)
            if dump and as_json:
                for e in dump['entries']:
                    del e['frames']
                    e['process_group'] = list(e['process_group'])
                    for key in ('time_discovered_started_ns', 'time_discovered_completed_ns'):
                        e[key] = e[key] or 0
                with open(os.path.join(folder, f'rank_{rank}.json'), 'w', encoding='utf-8') as file:
                    json.dump(dump, file)
            elif dump:
                with open(os.path.join(folder, f'nccl_trace_rank_{rank}'), 'wb') as file:
                    pickle.dump(dump, file, protocol=2)

    # -- NCCL Inspector -----------------------------------------------------------------------

    def line(self, call, rank, verbose):
        us, size = call.microseconds(rank), 2 * call.count
        algbw = call.traffic() / 1e9 / (us / 1e6) if us else 0
        perf = {
            'coll': call.kind,
            'coll_sn': call.of_kind,
            'coll_msg_size_bytes': size,
            'coll_exec_time_us': us,
            'coll_timing_source': 'kernel_gpu',
            'coll_algobw_gbs': round(algbw, 6),
            'coll_busbw_gbs': round(algbw * call.factor(), 6),
        }
        if verbose:
            a, b = call.came[rank] // 1000, call.end // 1000
            perf['event_trace_sn'] = {'coll_start_sn': 1, 'coll_stop_sn': 2, 'kernel_events': []}
            perf['event_trace_ts'] = {
                'coll_start_ts': a - 20,
                'coll_stop_ts': a - 15,
                'kernel_events': [
                    {
                        'channel_id': c,
                        'kernel_start_ts': a + c,
                        'kernel_stop_ts': b - c,
                        'kernel_record_ts': b - c,
                    }
                    for c in (1, 0)
                ],
            }
        return {
            'header': {
                'id': f'0x{call.group.id:x}',
                'comm_name': 'unknown' if call.group.name == '0' else 'TP Group',
                'rank': call.group.ranks.index(rank),
                'n_ranks': len(call.group.ranks),
                'nnodes': 1,
            },
            'metadata': {
                'inspector_output_format_version': 'v4.0',
                'git_rev': '',
                'rec_mechanism': 'nccl_profiler_interface',
                'dump_timestamp_us': call.end // 1000 + 700,
                'hostname': f'node{rank // 4}',
                'pid': 5000 + rank,
            },
            'coll_perf': perf,
        }

    def lines(self, rank, verbose=False):
        return [
            self.line(c, rank, verbose)
            for c in self.calls
            if rank in c.group.ranks and 2 * c.count >= 8192
        ]

    def write_logs(self, folder, verbose=False):
        os.makedirs(folder, exist_ok=True)
        for rank in range(self.n):
            with open(
                os.path.join(folder, f'node{rank // 4}-pid{5000 + rank}.log'), 'w', encoding='utf-8'
            ) as file:
                file.writelines(json.dumps(line) + '\n' for line in self.lines(rank, verbose))
