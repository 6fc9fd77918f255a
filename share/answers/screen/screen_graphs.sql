-- SPDX-License-Identifier: Apache-2.0
-- screen_graphs: what replays of graphs take, and whether it is known what they run, by which recording
-- line: 29 graph_replay graphs
-- of: graphs
-- whole: device_time
-- needs: graphs (input device replays kernels busy_ps share named)
-- needs: graph_operators (input device match busy_ps)
-- needs: graph_captures? (input file replays kernels named difference)
-- needs: verdict? (input device place)
-- word: many yes: s
-- word: unnamed yes: operators unknown: --eager FILE
-- say: {ratio:share} of device time in {replays:count} replay[{plural:many}] of [{kernels:count} kernel][{more:many}][{count:count} graphs][, {named:share} of it with operators][ ({word:ours})][ by {name}][ and {others:count} more][, {unnamed:unnamed}][, operators unknown: {other} does not fit]
with subject as (
  select g.input, g.device from graphs g
  left join verdict v on v.place = 1 and v.device is g.device and v.input is g.input
  order by v.place is null, g.rowid limit 1),
mine as (
  select g.rowid as at, g.input, g.device, g.replays, g.kernels, g.busy_ps, g.share, g.named
  from graphs g join subject s on s.device is g.device and s.input is g.input),
files as (
  select c.file, sum(c.replays * c.kernels) as kernels, max(c.named) as named, min(c.rowid) as at, max(c.difference) as difference
  from graph_captures c join subject s on s.input is c.input
  group by c.file)
select input, device, sum(share) as ratio, sum(replays) as replays, case when sum(replays) <> 1 then 'yes' end as plural,
  case when count(*) = 1 then max(kernels) end as kernels,
  case when count(*) = 1 and max(kernels) <> 1 then 'yes' end as more, case when count(*) > 1 then count(*) end as count,
  sum(busy_ps) as time_ps,
  case when total(busy_ps * named) > 0 then total(busy_ps * named) / total(busy_ps) end as named,
  case when total(busy_ps * named) > 0 then (select group_concat(match, ', ') from
    (select o.match from graph_operators o
     where o.input is mine.input and o.device is mine.device and o.match <> 'none'
     group by o.match order by sum(o.busy_ps) desc, o.match)) end as word,
  case when total(busy_ps * named) > 0 then
    (select file from files where named > 0 order by kernels desc, named desc, at limit 1) end as name,
  case when total(busy_ps * named) > 0 then
    (select nullif(max(count(*) - 1, 0), 0) from files where named > 0) end as others,
  case when total(busy_ps * named) = 0 and not exists (select 1 from files where difference) then 'yes' end as unnamed,
  case when total(busy_ps * named) = 0 then (select file from files where difference order by at limit 1) end as other
from mine
group by input, device
order by input, device
