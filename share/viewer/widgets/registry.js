// SPDX-License-Identifier: Apache-2.0
// All widgets, in the order in which they are offered. Those that an opened page shows are there at
// once, the others are of rest.js. A new one is a file beside this, a line here, and one in rest.js.
import { make } from '../base/element.js'
import { restLost, showRest } from '../base/rest.js'
import { render } from '../lib/lit.js'
import { details } from './details.js'
import { operators } from './operators.js'
import { SUBJECTS, tableAndFilter } from './subjects.js'
import { timeline } from './timeline.js'

/** @typedef {import('./dock.js').Definition} Definition */

/**
 * Shows a widget of rest.js when that has come.
 * @param {string} id @returns {import('./dock.js').Mount}
 */
const mountOf = id => (element, page, argument) => {
  let stop = () => {}
  const note = make('div', 'pad muted')
  note.setAttribute('aria-busy', 'true')
  element.append(note)
  const leave = showRest(
    ({ MOUNTS }) => {
      note.remove()
      stop = MOUNTS[id](element, page, argument)
    },
    () => {
      note.removeAttribute('aria-busy')
      render(restLost, note)
    },
  )
  return () => {
    leave()
    stop()
  }
}

/**
 * @param {string} id @param {string} title @param {string} help
 * @param {Definition['titleOf']} [titleOf] @returns {Definition}
 */
const later = (id, title, help, titleOf) => ({
  id,
  title,
  help,
  titleOf,
  mount: mountOf(id),
  isLater: true,
})

/** The title of a table, and how it is filtered. @type {Definition['titleOf']} */
const tableTitle = (argument, { session }) => {
  const [name, filter] = tableAndFilter(argument),
    found = session.profile.tables.find(one => one.name === name)
  return (found?.title ?? 'Tables') + (filter && ': ' + filter)
}

/** @type {Map<string, Definition>} */
export const WIDGETS = new Map(
  [
    timeline,
    details,
    later(
      'summary',
      'Summary',
      'Busy, compute, communication, memory, MFU of each device; of the window: Current Selection Summary',
    ),
    later(
      'findings',
      'Findings',
      'What stands out, ranked by the time at stake, with rule and evidence',
    ),
    operators,
    later(
      'selection',
      'Selection',
      'What ran in the area, the window or the whole run: count, total, self, median, p99, share',
    ),
    later('search', 'Search', 'Hits of the search over the whole profile'),
    later(
      'annotations',
      'Annotations',
      'Markers, the difference between two of them, and named sets that the server keeps',
    ),
    later('steps', 'Steps', 'How long each step took, and of what it consists'),
    later('gaps', 'Gaps', 'When devices were idle, and what they waited for'),
    later(
      'latency',
      'Latency',
      'Percentiles, histogram and outliers of one name, or of two beside each other',
    ),
    later(
      'roofline',
      'Roofline',
      'Reached flop/s over arithmetic intensity, under the peaks of the device',
    ),
    later('code', 'Source', 'Source beside the timeline: events, self time and share by line'),
    ...SUBJECTS.map(({ id, title, help }) => later(id, title, help)),
    later('ranks', 'Ranks', 'Ranks beside each other: steps, skew, who was late and why'),
    later('critical', 'Critical path', 'The chain of work that decides how long a step takes'),
    later('flame', 'Flame', 'Where time goes, by names within names, layers or lines of source'),
    later('memory', 'Memory', 'Memory of devices over time, the peak, and what holds it'),
    later('gates', 'Gates', 'Demands on this profile, as nprof gate checks them in CI'),
    later('sql', 'SQL', 'Ask the stored profile in SQL'),
    later('events', 'Events', 'The events of the window as a table'),
    later('printed', 'Report', 'The report as text: Markdown, or as the vendor prints it'),
    later('problems', 'Problems', 'What was skipped, lost, guessed, and what is not known'),
    later(
      'table',
      'Tables',
      'Any table of any analyzer: sort, filter, follow to the timeline',
      tableTitle,
    ),
  ].map(one => [one.id, one]),
)
