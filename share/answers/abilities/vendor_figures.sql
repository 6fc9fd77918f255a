-- SPDX-License-Identifier: Apache-2.0
-- vendor_figures: what the vendor's own tool made of the recording, beside ours
-- ability: 160 vendor_figures figures of the vendor
-- of: vendor_figures
-- needs: abilities (question code)
-- needs: inputs (decoder properties)
-- needs: vendor_figures? (figure)
-- word: why ascend: none of step_trace_time.csv, analysis.db, communication_analyzer.db of its steps is beside the file
-- word: why ascend-json: no track Overlap Analysis in the file, and no step_trace_time.csv of its steps beside it
-- word: why ntff: no summary of neuron-profile in the file
-- word: how ntff: the JSON that neuron-profile view --output-format json writes of it: that has a summary
-- note: Of vendors whose tool leaves such figures.
-- say: [{reason:why}]
-- record: {how:how}
with told as (
  select exists (select 1 from vendor_figures) as some,
    exists (select 1 from inputs where properties glob '*"format":"neuron-profile json"*') as listed,
    (select decoder from inputs where decoder in ('ascend', 'ascend-json', 'ntff') order by rowid limit 1) as decoder)
select case when some then 'yes' else 'no' end as able, case when not some then 'not_recorded' end as code,
  case when not some then decoder end as reason, case when not some and not listed then decoder end as how,
  case when not some then 'vendor_figures' end as empty
from told
where decoder is not null
order by 1
