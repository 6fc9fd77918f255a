// SPDX-License-Identifier: Apache-2.0
// A table of rows with sortable headers, drawn as ARIA grid. Large ones come sorted and cut from the server, and this
// says how many it shows; it moves the focus with arrows, and says which row was chosen.
import { html, nothing } from '../lib/lit.js'
import { durationText, nsText } from '../base/time.js'
import { differingAt, endsOf } from '../base/ends.js'
import { calledOf } from '../base/kernels.js'
import { cellText, counted, deviceText, numberText, valueText } from '../base/values.js'
import { isWhen } from './filter.js'

/** @typedef {import('../base/answers.d.ts').Cell} Cell */
/** @typedef {import('../base/answers.d.ts').Row} Row */

/**
 * @typedef {object} Column
 * @property {string} name
 * @property {string} [title]   header; else the name without its unit
 * @property {string} type
 * @property {string} unit
 * @property {string} [role]
 * @property {string} [help]
 */
/**
 * @typedef {object} Grid
 * @property {string} label
 * @property {Column[]} columns
 * @property {Row[]} rows
 * @property {number} total
 * @property {number} offset
 * @property {string} sort            "name" or "-name"; "" as it comes
 * @property {(sort: string) => void} [onSort]   without it the heads are no buttons
 * @property {((row: Row, index: number) => void) | null} [onRow]
 * @property {((row: Row) => void) | null} [onContext]   a right click, or the key for that
 * @property {(row: Row, column: number, index: number) => unknown} [cell]   null: as usual
 * @property {(row: Row, index: number) => string} [rowClass]
 * @property {(offset: number) => void} [onPage]
 * @property {number} [page]          rows of one page
 * @property {string} [share]         column that is drawn with a bar behind its number
 * @property {boolean} [past]         the rows are of what was asked before: they are faint until the next come
 * @property {(name: string) => string} [called]   what kernels are called: their whole names are titles
 * @property {bigint} [zero]          ps from which times count, as on the ruler
 * @property {Record<string, string>} [reasons]   why cells of a column are unknown, by its name
 */

const LETTERS = /\b(mfu|hfu|mbu|hlo|dma|cpu|gpu|id)\b/g

/** What stands above a column: its name without the unit of times, which cells have, unless that is the name of its neighbour, too. @param {Column} column @param {Column[]} all */
function headOf(column, all) {
  if (column.title) return column.title
  const stem = column.name.replace(/_(ps|ns)$/, '')
  const head =
    stem !== column.name && all.some(other => other.name === stem + '_bytes')
      ? stem + ' time'
      : stem
  return head.replaceAll('_', ' ').replace(LETTERS, letters => letters.toUpperCase())
}

/** @param {NonNullable<Cell>} value */
const numberOf = value =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : Number(value)

/**
 * What people see of a cell, for its order.
 * @param {Column} column @param {NonNullable<Cell>} value
 */
const keyOf = (column, value) =>
  isNumber(column)
    ? numberOf(value)
    : column.name === 'device'
      ? deviceText(String(value))
      : String(value)

/**
 * Negative: a stands above b; what is not known stands last.
 * @param {Column} column @param {Cell | undefined} a @param {Cell | undefined} b
 * @param {number} sign -1: the largest first
 */
export function compare(column, a, b, sign) {
  const isKnown = (a ?? null) !== null
  if (a === null || a === undefined || b === null || b === undefined)
    return Number((b ?? null) !== null) - Number(isKnown)
  const x = keyOf(column, a),
    y = keyOf(column, b)
  return x < y ? -sign : x > y ? sign : 0
}

/**
 * Rows in an order, where all of them are here.
 * @param {Column[]} columns @param {Row[]} rows
 * @param {string} sort "name" or "-name"; any other: as they came @returns {Row[]}
 */
export function sortRows(columns, rows, sort) {
  const c = columns.findIndex(column => column.name === sort.replace(/^-/, ''))
  return c < 0
    ? rows
    : [...rows].sort((a, b) => compare(columns[c], a[c], b[c], sort[0] === '-' ? -1 : 1))
}

