-- How many bytes does each DMA queue of a NEFF move?
-- duckdb < share/sql/dma-queues.sql, where out/ is what nprof run -s parquet -o out wrote.
select input, queue, type, descriptors, bytes,
       bytes / nullif(descriptors, 0) as bytes_per_descriptor
from 'out/dma_queues.parquet'
order by bytes desc nulls last, queue;
