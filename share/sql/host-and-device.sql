-- How much of the time is each process or device busy?  Overlapping spans count once.
-- nprof sql FILE -f share/sql/host-and-device.sql
with spans as (
  select process, start_ps, start_ps + duration_ps as end_ps,
         max(start_ps + duration_ps) over (
           partition by process order by start_ps, duration_ps desc
           rows between unbounded preceding and 1 preceding) as before_ps
  from events
  where kind = 'span' and duration_ps is not null and process is not null)
select process,
       sum(greatest(0, end_ps - greatest(start_ps, coalesce(before_ps, start_ps)))) / 1e9 as busy_ms,
       (max(end_ps) - min(start_ps)) / 1e9 as span_ms
from spans
group by process
order by busy_ms desc;
