-- Which tensors of a NEFF are largest, and what share of all do they take?
-- duckdb < share/sql/largest-tensors.sql, where out/ is what nprof run -s parquet -o out wrote.
select input, name, usage, shape, dtype, bytes,
       round(100.0 * bytes / sum(bytes) over (partition by input), 2) as percent
from 'out/tensors.parquet'
where bytes is not null
order by bytes desc, name
limit 20;
