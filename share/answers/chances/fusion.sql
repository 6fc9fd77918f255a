-- SPDX-License-Identifier: Apache-2.0
-- fusion: kernels in a row that could be one
-- when: > 5 % of the work of the device
-- stake: total_ns of table fusion_patterns
-- of: fusion_patterns
-- shown: operators
-- about: work/fuse
-- each: input device
-- needs: fusion_patterns (input device pattern kernels times total_ps share passed_bytes operators)
-- needs: verdict? (input device place)
-- needs: abilities? (question code)
-- note: The device that the verdict of the first screen is of comes first.
-- note: Kernels of these families need few flops for a byte, so what one of them writes for the next is most of their time.
-- word: do torch: torch.compile, or one kernel for them (Triton)
-- word: do neuron: one kernel for them (NKI)
-- word: do xla: one jit around them, or one kernel (Pallas)
-- word: do *: one kernel for them
-- advice: {do:do}
-- say: {kernels:count} kernels in a row ({name}) take {share:share} of the work of {device:device}, {times:count} times[, with {passed_bytes:bytes} or more between them][: {other}]
select input, device, kernels, pattern as name, times, total_ps as stake, share, nullif(passed_bytes, 0) as passed_bytes, operators as other, (
    select case when p.code = 'neuron' then p.code else r.code end from abilities r left join abilities p on p.question = 'platform'
    where r.question = 'recorder') as "do"
from fusion_patterns f
where share > 0.05
order by not exists (
  select 1 from verdict v where v.place = 1 and v.device is f.device and v.input is f.input), total_ps desc, rowid
