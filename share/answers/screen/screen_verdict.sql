-- SPDX-License-Identifier: Apache-2.0
-- screen_verdict: what bounds the device, with the part that decides
-- line: 5 verdict
-- of: verdict
-- needs: verdict (input device place code group word base windows window_ps share engine second second_share moving_share bandwidth_share)
-- needs: devices? (input device mfu copy_ps overlap_ps)
-- needs: logical_cores? (input device copy_ps overlap_ps)
-- needs: mfu? (input device step layer operator time_ps mfu mbu bound)
-- needs: bound? (input process code)
-- needs: verdict_parts? (input device part gaps duration_ps place place_time_ps)
-- needs: findings? (answer input device stake_ps share detail)
-- needs: communication? (input device exposed_ps)
-- needs: phases? (phase)
-- note: One number, and 100 letters at most, or 130 with where most of it is, besides whose a device is where there are
-- note: several files: the line of the step has its length and its parts.
-- note: A share is of all windows that count; where one gap was left out of what is judged, the line
-- note: below says both.
-- note: Most is in a place where it takes more than half of that time; else none is named, nor one of more than
-- note: 20 letters, which the line of idle time has.
-- note: What computing is bound by has its evidence: of memory how much of it moves that, or which
-- note: share of the peak that reaches; any other kind says that the MFU is unknown, where it is:
-- note: then the device is busy computing, and how well is not known. Decode reads the weights for each
-- note: token: there it is MEMORY-BOUND where operators that the roofline says so of take half of computing,
-- note: else DEVICE-BOUND, by compute or by memory, unless the MFU is 40 % or more. Where the device idles for a quarter or
-- note: more besides, that is said. Communication of which half or more is waiting for other ranks (answer
-- note: waits) is said as that, of the windows that count at least. STRAGGLERS comes before what
-- note: bounds the slowest device alone: where finding straggler, with a share, names devices that the others of
-- note: their group wait for, a tenth of their spans or more, that wait is of all of them. Of
-- note: several groups it is the one whose devices wait longest. One whose name has more than 20
-- note: letters is named by finding straggler.
-- note: Engines of a NeuronCore work side by side, so DMA says how much of it runs beside compute: the line of the
-- note: step has the rest, DMA alone.
-- word: noun tpu: the TPU
-- word: noun gpu: the GPU
-- word: noun npu: the NPU
-- word: noun nc: the NeuronCore
-- word: noun *: the device
-- word: does compute: computes
-- word: does comm: communicates while nothing computes
-- word: does waits: waits for other ranks for at least
-- word: does bubble: waits for its neighbours in the pipeline
-- word: does copy: copies while nothing computes
-- word: does control: branches, waits or sets up
-- word: does lost: has rows missing
-- word: does input: waits for input
-- word: does preprocess: waits for preprocessing
-- word: does alloc: waits for allocations
-- word: does capture: waits while graphs are captured
-- word: does first_use: waits for code to be loaded
-- word: does stall: waits for a stalled CPU
-- word: does host: waits for the CPU
-- word: does wait: idles in gaps of queued work
-- word: does unrecorded: waits for work that was not recorded
-- word: does opaque: runs graphs that are recorded as one
-- word: does profiler: waits for the profiler
-- word: does unlinked: idles, and the launches were not recorded
-- word: part compute: compute
-- word: part comm: communication
-- word: part bubble: pipeline bubble
-- word: part copy: copies
-- word: part control: control
-- word: part lost: rows missing
-- word: part input: input
-- word: part preprocess: preprocessing
-- word: part alloc: allocations
-- word: part capture: capturing graphs
-- word: part first_use: loading code
-- word: part stall: stalled CPU
-- word: part host: CPU
-- word: part wait: queues
-- word: part unrecorded: not recorded
-- word: part opaque: opaque graphs
-- word: part profiler: profiler
-- word: part unlinked: launch not recorded
-- word: part tensor: tensor engine
-- word: part scalar: scalar engine
-- word: part vector: vector engine
-- word: part gpsimd: GPSIMD engine
-- word: part dma: DMA
-- word: part cc-core: collectives
-- word: whole judged: what is judged
-- word: whole execution: the execution
-- words: whole screen_idle
-- word: why lost_rows: rows may be missing
-- words: why verdict
-- word: at short: most in
-- word: mfu none: unknown
-- say: {word:ours}[: {noun:noun} {does:does} {ratio:share} of {base:whole}][, {moving:share} of that moving memory][, idles {idle:share} of it][, memory at {reached:share} of peak][, MFU {evidence:mfu}][, {at:at} {name}][: {first:part} {most:share}][ ({beside:share} beside compute)][, {second:part} {next:share} of {mixed:whole}][: {why:why}][ in {missing:share} of {base:whole}][: the devices wait {waited:share} of their spans for {other:device}][: the devices wait {unnamed:share} of their spans for one of them][ and {more:count} more]
with hidden as (
  select 1
  from bound b join verdict v on v.place = 1 and v.device is b.process and v.input is b.input
  where b.code = 'undetermined.not_recorded'),
