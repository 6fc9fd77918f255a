// SPDX-License-Identifier: Apache-2.0
// This part of the page is loaded when something of it is wanted: a widget that an opened page does
// not show, a dialog, what was dropped, another page.
import './later.js'
import { annotations } from './widgets/annotations.js'
import { code } from './widgets/code.js'
import { critical } from './widgets/critical.js'
import { events } from './widgets/events.js'
import { findings } from './widgets/findings.js'
import { flame } from './widgets/flame.js'
import { gaps } from './widgets/gaps.js'
import { gates } from './widgets/gates.js'
import { latency } from './widgets/latency.js'
import { memory } from './widgets/memory.js'
import { printed } from './widgets/printed.js'
import { problems } from './widgets/problems.js'
import { ranks } from './widgets/ranks.js'
import { report } from './widgets/reports.js'
import { roofline } from './widgets/roofline.js'
import { search } from './widgets/search.js'
import { selection } from './widgets/selection.js'
import { sql } from './widgets/sql.js'
import { steps } from './widgets/steps.js'
import { SUBJECTS } from './widgets/subjects.js'
import { summary } from './widgets/summary.js'
import { table } from './widgets/table.js'

export { stepHits } from './base/hit-steps.js'
export { mainSteps, stepBy } from './base/step-by.js'
export * as ask from './pages/ask.js'
export { comparePage } from './pages/compare.js'
export { aboutDialog, addDialog, compareDialog, helpDialog, layoutDialog } from './pages/dialogs.js'
export { listPage } from './pages/list.js'
export { missingPage } from './pages/missing.js'
export { readingPage } from './pages/reading.js'
export { addToProfile } from './pages/upload.js'
export { follow, rowsBelow } from './widgets/operator-rows.js'
export { showFinding } from './widgets/show.js'
export { selectedPanel } from './widgets/selected.js'
export { takeSources } from './widgets/texts.js'

/**
 * What shows each widget that registry.js names and does not have.
 * @type {Record<string, import('./widgets/dock.js').Mount>}
 */
export const MOUNTS = {
  annotations,
  code,
  critical,
  events,
  findings,
  flame,
  gaps,
  gates,
  latency,
  memory,
  printed,
  problems,
  ranks,
  roofline,
  search,
  selection,
  sql,
  steps,
  summary,
  table,
  ...Object.fromEntries(SUBJECTS.map(subject => [subject.id, report(subject)])),
}
