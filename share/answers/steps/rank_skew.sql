-- SPDX-License-Identifier: Apache-2.0
-- rank_skew: the ranks of a job do not end a step together
-- when: > 5 % of a step
-- stake: end_skew_ns of table step_skew
-- of: step_skew
-- shown: ranks
-- about: skew
-- needs: step_skew (input step end_skew_ps slowest longest_ps)
-- advice: divide work evenly between the ranks, or find what the slowest waits for
-- say: The ranks end step {step} {stake:time} apart, {share:share} of the {longest_ps:time} that rank {slowest:count}, the slowest, takes
select input, cast(step as text) as step, end_skew_ps as stake,
  end_skew_ps * 1.0 / longest_ps as share, longest_ps, slowest
from step_skew
where longest_ps > 0 and end_skew_ps * 100.0 > longest_ps * 5.0
order by stake desc, rowid
