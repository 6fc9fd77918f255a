// SPDX-License-Identifier: Apache-2.0
// Widgets that are tables of one subject, one below the other: verdict, layers, transfers, collectives.
// Where no analyzer made any of them, the widget says which one would.
import { html, nothing } from '../lib/lit.js'
import { make, quoted } from '../base/element.js'
import { columnAt, counted } from '../base/values.js'
import { setting } from '../base/session.js'
import { bar, live, rangeParams, scopeOf, unknown } from './frame.js'
import { gridTemplate } from './grid.js'
import { mountLanes } from './lanes.js'
import { follow } from './operator-rows.js'
import { outlineLayer, outlineRun, statesLayers } from './outlined.js'
import { askedOfScope, missing, ofPlaces, saveOfScope, scopeNote, tablesCommand } from './scoped.js'
import { LAYERS, isWithout, tablesOf, tablesThere } from './subjects.js'
import { followRow, timesOf } from './table.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('./subjects.js').Subject} Subject */
/** @typedef {import('../base/answers.d.ts').Row} Row */
/** @typedef {import('../base/answers.d.ts').Table} Table */

const ROWS = 300

/** A table of a widget, with its order. @param {Page} page @param {string} name */
export function part(page, name) {
  const sort = setting(page.session, 'table:' + name + '.sort', '')
  const question = () => ({
    route: /** @type {const} */ (`table/${name}`),
    params: { n: ROWS, sort: sort.value || null },
  })
  return { name, sort, question, ...askedOfScope(page.session, question) }
}

/** @param {Page} page @param {ReturnType<typeof part>} one */
export function partTemplate(page, one) {
  const { session } = page,
    { data } = one.answer.value,
    instead = missing(session, one.answer.value)
  const schema = session.profile.tables.find(table => table.name === one.name),
    shown = instead === nothing ? data : null
  return html`<h2 title=${schema?.note || nothing}><a href="#" @click=${(
    /** @type {Event} */ event,
  ) => {
    event.preventDefault()
    page.open('table:' + one.name)
  }}>${schema?.title || one.name}</a>
      ${shown ? html`<span class="muted">${counted(shown.total, 'row')}</span> <button class="quiet" @click=${() => saveOfScope(session, one.name, shown, one.question())}>CSV</button>` : nothing}</h2>
    ${shown?.note ? html`<p class="note">${shown.note}</p>` : nothing}
    ${shown ? grid(page, one, shown) : instead}`
}

/** busy_ns of layers is the sum of the self time of their operators, on all devices: no time that a device was busy. @param {import('./grid.js').Column} column */
const selfTime = column => (column.name === 'busy_ns' ? { ...column, title: 'self time' } : column)

/** @param {Page} page @param {ReturnType<typeof part>} one @param {Table} data */
const grid = (page, one, data) =>
  gridTemplate({
    label: data.title || one.name,
    called: page.session.names.called.value,
    columns: data.name === 'layers' ? data.columns.map(selfTime) : data.columns,
    rows: data.rows,
    total: data.total,
    offset: 0,
    sort: one.sort.value,
    past: scopeOf(page.session, one.answer.value) === 'past',
    share: 'share',
    reasons: page.session.reasons.value,
    onSort: next => {
      one.sort.value = next
    },
    onRow: row =>
      one.name === LAYERS ? followLayer(page, data, row) : followRow(page, data.columns, row),
    onContext: one.name === LAYERS ? row => outlineLayer(page.session, layerOf(data, row)) : null,
  })

/** @param {Table} data layers @param {Row} row */
const layerOf = (data, row) => String(row[columnAt(data.columns, 'layer')])

/**
 * Shows when a layer ran, and its operators.
 * @param {Page} page @param {Table} data @param {Row} row
 */
function followLayer(page, data, row) {
  followRow(page, data.columns, row)
  openOperators(page, layerOf(data, row))
}

