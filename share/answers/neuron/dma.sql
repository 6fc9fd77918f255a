-- SPDX-License-Identifier: Apache-2.0
-- dma: DMA of a NeuronCore that no engine computes beside
-- when: > 10 % of the execution, 5 % where DMA bounds it
-- stake: duration_ns of table verdict_parts, part copy
-- of: dma
-- shown: transfers
-- code: copy
-- each: input device
-- needs: verdict (input device base window_ps engine)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part duration_ps)
-- needs: moved (input device name kind calls duration_ps bytes)
-- needs: devices? (input device copy_ps compute_ps overlap_ps)
-- needs: logical_cores? (input device copy_ps compute_ps overlap_ps)
-- needs: facts? (input key value)
-- needs: neuron_waits? (input device engine semaphores raised_by duration_ps start_ps longest_ps)
-- needs: neuron_summary? (input device metric value)
-- note: Beside compute at most the shorter of what DMA and what compute take alone is hidden: the gain, an upper
-- note: bound, is without that; there is none below 1.02. How many packets move at a time is the sum of their
-- note: times by the time in which any does; a core has 16 DMA engines. What an engine waited for DMA is table
-- note: neuron_waits: semaphores of transfers that an instruction begins, and, where no collective runs, those
-- note: that no instruction of the core raises and no other core may: of cores that compute, where one does.
-- word: peak v2: 27.2 GB/s
-- word: peak v4: 38.4 GB/s
-- word: engine tensor: tensor engine
-- word: engine scalar: scalar engine
-- word: engine vector: vector engine
-- word: engine gpsimd: GPSIMD engine
-- word: when overlap: if DMA ran beside compute
-- word: do overlap: load the next tile while this one computes (double buffering)
-- word: do hold: keep tiles in SBUF
-- word: do spread: spread transfers over the 16 DMA engines
-- say: DMA of {device:device} runs while nothing computes for {share:share} of the execution ({stake:time})
-- condition: [{first:when}]
-- detail: {calls:count} packets of {mean_bytes:bytes} move {all_bytes:bytes} at {rate:rate}: {many:count} at a time, {each_rate:rate} each[ of {peak:peak}][, most on {name}][; the {engine:engine} waits {waited:share} for DMA, {longest_ps:time} at once for {other}]
-- advice: [{first:do}, ]{also:do}
with core as (
  select v.rowid as at, v.input, v.device, v.window_ps, p.duration_ps as copy_ps
  from verdict v join verdict_parts p on p.input is v.input and p.device is v.device and p.part = 'copy'
  where v.engine is not null and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded') and p.duration_ps * 100.0 > v.window_ps * case v.engine when 'dma' then 5.0 else 10.0 end),
active as (
  select input, device, copy_ps as active_ps, compute_ps - overlap_ps as compute_ps from logical_cores
  union all select d.input, d.device, d.copy_ps, d.compute_ps - d.overlap_ps from devices d
  where not exists (select 1 from logical_cores l where l.input is d.input and l.device is d.device)),
queues as (
  select m.input as of, m.device as device_of, m.name, sum(calls) over whole as calls, sum(bytes) over whole as bytes,
    sum(duration_ps) over whole as time_ps,
    row_number() over (partition by m.input, m.device order by m.duration_ps desc, m.name) as nth
  from moved m where m.kind = 'copy' window whole as (partition by m.input, m.device)),
reached as (
  select c.*, q.*, a.active_ps, min(c.copy_ps, a.compute_ps) as hidden_ps,
    min(c.copy_ps, a.compute_ps) * 50 >= c.window_ps as hides
  from core c join active a on a.input is c.input and a.device is c.device and a.active_ps > 0
  join queues q on q.of is c.input and q.device_of is c.device and q.nth = 1 and q.calls > 0 and q.time_ps > 0),
waits as (
  select w.input, c.device, w.engine, w.semaphores, w.start_ps, w.longest_ps,
    sum(w.duration_ps) over (partition by c.device, w.input, w.device, w.engine) as wait_ps,
    row_number() over (partition by c.device, w.input, w.device, w.engine order by w.longest_ps desc, w.rowid) as nth,
    w.rowid as at
  from neuron_waits w
  join core c on w.input is c.input and (w.device is c.device or substr(w.device, 1, length(c.device) + 1) = c.device || '/')
  join devices d on d.input is w.input and d.device is w.device and d.compute_ps > 0
  where w.engine in ('tensor', 'vector', 'scalar', 'gpsimd') and (w.raised_by = 'dma' or w.raised_by = 'unnamed' and (
    select count(*) from devices o
    where o.input is c.input and o.compute_ps > 0 and substr(o.device, 1, length(c.device) + 1) = c.device || '/') < 2 and not exists (
    select 1 from neuron_summary s
    where s.input is c.input and s.device is c.device and s.metric = 'cc_cores_instruction_count' and s.value > 0))),
longest as (
  select *, row_number() over (partition by input, device order by wait_ps desc, at) as place
  from waits where nth = 1)
select c.input, c.device, c.copy_ps as stake, c.copy_ps * 1.0 / c.window_ps as share,
  case when c.hides then c.window_ps * 1.0 / (c.window_ps - c.hidden_ps) end as gain, case when c.hides then 'upper_bound' end as certainty,
  c.calls, cast(round(c.bytes * 1.0 / c.calls) as integer) as mean_bytes, c.bytes as all_bytes, c.name,
  1.0 * c.bytes / c.active_ps * 1e12 as rate, cast(round(c.time_ps * 1.0 / c.active_ps) as integer) as many,
  1.0 * c.bytes / c.time_ps * 1e12 as each_rate,
  (select case when f.value like 'trn3%' then 'v4' when f.value like 'trn%' or f.value like 'inf2%' then 'v2' end
    from facts f where f.input is c.input and f.key = 'device_type' order by f.rowid limit 1) as peak,
  case when l.wait_ps * 20 > c.window_ps then l.engine end as engine, l.wait_ps * 1.0 / c.window_ps as waited,
  l.longest_ps, l.semaphores as other,
  case when l.wait_ps * 20 > c.window_ps then l.start_ps end as start_ps,
  case when l.wait_ps * 20 > c.window_ps then l.start_ps + l.longest_ps end as end_ps,
  case when c.hides then 'overlap' end as first, case when c.time_ps < 8 * c.active_ps then 'spread' else 'hold' end as also
from reached c
left join longest l on l.input is c.input and l.device is c.device and l.place = 1
where c.window_ps > c.copy_ps
order by stake desc, c.at
