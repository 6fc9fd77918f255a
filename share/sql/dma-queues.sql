-- How many bytes does each DMA queue of a NEFF move?
-- nprof sql FILE -f share/sql/dma-queues.sql
select input, queue, type, descriptors, bytes,
       1.0 * bytes / nullif(descriptors, 0) as bytes_per_descriptor
from dma_queues
order by bytes desc nulls last, queue;
