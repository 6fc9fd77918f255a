-- SPDX-License-Identifier: Apache-2.0
-- screen_requests: how long requests wait for their first token
-- line: 26 ttft TTFT
-- of: requests
-- needs: requests (input requests first_tokens ttft_p50_ps ttft_p99_ps)
-- needs: inputs (input)
-- say: median {time_ps:time}; p99 {p99_ps:time}; [{count:count} of ]{all:count} requests[; slowest of {several:count} inputs: {input}]
select input, ttft_p50_ps as time_ps, ttft_p99_ps as p99_ps, case when first_tokens < requests then first_tokens end as count, requests as "all",
  case when (select count(*) from requests) > 1 then (select count(*) from requests) end as several
from requests
where ttft_p50_ps is not null
order by ttft_p50_ps desc, rowid
limit 1
