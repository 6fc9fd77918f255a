-- SPDX-License-Identifier: Apache-2.0
-- screen_graphs: what replays of graphs take, and whether it is known what they run
-- line: 29 graph_replay graphs
-- of: graphs
-- whole: device_time
-- needs: graphs (input device replays kernels busy_ps share named)
-- needs: graph_operators (input device match busy_ps)
-- word: many yes: s
-- word: unnamed yes: operators unknown: --eager FILE
-- say: {ratio:share} of device time in {replays:count} replay[{plural:many}] of [{kernels:count} kernels][{count:count} graphs][, {named:share} of it with operators][ ({word:ours})][, {unnamed:unnamed}]
with first as (select input, device from graphs order by rowid limit 1),
mine as (
  select g.rowid as at, g.input, g.device, g.replays, g.kernels, g.busy_ps, g.share, g.named
  from graphs g join first f on f.device is g.device and f.input is g.input)
select input, device, sum(share) as ratio, sum(replays) as replays, case when sum(replays) <> 1 then 'yes' end as plural,
  case when count(*) = 1 then max(kernels) end as kernels, case when count(*) > 1 then count(*) end as count,
  sum(busy_ps) as time_ps,
  case when total(busy_ps * named) > 0 then total(busy_ps * named) / total(busy_ps) end as named,
  case when total(busy_ps * named) > 0 then (select group_concat(match, ', ') from
    (select o.match from graph_operators o
     where o.input is mine.input and o.device is mine.device and o.match <> 'none'
     group by o.match order by sum(o.busy_ps) desc, o.match)) end as word,
  case when total(busy_ps * named) = 0 then 'yes' end as unnamed
from mine
group by input, device
order by input, device
