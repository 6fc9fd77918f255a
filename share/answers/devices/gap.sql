-- SPDX-License-Identifier: Apache-2.0
-- gap: the longest gap of devices of which none idles for much of its span
-- when: the longest, and 1 % of the window or more
-- stake: duration_ns of table gaps, of its parts of all causes
-- of: gaps
-- shown: gaps
-- about: idle
-- needs: verdict? (input device window_ps)
-- needs: gaps (input device start_ps duration_ps cause ended_by)
-- needs: devices? (input device span_ps idle_ps)
-- needs: logical_cores? (input device span_ps idle_ps)
-- needs: verdict_parts? (input device part duration_ps)
-- needs: verdict_windows? (input device start_ps)
-- note: A gap that finding idle takes for a wait for work that was not recorded is none.
-- word: why host: which was launched late
-- word: why launch: which was launched, and had not begun
-- word: why wait: which waited for other work
-- word: why dma: which waited for a transfer
-- word: why collective: which waited for a collective
-- word: why unlinked: whose launch the file does not have
-- word: why several: for several causes
-- word: why *: for a cause that is not known
-- word: nameless work: work
-- word: do host: launch ahead of the device, in fewer and longer calls
-- word: do launch: fewer launches, of longer work
-- word: do wait: fewer dependencies between its queues
-- word: do dma: start transfers ahead (prefetch)
-- word: do collective: find the rank that comes last
-- word: do *: record the calls that launch its work
-- advice: {do:do}
-- say: {device:device} idles for {stake:time} before [{name}][{other_work:nameless}], {cause:why}
with whole as (
  select span_ps, idle_ps from logical_cores
  union all
  select d.span_ps, d.idle_ps from devices d
  where not exists (
    select 1 from logical_cores l
    where l.input is d.input and substr(d.device, 1, length(l.device) + 1) = l.device || '/')),
unrecorded as (
  select g.rowid as gap, g.input, g.device, g.duration_ps
  from gaps g join (select distinct input, device from gaps where cause = 'launch') l on l.input is g.input and l.device is g.device
  where g.cause in ('launch', 'wait') and g.start_ps is not null and g.duration_ps > 1000000000
    and not exists (select 1 from devices d where d.input is g.input and d.device is not g.device)
    and (exists (
      select 1 from verdict_parts p
      where p.input is g.input and p.device is g.device and p.part = 'unrecorded' and 10 * p.duration_ps >= 9 * g.duration_ps)
    or g.start_ps + g.duration_ps <= (
      select min(w.start_ps) from verdict_windows w where w.input is g.input and w.device is g.device) + 1000000000)),
longest as (
  select g.rowid as at, g.input, g.device, g.start_ps, g.duration_ps, g.cause, g.ended_by
  from (
    select 1
    where not exists (select 1 from whole where span_ps > 0 and idle_ps * 100.0 > span_ps * 5.0)) as none
  join gaps g on g.start_ps is not null and g.duration_ps is not null and g.rowid not in (select gap from unrecorded)
  order by g.duration_ps desc, g.rowid
  limit 1),
-- A gap is in as many rows as it has causes, one behind the other with one end: that with the longest row is told.
near as (
  select l.at, l.start_ps as from_ps, g.start_ps, g.duration_ps,
    lag(g.start_ps + g.duration_ps) over (partition by l.at order by g.start_ps, g.rowid) is not g.start_ps as begins
  from longest l join gaps g on g.device is l.device and g.input is l.input and g.ended_by is l.ended_by
    and g.start_ps between l.start_ps - 2 * l.duration_ps and l.start_ps + 2 * l.duration_ps
    and g.rowid not in (select gap from unrecorded)),
numbered as (
  select *, sum(begins) over (partition by at order by start_ps) as number from near),
whole_gaps as (
  select at, min(start_ps) as start_ps, sum(duration_ps) as duration_ps
  from numbered group by at, number having sum(start_ps = from_ps) > 0)
select g.input, g.device, w.duration_ps as stake, case when 2 * g.duration_ps >= w.duration_ps then g.cause else 'several' end as cause,
  g.cause as "do", g.ended_by as name, case when g.ended_by is null then 'work' end as other_work,
  w.start_ps, w.start_ps + w.duration_ps as end_ps
from longest g join whole_gaps w on w.at = g.at
where not exists (
  select 1 from verdict v where v.input is g.input and v.device is g.device and w.duration_ps * 100.0 < v.window_ps)
order by stake desc, g.at
