-- How many bytes does each track move, and how fast while it does?  DMA queues are tracks of their
-- own in device traces.
-- nprof sql FILE -f share/sql/bytes-by-track.sql
select process, thread, count(*) as transfers, sum(bytes) as bytes,
       1e3 * sum(bytes) / nullif(sum(duration_ps), 0) as gb_per_s
from events
where kind = 'span' and bytes is not null
group by process, thread
order by bytes desc
limit 20;
