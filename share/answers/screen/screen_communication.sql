-- SPDX-License-Identifier: Apache-2.0
-- screen_communication: how much of the communication runs beside compute, and how fast it is
-- line: 42 communication
-- of: collectives
-- whole: communication
-- needs: verdict (input device place)
-- needs: logical_cores? (input device)
-- needs: communication (input device busy_ps overlap_ps exposed_ps hidden)
-- needs: collectives (input device kind bytes ranks total_ps busbw_p50)
-- needs: findings? (answer input device stake_ps)
-- note: What waits for other ranks stands here where line fix does not say it.
-- say: {ratio:share} of {time_ps:time} fully overlapped[; at least {waits_ps:time} is waiting for other ranks][; most: {other}][ {size_bytes:bytes}][, {speed:rate} (bus)]
with subject as (
  select v.input, v.device, l.device || '/' as cores
  from verdict v left join logical_cores l on l.input is v.input and l.device is v.device
  where v.place = 1),
top as (
  select c.kind, c.bytes, c.busbw_p50 from collectives c join subject s
    on s.input is c.input and (s.device is c.device or substr(c.device, 1, length(s.cores)) = s.cores)
  order by c.total_ps desc, c.rowid limit 1)
select c.input, c.device, c.hidden as ratio, c.busy_ps as time_ps,
  (select f.stake_ps from findings f where f.answer = 'waits' and f.input is c.input and f.device is c.device and (
    f.device is not s.device or exists (select 1 from findings g where g.answer = 'straggler' and g.input is f.input))) as waits_ps,
  (select kind from top) as other, (select bytes from top) as size_bytes, (select busbw_p50 from top) as speed
from communication c join subject s
  on s.input is c.input and (s.device is c.device or substr(c.device, 1, length(s.cores)) = s.cores)
where c.hidden is not null and c.busy_ps > 0
order by c.rowid
limit 1
