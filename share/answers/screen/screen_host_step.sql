-- SPDX-License-Identifier: Apache-2.0
-- screen_host_step: steps that a CPU announces where no device is in the file
-- line: 23 step
-- of: step_times
-- needs: step_times (input device steps mean_ps median_ps min_ps max_ps)
-- needs: devices? ()
-- word: one one: 1 step
-- say: [median {time_ps:time}, {least_ps:time} to {most_ps:time}, {steps:count} steps][{only_ps:time}, 1 step] on the CPU
select input, device, case when steps > 1 then median_ps end as time_ps, case when steps > 1 then min_ps end as least_ps,
  case when steps > 1 then max_ps end as most_ps, case when steps > 1 then steps end as steps, steps as count,
  case when steps = 1 then median_ps end as only_ps, 'step' as whole
from step_times
where steps > 0 and not exists (select 1 from devices)
order by mean_ps desc, rowid
limit 1
