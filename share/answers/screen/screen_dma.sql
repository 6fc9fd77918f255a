-- SPDX-License-Identifier: Apache-2.0
-- screen_dma: what DMA of a NeuronCore moves and reaches, and what waits for it
-- line: 21 dma DMA
-- of: dma
-- needs: verdict (input device place)
-- needs: findings? (answer input device name other detail)
-- say: {because}
select f.input, f.device, f.name, f.other,
  replace(replace(f.detail, '{name}', coalesce(f.name, '')), '{other}', coalesce(f.other, '')) as because
from findings f join verdict v on v.place = 1 and v.device is f.device and v.input is f.input
where f.answer = 'dma' and f.detail is not null
order by f.rowid
limit 1
