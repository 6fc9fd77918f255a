-- SPDX-License-Identifier: Apache-2.0
-- gain: what holds a device up, and how many times faster its steps would be without it
-- when: 1.02 times faster or more
-- stake: duration_ns of table verdict_parts; of compute and of waiting for the CPU what the gain takes
-- of: verdict_parts
-- shown: verdict
-- each: input device code
-- needs: verdict (input device place code base window_ps windows moving_share)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part gaps duration_ps share place place_time_ps gain condition certainty action)
-- needs: abilities? (input question code)
-- needs: tracks (input process kind rows)
-- needs: phases? (phase)
-- needs: graphs? ()
-- needs: findings? (answer input device detail)
-- needs: collectives? (input device group bytes efficiency exposed_ps)
-- needs: communication? (input device exposed_ps)
-- note: A gain is a lower bound, at most of what would run beside other work; that of compute is an estimate. At stake of compute, which goes on, is what the
-- note: gain takes of a step, said behind the time and share of the kernels that move memory; of waiting
-- note: for the CPU, too, as the latency of its launches is a part of its own. Those of the device that the verdict of the first screen is of come first: the others
-- note: wait for it. Of waiting for the CPU the place is that of the launch where more is there. Most is in a
-- note: place that takes more than half of that time; one of less than a quarter is not named. The condition names
-- note: one that takes nine tenths, as the gain is that of all of it. None stands beside a verdict
-- note: that is undetermined, as then it is unknown what the device waits for, nor beside a
-- note: warm-up, whose time says nothing of a later step, nor of communication that waits for other
-- note: ranks (answers waits and straggler): beside compute it would wait as long. Of copies that take longer than
-- note: compute the gain is without them; beside compute no more of them is hidden than that takes. device_graph,
-- note: compile and the others are the actions of table verdict_parts, said in the words of who recorded it and of
-- note: what it runs on: abilities recorder and platform.
-- note: Where an operator, a compiled graph, an executor or a call that launches takes the time of gaps of 1 ms and
-- note: more, the CPU is busy launching: condition and advice are those of launches. aten::item reads back, and is none.
-- word: does compute: moves memory between kernels
-- word: does sync: waits for calls that block
-- word: does launches: waits for launches in gaps below 1 ms
-- word: does host: waits for the CPU in gaps of 1 ms and more
-- words: does screen_verdict
-- word: does *: is held up
-- note: Where half of the exposed communication is of collectives of 1 MiB and more none of which reaches a tenth of the
-- note: links, it may wait for ranks that are late each time, or go over slower links than the device has: that is said.
-- word: most most: most
-- words: whole idle
-- word: when compute: if each chain became one kernel
-- word: when comm: if communication ran beside compute
-- word: when copy: if copies ran beside compute
-- word: when copy_long: without these copies
-- word: when input: if loading ran beside compute
-- word: when preprocess: if preprocessing ran beside compute
-- word: when alloc: without allocations in the loop
-- word: when stall: if the CPU ran
-- word: when sync: without calls that block
-- word: when wait: without gaps in queued work
-- word: when launches: if launches cost nothing
-- word: when other: if the CPU worked beside the device
-- word: do overlap: overlap it with compute
-- word: do num_workers: more DataLoader workers, pin_memory
-- word: do num_workers_other: a faster input pipeline, prefetch
-- word: do move_preprocess: preprocess on the device, or in more workers
-- word: do caching_allocator: a caching allocator
-- word: do host_cpu: check CPU limits and pinning
-- word: do avoid_sync: fewer synchronising calls
-- word: do keep_copied: keep the data on the device, or prefetch it
-- word: do keep_long: keep the data on the device
-- word: do keep_on_device: move it to the device, or run it ahead
-- word: do async_schedule: asynchronous scheduling, sampling on the device
-- word: do async_submit: submit the next step before this one ends, larger batch
-- word: do fuse: fused kernels
-- word: do fuse_neuron: fused kernels (NKI)
-- word: do device_graph: larger batch
-- word: do device_graph_xla: a larger jit or batch
-- word: do device_graph_neuron: larger batch, more work a compiled graph, asynchronous execution
-- word: do schedule: fewer dependencies between streams, fused kernels
-- word: do schedule_one: fused kernels
-- word: do schedule_neuron: fused kernels (NKI), more buffers, so that engines work side by side
-- word: with compile: torch.compile
-- word: with cuda: CUDA graph
-- word: with hip: HIP graph
-- word: with npu: NPU graph (torch_npu: NPUGraph, torchair)
-- word: with intel: SYCL graph
-- word: with xla: command buffers
-- word: with tensorflow: tf.function(jit_compile=True)
-- say: {device:device} {code:does} for {taken:share} of {base:whole} ({taken_ps:time}[; it gains {less:time} by estimate])[, {most:most} in {name}][, {part:share} of it in {name}]
-- condition: [{when:when}][if {other} ran beside the device]
-- advice: [{graph:with}, ][{compiler:with}, ]{do:do}[ ({ahead:factor} at most where it is prefetched)][; collectives reach {reached:share} of its links: late ranks, or slower links]
with hidden as (
  select b.input, b.process as device from bound b
  where b.code = 'undetermined.not_recorded'),
