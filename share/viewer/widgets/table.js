// SPDX-License-Identifier: Apache-2.0
// Any table of any plugin, by its schema: a third party's analyzer appears here without a line of JavaScript.
// The argument is the name of the table, and behind @ a filter; without one the widget is the list of tables. This is the example of a
// widget: state in signals, `asked` for the answer, `live` for the template.
import { effect, html, nothing } from '../lib/lit.js'
import { quoted } from '../base/element.js'
import { cellText, columnAt, counted } from '../base/values.js'
import { setting } from '../base/session.js'
import { stepsOf } from '../base/steps.js'
import { strangerNote, whereOf } from './filter.js'
import { bar, live, scopeOf } from './frame.js'
import { gridTemplate } from './grid.js'
import { tableAndFilter } from './subjects.js'
import { askedOfScope, missing, saveOfScope, scopeNote, tablesCommand } from './scoped.js'

/** @typedef {import('./dock.js').Page} Page */

const PAGE = 200

/** @type {import('./dock.js').Mount} */
export const table = (element, page, argument) =>
  argument ? oneTable(element, page, ...tableAndFilter(argument)) : listOfTables(element, page)

/** @param {HTMLElement} element @param {Page} page */
function listOfTables(element, page) {
  const tables = page.session.profile.tables
  return live(
    element,
    () =>
      html`${bar({ note: counted(tables.length, 'table') })}${gridTemplate({
        label: 'Tables',
        columns: [
          { name: 'title', type: 'string', unit: '' },
          { name: 'rows', type: 'int64', unit: '' },
          { name: 'name', type: 'string', unit: '' },
          { name: 'note', type: 'string', unit: '' },
        ],
        rows: tables.map(one => [one.title || one.name, one.rows, one.name, one.note]),
        total: tables.length,
        offset: 0,
        sort: '',
        onRow: row => page.open('table:' + row[2]),
      })}`,
  )
}

/**
 * Times of a row, where its columns say them.
 * @param {import('./grid.js').Column[]} columns @param {import('../base/answers.d.ts').Row} row
 */
export function timesOf(columns, row) {
  const cell = (/** @type {RegExp} */ name) => {
    const at = columns.findIndex(column => name.test(column.name) && column.unit === 'ps')
    return cellText(row[at])
  }
  const start = cell(/^(start|first)(_[np]s)?$/),
    end = cell(/^(end|last)(_[np]s)?$/),
    duration = cell(/^duration(_[np]s)?$/)
  if (start === null) return null
  const t0 = BigInt(start),
    t1 = end !== null ? BigInt(end) : duration !== null ? t0 + BigInt(duration) : null
  return t1 !== null && t1 > t0 ? { t0, t1 } : null
}

/** The step that a row is of: of its device, where it names one, else of the first that has it. @param {import('../base/session.js').Session} session @param {unknown} name @param {unknown} device */
async function stepOf(session, name, device) {
  if (name === null || name === undefined) return null
  const all = await stepsOf(session),
    own = all.get(String(device)) ?? [...all.values()].flat()
  const step =
    own.find(one => one.name === String(name)) ??
    [...all.values()].flat().find(one => one.name === String(name))
  const { start } = session.model
  return step
    ? { name: step.name, range: { t0: start + BigInt(step.t0), t1: start + BigInt(step.t1) } }
    : null
}

/** Stands in place of an operator where a row is of none, or of all: no event has that name. */
const SUM = /^\((total|busy|steps|no operator|no name|launch not recorded)\)$/

/**
 * Follows a row: its event, its name, or its times.
 * @param {Page} page @param {import('./grid.js').Column[]} columns
 * @param {import('../base/answers.d.ts').Row} row
 */
export async function followRow(page, columns, row) {
  const { session } = page,
    at = (/** @type {string} */ name) => columnAt(columns, name)
  const id = row[at('row')]
  if (typeof id === 'string' && /^\d+\.\d+$/.test(id))
    return session.select({ kind: 'event', row: id }, { reveal: true })
  const times = timesOf(columns, row)
  if (times) {
    await session.select({ kind: 'area', ...times, tracks: [] })
    return session.showSpan(times.t0, times.t1)
  }
  const step = await stepOf(session, row[at('step')], row[at('device')])
  if (step) {
    await session.select({ kind: 'step', step: step.name, ...step.range })
    return session.showSpan(step.range.t0, step.range.t1, 0.05)
  }
  const name = row[at('name')] ?? row[at('operator')] ?? row[at('fusion')]
  if (typeof name !== 'string' || !name || SUM.test(String(row[at('operator')]))) return
  session.query.value = 'name=' + quoted(name)
  document.dispatchEvent(new CustomEvent('nprof-hit', { detail: 1 }))
}

/** @param {HTMLElement} element @param {Page} page @param {string} name @param {string} first the filter at first */
function oneTable(element, page, name, first) {
  const { session } = page
  const schema = session.profile.tables.find(one => one.name === name)
  const id = 'table:' + name + (first && '@' + first),
    sort = setting(session, id + '.sort', ''),
    filter = setting(session, id + '.filter', first),
    offset = setting(session, id + '.offset', '0')
  const question = (/** @type {number} */ n) => ({
    sort: sort.value || null,
    where: whereOf(filter.value, schema?.columns ?? [], session.zero.value.t),
    offset: offset.value,
    n,
  })
  const { answer, dispose } = askedOfScope(session, () => ({
    route: /** @type {const} */ (`table/${name}`),
    params: question(PAGE),
  }))
  // Another part of the run may have fewer rows than those that were passed over.
  const stopPage = effect(() => {
    const { data } = answer.value
    if (data?.columns.length && data.offset && data.offset >= data.total)
      offset.value = String(Math.max(0, Math.ceil(data.total / PAGE) - 1) * PAGE)
  })
  const stop = live(element, () => {
    const instead = missing(session, answer.value),
      data = instead === nothing ? answer.value.data : null
    return html`${bar({
      left: html`<input type="search" placeholder="filter, or column > value" aria-label="Filter rows" .value=${filter.value} @input=${(
        /** @type {Event} */ event,
      ) => {
        filter.value = /** @type {HTMLInputElement} */ (event.target).value
        offset.value = '0'
      }}>`,
      note: [
        data ? counted(data.total, 'row') : '',
        data && !data.total ? strangerNote(filter.value, data.columns) : '',
        scopeNote(session),
      ]
        .filter(Boolean)
        .join(' · '),
      csv: data
        ? () =>
            saveOfScope(session, name, data, {
              route: /** @type {const} */ (`table/${name}`),
              params: question(PAGE),
            })
        : null,
      command: tablesCommand(session, [name]),
      filtered: filter.value !== '',
    })}
    ${schema?.note ? html`<p class="note">${schema.note}</p>` : nothing}
    ${instead}
    ${
      data
        ? gridTemplate({
            label: data.title || name,
            zero: session.zero.value.t,
            columns: data.columns,
            rows: data.rows,
            total: data.total,
            offset: data.offset,
            sort: sort.value,
            page: PAGE,
            past: scopeOf(session, answer.value) === 'past',
            onSort: next => {
              sort.value = next
              offset.value = '0'
            },
            onPage: next => {
              offset.value = String(next)
            },
            onRow: row => followRow(page, data.columns, row),
            share: 'share',
            reasons: session.reasons.value,
          })
        : nothing
    }`
  })
  return () => {
    stop()
    stopPage()
    dispose()
  }
}
