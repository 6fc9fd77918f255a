-- SPDX-License-Identifier: Apache-2.0
-- screen_fix: what would be gained, under which condition, and what reaches it
-- line: 22 fix
-- of: verdict_parts
-- needs: verdict (input device place base windows window_ps)
-- needs: bound? (input process evidence)
-- needs: verdict_parts (input device part gaps duration_ps place gain condition action)
-- needs: inputs (input decoder properties)
-- needs: tracks (process)
-- needs: facts? (key value)
-- note: A gain is a lower bound. device_graph, compile and the others are the actions of table
-- note: verdict_parts, said in the words of the framework.
-- word: when comm: if communication ran beside compute
-- word: when copy: if copies ran beside compute
-- word: when input: if loading ran beside compute
-- word: when preprocess: if preprocessing ran beside compute
-- word: when alloc: without allocations in the loop
-- word: when stall: if the CPU ran
-- word: when sync: without calls that block
-- word: when wait: without pauses between kernels
-- word: when short: if launches cost nothing
-- word: when other: if the CPU worked beside the device
-- word: do overlap: overlap it with compute
-- word: do num_workers: more DataLoader workers, pin_memory
-- word: do num_workers_other: a faster input pipeline, prefetch
-- word: do move_preprocess: preprocess on the device, or in more workers
-- word: do caching_allocator: a caching allocator
-- word: do host_cpu: check CPU limits and pinning
-- word: do avoid_sync: fewer synchronising calls
-- word: do keep_on_device: keep it on the device, or overlap it
-- word: do async_schedule: asynchronous scheduling, sampling on the device
-- word: do device_graph_torch: CUDA graph, torch.compile, larger batch
-- word: do device_graph_amd: HIP graph, torch.compile, larger batch
-- word: do device_graph_xla: command buffers, a larger jit or batch
-- word: do device_graph: CUDA graph, larger batch
-- word: do schedule: fewer dependencies between streams, fused kernels
-- word: whole step: step
-- word: whole step1: step
-- word: whole period: period
-- word: whole span: span
-- say: a {base:whole} of {left_ps:time}, {ratio:factor} or more, [{when:when}][if {name} ran beside the device][: {do:do}]
with hidden as (
  select 1 from bound b join verdict v on v.place = 1 and v.device is b.process and v.input is b.input
  where b.evidence like 'no instructions%' or b.evidence like 'no packets%' or b.evidence like 'nobody knows%'),
subject as (select input, device, base, window_ps, windows as n from verdict
  where place = 1 and window_ps > 0 and not exists (select 1 from hidden)),
reached as (
  select p.input, p.device, p.part, p.gaps, p.gain, p.place, s.base, s.window_ps, s.n, substr(p.action || ',', 1, instr(p.action || ',', ',') - 1) as first,
    p.rowid as at, row_number() over (order by p.gain desc, p.rowid) as nth
  from verdict_parts p join subject s on s.device is p.device and s.input is p.input
  where p.gain is not null and p.condition is not null)
select r.input, r.device, r.part as code, r.base, r.base as whole, r.gain as ratio,
  cast(round(r.window_ps * 1.0 / r.n / r.gain) as integer) as left_ps,
  cast(round(r.window_ps * 1.0 / r.n - r.window_ps * 1.0 / r.n / r.gain) as integer) as time_ps,
  case when r.part <> 'host' then r.part when r.gaps = 'short' then 'short' when r.place is null then 'other' end as "when",
  case when r.part = 'host' and r.gaps = 'long' then r.place end as name,
  case r.first
    when 'num_workers' then case when (select decoder from inputs limit 1) = 'chrome' then 'num_workers' else 'num_workers_other' end
    when 'device_graph' then case
      when (select decoder from inputs limit 1) = 'xplane' or exists (select 1 from tracks where process like '/device:%') then 'device_graph_xla'
      when exists (select 1 from facts where key = 'device_type' and (value like 'AMD%' or value like 'gfx%' or value like '%Radeon%' or value like '%Instinct%'))
        or (select properties from inputs limit 1) like '%"hip\_%' escape '\' then 'device_graph_amd'
      when (select decoder from inputs limit 1) = 'chrome' then 'device_graph_torch'
      else 'device_graph' end
    else r.first end as "do"
from reached r
where r.nth = 1 or (r.nth = 2 and r.gain >= 1.1)
order by r.nth
