-- SPDX-License-Identifier: Apache-2.0
-- screen_hung: what hung in a job of ranks, and who waits
-- line: 3 verdict
-- of: hang
-- needs: hang (input cause group sequence collective source waiting waited_ps timeout reason)
-- word: nothing none: nothing hung
-- word: nothing known: what hung is not known
-- say: [HUNG: {name}: {because}][{cause:nothing}: {track}][; it is in {other}][; waiting: {step}][ (timeout {seconds:count} s)]
select input, case when collective is not null then 'hung.' || cause else 'undetermined.not_recorded' end as code,
  case when collective is not null then collective || ' ' || sequence || ' of ' || "group" end as name,
  case when collective is not null then reason end as because,
  case when collective is null then case cause when 'none' then 'none' else 'known' end end as cause,
  case when collective is null then reason end as track,
  source as other, waiting as step, waited_ps as time_ps, cast(timeout / 1000.0 as integer) as seconds
from hang
order by rowid
limit 1
