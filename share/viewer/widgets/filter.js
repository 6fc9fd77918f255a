// SPDX-License-Identifier: Apache-2.0
// What people type to filter rows of a table: a text that the name holds, or conditions on columns,
// such as `MFU > 60 and self > 1ms`. One grammar for tables that the server filters and for those
// whose rows are all here.
import { holds, isLike, termsOf, textOf, treeOf } from '../base/conditions.js'

/** @typedef {{name: string, title?: string, type: string, unit: string, role?: string}} Column */
/** @typedef {import('../base/conditions.js').Term} Term */
/** @typedef {import('../base/conditions.js').Tree} Tree */

/** Units of time, in ps. @type {Record<string, number>} */
const TIMES = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9, s: 1e12 }

/** Whether it says when, not how long. @param {Column} column */
export const isWhen = ({ name, unit }) =>
  unit === 'ps' && /^(start|end|first|last)(_[np]s)?$/.test(name)

/** @param {Column} column */
const isText = column => column.type === 'string' || column.type === 'text'

/** A value with its unit, as the server reads it: times without one are in ns, as columns are called, and a ratio above 1 is in percent, as it is shown. @param {Column} column @param {string} value */
function withUnit(column, value) {
  if (isText(column) || !value.trim() || Number.isNaN(Number(value))) return value
  if (column.unit === 'ps') return value + 'ns'
  return column.unit === '1' && column.type === 'double' && Number(value) > 1 ? value + '%' : value
}

/** What a cell is compared with. @param {Column} column @param {string} value */
function numberOf(column, value) {
  const [, number, unit] = /^\s*([-+.\deE]+)\s*(\S*)\s*$/.exec(withUnit(column, value)) ?? []
  return (
    Number(number ?? NaN) *
    (unit === '%' ? 0.01 : (column.unit === 'ps' && TIMES[unit]) || (unit ? NaN : 1))
  )
}

/** The column of a field: by its name or title, in letters of any case, with or without its unit. @param {Column[]} columns @param {string} field */
function indexOf(columns, field) {
  const wanted = field.toLowerCase()
  return columns.findIndex(one =>
    [one.name, one.title, one.name.replace(/_ns$/, '')].some(own => own?.toLowerCase() === wanted),
  )
}

/** The conditions of a text whose fields are columns; null: it is a text as any other. @param {string} text @param {Column[]} columns @returns {Tree | null} */
function conditionsOf(text, columns) {
  try {
    const tree = treeOf(text)
    return tree && termsOf(tree).every(term => indexOf(columns, term.field) >= 0) ? tree : null
  } catch {
    return null
  }
}

/** Says which columns there are where a text has conditions on others, which is looked for as a text; empty: it has none. @param {string} text @param {Column[]} columns */
export function strangerNote(text, columns) {
  try {
    const tree = treeOf(text),
      stranger = tree && termsOf(tree).find(term => indexOf(columns, term.field) < 0)
    return stranger
      ? 'no column ' +
          stranger.field +
          ': there are ' +
          columns.map(one => (one.title ?? one.name).replace(/_ns$/, '')).join(', ')
      : ''
  } catch {
    return ''
  }
}

/** The column that a text without a condition is looked for in. @param {Column[]} columns */
const nameColumn = columns =>
  columns.find(
    column =>
      column.role === 'key' && isText(column) && !/^(input|device|level)$/.test(column.name),
  ) ?? columns.find(isText)

/** A moment that counts from the zero of the ruler, as cells do, from nprof's origin, as the server counts. @param {Column} column @param {string} value @param {bigint} zero */
function fromOrigin(column, value, zero) {
  const ps = isWhen(column) && value.trim() ? numberOf(column, value) : NaN
  return Number.isNaN(ps) ? withUnit(column, value) : String(BigInt(Math.round(ps)) + zero) + 'ps'
}

/** The parameter `where` of a table; null: all rows. @param {string} text @param {Column[]} columns @param {bigint} [zero] of the ruler */
export function whereOf(text, columns, zero = 0n) {
  if (!text.trim()) return null
  const tree = conditionsOf(text, columns),
    first = nameColumn(columns)
  if (tree)
    return textOf(tree, term => {
      const column = columns[indexOf(columns, term.field)]
      return {
        ...term,
        field: column.name,
        values: term.regex
          ? term.values
          : term.values.map(value => fromOrigin(column, value, zero)),
      }
    })
  return first ? textOf({ field: first.name, op: '~', values: [text.trim()], regex: null }) : null
}

/**
 * Whether a cell fits; what is unknown meets no condition but that of an empty value.
 * @param {import('../base/answers.d.ts').Cell | undefined} cell @param {Column} column
 * @param {Term} term
 */
function fits(cell, column, term) {
  const { op, values } = term,
    deny = op.startsWith('!')
  if (cell === null || cell === undefined) return op === '=' && values.includes('')
  if (op.endsWith('~')) return isLike(term, String(cell)) !== deny
  if (isText(column)) {
    const own = String(cell).toLowerCase()
    return (
      op.endsWith('=') &&
      !/[<>]/.test(op) &&
      values.some(value => value.toLowerCase() === own) !== deny
    )
  }
  const own = Number(cell),
    [wanted] = values.map(value => numberOf(column, value))
  switch (op) {
    case '<':
      return own < wanted
    case '>':
      return own > wanted
    case '<=':
      return own <= wanted
    case '>=':
      return own >= wanted
    default:
      return values.some(value => numberOf(column, value) === own) !== deny
  }
}

/**
 * Whether a row is one that the filter keeps, where all rows are here.
 * @param {string} text @param {Column[]} columns
 * @param {string} empty what an unknown name is called
 * @returns {(row: import('../base/answers.d.ts').Row) => boolean}
 */
export function keeperOf(text, columns, empty = '') {
  if (!text.trim()) return () => true
  const tree = conditionsOf(text, columns),
    name = columns.indexOf(/** @type {Column} */ (nameColumn(columns)))
  if (tree)
    return row =>
      holds(tree, term => {
        const at = indexOf(columns, term.field)
        return fits(row[at], columns[at], term)
      })
  return row =>
    String(row[name] ?? empty)
      .toLowerCase()
      .includes(text.trim().toLowerCase())
}
