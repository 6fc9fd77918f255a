-- SPDX-License-Identifier: Apache-2.0
-- family: one family of several kernels takes much of the time of all
-- when: > 25 % of the time of kernels, 1 % of its window or more (10 % where it idles)
-- stake: total_ns of table kernels
-- of: kernels
-- shown: operators
-- each: input device family
-- needs: kernels (input device kernel family marks total_ps)
-- needs: verdict? (input device place worth_ps)
-- needs: abilities? (input question code)
-- words: do operator
-- word: most most: most of it
-- note: Most is in a kernel that takes more than half of it; of another its share is said.
-- note: The advice is true of the largest kernel, which is named: what its name tells (marks) is not advised again.
-- note: Families are told by the names of kernels alone, so also of those that graphs replay. Of a family of one
-- note: kernel, operator says it; of communication exposed says what nothing hides.
-- note: The device that the verdict of the first screen is of comes first.
-- advice: {do:do}
-- say: {family:ours} takes {share:share} of the time of kernels of {device:device} ({stake:time}) in {n:count} kernels[, {most:most} {name}][, the largest: {name}, {part:share} of it]
with whole as (
  select input, device, sum(total_ps) as of_all
  from kernels
  where family is not null
  group by input, device),
summed as (
  select input, device, family, sum(total_ps) as stake, count(*) as n
  from kernels
  where family is not null and family not in ('other', 'communication')
  group by input, device, family),
most as (
  select input, device, family, kernel, coalesce('_' || marks, '') as marks, total_ps,
    (select p.code from abilities p where p.question = 'platform' and p.input is kernels.input) as platform, row_number() over (partition by input, device, family order by total_ps desc, rowid) as nth
  from kernels)
select s.input, s.device, s.family, s.stake, s.stake * 1.0 / w.of_all as share, m.kernel as name, s.n,
  case when 2 * m.total_ps > s.stake then 'most' end as most,
  case when 2 * m.total_ps <= s.stake then m.total_ps * 1.0 / s.stake end as part,
  'work/' || s.family as about,
  case when s.family in ('gemm', 'moe gemm') then 'gemm' || m.marks
    when s.family = 'attention' and m.marks = '_fused_small' then m.platform
    when s.family in ('convolution', 'attention') then s.family || m.marks
    when s.family = 'optimizer' then s.family
    when s.family in ('norm', 'elementwise', 'reduction', 'cast', 'activation', 'rope', 'softmax', 'embedding', 'quantize', 'layout')
    then 'fuse' else m.platform end as "do"
from summed s join whole w on w.input is s.input and w.device is s.device
  join most m on m.input is s.input and m.device is s.device and m.family = s.family and m.nth = 1
where s.n > 1 and w.of_all > 0 and s.stake > 0.25 * w.of_all and not exists (
  select 1 from verdict v where v.input is s.input and v.device is s.device and s.stake < v.worth_ps)
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is s.device and v.input is s.input), s.stake desc, s.input, s.device, s.family