/** Shows the operators of a layer. @param {Page} page @param {string} layer */
function openOperators(page, layer) {
  const stated = statesLayers(page.session),
    id = 'operators:' + (stated ? 'layer' : 'framework')
  for (const [key, value] of [
    ['.level', ''],
    ['.device', ''],
    ['.filter', stated ? layer : layer + '/'],
  ])
    setting(page.session, id + key, '').value = value
  page.open(id)
}

/** Shows the times of a module and of those within it. @param {Page} page @param {string} path */
function openModules(page, path) {
  setting(page.session, 'table:modules.filter', '').value = 'module ~ ' + quoted(path)
  page.open('table:modules')
}

/** Makes a region of each layer of the scope. @param {Page} page */
async function markLayers({ session }) {
  const data = await session.ask(`table/${LAYERS}`, { n: ROWS, ...rangeParams(session) })
  session.addRegions(
    data.rows.flatMap(row => {
      const times = timesOf(data.columns, row)
      return times ? [{ name: layerOf(data, row), ...times }] : []
    }),
    'layer',
  )
}

/** Mounts the tables of a widget one below the other, under what `top` draws. @param {HTMLElement} element @param {Page} page @param {string} id @param {string} needs @param {() => unknown} [top] @param {() => unknown} [left] of the bar @param {{fixed?: HTMLElement, csv?: () => (() => void) | null, above?: string}} [more] what stands above what scrolls, how it is saved, and a table that stands above what `top` draws */
export function mountTables(element, page, id, needs, top, left, more = {}) {
  const there = tablesOf(page, id)
  const parts = there.map(name => part(page, name))
  const stop = live(element, () => {
    const head = top?.() ?? nothing,
      above = parts.filter((_one, i) => there[i] === more.above)
    return html`${bar({ left: left?.(), csv: more.csv?.(), note: there.length ? scopeNote(page.session) : '', command: there.length ? tablesCommand(page.session, there) : page.session.commandFor('report') })}
      ${more.fixed ?? nothing}<div class="scrolled">${above.map(one => partTemplate(page, one))}${head}${parts.filter(one => !above.includes(one)).map(one => partTemplate(page, one))}${parts.length || head !== nothing ? nothing : unknown(needs)}</div>`
  })
  return () => {
    stop()
    parts.forEach(one => one.dispose())
  }
}

/** What a click and a right click on a layer over time do. @param {Page} page @returns {import('./lanes.js').Acts} */
const actsOf = page => ({
  onRun: ({ kind, path, start, end }) => {
    page.session.select({ kind: 'area', t0: BigInt(start), t1: BigInt(end), tracks: [] })
    if (kind === 'layer') openOperators(page, path)
    else if (kind === 'module') openModules(page, path)
    else follow(page, path, 'framework')
  },
  onContext: row => outlineRun(page.session, row),
})

/** Layers: their lanes over time above their tables. @param {HTMLElement} element @param {Page} page @param {Subject} subject */
function mountLayers(element, page, subject) {
  const box = make('div', 'lanes-box'),
    stopLanes = mountLanes(box, page, actsOf(page))
  const stop = mountTables(
    element,
    page,
    subject.id,
    subject.needs,
    () => (isWithout(page, subject) ? unknown(subject.needs) : nothing),
    () =>
      tablesThere(page, [LAYERS]).length
        ? html`<button class="quiet" title="Makes a region of each layer; a right click on a layer outlines what ran of it" @click=${() => markLayers(page)}>Mark</button>`
        : nothing,
    { fixed: box },
  )
  return () => {
    stop()
    stopLanes()
  }
}

/** A widget of tables. @param {Subject} subject @returns {import('./dock.js').Mount} */
export const report = subject => (element, page) =>
  subject.id === LAYERS
    ? mountLayers(element, ofPlaces(page), subject)
    : mountTables(element, page, subject.id, subject.needs, () =>
        isWithout(page, subject) ? unknown(subject.needs) : nothing,
      )
