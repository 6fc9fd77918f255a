-- SPDX-License-Identifier: Apache-2.0
-- screen_rates: how much of the wait is the queue's, and how fast tokens come
-- line: 27 requests
-- of: requests
-- needs: requests (input requests ttft_p50_ps queue_p50_ps tpot_p50_ps tokens_per_s)
-- say: [queue {queue_ps:time}][; TPOT {time_ps:time}][; {tokens:count} tokens/s of these requests]
select input, queue_p50_ps as queue_ps, tpot_p50_ps as time_ps, cast(round(tokens_per_s) as integer) as tokens
from requests
where queue_p50_ps is not null or tpot_p50_ps is not null or tokens_per_s is not null
order by ttft_p50_ps desc, rowid
limit 1
