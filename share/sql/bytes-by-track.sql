-- How many bytes does each track move, and how fast while it does?  DMA queues are tracks of their
-- own in device traces.
-- duckdb < share/sql/bytes-by-track.sql, where out/ is what nprof run -s parquet -o out wrote.
select process, thread, count(*) as transfers, sum(bytes) as bytes,
       sum(bytes) / nullif(sum(duration_ps), 0) * 1e3 as gb_per_s
from 'out/events.parquet'
where kind = 'span' and bytes is not null
group by process, thread
order by bytes desc
limit 20;
