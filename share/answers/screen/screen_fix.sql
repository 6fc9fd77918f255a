-- SPDX-License-Identifier: Apache-2.0
-- screen_fix: what would be gained, under which condition, and what reaches it
-- line: 22 fix
-- of: verdict_parts
-- needs: verdict (input device place base windows window_ps)
-- needs: findings? (input device code answer gain condition certainty advice other)
-- note: The two findings that gain most, of answer gain and of those with an upper bound.
-- word: whole step: step
-- word: whole step1: step
-- word: whole phase: step
-- word: whole phase1: step
-- word: whole period: period
-- word: whole span: span
-- word: about modelled: by estimate
-- word: about upper_bound: at most
-- word: about *: or more
-- say: a {base:whole} of {left_ps:time}, {ratio:factor} {certainty:about}, {condition:ours}[: {advice:ours}]
with reached as (
  select f.input, f.device, f.code, f.gain, f.condition, f.certainty, f.advice, f.other, v.base, v.window_ps * 1.0 / v.windows as mean_ps, row_number() over (order by f.gain desc, f.rowid) as nth
  from findings f join verdict v on v.place = 1 and v.device is f.device and v.input is f.input
  where (f.answer = 'gain' or f.certainty = 'upper_bound') and f.condition is not null)
select r.input, r.device, case r.code when 'launches' then 'host' else r.code end as code, r.base, r.base as whole, r.gain as ratio,
  cast(round(r.mean_ps / r.gain) as integer) as left_ps,
  cast(round(r.mean_ps - r.mean_ps / r.gain) as integer) as time_ps, r.condition, r.advice,
  r.certainty, r.other
from reached r
where r.nth = 1 or (r.nth = 2 and r.gain >= 1.1)
order by r.nth
