-- SPDX-License-Identifier: Apache-2.0
-- screen_kernel: the kernels with most of the device's time
-- line: 32 top_kernel
-- of: kernels
-- whole: device_time
-- needs: verdict (input device place)
-- needs: kernels (input device kernel total_ps share)
-- needs: operators? (input device level category self_ps)
-- note: Copies, fills and collectives of Ascend are no kernels, and count in the whole. The second one is named where it takes 5 % or more.
-- say: {name} {ratio:share}[, {other} {next:share}] of device time
with collectives as (
  select input, device, sum(self_ps) as sum_ps from operators
  where level = 'name' and category = 'hccl'
  group by input, device),
ordered as (
  select k.input, k.device, k.kernel, k.total_ps,
    k.total_ps / (k.total_ps / k.share + coalesce(c.sum_ps, 0)) as share, row_number() over (order by k.share desc, k.rowid) as nth
  from kernels k join verdict s on s.place = 1 and s.device is k.device and s.input is k.input
    left join collectives c on c.device is k.device and c.input is k.input
  where k.share > 0 and k.kernel is not null)
select a.input, a.device, a.kernel as name, a.share as ratio, a.total_ps as time_ps,
  b.kernel as other, b.share as next
from ordered a left join ordered b on b.nth = 2 and b.share >= 0.05
where a.nth = 1
order by a.input, a.device