-- Devices of the slowest device's own file that the others of one group wait for.
found as (
  select f.rowid as at, f.device, f.share, f.detail
  from findings f join verdict v on v.place = 1 and v.input is f.input
  where f.answer = 'straggler' and f.share is not null),
late as (select * from found where detail is (select detail from found order by at limit 1)),
above as (
  select 'undetermined.not_recorded' as code, 'undetermined' as "group", 'UNDETERMINED' as word from hidden
  union all
  select 'straggler', 'straggler', 'STRAGGLERS' from late
  limit 1),
judged as (
  select v.rowid as at, v.input, v.device, v.place, v.base, v.window_ps, v.windows, v.share, v.engine, v.second, v.second_share, v.moving_share, v.bandwidth_share,
    coalesce(a.code, v.code) as code, coalesce(a."group", v."group") as "group", coalesce(a.word, v.word) as word
  from verdict v left join above a),
subject as (
  select input, device, code, "group", word, base, window_ps, share, engine, second, second_share, moving_share, bandwidth_share,
    case when engine is not null then null when "group" = 'mixed' then substr(code, 7, instr(code || '+', '+') - 7) when "group" in ('undetermined', 'straggler') then null
    else case when code like '%.%' then substr(code, 1, instr(code, '.') - 1) else code end end as lead,
    windows as n
  from judged where place = 1 or (place is null and not exists (select 1 from verdict where place = 1))
  order by place is null, at limit 1),
parts as (
  select case when p.part in ('launch', 'sync') then 'host' else p.part end as part, p.duration_ps,
    case when p.part not in ('launch', 'wait') then p.place end as place, p.place_time_ps
  from verdict_parts p join subject s on s.device is p.device and s.input is p.input),
-- Table devices has the use of a logical core of Neuron on the rows of its cores.
used as (
  select m.mfu from mfu m join subject s on s.input is m.input and s.device is m.device
  where m.step is null and m.operator in ('(steps)', '(total)') and m.mfu is not null
  union all
  select d.mfu from devices d join subject s on s.input is d.input and (s.device is d.device or d.device like s.device || '/%')
  where d.mfu is not null),
summed as (select part, sum(duration_ps) as sum_ps from parts group by part),
idled as (
  select sum(sum_ps) as sum_ps from summed where part not in ('compute', 'comm', 'copy', 'control', 'lost')),
-- Of what waits for ranks some may lie outside of the windows that count.
for_ranks as (
  select f.stake_ps - c.exposed_ps + m.sum_ps as sum_ps
  from subject s join findings f on f.answer = 'waits' and f.device is s.device and f.input is s.input
    join communication c on c.device is s.device and c.input is s.input
    join summed m on m.part = 'comm'
  where s.lead = 'comm' and 2 * (f.stake_ps - c.exposed_ps + m.sum_ps) >= m.sum_ps),
decodes as (
  select 1 from subject s
  where s."group" = 'compute' and s.engine is null and s.code not in ('compute.memory', 'compute.bandwidth')
    and s.base like 'phase%' and not exists (select 1 from used where mfu >= 0.4)
    and not exists (select 1 from phases where phase not in ('decode', 'none'))),
