-- SPDX-License-Identifier: Apache-2.0
-- ranks: which rank holds the others up
-- ability: 40 ranks which rank is slow
-- of: ranks job inputs
-- needs: inputs (decoder properties)
-- needs: ranks? (rank state)
-- needs: sanity? (rule)
-- word: why merged_ranks: the file holds several ranks, parted by rank
-- word: why one: one file of one rank
-- word: why single: none: the job has one rank
-- word: how one: open the folder that holds one file a rank
-- note: Several files are ranks, by what they say or by their order.
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select (select count(*) from inputs) as inputs, (select count(distinct rank) from ranks where state is not 'missing') > 1 as ranked,
    exists (select 1 from sanity where rule = 'merged_ranks') as merged,
    (select count(*) = 1 and total(properties like '%"world\_size":"1"%' escape '\') from inputs) as single)
select case when ranked or single then 'yes' when merged then 'partly' else 'no' end as able,
  case when single then null when merged then 'merged_ranks' when not ranked then 'not_recorded' end as code,
  case when single then 'single' when merged then 'merged_ranks' when not ranked then 'one' end as reason,
  merged as missed, case when not ranked and not merged and not single then 'one' end as how,
  case when single then '' when merged then 'sanity' end as of_table
from told
where ranked or merged or inputs = 1
order by 1
