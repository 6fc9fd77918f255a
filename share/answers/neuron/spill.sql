-- SPDX-License-Identifier: Apache-2.0
-- spill: much of what is read of HBM are tensors that were spilled before
-- when: > 25 % of reads
-- stake: the metrics of bytes have no time
-- of: neuron_summary
-- each: input device
-- needs: neuron_summary (input device metric value)
-- advice: smaller tiles or fewer live tensors, so that they fit into SBUF
-- say: {device:device} reloads spilled tensors for {share:share} of the bytes that it reads of HBM
with placed as (
  select input, device, value, row_number() over (partition by input, device order by rowid) as place
  from neuron_summary
  where metric = 'hbm_read_bytes' and value > 0)
select s.input, s.device, s.value / r.value as share
from neuron_summary s
join placed r on r.place = 1 and r.device is s.device and r.input is s.input
where s.metric = 'spill_reload_bytes' and s.value / r.value > 0.25
order by s.rowid
