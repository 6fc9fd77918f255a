-- SPDX-License-Identifier: Apache-2.0
-- screen_step: what a step, a period or the span is made of, as a sum
-- line: 20 step
-- of: verdict_parts
-- needs: verdict (input device place base windows left_out window_ps median_ps lag_ps)
-- needs: devices? (input device span_ps)
-- needs: step_breakdown? (input device step)
-- needs: bound? (input process code)
-- needs: abilities? (input question code)
-- needs: verdict_parts (input device part duration_ps)
-- note: Its figure is the median of the windows that count; parts add up to their mean. Where periods of
-- note: names that repeat are less than four fifths of the span, how much they are is said.
-- word: kind neuron: DMA alone
-- word: kind *: copies
-- word: whole step: mean
-- word: whole period: mean period
-- word: whole step1: one step,
-- word: whole phase: mean
-- word: whole phase1: one step,
-- word: whole span: span
-- say: {base:whole} {mean_ps:time} = compute {compute_ps:time}[ + communication {comm_ps:time}][ + {kind:kind} {copy_ps:time}][ + control {control_ps:time}][ + idle {idle_ps:time}][ + rows may be missing {lost_ps:time}][; median {shown_ps:time} of {count:count}][, {covered:share} of the span][, first {lag_ps:time}]
with hidden as (
  select 1 from bound b join verdict v on v.place = 1 and v.device is b.process and v.input is b.input
  where b.code = 'undetermined.not_recorded'),
subject as (select input, device, base, window_ps, median_ps, lag_ps, windows as n from verdict
  where place = 1 and window_ps > 0 and not exists (select 1 from hidden)),
summed as (
  select cast(round(total(case when p.part = 'compute' then p.duration_ps end) / s.n) as integer) as compute_ps,
    cast(round(sum(case when p.part = 'comm' then p.duration_ps end) * 1.0 / s.n) as integer) as comm_ps,
    cast(round(sum(case when p.part = 'copy' then p.duration_ps end) * 1.0 / s.n) as integer) as copy_ps,
    cast(round(sum(case when p.part = 'control' then p.duration_ps end) * 1.0 / s.n) as integer) as control_ps,
    cast(round(sum(case when p.part = 'lost' then p.duration_ps end) * 1.0 / s.n) as integer) as lost_ps,
    cast(round(sum(case when p.part not in ('compute', 'comm', 'copy', 'control', 'lost') then p.duration_ps end) * 1.0 / s.n) as integer) as idle_ps
  from verdict_parts p join subject s on s.device is p.device and s.input is p.input)
select s.input, s.device, s.base, s.base as whole, s.median_ps as time_ps, s.n as count,
  cast(round(s.window_ps * 1.0 / s.n) as integer) as mean_ps,
  case when s.n > 1 then s.median_ps end as shown_ps, s.lag_ps, (
    select s.window_ps * 1.0 / d.span_ps from devices d
    where s.base = 'period' and d.input is s.input and d.device is s.device and 10.0 * s.window_ps < 8.0 * d.span_ps
      and not exists (
        select 1 from step_breakdown b where b.input is s.input and b.device is s.device and b.step is not null)) as covered,
  m.compute_ps, nullif(m.comm_ps, 0) as comm_ps, nullif(m.copy_ps, 0) as copy_ps,
  case when m.copy_ps > 0 then coalesce((select p.code from abilities p where p.question = 'platform' and p.input is s.input), '') end as kind,
  nullif(m.control_ps, 0) as control_ps, nullif(m.idle_ps, 0) as idle_ps, nullif(m.lost_ps, 0) as lost_ps
from subject s join summed m
order by s.input
