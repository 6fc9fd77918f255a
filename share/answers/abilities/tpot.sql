-- SPDX-License-Identifier: Apache-2.0
-- tpot: what prefill and decode cost
-- ability: 120 tpot prefill and decode
-- of: phases
-- needs: abilities (question able)
-- needs: phases? (phase)
-- word: why no_devices: no work of devices in the file
-- word: why no_phases: no step says that it is prefill or decode, as those of vLLM and SGLang do
-- say: [{reason:why}]
with told as (
  select exists (select 1 from phases) as some,
    not exists (select 1 from abilities where question = 'device_time' and able = 'no') as devices)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code,
  case when not some then case when devices then 'no_phases' else 'no_devices' end end as reason,
  case when not some then 'phases server_steps' end as empty
from told
order by 1