/** Letters of a text that a narrow table may cut: the whole is told by a title, and where they are more the end stays. */
const NARROW = 10,
  WIDE = 19

/** @param {Column} column */
const isNumber = column => /^(int64|uint64|double)$/.test(column.type)

/** Why something is unknown where nobody says it better. */
const NOT_SAID = 'the file states neither it nor what it could be computed from'

/** What the texts of a column are called, and where that begins to differ. @typedef {{called: Map<string, string>, differ: Map<string, number>}} Texts */

/**
 * By the number of the column; of rows, while they are shown and called so.
 * @type {WeakMap<Row[], {by: Grid['called'], columns: Map<number, Texts>}>}
 */
const texts = new WeakMap()

/** @param {Grid} grid @param {number} c @returns {Texts} */
function textsOf({ rows, called: by }, c) {
  let known = texts.get(rows)
  if (known?.by !== by || !known) texts.set(rows, (known = { by, columns: new Map() }))
  const own =
    known.columns.get(c) ??
    namesOf(
      rows.map(row => String(row[c] ?? '')),
      by,
    )
  known.columns.set(c, own)
  return own
}

/** @param {string[]} names @param {(name: string) => string} [by] @returns {Texts} */
export function namesOf(names, by = name => name) {
  const called = calledOf(names, by)
  return { called, differ: differingAt([...called.values()]) }
}

/** @param {bigint} time @param {bigint} zero */
const whenCell = (time, zero) =>
  html`<span title=${nsText(time) + " ns from nprof's origin"}>${durationText(time - zero)}</span>`

/**
 * A cell: as its widget draws it, a moment from the zero of the ruler, or its value.
 * @param {Grid} grid @param {Row} row @param {Column} column @param {number} c @param {number} i
 */
function cellOf(grid, row, column, c, i) {
  const own = grid.cell?.(row, c, i)
  if (own !== null && own !== undefined) return own
  if (grid.zero && isWhen(column) && /^-?\d+$/.test(String(row[c])))
    return whenCell(BigInt(String(row[c])), grid.zero)
  return plainCell(column, row[c], () => textsOf(grid, c), reasonOf(grid, row, column))
}

/**
 * @param {Column} column @param {Cell} value @param {() => Texts} textsOf
 * @param {string} [reason] why it is unknown
 */
function plainCell(column, value, textsOf, reason = NOT_SAID) {
  if (value === null || value === undefined)
    return html`<span class="unknown" title=${column.name === 'reason' ? 'nothing needs a reason' : 'unknown: ' + reason}>–</span>`
  if (column.unit === 'ps' && !/^-?\d+$/.test(String(value)))
    return html`<span title=${String(value) + ' ps'}>${durationText(BigInt(Math.round(Number(value))))}</span>`
  if (column.unit === 'ps' && isNumber(column))
    return html`<span title=${nsText(BigInt(value)) + ' ns'}>${durationText(BigInt(value))}</span>`
  if (isNumber(column))
    return html`<span title=${String(value)}>${valueText(value, column.unit)}</span>`
  if (column.type === 'bool') return String(value) === 'true' ? 'yes' : 'no'
  const whole = column.name === 'device' ? deviceText(String(value)) : String(value),
    title = whole.slice(0, 2000),
    text = whole.length > NARROW ? (textsOf().called.get(whole) ?? whole) : whole
  if (text.length > WIDE && text.length <= 300)
    return html`<span class="ends whole" title=${title}>${endsOf(text, textsOf().differ.get(text))}</span>`
  return text.length > 300
    ? html`<span title=${title}>${text.slice(0, 300)}…</span>`
    : whole.length > NARROW
      ? html`<span title=${title}>${text}</span>`
      : text
}

/** Ends the name of a column that says why others are unknown: skew_reason of skew_ns and max_skew_ns. */
const REASON = '_reason'

