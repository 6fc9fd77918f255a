// SPDX-License-Identifier: Apache-2.0
// Idle gaps of devices by cause, the longest first, with what ended them and what ran meanwhile.
import { effect, html, nothing, signal } from '../lib/lit.js'
import { causesOf, gapsBefore, gapsOf } from '../base/find.js'
import { causeName } from '../base/step-parts.js'
import { setting } from '../base/session.js'
import { bar, live, scopeOf } from './frame.js'
import { gridTemplate } from './grid.js'
import { durationText } from '../base/time.js'
import { counted } from '../base/values.js'
import { choice } from './operators.js'
import { askedOfScope, missing, ofPlaces, saveOfScope, scopeNote, tablesCommand } from './scoped.js'
import { tablesThere } from './subjects.js'
import { timesOf } from './table.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/answers.d.ts').Gaps} Gaps */
/** @typedef {import('../base/answers.d.ts').Row} Row */

const ROWS = 500

/** @type {import('./dock.js').Mount} */
export const gaps = (element, given) => {
  const page = ofPlaces(given)
  const { session } = page
  const cause = setting(session, 'gaps.cause', ''),
    sort = setting(session, 'gaps.sort', '-duration_ns'),
    open = signal(/** @type {Row | null} */ (null)),
    parts = signal(/** @type {Part[]} */ ([]))
  const show = (/** @type {Gaps} */ data, /** @type {Row} */ row) => {
    open.value = row
    parts.value = []
    namedParts(page, data.rows_more[data.rows.indexOf(row)]).then(
      found => {
        if (open.value === row) parts.value = found
      },
      () => {},
    )
  }
  const question = () => ({
    route: /** @type {const} */ ('gaps'),
    params: { cause: cause.value || null, sort: sort.value, n: ROWS },
  })
  const { answer, dispose } = askedOfScope(session, question)
  // Idle time that was selected elsewhere is shown here, too: its longest gap.
  const follow = effect(() => {
    const { data } = answer.value,
      row = data?.rows && selectedRow(page, data, open.peek())
    if (data && row && row !== open.peek()) show(data, row)
  })
  const stop = live(element, () => {
    const instead = missing(session, answer.value),
      data = instead === nothing ? answer.value.data : null
    const causes = [...new Set(session.gaps.value.map(gap => gap.cause))].sort()
    return html`${bar({
      left: choice('Cause', ['', ...causes], cause, 'all', causeName),
      note: [data?.rows ? counted(data.total, 'gap') : '', scopeNote(session)]
        .filter(Boolean)
        .join(' · '),
      command: tablesCommand(session, ['gaps']),
      filtered: cause.value !== '',
      csv: data?.rows ? () => saveOfScope(session, 'gaps', data, question()) : null,
    })}
      ${instead}${before(page)}${ofSections(page)}
      ${
        data?.columns.length
          ? gridTemplate({
              label: 'Gaps',
              zero: session.zero.value.t,
              called: page.session.names.called.value,
              past: scopeOf(session, answer.value) === 'past',
              columns: data.columns,
              rows: data.rows,
              total: data.total,
              offset: data.offset,
              sort: sort.value,
              cell: (row, c) =>
                data.columns[c].name === 'cause'
                  ? html`<span title=${row[c]}>${causeName(String(row[c]))}</span>`
                  : data.columns[c].name === 'ended_by' && isSum(data, row)
                    ? html`<span class="muted">shorter gaps together</span>`
                    : null,
              onSort: next => {
                sort.value = next
              },
              rowClass: row => (row === open.value ? 'current' : ''),
              onRow: row => {
                if (zoom(page, data.columns, row)) show(data, row)
              },
            })
          : nothing
      }
      ${parts.value.length && open.value && data?.rows.includes(open.value) ? around(page, parts.value) : nothing}`
  })
  return () => {
    stop()
    follow()
    dispose()
  }
}

/** Gaps that are too short for a row of their own have one together, without a start. @param {Gaps} data @param {Row} row */
const isSum = (data, row) =>
  row[data.columns.findIndex(column => column.name === 'start_ns')] === null

