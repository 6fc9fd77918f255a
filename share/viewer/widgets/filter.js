// SPDX-License-Identifier: Apache-2.0
// What people type to filter rows of a table: a text that the name holds, or conditions on columns, such as MFU > 60. One
// grammar for tables that the server filters and for those whose rows are all here (docs/formats/view-api.md, where).

/** @typedef {{name: string, title?: string, type: string, unit: string, role?: string}} Column */
/** @typedef {{column: Column, at: number, op: string, value: string}} Condition */

const CONDITION = /^\s*([\w ]+?)\s*(!=|<=|>=|=|~|<|>)\s*(.*?)\s*$/

/** What a cell is compared with. A ratio is shown in percent: 60 and 60 % are 0.6, and 0.6 is itself; times are asked for in ns, as columns are called. @param {Column} column @param {string} value */
function numberOf(column, value) {
  const number = Number(value.replace(/\s*%$/, ''))
  if (column.unit === 'ps') return number * 1000
  return column.unit === '1' && column.type === 'double' && (value.endsWith('%') || number > 1)
    ? number / 100
    : number
}

/** The conditions; null: it is a text. A column is called by its name or title, in letters of any case, with or without its unit. @param {string} text @param {Column[]} columns @returns {Condition[] | null} */
function conditionsOf(text, columns) {
  /** @type {Condition[]} */
  const found = []
  for (const part of text.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/)) {
    const [, name, op, value] = CONDITION.exec(part) ?? [],
      wanted = name?.toLowerCase()
    const at = columns.findIndex(one =>
      [one.name, one.title, one.name.replace(/_ns$/, '')].some(
        own => own?.toLowerCase() === wanted,
      ),
    )
    if (!wanted || at < 0) return null
    found.push({
      column: columns[at],
      at,
      op,
      value: value.replace(/^"(.*)"$/, '$1').replaceAll(/\\(["\\])/g, '$1'),
    })
  }
  return found
}

/** @param {Column} column */
const isText = column => column.type === 'string' || column.type === 'text'

/** The column that a text without a condition is looked for in. @param {Column[]} columns */
const nameColumn = columns =>
  columns.find(
    column =>
      column.role === 'key' && isText(column) && !/^(input|device|level)$/.test(column.name),
  ) ?? columns.find(isText)

/** @param {string} value */
const quoted = value =>
  /[,"\\]/.test(value) ? '"' + value.replaceAll(/["\\]/g, '\\$&') + '"' : value

/** The parameter `where` of a table; null: all rows. @param {string} text @param {Column[]} columns */
export function whereOf(text, columns) {
  if (!text.trim()) return null
  const conditions = conditionsOf(text, columns),
    first = nameColumn(columns)
  if (conditions)
    return conditions
      .map(({ column, op, value }) =>
        [
          column.name,
          op,
          isText(column) || !value || Number.isNaN(numberOf(column, value))
            ? quoted(value)
            : String(numberOf(column, value)),
        ].join(' '),
      )
      .join(', ')
  return first ? first.name + ' ~ ' + quoted(text.trim()) : null
}

/** Whether a cell fits. @param {any} cell @param {Condition} condition */
function fits(cell, { column, op, value }) {
  if (cell === null || cell === undefined)
    return op === '=' ? !value : op === '!=' && Boolean(value)
  if (isText(column) || op === '~') {
    const own = String(cell).toLowerCase(),
      wanted = value.toLowerCase()
    return op === '~'
      ? own.includes(wanted)
      : op === '='
        ? own === wanted
        : op === '!='
          ? own !== wanted
          : false
  }
  const own = Number(cell),
    wanted = numberOf(column, value)
  return (
    {
      '=': own === wanted,
      '!=': own !== wanted,
      '<': own < wanted,
      '>': own > wanted,
      '<=': own <= wanted,
      '>=': own >= wanted,
    }[op] ?? false
  )
}

/** Whether a row is one that the filter keeps, where all rows are here. @param {string} text @param {Column[]} columns @param {string} empty what an unknown name is called @returns {(row: any[]) => boolean} */
export function keeperOf(text, columns, empty = '') {
  const conditions = text.trim() ? conditionsOf(text, columns) : [],
    name = columns.indexOf(/** @type {Column} */ (nameColumn(columns)))
  if (conditions) return row => conditions.every(one => fits(row[one.at], one))
  return row =>
    String(row[name] ?? empty)
      .toLowerCase()
      .includes(text.trim().toLowerCase())
}
