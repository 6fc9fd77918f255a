-- SPDX-License-Identifier: Apache-2.0
-- ranges: which ranges that the program names take the time
-- ability: 150 ranges time by range
-- of: ranges
-- needs: ranges? (range)
-- word: why no_ranges: no ranges in the file: record_function or NVTX would write them
-- say: [{reason:why}]
with told as (
  select exists (select 1 from ranges) as some)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code,
  case when not some then 'no_ranges' end as reason, case when not some then 'ranges' end as empty
from told
order by 1