/** Gaps of sections of a Neuron device are a table of their own. @param {Page} page */
const ofSections = page =>
  tablesThere(page, ['section_gaps']).length
    ? html`<p class="pad"><button class="as-link" @click=${() => page.open('table:section_gaps')}>Gaps of sections</button></p>`
    : nothing

/** When the device of the selected event was idle last before it, which the scope may not hold: it lies before a step, too. @param {Page} page */
function before({ session }) {
  const event = session.selection.value?.kind === 'event' ? session.details.value : null,
    all = event ? gapsBefore(session, event) : []
  if (!event || !all.length) return nothing
  const t0 = all[0].t0,
    t1 = all[all.length - 1].t1,
    away = BigInt(event.start) - t1
  const show = () => {
    session.select({ kind: 'area', t0, t1, tracks: [] })
    session.showSpan(t0, t1, 0.6)
  }
  return html`<p class="pad before">${away ? durationText(away) + ' before' : 'Before'} <span title=${event.name}>${session.names.called.value(event.name)}</span> its device was idle for ${durationText(t1 - t0)}: ${causesOf(all)} <button class="quiet" @click=${show}>Show</button></p>`
}

/**
 * The row of the longest gap of the selection, or of all its times, as a gap that the scope cuts
 * is; the open one where it is of those times.
 * @param {Page} page @param {Gaps} data @param {Row | null} open
 */
function selectedRow({ session }, data, open) {
  const { model } = session
  const area = session.selection.value
  if (area?.kind !== 'area') return undefined
  const [longest = { ...area, track: null }] = gapsOf(session, area).sort((a, b) =>
    Number(b.t1 - b.t0 - (a.t1 - a.t0)),
  )
  const isOf = (/** @type {Row} */ row) => {
    const times = timesOf(data.columns, row)
    return (
      times?.t0 === longest.t0 &&
      times?.t1 === longest.t1 &&
      (longest.track === null || model.inTables(longest.track).some(name => row.includes(name)))
    )
  }
  return open && data.rows.includes(open) && isOf(open) ? open : data.rows.find(isOf)
}

/**
 * @param {Page} page @param {import('./grid.js').Column[]} columns @param {Row} row
 * @returns {boolean} whether it has times: a row that sums up short gaps has none
 */
function zoom(page, columns, row) {
  const times = timesOf(columns, row)
  if (!times) return false
  page.session.select({ kind: 'area', ...times, tracks: [] })
  page.session.showSpan(times.t0, times.t1, 0.6)
  return true
}

/** Rows beside a gap, and within. @typedef {Gaps['rows_more'][number]} Near */
/** @typedef {{title: string, rows: import('../base/session.js').EventDetails[]}} Part */

/** Asks for the names of the rows before, during and after a gap. @param {Page} page @param {Near} near @returns {Promise<Part[]>} */
function namedParts(page, near) {
  /** @type {[string, (string | null)[]][]} */
  const parts = [
    ['Before it', [near.before]],
    ['Ran meanwhile', near.during],
    ['What ended it', [near.after]],
  ]
  return Promise.all(
    parts.map(async ([title, rows]) => ({
      title,
      rows: await Promise.all(
        rows.filter(row => row !== null).map(row => page.session.ask('e', { row })),
      ),
    })),
  )
}

/** @param {Page} page @param {Part[]} parts */
const around = (page, parts) =>
  html`<dl class="around">${parts.map(
    ({ title, rows }) => html`<div><dt>${title}</dt><dd>${rows.map(
      row => html`
    <button class="quiet" title=${row.name + ' · ' + page.session.model.nameOf(row.track)} @click=${() => page.session.select({ kind: 'event', row: row.row }, { reveal: true })}>${row.name || 'no name'} <span class="muted">${row.duration === null ? '' : durationText(BigInt(row.duration))}</span></button>`,
    )}
    ${rows.length ? nothing : html`<span class="muted">nothing that the file says</span>`}</dd></div>`,
  )}</dl>`
