-- SPDX-License-Identifier: Apache-2.0
-- family: one family of several kernels takes much of the time of all
-- when: > 25 % of the time of kernels
-- stake: total_ns of table kernels
-- of: kernels
-- shown: operators
-- each: input device family
-- needs: kernels (input device kernel family total_ps)
-- needs: verdict? (input device place)
-- needs: abilities? (question code)
-- word: do gemm: a smaller type, larger and aligned dimensions (batch, padding)
-- word: do convolution: a smaller type, the layout that the library prefers (channels_last)
-- word: do attention: a fused attention kernel, a smaller type
-- word: do optimizer: a fused optimizer
-- word: do fuse: fusion with what runs before and behind
-- word: do cuda: Nsight Compute, for what bounds it
-- word: do hip: rocprof-compute, for what bounds it
-- word: do npu: msprof op, for what bounds it
-- word: do tpu: a larger batch, or a kernel of its own (Pallas)
-- word: do neuron: a larger batch, or a kernel of its own (NKI)
-- word: do *: the profiler of its maker, for what bounds it
-- note: Families are told by the names of kernels alone, so also of those that graphs replay. Of a family of one
-- note: kernel, operator says it; of communication exposed says what nothing hides.
-- note: The device that the verdict of the first screen is of comes first.
-- advice: {do:do}
-- say: {family:ours} takes {share:share} of the time of kernels of {device:device} ({stake:time}) in {n:count} kernels, most of it {name}
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
  select input, device, family, kernel, row_number() over (partition by input, device, family order by total_ps desc, rowid) as nth
  from kernels)
select s.input, s.device, s.family, s.stake, s.stake * 1.0 / w.of_all as share, m.kernel as name, s.n,
  'work/' || s.family as about,
  case when s.family in ('gemm', 'moe gemm') then 'gemm'
    when s.family in ('convolution', 'attention', 'optimizer') then s.family
    when s.family in ('norm', 'elementwise', 'reduction', 'cast', 'activation', 'rope', 'softmax', 'embedding', 'quantize', 'layout')
    then 'fuse' else (select code from abilities where question = 'platform') end as "do"
from summed s join whole w on w.input is s.input and w.device is s.device
  join most m on m.input is s.input and m.device is s.device and m.family = s.family and m.nth = 1
where s.n > 1 and w.of_all > 0 and s.stake > 0.25 * w.of_all
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is s.device and v.input is s.input), s.stake desc, s.input, s.device, s.family
