-- SPDX-License-Identifier: Apache-2.0
-- screen_categories: the peak of memory over time, and what it was for
-- line: 41 memory
-- of: memory_categories
-- needs: memory_timeline (input peak)
-- needs: memory_categories (input category at_peak share)
-- say: peak {bytes:bytes}[; {family_1:ours} {ratio:share}][, {family_2:ours} {next:share}] of the peak
with ordered as (
  select input, category, share, row_number() over (order by at_peak desc, rowid) as nth
  from memory_categories where share > 0),
most as (select input, peak from memory_timeline order by rowid limit 1)
select m.input, m.peak as bytes, a.category as family_1, a.share as ratio,
  b.category as family_2, b.share as next
from most m
join ordered a on a.nth = 1
left join ordered b on b.nth = 2
order by m.input
