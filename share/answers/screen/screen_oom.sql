-- SPDX-License-Identifier: Apache-2.0
-- screen_oom: memory ran out
-- line: 3 verdict
-- of: memory
-- needs: memory_failures (input device asked free held reserved place)
-- say: OUT OF MEMORY: asked {asked_bytes:bytes}[, free {free_bytes:bytes}][, held {held_bytes:bytes}][ of {reserved_bytes:bytes} reserved][, at {name}]
select input, device, 'oom' as code, asked as asked_bytes, asked as bytes, free as free_bytes,
  held as held_bytes, reserved as reserved_bytes, place as name
from memory_failures
order by rowid
limit 1
