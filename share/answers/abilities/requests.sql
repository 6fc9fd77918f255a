-- SPDX-License-Identifier: Apache-2.0
-- requests: how long requests of a server wait and take
-- ability: 110 requests latency of requests
-- of: requests
-- needs: requests? (requests)
-- word: why no_requests: no spans of requests in the file, as SGLang's converter of OpenTelemetry adds them
-- say: [{code:why}]
with told as (
  select exists (select 1 from requests) as some)
select case when some then 'yes' else 'no' end as able, case when not some then 'no_requests' end as code,
  case when not some then 'requests' end as empty
from told
order by 1
