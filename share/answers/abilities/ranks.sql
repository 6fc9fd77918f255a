-- SPDX-License-Identifier: Apache-2.0
-- ranks: which rank holds the others up
-- ability: 40 ranks which rank is slow
-- of: ranks job inputs
-- needs: inputs (decoder)
-- needs: ranks? (rank)
-- needs: sanity? (rule)
-- word: why merged_ranks: the file holds several ranks, parted by rank
-- word: why one: one file of one rank
-- word: how one: open the folder that holds one file a rank
-- note: Several files are ranks, by what they say or by their order.
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select (select count(*) from inputs) as inputs, (select count(distinct rank) from ranks) > 1 as ranked,
    exists (select 1 from sanity where rule = 'merged_ranks') as merged)
select case when ranked then 'yes' when merged then 'partly' else 'no' end as able,
  case when merged then 'merged_ranks' when not ranked then 'not_recorded' end as code,
  case when merged then 'merged_ranks' when not ranked then 'one' end as reason,
  merged as missed, case when not ranked and not merged then 'one' end as how,
  case when merged then 'sanity' end as of_table
from told
where ranked or merged or inputs = 1
order by 1
