-- SPDX-License-Identifier: Apache-2.0
-- straggler: the devices of a group wait in its collectives for one that comes last
-- when: >= 10 % of the spans of all devices of the group, and more than half of it for one of them, or for two or three who leave two others
-- stake: what a device of the group waits, a mean of all of them: of table collectives
-- of: collectives
-- shown: collectives
-- about: exposed/comm/ranks
-- code: straggler
-- each: input device
-- needs: collectives (input device kind bytes ranks dtype group calls total_ps exposed_ps)
-- needs: devices (input device span_ps compute_ps)
-- needs: communication? (input device exposed_ps)
-- needs: verdict? (input device code windows)
-- needs: verdict_parts? (input device part duration_ps)
-- note: Whoever comes last to an all-reduce, all-gather or reduce-scatter has the shortest one, and what the
-- note: others have more they waited: no clock is needed. Calls of one kind, size and group are taken together,
-- note: so devices that are late in turn count less: a lower bound. Counted are groups all of whose ranks are
-- note: devices of one file with as many calls each, where the longest is more than twice the shortest and
-- note: 50 us a call more, and of that no more than ran while nothing computed: of collectives that
-- note: wait at one time no more than that time, so no share is above all of the spans. Ranks in
-- note: files of their own are in table stragglers.
-- note: Of a device on which the file has no computing it is unknown whether it computed meanwhile: then there
-- note: is no share and no gain, nor a verdict.
-- word: beside none: the file has no computing, which may have run meanwhile
-- word: part compute: computing
-- word: part copy: copies
-- word: part stall: a stalled CPU
-- words: part parts
-- word: do compute: give it less work
-- word: do copy: copy less on it, or prefetch
-- word: do input: more DataLoader workers, pin_memory
-- word: do host: check the CPU of that rank: limits, pinning, other work
-- word: do *: compare it with another rank
-- say: {device:device} keeps the others of its group waiting[ for {share:share} of all spans] ({stake:time})[: it has {more_ps:time} a step more of {part:part}][: {beside:beside}]
-- condition: if {device:device} kept up
-- advice: {do:do}
with joined as (
  select min(rowid) as at, input, kind, bytes, dtype, "group" as of_group, ranks, count(*) as devices, min(calls) as least,
    max(calls) as most, min(total_ps) as shortest, max(total_ps) as longest
  from collectives
  where kind in ('allreduce', 'allgather', 'reducescatter')
  group by input, kind, bytes, dtype, "group", ranks),
waited as (
  select * from joined
  where devices = ranks and ranks > 1 and least = most
    and longest > 2 * shortest and longest - shortest > 50000000 * most),
calls as (
  select w.at as at, w.input, w.of_group, w.ranks, c.device, c.total_ps < 2 * w.shortest as is_last,
    min(c.total_ps - w.shortest, c.exposed_ps) as cost
  from waited w join collectives c on c.input is w.input and c.kind is w.kind and c.bytes is w.bytes
    and c.dtype is w.dtype and c."group" is w.of_group and c.ranks is w.ranks),
-- What waits at one time is waited once.
each as (
  select c.at, c.input, c.of_group, c.ranks, c.device, c.is_last,
    c.cost * min(1.0, coalesce(x.exposed_ps, s.cost) * 1.0 / max(s.cost, 1)) as cost
  from calls c
  join (select input, of_group, ranks, device, sum(cost) as cost from calls group by input, of_group, ranks, device) s
    on s.input is c.input and s.of_group is c.of_group and s.ranks is c.ranks and s.device is c.device
  left join communication x on x.input is c.input and x.device is c.device),
-- Where several come last, each is waited for by an equal share.
shared as (
  select at, input, of_group, ranks, sum(cost) * 1.0 / sum(is_last) as cost
  from each group by at, input, of_group, ranks),
late as (
  select e.input, e.of_group, e.ranks, e.device, sum(s.cost) as cost
  from each e join shared s on s.at = e.at
  where e.is_last
  group by e.input, e.of_group, e.ranks, e.device),
members as (
  select distinct c.input, c."group" as of_group, d.device, d.span_ps, d.compute_ps
  from collectives c join devices d on d.input is c.input and d.device is c.device),
grouped as (
  select l.input, l.of_group, l.ranks, sum(l.cost) as cost, m.span, m.least
  from late l join (
    select input, of_group, sum(span_ps) as span, min(coalesce(compute_ps, 0)) as least from members group by input, of_group) m
    on m.input is l.input and m.of_group is l.of_group
  group by l.input, l.of_group, l.ranks),
told as (
  select l.*, g.cost as cost_of_all, g.span, g.least > 0 as computes,
    sum(l.cost) over (partition by l.input, l.of_group, l.ranks order by l.cost desc, l.device) - l.cost as before,
    row_number() over (partition by l.input, l.of_group, l.ranks order by l.cost desc, l.device) as nth
  from late l join grouped g on g.input is l.input and g.of_group is l.of_group and g.ranks is l.ranks
  where g.cost * 10.0 >= g.span),
-- The fewest for whom more than half of it was waited.
few as (select * from told where before * 2 <= cost_of_all),
named as (
  select f.* from few f
  where (select count(*) from few o where o.input is f.input and o.of_group is f.of_group and o.ranks is f.ranks)
    <= min(3, max(1, f.ranks - 2))),
spent as (
  select p.input, p.device, case when p.part in ('launch', 'sync') then 'host' else p.part end as part,
    sum(p.duration_ps) * 1.0 / v.windows as mean_ps
  from verdict_parts p join verdict v on v.input is p.input and v.device is p.device
  where v.windows > 0 and p.part not in ('comm', 'unlinked', 'unrecorded', 'lost', 'opaque', 'profiler')
  group by 1, 2, 3),
more as (
  select n.input, n.of_group, n.device, s.part, s.mean_ps - (
    select coalesce(sum(o.mean_ps), 0) * 1.0 / (n.ranks - 1) from spent o
    where o.input is n.input and o.part = s.part and o.device is not n.device and o.device in (
      select c.device from collectives c where c.input is n.input and c."group" is n.of_group)) as more_ps
  from named n join spent s on s.input is n.input and s.device is n.device),
most as (
  select *, row_number() over (partition by input, of_group, device order by more_ps desc, part) as nth from more where more_ps > 0)
select n.input, n.device, cast(n.cost * 1.0 / n.ranks as integer) as stake, case when n.computes then n.cost * 1.0 / n.span end as share,
  case when n.computes then 1 / (1 - n.cost * 1.0 / n.span) end as gain, case when n.computes then 'modelled' end as certainty,
  case when not n.computes then 'none' end as beside,
  m.part as part, cast(m.more_ps as integer) as more_ps,
  case m.part when 'preprocess' then 'input' when 'alloc' then 'host' when 'stall' then 'host' else coalesce(m.part, '') end as "do",
  'group ' || n.of_group as detail
from named n left join most m on m.input is n.input and m.of_group is n.of_group and m.device is n.device and m.nth = 1 and n.computes
order by stake desc, n.device
