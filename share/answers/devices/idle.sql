-- SPDX-License-Identifier: Apache-2.0
-- idle: a device does nothing for much of its windows or span
-- when: > 5 % of the windows that count, or of the span
-- stake: idle parts of table verdict_parts, or where the verdict is of the span idle_ns of table devices, or logical_cores; less waits for work that was not recorded
-- of: devices
-- shown: gaps
-- about: idle
-- each: input device
-- needs: devices (input device span_ps idle_ps)
-- needs: logical_cores? (input device span_ps idle_ps)
-- needs: gaps? (input device start_ps duration_ps cause ended_by)
-- needs: verdict? (input device code engine base window_ps)
-- needs: verdict_parts? (input device part duration_ps)
-- needs: verdict_windows? (input device start_ps duration_ps)
-- note: Of a warm-up it is not said why the device waited longest: the host captured or loaded
-- note: meanwhile.
-- note: Where work was launched and did not begin for more than 1 ms, and the file has no other device, it may have
-- note: waited for what is not in the file, such as a batch that was launched before the recording began: where the
-- note: verdict says so (part unrecorded), and before its first window. Such a gap is no idle time here, nor named.
-- note: Where the verdict is of steps, phases or periods, so is this: idle time outside them is none here, and of
-- note: a gap that reaches over their ends what lies within.
-- word: whole step: its steps
-- word: whole step1: the step
-- word: whole phase: its steps
-- word: whole phase1: the step
-- word: whole period: its periods
-- word: whole span: its span
-- word: do capture: record later steps: graphs were captured in these
-- word: do first_use: record later steps: code was loaded in these
-- word: do neuron: start transfers ahead (prefetch), more work a launch
-- with: whole gap
-- with: unrecorded gap
-- with: lost gap
-- with: judged gap
-- with: counted gap
-- with: runs gap
-- with: within gap
-- with: near gap
-- with: numbered gap
-- with: whole_gaps gap
-- words: do gap
-- words: why gap
-- advice: {do:do}
-- say: {device:device} idles {share:share} of {base:whole} ({stake:time})[, the longest for {gap_ps:time} before {name}, {cause:why}][, the longest for {nameless_ps:time} before work, {cause:why}][, the longest for {warm_ps:time} before {name}][; whether it idled for {unrecorded:time} more is not in the file]
with idle as (
  select * from counted where span_ps > 0 and idle_ps * 100.0 > span_ps * 5.0),
placed as (
  select i.*, (
    select v.code from verdict v
    where v.input is i.input and v.device is i.device
      and v.code in ('capture', 'first_use')) as warms, (
    select g.at
    from within g
    where g.device is i.device and g.input is i.input
    order by g.duration_ps desc, g.at
    limit 1) as longest
  from idle i),
longest as (
  select * from within where at in (select longest from placed))
select p.input, p.device, p.base, p.idle_ps as stake, p.idle_ps * 1.0 / p.span_ps as share,
  case when p.warms is null then w.duration_ps end as gap_ps,
  case when p.warms is not null then w.duration_ps end as warm_ps,
  case when 2 * g.duration_ps >= w.duration_ps then g.cause else 'several' end as cause,
  g.ended_by as name,
  case when g.ended_by is null and p.warms is null then w.duration_ps end as nameless_ps,
  case when exists (select 1 from verdict v where v.input is p.input and v.device is p.device and v.engine is not null)
    then 'neuron' else coalesce(p.warms, g.cause) end as "do",
  p.lost_ps as unrecorded, w.start_ps, w.start_ps + w.duration_ps as end_ps
from placed p
left join longest g on g.at = p.longest
left join whole_gaps w on w.at = p.longest
order by stake desc, p.at
