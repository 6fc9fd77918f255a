-- SPDX-License-Identifier: Apache-2.0
-- skew: the devices of a step do not end it together
-- when: > 5 % of a step of the shortest device
-- stake: skew_ns of table steps
-- of: steps
-- shown: steps
-- about: skew
-- each: step
-- needs: steps (input device step start_ps duration_ps cut skew_ps)
-- note: The skew of a step is the same in the row of each device: that of the shortest decides, since
-- note: what exceeds the part of any other exceeds that of it. It lies between the first end and the last.
-- advice: divide work evenly between the devices, or find what the last one waits for
-- say: The devices end step {step} {stake:time} apart, {share:share} of the {least_ps:time} that {device:device}, the shortest, takes
with placed as (
  select input, device, step, start_ps, duration_ps, skew_ps,
    min(start_ps + duration_ps) over (partition by input, step) as first_end_ps,
    row_number() over (partition by input, step order by duration_ps, rowid) as place
  from steps
  where duration_ps is not null)
select b.input, b.device, s.step, s.skew_ps as stake,
  coalesce(b.skew_ps, 0) * 1.0 / b.duration_ps as share, b.duration_ps as least_ps,
  b.first_end_ps as start_ps, b.first_end_ps + s.skew_ps as end_ps
from steps s
join placed b on b.place = 1 and b.step is s.step and b.input is s.input
where coalesce(s.cut, 0) = 0 and s.duration_ps > 0 and s.skew_ps * 100.0 > s.duration_ps * 5.0
order by stake desc, s.rowid