roof as (
  select sum(m.time_ps * m.mbu) / sum(m.time_ps) as mbu
  from decodes d join subject s join mfu m on m.input is s.input and m.device is s.device
  where m.bound = 'memory' and m.mbu is not null and m.step is null and coalesce(m.layer, '') = ''
    and substr(m.operator, 1, 1) <> '('
  having 2 * sum(m.time_ps) >= (select sum_ps from summed where part = 'compute')),
named as (
  select p.place from parts p join subject s on s.lead = p.part join summed m on m.part = p.part
  where p.place is not null
  group by p.place having 2 * sum(p.place_time_ps) > max(m.sum_ps))
select s.input, s.device, case when exists (select 1 from roof) then 'compute.memory'
    when exists (select 1 from decodes) then 'compute' else s.code end as code,
  case when exists (select 1 from roof) then 'MEMORY-BOUND' when exists (select 1 from decodes) then 'DEVICE-BOUND'
    else s.word end as word, s.base as whole,
  case when s.device like '%TPU%' then 'tpu' when s.device like '%GPU%' then 'gpu'
    when s.device like '%NPU%' then 'npu' when s.device like 'nc%' or s.device like '%Neuron%' then 'nc' end as noun,
  case when s."group" not in ('mixed', 'undetermined') then case when s.lead = 'comm' and exists (select 1 from for_ranks) then 'waits' else s.lead end end as does,
  case when s."group" not in ('mixed', 'undetermined') then cast(round(m.sum_ps * 1.0 / s.n) as integer) end as time_ps,
  s.base,
  case when s."group" = 'undetermined' then null when s."group" = 'mixed' then s.share
    when s."group" = 'straggler' then (select sum(share) from late)
    else coalesce(case when s.lead = 'comm' then (select sum_ps from for_ranks) end, m.sum_ps) * 1.0 / s.window_ps end as ratio,
  case when s."group" = 'compute' and s.engine is null and 4 * i.sum_ps >= s.window_ps then i.sum_ps * 1.0 / s.window_ps end as idle,
  case when s.code = 'compute.memory' then s.moving_share end as moving,
  case when s.code = 'compute.bandwidth' then s.bandwidth_share else (select mbu from roof) end as reached,
  case when s."group" = 'compute' and s.engine is null and s.code not in ('compute.memory', 'compute.bandwidth')
    and not exists (select 1 from used) then 'none' end as evidence,
  case when s."group" not in ('mixed', 'undetermined', 'compute') then (select place from named) end as name,
  (select 'short' from named where length(place) <= 20) as at,
  case when s.engine is not null then s.engine
    when s."group" = 'mixed' then substr(s.lead || '.', 1, instr(s.lead || '.', '.') - 1) end as first,
  case when s.engine is not null or s."group" = 'mixed' then s.share end as most,
  (select s.share * o.overlap_ps / o.copy_ps
    from (select input, device, copy_ps, overlap_ps from logical_cores union all select input, device, copy_ps, overlap_ps from devices) o
    where s.engine = 'dma' and o.input is s.input and o.device is s.device and o.overlap_ps between 1 and o.copy_ps) as beside,
  s.second, s.second_share as next,
  case when s.engine is not null then 'execution' when s."group" = 'mixed' then case
    when (select sum_ps from summed where part = 'lost') > 0 then 'judged' else s.base end end as mixed,
  case when s."group" = 'undetermined' then substr(s.code, 14) end as why,
  case when s.code = 'undetermined.lost_rows' then (select sum_ps from summed where part = 'lost') * 1.0 / s.window_ps end as missing,
  case when length(l.device) <= 20 then l.share end as waited,
  case when length(l.device) > 20 then l.share end as unnamed, l.device as other,
  case when s."group" = 'straggler' then (select nullif(count(*) - 1, 0) from late) end as more
from subject s
left join summed m on m.part = s.lead
left join idled i
left join (select device, sum(share) over () as share from late order by at limit 1) l on s."group" = 'straggler'
order by s.input
