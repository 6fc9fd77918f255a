-- SPDX-License-Identifier: Apache-2.0
-- serial: the engine that works longest waits for others
-- when: > 25 % of the execution
-- stake: duration_ns of table neuron_waits
-- of: neuron_waits
-- each: input device
-- needs: verdict (input device code engine window_ps)
-- needs: bound? (input process code)
-- needs: neuron_waits (input device engine semaphores raised_by duration_ps start_ps longest_ps)
-- note: Of an execution that DMA bounds nothing is said, as then the others wait for DMA. Barriers are left out.
-- words: engine dma
-- say: The {engine:engine} of {device:device} waits {share:share} of the execution for other engines ({stake:time}), {longest_ps:time} at once for {name}
-- condition: if it waited for none
-- advice: more buffers in PSUM and SBUF, so that engines work on different tiles at a time
with waits as (
  select v.rowid as at, v.input, v.device, v.engine, v.window_ps, w.semaphores, w.start_ps, w.longest_ps,
    sum(w.duration_ps) over (partition by v.rowid, w.device) as wait_ps,
    row_number() over (partition by v.rowid, w.device order by w.longest_ps desc, w.rowid) as nth
  from verdict v
  join neuron_waits w on w.input is v.input and (w.device is v.device or substr(w.device, 1, length(v.device) + 1) = v.device || '/')
    and w.engine = v.engine and w.raised_by = 'engine'
  where v.code = 'compute.' || v.engine and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded'))
select input, device, engine, wait_ps as stake, wait_ps * 1.0 / window_ps as share,
  window_ps * 1.0 / (window_ps - wait_ps) as gain, 'upper_bound' as certainty, semaphores as name,
  longest_ps, start_ps, start_ps + longest_ps as end_ps
from waits
where nth = 1 and wait_ps * 4 > window_ps and wait_ps < window_ps
order by stake desc, at