-- Devices that wait for a straggler of one of their groups.
waiting as (
  select c.input, c.device from findings f join collectives c on c.input is f.input and 'group ' || c."group" = f.detail
  where f.answer = 'straggler' and not exists (
    select 1 from findings s where s.answer = f.answer and s.detail = f.detail and s.input is c.input and s.device is c.device)
  union select input, device from findings where answer = 'waits'),
producer as (
  select input, platform, recorder, case when platform in ('cuda', 'hip') and recorder in ('xla', 'tensorflow') then recorder
      when platform in ('cuda', 'hip', 'npu', 'intel') then platform end as graph,
    recorder = 'torch' and platform not in ('neuron', 'npu') as compiles,
    exists (select 1 from phases where phase = 'decode') as decodes
  from (
    select v.input, (select p.code from abilities p where p.question = 'platform' and p.input is v.input) as platform,
      (select code from abilities where question = 'recorder') as recorder
    from (select distinct input from verdict) v)),
slow as (
  select c.input, c.device, max(c.efficiency) as reached
  from collectives c
  where c.bytes >= 1048576 and c.efficiency is not null
  group by c.input, c.device
  having max(c.efficiency) < 0.1 and 2 * sum(c.exposed_ps) >= (
    select x.exposed_ps from communication x where x.input is c.input and x.device is c.device)),
held as (
  select p.input, p.device, p.part, p.gaps, p.gain, p.condition, p.certainty, p.action, p.rowid as at,
    v.place = 1 as led, v.base, v.window_ps, 10 * p.place_time_ps >= 9 * p.duration_ps as filled,
    case when l.place_time_ps > coalesce(p.place_time_ps, 0) then l.place else p.place end as place,
    max(coalesce(p.place_time_ps, 0), coalesce(l.place_time_ps, 0)) as place_time_ps,
    case when p.part = 'compute' then cast(round(v.moving_share * p.duration_ps) as integer) when p.part = 'host'
      then max(p.duration_ps, cast(round(v.window_ps - v.window_ps / p.gain) as integer)) else p.duration_ps end as taken_ps,
    substr(p.action || ',', 1, instr(p.action || ',', ',') - 1) as acts
  from verdict_parts p join verdict v on v.device is p.device and v.input is p.input
    left join verdict_parts l
      on p.part = 'host' and l.part = 'launch' and l.gaps is p.gaps and l.device is p.device and l.input is p.input
  where p.gain is not null and p.condition is not null and v.window_ps > 0
    and v.code not like 'undetermined.%' and v.code not in ('capture', 'first_use')
    and not exists (select 1 from hidden h where h.device is p.device and h.input is p.input)
    and not (p.part = 'comm' and exists (
      select 1 from waiting w where w.device is p.device and w.input is p.input))),
