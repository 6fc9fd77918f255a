// SPDX-License-Identifier: Apache-2.0
// Idle gaps of devices by cause, the longest first, with what ended them and what ran meanwhile.
import { html, nothing, signal } from '../lib/lit.js'
import { asked, bar, live, saveTable, waiting } from './frame.js'
import { gridTemplate } from './grid.js'
import { choice } from './operators.js'
import { timesOf } from './table.js'

/** @typedef {import('./dock.js').Page} Page */

const ROWS = 500

/** @type {import('./dock.js').Definition} */
export const gaps = {
  id: 'gaps',
  title: 'Gaps',
  help: 'When devices were idle, and what they waited for',
  mount(element, page) {
    const { session } = page
    const cause = signal(''), sort = signal('-duration_ns'), open = signal(-1)
    const { answer, dispose } = asked(session, () => ({ route: 'gaps', params: { cause: cause.value || null, sort: sort.value, n: ROWS } }))
    const stop = live(element, () => {
      const { data } = answer.value
      const causes = [...new Set(session.gaps.value.map(gap => gap.cause))].sort()
      return html`${bar(session, { left: choice('Cause', ['', ...causes], cause, 'all'), note: data?.rows ? data.total.toLocaleString('en') + ' gaps' : '', command: session.commandFor('report --only gaps'),
        csv: data?.rows ? () => saveTable('gaps', data) : null })}
      ${waiting(answer.value)}
      ${data?.columns?.length ? gridTemplate({ label: 'Gaps', columns: data.columns, rows: data.rows, total: data.total, offset: data.offset, sort: sort.value, onSort: next => { sort.value = next },
        rowClass: (_row, i) => (i === open.value ? 'current' : ''), onRow: (row, i) => { open.value = i; zoom(page, data.columns, row) } }) : nothing}
      ${data?.rows_more?.[open.value] ? around(page, data.rows_more[open.value]) : nothing}`
    })
    return () => { stop(); dispose() }
  },
}

/** @param {Page} page @param {any[]} columns @param {any[]} row */
function zoom(page, columns, row) {
  const times = timesOf(columns, row)
  if (!times) return
  page.session.select({ kind: 'area', ...times, tracks: [] })
  page.session.showSpan(times.t0, times.t1, 0.6)
}

/** What lies before, after and during a gap. @param {Page} page @param {{before: string | null, after: string | null, during: string[]}} more */
function around(page, more) {
  const link = (/** @type {string} */ text, /** @type {string | null} */ row) => (row ? html`<button class="quiet" @click=${() => page.session.select({ kind: 'event', row }, { reveal: true })}>${text}</button>` : nothing)
  return html`<div class="bar around">${link('Before it', more.before)}${link('What ended it', more.after)}${more.during.map((row, i) => link(i ? String(i + 1) : 'Ran meanwhile: 1', row))}${more.during.length ? nothing : html`<span class="muted">nothing that the file says ran meanwhile</span>`}</div>`
}