/** Columns that are unknown for the reason of another: they are computed from the same. @type {Record<string, string>} */
const AS = {
  late_ns: 'skew_ns',
  idle_ns: 'busy_ns',
  compute_ns: 'busy_ns',
  communication_ns: 'busy_ns',
  copy_ns: 'busy_ns',
  exposed_ns: 'busy_ns',
  overlap_ns: 'busy_ns',
}

/**
 * Why a cell is unknown: its row says it, else what the table is of.
 * @param {Grid} grid @param {Row} row @param {Column} column @returns {string | undefined}
 */
function reasonOf(grid, row, column) {
  const stem = (AS[column.name] ?? column.name).replace(/_(ps|ns)$/, '')
  const told = grid.columns.findIndex(
    other => other.name.endsWith(REASON) && stem.endsWith(other.name.slice(0, -REASON.length)),
  )
  return (
    cellText(row[told]) ??
    grid.reasons?.[column.name] ??
    cellText(row[grid.columns.findIndex(other => other.name === REASON.slice(1))]) ??
    undefined
  )
}

/** @param {Grid} grid @param {Row} row @param {number} c */
function shareOf(grid, row, c) {
  if (grid.columns[c].name !== grid.share || row[c] === null) return nothing
  return Math.max(0, Math.min(100, Math.round(Number(row[c]) * 100)))
}

/** @param {Grid} grid @param {KeyboardEvent} event @param {Row} row @param {number} i */
function onKey(grid, event, row, i) {
  const here = /** @type {HTMLElement} */ (event.currentTarget)
  if (event.target !== here) return
  if (event.key === 'Enter' || event.key === ' ') grid.onRow?.(row, i)
  else if (event.key === 'ArrowDown') /** @type {HTMLElement} */ (here.nextElementSibling)?.focus()
  else if (event.key === 'ArrowUp')
    /** @type {HTMLElement} */ (here.previousElementSibling)?.focus()
  else return
  event.preventDefault()
  event.stopPropagation()
}

/** Columns of which all rows are here and none is known; that of the order stays, as its head is how to change it. @param {Grid} grid */
function unknownColumns(grid) {
  const all =
    grid.rows.length > 0 &&
    grid.rows.length === grid.total &&
    grid.columns.some((_, c) => (grid.rows[0][c] ?? null) !== null)
  return grid.columns.filter(
    (column, c) =>
      all &&
      isNumber(column) &&
      grid.sort.replace(/^-/, '') !== column.name &&
      grid.rows.every(row => (row[c] ?? null) === null),
  )
}

/** Columns that are shown: the input is left out where all rows are of one, a reason where none has one, and what is unknown in every row, where a line tells its reason. @param {Grid} grid @param {Column[]} without */
function shownColumns(grid, without) {
  const idle = (/** @type {Column} */ column, /** @type {number} */ c) =>
    column.name === 'input'
      ? grid.rows.every(row => row[c] === grid.rows[0][c])
      : column.name === REASON.slice(1) &&
        grid.rows.length > 0 &&
        grid.rows.length === grid.total &&
        grid.rows.every(row => (row[c] ?? null) === null)
  return grid.columns
    .map((column, c) => ({ column, c }))
    .filter(
      ({ column, c }) =>
        !without.includes(column) && !column.name.endsWith(REASON) && !idle(column, c),
    )
}

/** One line in place of columns without a value, as the report of the terminal has it; columns of one reason share it. @param {Grid} grid @param {Column[]} columns */
function unknownLine(grid, columns) {
  /** @type {Map<string, string[]>} */
  const heads = new Map()
  for (const column of columns) {
    const why = [...new Set(grid.rows.map(row => reasonOf(grid, row, column) ?? NOT_SAID))].join(
      '; ',
    )
    heads.set(why, [...(heads.get(why) ?? []), headOf(column, grid.columns)])
  }
  return columns.length
    ? html`<p class="muted pad unknown-columns">unknown in every row: ${[...heads].map(([why, names], i) => html`${i ? ' · ' : ''}<b>${names.join(', ')}</b>: ${why}`)}</p>`
    : nothing
}

