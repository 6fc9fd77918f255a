-- SPDX-License-Identifier: Apache-2.0
-- memory_bound: an operator waits for memory, and does not use all that it could give
-- when: 5 to 50 % MBU, 1 % of its window or more (10 % where it idles)
-- stake: time_ns of table mfu
-- of: mfu
-- shown: roofline
-- each: name
-- needs: mfu (input device step layer operator time_ps mbu bound)
-- needs: verdict? (input device place worth_ps)
-- needs: kernels? (input device kernel operator marks)
-- needs: findings? (input device name answer about)
-- note: The device that the verdict of the first screen is of comes first.
-- note: Below 5 % memory is not what bounds it, wherever it stands on the roofline.
-- note: Of one operator in all steps and layers: sums stand in parentheses.
-- word: do short: more work a call (larger batch), fusion: so little is bound by latency, not by memory
-- word: do small: fuse it with what feeds it, or a larger batch where it reads weights
-- word: do *: fuse it with what feeds it, a smaller type, or a larger batch where it reads weights
-- advice: {do:do}
-- detail: at full bandwidth it takes {saved:time} less
-- say: {name} is on the memory side of the roofline, and uses {mbu:share} of the bandwidth of {device:device} ({stake:time})
select input, device, operator as name, time_ps as stake, mbu,
  cast(round(time_ps * (1 - mbu)) as integer) as saved,
  coalesce((select f.about from findings f where f.answer = 'operator' and f.input is m.input and f.device is m.device
    and f.name = m.operator), 'work/' || operator) as about,
  case when mbu < 0.1 then 'short' when exists (
    select 1 from kernels k where k.input is m.input and k.device is m.device and m.operator in (k.kernel, k.operator)
      and k.marks like '%small%') then 'small' end as "do"
from mfu m
where bound = 'memory' and mbu >= 0.05 and mbu < 0.5 and time_ps is not null
  and not exists (
    select 1 from verdict v where v.input is m.input and v.device is m.device and m.time_ps < v.worth_ps)
  and operator <> '' and substr(operator, 1, 1) <> '(' and coalesce(layer, '') = '' and step is null
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is m.device and v.input is m.input), stake desc, m.rowid