launching as (
  select *, part = 'host' and gaps = 'long' and 4 * place_time_ps >= taken_ps and (
      place like 'aten::%' and place not in ('aten::item', 'aten::_local_scalar_dense')
      or place like '## Call CompiledFxGraph%' or place like 'Executor%' or place like '%Enqueue%' or place like '%LaunchKernel%'
    ) as launches
  from held),
reached as (
  select *, case when launches then 'device_graph' else acts end as first from launching)
select r.input, r.device, case when r.part = 'host' and r.gaps = 'short' then 'launches' else r.part end as code, r.base,
  case when r.part = 'compute' then 'work/fuse' when r.part in ('comm', 'copy') then 'exposed/' || r.part
    when r.part = 'host' and r.gaps = 'short' then 'idle/launches' else 'idle/' || r.part end as about,
  case r.part when 'compute' then cast(round(r.window_ps - r.window_ps / r.gain) as integer) else r.taken_ps end as stake,
  case r.part when 'compute' then 1 - 1 / r.gain else r.taken_ps * 1.0 / r.window_ps end as share, r.gain, r.certainty,
  r.taken_ps, r.taken_ps * 1.0 / r.window_ps as taken,
  case r.part when 'compute' then cast(round(r.window_ps - r.window_ps / r.gain) as integer) end as less,
  case when 4 * r.place_time_ps >= r.taken_ps then r.place end as name, case when 2 * r.place_time_ps > r.taken_ps then 'most' end as most,
  case when 4 * r.place_time_ps >= r.taken_ps and 2 * r.place_time_ps <= r.taken_ps
    then r.place_time_ps * 1.0 / r.taken_ps end as part,
  case when r.part = 'host' and r.gaps = 'long' and r.filled and not r.launches then r.place end as other,
  case when r.part = 'copy' and r.condition like 'without %' then 'copy_long'
    when r.part <> 'host' then r.part when r.gaps = 'short' or r.launches then 'launches'
    when r.filled is not 1 then 'other' end as "when",
  case r.first
    when 'num_workers' then case when p.recorder = 'torch' then 'num_workers' else 'num_workers_other' end
    when 'keep_on_device' then case when r.part = 'copy' and r.condition like 'without %' then 'keep_long'
      when r.part = 'copy' then 'keep_copied' else 'keep_on_device' end
    when 'async_schedule' then case when p.decodes then 'async_schedule' else 'async_submit' end
    when 'schedule' then case when p.platform = 'neuron' then 'schedule_neuron' when (
        select count(*) from tracks t
        where t.kind = 'queue' and t.rows > 0 and t.process is r.device and t.input is r.input) > 1
      then 'schedule' else 'schedule_one' end
    when 'fuse' then case when p.platform = 'neuron' then 'fuse_neuron' else 'fuse' end
    when 'device_graph' then case when p.platform = 'neuron' then 'device_graph_neuron'
      when p.recorder = 'xla' then 'device_graph_xla' else 'device_graph' end
    else r.first end as "do",
  case when r.first = 'device_graph' or r.first = 'schedule' and not exists (select 1 from graphs)
    and p.graph = p.platform then p.graph end as graph,
  case when p.compiles and (r.first = 'fuse' or r.first = 'device_graph' and (r.launches or r.action like '%compile%')) then 'compile' end as compiler,
  case when r.part = 'copy' and r.condition like 'without %' then (
    select r.window_ps * 1.0 / (r.window_ps - c.duration_ps)
    from verdict_parts c
    where c.input is r.input and c.device is r.device and c.part = 'compute' and c.duration_ps < r.window_ps) end as ahead,
  case when r.part = 'comm' then (select l.reached from slow l where l.input is r.input and l.device is r.device) end as reached
from reached r join producer p on p.input is r.input
order by r.led desc, r.gain desc, r.at
