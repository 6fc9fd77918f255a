// SPDX-License-Identifier: Apache-2.0
// Events: the window as a table, for people who do not use the picture.
import { html, nothing } from '../lib/lit.js'
import { nsText } from '../base/time.js'
import { counted } from '../base/values.js'
import { setting } from '../base/session.js'
import { allHits, asked, bar, live, saveCsv, waiting } from './frame.js'
import { gridTemplate } from './grid.js'
import { commandOf } from './search.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */

const ROWS = 500

/** @type {import('./grid.js').Column[]} */
const COLUMNS = [
  { name: 'name', type: 'string', unit: '' },
  { name: 'start', type: 'int64', unit: 'ps' },
  { name: 'duration', type: 'int64', unit: 'ps' },
  { name: 'track', type: 'string', unit: '' },
]

/** @type {import('./dock.js').Mount} */
export const events = (element, page) => {
  const { session } = page,
    filter = setting(session, 'events.filter', '')
  const text = () => session.sought(filter.value.trim() || session.query.value).q || 'dur>=0ns'
  const question = () => ({ q: text(), ...session.window.value })
  const { answer, dispose } = asked(session, () => ({
    route: 'q',
    params: { ...question(), n: ROWS },
  }))
  const stop = live(element, () => {
    const { data } = answer.value
    return html`${bar({
      scoped: 'window: the rows of the timeline as a table',
      left: html`<input type="search" class="wide" placeholder="filter: name=trace category=kernel dur>1ms" aria-label="Filter events" .value=${filter.value} @input=${(
        /** @type {FieldEvent} */ event,
      ) => {
        filter.value = event.target.value
      }}>`,
      csv: data?.hits ? () => save(session, question()) : null,
      command: data?.hits ? commandOf(session, data, 'window') : '',
      note: data?.hits
        ? counted(data.total, 'event') +
          ' in the window' +
          (data.total > ROWS ? ', the first ' + ROWS : '')
        : '',
    })}
        ${waiting(answer.value)}
        ${data?.hits ? gridTemplate({ label: 'Events of the window', zero: session.zero.value.t, columns: COLUMNS, rows: data.hits.map(hit => [hit.name, hit.start, hit.duration, session.model.nameOf(hit.track)]), total: data.total, offset: 0, sort: '', onRow: (_row, i) => session.select({ kind: 'event', row: data.hits[i].row }, { reveal: true }) }) : nothing}`
  })
  return () => {
    stop()
    dispose()
  }
}

/** Saves all events, also those that the table has no room for. @param {import('../base/session.js').Session} session @param {import('../base/api.js').Params} question */
async function save(session, question) {
  saveCsv(
    'events',
    ['name', 'start_ns', 'duration_ns', 'track'],
    (await allHits(session, question)).map(hit => [
      hit.name,
      nsText(BigInt(hit.start), ''),
      hit.duration === null ? '' : nsText(BigInt(hit.duration), ''),
      session.model.nameOf(hit.track),
    ]),
  )
}
