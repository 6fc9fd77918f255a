-- Which tensors of a NEFF are largest, and what share of all do they take?
-- nprof sql FILE -f share/sql/largest-tensors.sql
select input, name, usage, shape, dtype, bytes,
       round(100.0 * bytes / sum(bytes) over (partition by input), 2) as percent
from tensors
where bytes is not null
order by bytes desc, name
limit 20;
