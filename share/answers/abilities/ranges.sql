-- SPDX-License-Identifier: Apache-2.0
-- ranges: which ranges that the program names take the time
-- ability: 150 ranges time by range
-- of: ranges
-- needs: abilities (question code)
-- needs: ranges? (range)
-- word: why no_ranges: no ranges in the file
-- word: how torch: record_function around what is to be told apart
-- word: how nsys: ranges of NVTX around what is to be told apart
-- word: how rocprof: ranges of roctx around what is to be told apart
-- word: how other: record_function of PyTorch or NVTX would write them
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from ranges) as some,
    (select code from abilities where question = 'recorder') as who)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code,
  case when not some then 'no_ranges' end as reason, case when not some then who end as how,
  case when not some then 'ranges' end as empty
from told
order by 1
