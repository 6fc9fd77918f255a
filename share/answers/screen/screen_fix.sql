-- SPDX-License-Identifier: Apache-2.0
-- screen_fix: what would be gained, under which condition, and what reaches it
-- line: 22 fix
-- of: verdict_parts
-- needs: verdict (input device place base windows window_ps)
-- needs: findings? (input device code answer stake_ps gain condition certainty advice other)
-- note: The two findings that gain most, of answers gain and straggler and of those with an upper bound; before
-- note: them what the device waits for other ranks, which has no gain of its own.
-- word: whole step: step
-- word: whole step1: step
-- word: whole phase: step
-- word: whole phase1: step
-- word: whole period: period
-- word: whole span: span
-- word: about modelled: by estimate
-- word: about upper_bound: at most
-- word: about *: or more
-- word: what waits: at least
-- say: [a {base:whole} of {left_ps:time}, {ratio:factor} {certainty:about}, {condition:ours}][{what:what} {waits_ps:time} of waiting for other ranks][: {advice:ours}]
with subject as (
  select input, device, base, window_ps * 1.0 / windows as mean_ps from verdict where place = 1),
told as (
  select f.rowid as at, f.input, f.device, f.code, f.answer, f.stake_ps, f.gain, f.condition, f.certainty, f.advice, f.other,
    s.base, s.mean_ps
  from findings f join subject s on s.input is f.input and (s.device is f.device or f.answer = 'straggler')
  where (f.answer in ('gain', 'straggler') or f.certainty = 'upper_bound') and f.condition is not null and f.gain is not null
    or f.answer = 'waits' and not exists (select 1 from findings g where g.answer = 'straggler' and g.input is f.input)),
reached as (
  select *, row_number() over (order by answer = 'waits' desc, gain desc, at) as nth from told)
select r.input, r.device, case r.code when 'launches' then 'host' else r.code end as code,
  case when r.gain is not null then r.base end as base, case when r.gain is not null then r.base end as whole, r.gain as ratio,
  cast(round(r.mean_ps / r.gain) as integer) as left_ps,
  coalesce(cast(round(r.mean_ps - r.mean_ps / r.gain) as integer), r.stake_ps) as time_ps,
  case when r.answer = 'waits' then 'waits' end as what, case when r.answer = 'waits' then r.stake_ps end as waits_ps,
  r.condition, r.advice, r.certainty, r.other
from reached r
where r.nth = 1 or (r.nth = 2 and (r.gain >= 1.1 or (select answer from reached where nth = 1) = 'waits'))
order by r.nth
