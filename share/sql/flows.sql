-- How long do arrows take from their beginning to their end, by family?
-- nprof sql FILE -f share/sql/flows.sql
with ends as (
  select input, category, flow, min(start_ps) as first_ps, max(start_ps) as last_ps, count(*) as ends
  from events
  where kind = 'flow' and flow is not null
  group by input, category, flow)
select category, count(*) as arrows,
       count(*) filter (where ends < 2) as without_partner,
       median(last_ps - first_ps) / 1e6 as median_us,
       max(last_ps - first_ps) / 1e6 as max_us
from ends
group by category
order by arrows desc;
