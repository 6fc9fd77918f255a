-- SPDX-License-Identifier: Apache-2.0
-- transposes: the tensor engine transposes for much of the time that it works
-- when: > 25 % of the tensor engine's time, and > 5 % of the execution
-- stake: transpose_active_time of table neuron_summary, at most what computes alone
-- of: neuron_summary
-- shown: operators
-- each: input device
-- needs: verdict (input device window_ps engine)
-- needs: bound? (input process code)
-- needs: devices? (input device compute_ps overlap_ps)
-- needs: logical_cores? (input device compute_ps overlap_ps)
-- needs: neuron_summary (input device metric value)
-- note: A transpose is a MATMUL of which the file states that it is one.
-- say: The tensor engine of {device:device} transposes for {taken:share} of the time that it works ({time:time})
-- condition: without transposes on it
-- advice: load transposed by DMA (dma_transpose), or lay tensors out with the contraction on partitions
with alone as (
  select input, device, compute_ps - overlap_ps as alone_ps from logical_cores
  union all select d.input, d.device, d.compute_ps - d.overlap_ps from devices d
  where not exists (select 1 from logical_cores l where l.input is d.input and l.device is d.device)),
times as (
  select input, device, cast(round(1e12 * max(case when metric = 'transpose_active_time' then value end)) as integer) as time_ps,
    1e12 * max(case when metric = 'tensor_engine_active_time' then value end) as active_ps
  from neuron_summary group by input, device),
judged as (
  select v.rowid as at, v.input, v.device, v.window_ps, t.time_ps, t.active_ps, min(t.time_ps, a.alone_ps) as stake
  from verdict v
  join times t on t.input is v.input and t.device is v.device
  join alone a on a.input is v.input and a.device is v.device
  where v.engine is not null and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded') and t.active_ps > 0)
select input, device, stake, stake * 1.0 / window_ps as share, window_ps * 1.0 / (window_ps - stake) as gain,
  'upper_bound' as certainty, time_ps as time, time_ps * 1.0 / active_ps as taken
from judged
where time_ps * 4.0 > active_ps and stake * 100.0 > window_ps * 5.0 and stake < window_ps
order by stake desc, at
