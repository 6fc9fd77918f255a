-- SPDX-License-Identifier: Apache-2.0
-- gap: the longest gap of devices of which none idles for much of its span
-- when: the longest
-- stake: duration_ns of table gaps
-- of: gaps
-- shown: gaps
-- about: idle
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
      select min(w.start_ps) from verdict_windows w where w.input is g.input and w.device is g.device) + 1000000000))
select g.input, g.device, g.duration_ps as stake, g.cause, g.cause as "do", g.ended_by as name,
  case when g.ended_by is null then 'work' end as other_work,
  g.start_ps, g.start_ps + g.duration_ps as end_ps
from (
  select 1
  where not exists (select 1 from whole where span_ps > 0 and idle_ps * 100.0 > span_ps * 5.0)) as none
join gaps g on g.start_ps is not null and g.duration_ps is not null
  and not exists (select 1 from unrecorded u where u.gap = g.rowid)
order by stake desc, g.rowid
limit 1
