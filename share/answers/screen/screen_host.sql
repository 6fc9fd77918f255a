-- SPDX-License-Identifier: Apache-2.0
-- screen_host: what takes the time of the CPU where no device is in the file
-- line: 33 host CPU time
-- of: latency
-- needs: latency (input name total_ps category calls)
-- needs: devices? ()
-- say: {time_ps:time} {name}
select input, name, sum(total_ps) as time_ps, sum(calls) as count
from latency
where not exists (select 1 from devices) and name not like 'ProfilerStep#%' and total_ps > 0
group by input, name
order by time_ps desc, name
limit 3
