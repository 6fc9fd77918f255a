#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ranks.py - traces of one training job as PyTorch writes them, a file a rank, with planted
culprits and known clocks. What is true of the job is given back, and written by --expect; same
seed, same bytes.

A step: each layer computes forward, then an all-reduce of its host's ranks (TP) that computing
waits for; backward the same, and beside it a reduce-scatter over the hosts (DP); then an all-reduce
of one element over all, the optimizer, and an all-gather over the hosts. A host has 8 ranks.

plants slow GPU rank:factor; stall of a host rank:step:layer:us; slow link group-number:step:us,
which delays that DP
         group's reduce-scatters for all its ranks, so that nobody is late
shapes plain; pp (hosts are stages: send and recv); ep (all_to_allv of uneven parts, several kernels
a Seq);
         uneven (TP groups of 3 and 5, DP only over even ranks)
faults bare (no kernel says what it was), lost (one launch of a hundred has no kernel), skew (ends
differ by up
         to 300 us with the bytes), early (some ranks end up to 30 us before the others)
All arithmetic is in integer nanoseconds."""
import argparse
import json
import os
import random
from dataclasses import dataclass, field

BASE = 1760000000_000000000  # baseTimeNanoseconds
BEGIN = 5_000_000_000  # true time of the first step, ns after the base
LOCAL = 8  # ranks of a host
KERNELS = {
    'allreduce': 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
    '_reduce_scatter_base': 'ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
    '_allgather_base': 'ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)',
}
SEND_RECV = 'ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)'


@dataclass
class Job:
    hosts: int = 1
    steps: int = 4
    layers: int = 12
    seed: int = 1
    # seq; none: readers count; cut: they count in captures that begin at different moments
    keys: str = 'seq'
    offset_ms: float = 20
    ppm: float = 0
    noise: float = 0.01
    shape: str = 'plain'
    faults: tuple = ()
    slow: dict = field(default_factory=dict)  # rank: factor
    stall: dict = field(default_factory=dict)  # (rank, step, layer): ns
    link: dict = field(default_factory=dict)  # (group, step): ns
    named_hosts: bool = True

    @property
    def ranks(self):
        return self.hosts * LOCAL


@dataclass
class Call:
    """A collective of one group, with the kernels of its ranks."""

    group: str
    ranks: list
    kind: str
    elements: tuple  # in, out
    dtype: str
    base: int  # ns that it takes when all are there
    skew: float  # mean ns by which ends differ
    waits: bool  # computing waits for its end
    stream: int
    extra: int = 0


class Machine:
    """Simulates the job. events[r]: (start, duration, name, stream, correlation, launch, call or
    None, its Seq)."""

    def __init__(self, job):
        self.job = job
        self.random = random.Random(job.seed)
        rnd, n = self.random, job.ranks
        spread = [
            0 if h == 0 else rnd.uniform(-1, 1) for h in range(job.hosts if job.named_hosts else n)
        ]
        self.offset = [int(x * job.offset_ms * 1e6) for x in spread]
        self.ppm = [
            0.0 if i == 0 else rnd.uniform(-job.ppm, job.ppm) for i in range(len(self.offset))
        ]
        self.early = {
            r: rnd.randrange(5000, 30000) for r in range(n) if 'early' in job.faults and r % 5 == 2
        }
        self.host = [BEGIN + rnd.randrange(200_000) for _ in range(n)]
        self.compute = list(self.host)
        self.queue = [{20: t, 24: t, 28: t} for t in self.host]
        self.correlation = [1000] * n
        self.sequence = {}
        self.events = [[] for _ in range(n)]
        self.bounds = [[] for _ in range(n)]
        self.expect = []

    def launch(self, r):
        self.host[r] += 6000 + self.random.randrange(1500)
        self.correlation[r] += 1
        return self.host[r]

    def kernel(self, r, name, duration):
        at = self.launch(r)
        start = max(self.compute[r], at + 3000)
        noise = 1 + self.random.gauss(0, self.job.noise)
        took = max(1, int(duration * self.job.slow.get(r, 1.0) * noise))
        self.events[r].append((start, took, name, 7, self.correlation[r], at, None, 0))
        self.compute[r] = start + took

    def end_of(self, call, r, arrived, end):
        """When rank r ends; arrived: of all its ranks."""
        if call.kind == 'all_to_allv':  # a rank that gets little ends alone
            return arrived[r] + call.base // 4 + self.random.randrange(call.base)
        own = end + int(self.random.expovariate(1.0 / call.skew))
        if 'skew' in self.job.faults:
            own += int(self.random.random() * min(300_000, call.elements[0] // 100))
        return max(arrived[r] + 2000, own - self.early.get(r, 0))

    def collective(self, call, step, layer):
        number = self.sequence[call.group] = self.sequence.get(call.group, 0) + 1
        arrived, launched = {}, {}
        for r in call.ranks:
            launched[r] = self.launch(r)
            arrived[r] = max(self.compute[r], self.queue[r][call.stream], launched[r] + 3000)
        order = sorted(call.ranks, key=lambda r: (-arrived[r], r))
        begun = arrived[order[0]]
        end = begun + int(call.base * (1 + abs(self.random.gauss(0, 0.02)))) + call.extra
        for r in call.ranks:
            done = self.end_of(call, r, arrived, end)
            parts = 3 if call.kind == 'all_to_allv' and 'ep' in self.job.shape else 1
            for i in range(parts):
                a = arrived[r] + (done - arrived[r]) * i // parts
                b = arrived[r] + (done - arrived[r]) * (i + 1) // parts
                name = KERNELS.get(call.kind, SEND_RECV)
                self.events[r].append(
                    (a, b - a, name, call.stream, self.correlation[r], launched[r], call, number)
                )
            self.queue[r][call.stream] = done
            if call.waits:
                self.compute[r] = max(self.compute[r], done)
        self.expect.append(
            {
                'group': call.group,
                'sequence': number,
                'step': step,
                'layer': layer,
                'kind': call.kind,
                'last': order[0],
                'lead_ns': begun - arrived[order[1]],
                'spread_ns': begun - arrived[order[-1]],
                'end_ns': end,
            }
        )

    # -- The model
    # -------------------------------------------------------------------------------------------

    def groups(self):
        n, uneven = self.job.ranks, self.job.shape == 'uneven'
        cuts = ([0, 3], [3, 8]) if uneven else ([0, 8],)
        tp = [[h * LOCAL + i for i in range(*cut)] for h in range(self.job.hosts) for cut in cuts]
        dp = (
            [list(range(i, n, LOCAL)) for i in range(0, LOCAL, 2 if uneven else 1)]
            if self.job.hosts > 1
            else []
        )
        return tp, [] if self.job.shape == 'pp' else dp

    def tensor_parallel(self, tp, step, layer):
        for ranks in tp:
            self.collective(
                Call(
                    f'tp{ranks[0]}',
                    ranks,
                    'allreduce',
                    (8388608, 8388608),
                    'BFloat16',
                    90_000,
                    1500,
                    True,
                    20,
                ),
                step,
                layer,
            )

    def experts(self, step, layer):
        if self.job.shape != 'ep':
            return
        elements = 1 << 20
        for h in range(self.job.hosts):
            ranks = list(range(h * LOCAL, (h + 1) * LOCAL))
            call = Call(
                f'ep{h}',
                ranks,
                'all_to_allv',
                (elements, elements),
                'BFloat16',
                120_000,
                5000,
                True,
                28,
            )
            self.collective(call, step, layer)

    def hand_on(self, step, down):
        """Stages one after the other: each sends to the next."""
        for h in range(self.job.hosts - 1) if down else range(self.job.hosts - 1, 0, -1):
            yield h
            for i in range(LOCAL):
                pair = sorted((h * LOCAL + i, (h + (1 if down else -1)) * LOCAL + i))
                kind = 'send' if down else 'recv'
                self.collective(
                    Call(
                        f'pp{pair[0]}',
                        pair,
                        kind,
                        (4194304, 4194304),
                        'BFloat16',
                        60_000,
                        1500,
                        True,
                        28,
                    ),
                    step,
                    -1,
                )
        yield self.job.hosts - 1 if down else 0

    def forward(self, ranks, tp, step):
        for layer in range(self.job.layers):
            for r in ranks:
                for name, took in (
                    ('attn_fwd', 180_000),
                    ('gemm_fwd', 260_000),
                    ('norm_fwd', 30_000),
                ):
                    self.kernel(r, name, took)
            self.experts(step, layer)
            self.tensor_parallel(tp, step, layer)

    def backward(self, ranks, tp, dp, step):
        for layer in range(self.job.layers - 1, -1, -1):
            for r in ranks:
                stall = self.job.stall.get((r, step, layer))
                if stall:
                    self.host[r] = max(self.host[r], self.compute[r]) + stall
                for name, took in (
                    ('attn_bwd', 360_000),
                    ('gemm_bwd', 520_000),
                    ('norm_bwd', 50_000),
                ):
                    self.kernel(r, name, took)
            self.tensor_parallel(tp, step, layer)
            for i, members in enumerate(dp):
                self.collective(
                    Call(
                        f'dp{i}',
                        members,
                        '_reduce_scatter_base',
                        (33554432, 33554432 // len(members)),
                        'Float',
                        400_000,
                        20_000,
                        False,
                        24,
                        self.job.link.get((i, step), 0),
                    ),
                    step,
                    layer,
                )

    def of_host(self, tp, h):
        return [ranks for ranks in tp if ranks[0] // LOCAL == h]

    def stages(self, tp, step):
        for h in self.hand_on(step, True):
            self.forward(range(h * LOCAL, (h + 1) * LOCAL), self.of_host(tp, h), step)
        for h in self.hand_on(step, False):
            self.backward(range(h * LOCAL, (h + 1) * LOCAL), self.of_host(tp, h), [], step)

    def step(self, tp, dp, step):
        everybody = list(range(self.job.ranks))
        for r in everybody:
            self.bounds[r].append(self.host[r])
        if self.job.shape == 'pp' and self.job.hosts > 1:
            self.stages(tp, step)
        else:
            self.forward(everybody, tp, step)
            self.backward(everybody, tp, dp, step)
        for r in everybody:
            self.compute[r] = max(self.compute[r], self.queue[r][24])
        self.collective(
            Call('world', everybody, 'allreduce', (1, 1), 'Float', 25_000, 2500, True, 20), step, -1
        )
        for r in everybody:
            self.kernel(r, 'adam', 400_000)
            self.kernel(r, 'cast', 90_000)
        for i, members in enumerate(dp):
            self.collective(
                Call(
                    f'dp{i}',
                    members,
                    '_allgather_base',
                    (33554432 // len(members), 33554432),
                    'BFloat16',
                    300_000,
                    20_000,
                    True,
                    24,
                ),
                step,
                -1,
            )
        for r in everybody:  # loss.item()
            self.host[r] = (
                max(self.host[r], self.compute[r]) + 20_000 + self.random.randrange(20_000)
            )

    def run(self):
        tp, dp = self.groups()
        for step in range(self.job.steps):
            self.step(tp, dp, step)
        for r in range(self.job.ranks):
            self.bounds[r].append(self.host[r])

    # -- Files
    # -------------------------------------------------------------------------------------------------

    def local(self, r, t):
        clock = r // LOCAL if self.job.named_hosts else r
        return t + self.offset[clock] + int(self.ppm[clock] * t / 1e6)

    def rows(self, r):
        job, rnd = self.job, random.Random(f'{self.job.seed}/{r}')
        bounds = self.bounds[r]
        cut = bounds[0] + (rnd.randrange(bounds[1] - bounds[0]) if job.keys == 'cut' else 0)
        pid = 4000 + r
        yield f'{{"ph":"M","ts":0,"pid":{pid},"tid":0,"name":"process_name","args":{{"name":"python"}}}}'
        for step in range(job.steps):
            if bounds[step] >= cut:
                start, end = self.local(r, bounds[step]), self.local(r, bounds[step + 1])
                yield (
                    f'{{"ph":"X","cat":"user_annotation","name":"ProfilerStep#{step}","pid":{pid},"tid":{pid},"ts":{us(start)},'
                    f'"dur":{us(end - start)},"args":{{"External id":{step + 1}}}}}'
                )
        for start, took, name, stream, correlation, launch, call, number in self.events[r]:
            if launch < cut:
                continue
            yield (
                f'{{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":{pid},"tid":{pid},'
                f'"ts":{us(self.local(r, launch - 5000))},"dur":5.000,"args":{{"External id":{correlation},"cbid":430,'
                f'"correlation":{correlation}}}}}'
            )
            if 'lost' in job.faults and rnd.random() < 0.01:
                continue
            a, b = self.local(r, start), self.local(r, start + took)
            yield (
                f'{{"ph":"X","cat":"kernel","name":"{name}","pid":{r % LOCAL},"tid":{stream},"ts":{us(a)},"dur":{us(b - a)},'
                f'"args":{{"External id":{correlation},"queued":0,"device":{r % LOCAL},"context":1,"stream":{stream},'
                f'"correlation":{correlation},"grid":[8,1,1],"block":[544,1,1]{self.fields(call, number, r)}}}}}'
            )

    def fields(self, call, number, r):
        if not call or 'bare' in self.job.faults:
            return ''
        n_in, n_out = call.elements
        if call.kind == 'all_to_allv':
            n_in, n_out = n_in + 4096 * (r % 3), n_out + 4096 * (number % 5) * (r % 2)
        kind = call.kind
        if kind in ('send', 'recv'):  # one end sends, the other receives
            kind = 'send' if (r == call.ranks[0]) == (call.kind == 'send') else 'recv'
        shown = [str(x) for x in call.ranks[:30]] + (
            ['...'] if len(call.ranks) > 30 else []
        )  # as PyTorch cuts them
        text = (
            f',"Collective name":"{kind}","In msg nelems":{n_in},"Out msg nelems":{n_out},"Group size":{len(call.ranks)},'
            f'"dtype":"{call.dtype}","In split size":"[]","Out split size":"[]","Process Group Name":"{call.group}",'
            f'"Process Group Description":"{call.group.rstrip("0123456789")}","Process Group Ranks":"[{", ".join(shown)}]"'
        )
        return text + (f',"Seq":{number}' if self.job.keys == 'seq' else '')

    def text(self, r):
        host = f'"host_name":"node{r // LOCAL:04d}",' if self.job.named_hosts else ''
        head = (
            f'{{"schemaVersion":1,"deviceProperties":[{{"id":{r % LOCAL},"name":"NVIDIA H100 80GB HBM3"}}],"distributedInfo":'
            f'{{"backend":"nccl","rank":{r},"world_size":{self.job.ranks}}},{host}"displayTimeUnit":"ms",'
            f'"baseTimeNanoseconds":{BASE},"traceName":"rank{r}.json","traceEvents":[\n'
        )
        return head + ',\n'.join(self.rows(r)) + '\n]}\n'


def us(ns):
    return f'{ns // 1000}.{ns % 1000:03d}'


def truth(machine):
    job = machine.job
    return {
        'ranks': job.ranks,
        'offset_ns': machine.offset,
        'ppm': machine.ppm,
        'collectives': machine.expect,
    }


def make(folder, job, only=None):
    """Writes rank00000.json, ... and returns what is true of the job."""
    machine = Machine(job)
    machine.run()
    os.makedirs(folder, exist_ok=True)
    for r in only if only is not None else range(job.ranks):
        with open(os.path.join(folder, f'rank{r:05d}.json'), 'w', encoding='utf-8') as out:
            out.write(machine.text(r))
    return truth(machine)


def planted(parts, width):
    return {
        tuple(int(x) for x in p.split(':')[:width]): int(float(p.split(':')[width]) * 1000)
        for p in parts
    }


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    p.add_argument('-o', required=True, metavar='FOLDER')
    for name in ('hosts', 'steps', 'layers', 'seed'):
        p.add_argument('--' + name, type=int, default=getattr(Job, name))
    for name in ('offset_ms', 'ppm', 'noise'):
        p.add_argument('--' + name.replace('_', '-'), type=float, default=getattr(Job, name))
    p.add_argument('--keys', choices=('seq', 'none', 'cut'), default='seq')
    p.add_argument('--shape', choices=('plain', 'pp', 'ep', 'uneven'), default='plain')
    p.add_argument(
        '--fault', action='append', default=[], choices=('bare', 'lost', 'skew', 'early')
    )
    p.add_argument('--slow', action='append', default=[], metavar='RANK:FACTOR')
    p.add_argument('--stall', action='append', default=[], metavar='RANK:STEP:LAYER:US')
    p.add_argument('--link', action='append', default=[], metavar='GROUP:STEP:US')
    p.add_argument('--expect', metavar='FILE')
    a = p.parse_args()
    job = Job(
        a.hosts,
        a.steps,
        a.layers,
        a.seed,
        a.keys,
        a.offset_ms,
        a.ppm,
        a.noise,
        a.shape,
        tuple(a.fault),
        {int(s.split(':')[0]): float(s.split(':')[1]) for s in a.slow},
        planted(a.stall, 3),
        planted(a.link, 2),
    )
    expect = make(a.o, job)
    if a.expect:
        with open(a.expect, 'w', encoding='utf-8') as out:
            json.dump(expect, out)


if __name__ == '__main__':
    main()
