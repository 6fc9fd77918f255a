// SPDX-License-Identifier: Apache-2.0
// All widgets. A new one is a file beside this and a line here.
import { annotations } from './annotations.js'
import { code } from './code.js'
import { critical } from './critical.js'
import { details } from './details.js'
import { events } from './events.js'
import { findings } from './findings.js'
import { flame } from './flame.js'
import { gaps } from './gaps.js'
import { gates } from './gates.js'
import { latency } from './latency.js'
import { memory } from './memory.js'
import { operators } from './operators.js'
import { printed } from './printed.js'
import { problems } from './problems.js'
import { ranks } from './ranks.js'
import { reports } from './reports.js'
import { roofline } from './roofline.js'
import { search } from './search.js'
import { selection } from './selection.js'
import { sql } from './sql.js'
import { steps } from './steps.js'
import { summary } from './summary.js'
import { table } from './table.js'
import { timeline } from './timeline.js'

/** @type {Map<string, import('./dock.js').Definition>} */
export const WIDGETS = new Map(
  [
    timeline,
    details,
    summary,
    findings,
    operators,
    selection,
    search,
    annotations,
    steps,
    gaps,
    latency,
    roofline,
    code,
    ...reports,
    ranks,
    critical,
    flame,
    memory,
    gates,
    sql,
    events,
    printed,
    problems,
    table,
  ].map(one => [one.id, one]),
)
