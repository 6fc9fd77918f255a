-- SPDX-License-Identifier: Apache-2.0
-- waits: collectives that take longer than more bytes took between the same ranks
-- when: half of the communication that nothing hides, and > 5 % of the span
-- stake: what they take longer, of exposed_ns of table collectives
-- of: collectives
-- shown: collectives
-- about: exposed/comm/ranks
-- each: input device
-- needs: collectives (input device kind bytes ranks dtype group calls total_ps min_ps exposed_ps)
-- needs: communication (input device exposed_ps)
-- needs: devices (input device span_ps)
-- needs: ranks? (rank)
-- needs: inputs? (properties)
-- needs: findings? (answer input)
-- note: An all-reduce, all-gather or reduce-scatter needs no longer than the shortest of its kind, group and type that
-- note: moved as many bytes or more, or than 50 us: what it is exposed for beyond that, it waits for ranks that come
-- note: later. So no rate of a link needs to be known, and a group whose collectives are all late by as much tells
-- note: nothing: a lower bound. All of the other exposed communication counts as no waiting, also where it runs beside
-- note: a call that waits; and a call whose group is unknown.
-- word: do compare: tables job_collectives, rank_operators
-- word: do some: tables job_collectives, rank_operators; open the others
-- word: do named: finding straggler names it
-- word: do open: open the recordings of all ranks as one, or nprof map and reduce
-- say: At least {stake:time} of {exposed_ps:time} exposed communication of {device:device} waits for other ranks: {other} of {size_bytes:bytes} averages {took_ps:time}, {more_bytes:bytes} at most {needs_ps:time}
-- advice: find the rank that comes last: {do:do}
with needs as (
  select c.rowid as at, c.input, c.device, c.kind, c.bytes, c.ranks, c.dtype, c."group", c.calls, c.total_ps, c.exposed_ps, case when c.kind in ('allreduce', 'allgather', 'reducescatter') and c.bytes > 0 and c."group" is not null then
    max(50000000, (
      select min(s.min_ps) from collectives s
      where s.input is c.input and s.device is c.device and s.kind = c.kind and s."group" = c."group" and s.ranks is c.ranks
        and s.dtype is c.dtype and s.bytes >= c.bytes)) end as needs_ps
  from collectives c),
waited as (
  select *, max(0, coalesce(exposed_ps - calls * needs_ps, 0)) as waited_ps from needs),
most as (
  select *, row_number() over (partition by input, device order by waited_ps desc, at) as nth from waited),
-- Time in which none waits is in what the calls are exposed for besides.
summed as (
  select w.input, w.device, c.exposed_ps - sum(w.exposed_ps - w.waited_ps) as stake, c.exposed_ps, d.span_ps
  from waited w
  join communication c on c.input is w.input and c.device is w.device
  join devices d on d.input is w.input and d.device is w.device
  group by w.input, w.device)
select s.input, s.device, s.stake, s.stake * 1.0 / s.span_ps as share, s.exposed_ps, m.kind as other,
  m.bytes as size_bytes, cast(m.total_ps * 1.0 / m.calls as integer) as took_ps, m.needs_ps,
  (select max(o.bytes) from collectives o where o.input is s.input and o.device is s.device and o.kind = m.kind
    and o."group" = m."group" and o.ranks is m.ranks
    and o.dtype is m.dtype and o.min_ps <= m.needs_ps) as more_bytes,
  case when (select count(distinct rank) from ranks) > 1 then case when exists (
      select 1 from inputs where cast(substr(properties, instr(properties, '"world_least":"') + 15) as integer)
        > (select count(distinct rank) from ranks) and instr(properties, '"world_least":"')) then 'some' else 'compare' end
    when exists (select 1 from findings f where f.answer = 'straggler' and f.input is s.input) then 'named' else 'open' end as "do"
from summed s join most m on m.input is s.input and m.device is s.device and m.nth = 1
where s.stake * 2 >= s.exposed_ps and s.stake * 100.0 > s.span_ps * 5.0
order by s.stake desc, s.device