/** @param {Grid} grid */
export function gridTemplate(grid) {
  const page = grid.page ?? 200,
    without = unknownColumns(grid),
    shown = shownColumns(grid, without)
  return html`<div class=${grid.past ? 'grid-box past' : 'grid-box'} aria-busy=${grid.past ? 'true' : nothing}><table class="grid" role="grid" aria-label=${grid.label} aria-rowcount=${grid.total + 1} aria-colcount=${shown.length}>
    <thead><tr role="row" aria-rowindex="1">${shown.map(({ column }) => head(grid, column))}</tr></thead>
    <tbody>${grid.rows.map(
      (
        row,
        i,
      ) => html`<tr role="row" aria-rowindex=${grid.offset + i + 2} tabindex=${i === 0 ? 0 : -1} class=${(grid.onRow ? 'link ' : '') + (grid.rowClass?.(row, i) ?? '')}
        @click=${(/** @type {MouseEvent} */ event) => {
          if (!(/** @type {Element} */ (event.target).closest('a, button, input, select')))
            grid.onRow?.(row, i)
        }} @contextmenu=${(/** @type {Event} */ event) => {
          if (!grid.onContext) return
          event.preventDefault()
          grid.onContext(row)
        }} @keydown=${(/** @type {KeyboardEvent} */ event) => onKey(grid, event, row, i)}>
      ${shown.map(({ column, c }) => html`<td role="gridcell" class=${isNumber(column) ? 'number' : ''} data-column=${column.name}>${bar(grid, row, c)}${cellOf(grid, row, column, c, i)}</td>`)}</tr>`,
    )}</tbody>
  </table>${grid.rows.length ? nothing : html`<p class="muted pad">No rows.</p>`}${unknownLine(grid, without)}</div>
  ${grid.onPage ? (grid.total > page ? pager(grid, page) : nothing) : grid.rows.length && grid.rows.length < grid.total ? html`<p class="muted pad left-out">${numberText(grid.rows.length)} of ${counted(grid.total, 'row')} shown</p>` : nothing}`
}

/** @param {Grid} grid @param {Row} row @param {number} c */
function bar(grid, row, c) {
  const share = shareOf(grid, row, c)
  return share === nothing
    ? nothing
    : html`<meter class="share" min="0" max="100" value=${share} aria-hidden="true"></meter>`
}

/** @param {Grid} grid @param {Column} column */
function head(grid, column) {
  const { onSort } = grid,
    down = grid.sort === '-' + column.name,
    up = grid.sort === column.name,
    text = headOf(column, grid.columns)
  const title =
      (column.help || text) + (column.unit && column.unit !== '1' ? ' (' + column.unit + ')' : ''),
    kind = isNumber(column) ? 'number' : ''
  if (!onSort)
    return html`<th role="columnheader" scope="col" class=${kind} title=${title}>${text}</th>`
  return html`<th role="columnheader" scope="col" class=${kind} aria-sort=${down ? 'descending' : up ? 'ascending' : 'none'}>
    <button class="sort" title=${title} @click=${() => onSort((isNumber(column) ? !down : up) ? '-' + column.name : column.name)}>${text}<span aria-hidden="true">${down ? ' ▾' : up ? ' ▴' : ''}</span></button></th>`
}

/** @param {Grid} grid @param {number} page */
function pager(grid, page) {
  const last = Math.min(grid.total, grid.offset + grid.rows.length)
  return html`<div class="pager"><button class="quiet" ?disabled=${grid.offset === 0} @click=${() => grid.onPage?.(Math.max(0, grid.offset - page))}>‹ previous</button>
    <span>${numberText(grid.offset + 1)}–${numberText(last)} of ${numberText(grid.total)}</span>
    <button class="quiet" ?disabled=${last >= grid.total} @click=${() => grid.onPage?.(grid.offset + page)}>next ›</button></div>`
}
