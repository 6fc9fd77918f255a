-- Where is a track idle longest, between the end of all earlier spans and the next start?  Where
-- losses > 0 the file says that rows of that time are missing: it may not have been idle.
-- nprof sql FILE -f share/sql/idle-gaps.sql
with spans as (
  select input, process, thread, track, name, start_ps,
         max(start_ps + duration_ps) over (
           partition by track order by start_ps, duration_ps desc
           rows between unbounded preceding and 1 preceding) as busy_until
  from events
  where kind = 'span' and duration_ps is not null)
select process, thread, busy_until / 1e9 as from_ms,
       (start_ps - busy_until) / 1e6 as idle_us, name as next_name,
       (select count(*) from events lost
        where lost.kind = 'gap' and lost.input = spans.input
          and lost.start_ps between spans.busy_until and spans.start_ps) as losses
from spans
where start_ps > busy_until
order by idle_us desc
limit 20;
