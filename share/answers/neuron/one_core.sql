-- SPDX-License-Identifier: Apache-2.0
-- one_core: cores of a logical core compute nothing
-- when: one or more
-- stake: part compute and part copy of table verdict_parts, less their share of it
-- of: devices
-- shown: summary
-- each: input device
-- needs: verdict (input device window_ps engine)
-- needs: bound? (input process code)
-- needs: verdict_parts (input device part duration_ps)
-- needs: logical_cores (input device cores)
-- needs: devices (input device compute_ps)
-- note: Of work that all cores share evenly, what one of them does ends no sooner than so much earlier. It stands
-- note: behind what bounds the execution: other cores have the same bound.
-- say: {idle:count} of {cores:count} cores of {device:device} compute nothing, while {stake:time} of work could be theirs
-- advice: launch the kernel on all cores of the logical core (a grid of {cores:count}), or run with LNC 1
with judged as (
  select v.rowid as at, v.input, v.device, v.window_ps, l.cores,
    (select count(*) from devices d where d.input is v.input and substr(d.device, 1, length(v.device) + 1) = v.device || '/' and coalesce(d.compute_ps, 0) = 0) as idle,
    (select sum(p.duration_ps) from verdict_parts p where p.input is v.input and p.device is v.device and p.part in ('compute', 'copy')) as work_ps
  from verdict v join logical_cores l on l.input is v.input and l.device is v.device
  where v.engine is not null and v.window_ps > 0 and not exists (
    select 1 from bound b where b.input is v.input and b.process is v.device and b.code = 'undetermined.not_recorded') and l.cores > 1)
select input, device, idle, cores, stake, stake * 1.0 / window_ps as share
from (select *, cast(work_ps * 1.0 * idle / cores as integer) as stake from judged)
where idle > 0 and idle < cores and stake > 0
order by stake desc, at
