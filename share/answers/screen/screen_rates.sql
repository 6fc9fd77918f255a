-- SPDX-License-Identifier: Apache-2.0
-- screen_rates: how much of the wait is the queue's, and how fast tokens come
-- line: 27 requests
-- of: requests
-- needs: requests (input requests ttft_p50_ps queue_p50_ps tpot_p50_ps tokens_per_s ahead_least_ps ahead_most_ps apart)
-- word: clocks together: clocks of requests and device agree within 1 ms
-- word: clocks ahead: the device's clock is ahead of that of the requests
-- word: clocks behind: the device's clock is behind that of the requests
-- word: clocks apart: joined with no trace: at no one offset of the clocks do steps end where first tokens come
-- say: [queue {queue_ps:time}][; TPOT {time_ps:time}][; {tokens:count} tokens/s of these requests][; {clock:clocks}][ by {least_ps:time} to {most_ps:time}]
select input, queue_p50_ps as queue_ps, tpot_p50_ps as time_ps, cast(round(tokens_per_s) as integer) as tokens,
  case when ahead_least_ps <= 0 and ahead_most_ps >= 0 then 'together' when ahead_least_ps > 0 then 'ahead' when ahead_most_ps < 0 then 'behind' when apart is not null then 'apart' end as clock,
  case when ahead_least_ps > 0 then ahead_least_ps when ahead_most_ps < 0 then -ahead_most_ps end as least_ps,
  case when ahead_least_ps > 0 then ahead_most_ps when ahead_most_ps < 0 then -ahead_least_ps end as most_ps
from requests
where queue_p50_ps is not null or tpot_p50_ps is not null or tokens_per_s is not null or apart is not null
order by ttft_p50_ps desc, rowid
limit 1
