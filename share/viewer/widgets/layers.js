// SPDX-License-Identifier: Apache-2.0
// Operators by layer as the tree that the paths of layers make: a layer sums up what is in it and in the layers below.
import { columnAt } from '../base/values.js'

/** @typedef {import('./grid.js').Column} Column */
/** @typedef {import('../base/answers.d.ts').Cell} Cell */
/** @typedef {import('../base/answers.d.ts').Row} Row */
/**
 * A layer of a device: `name` is its path, `row` its cells, `calls` how often work of its own ran;
 * null: it has none.
 * @typedef {{name: string, device: string, path: string[], row: Row, own: Row | null, calls: number
 *   | null, nodes: Layer[], opens: boolean, leaf: boolean}} Layer
 */

/** Cells that add up; those of work, of which table layers sums up what is stated; and means over self time of that work. */
const SUMS = ['calls', 'self_ns', 'share', 'host_self_ns'],
  WORK = ['flops', 'bytes', 'on_chip_bytes'],
  MEANS = ['mfu', 'hfu']

/** The paths from the model down to a layer: components end at a '/' outside of parentheses and brackets. @param {string} layer */
export function pathsTo(layer) {
  const ends = []
  let depth = 0
  for (let i = 0; i < layer.length; i++) {
    if ('([{'.includes(layer[i])) depth++
    else if (')]}'.includes(layer[i])) depth = Math.max(0, depth - 1)
    else if (layer[i] === '/' && !depth && i) ends.push(i)
  }
  return [...ends, layer.length].map(end => layer.slice(0, end))
}

/** The sum of cells; null: one of them is unknown, or there is none. @param {Cell[]} values */
const known = values => {
  const all = values.filter(value => value !== null)
  return all.length && all.length === values.length ? all.reduce(plus) : null
}

/**
 * Adds cells, whole ones exactly.
 * @param {NonNullable<Cell>} a @param {NonNullable<Cell>} b @returns {NonNullable<Cell>}
 */
const plus = (a, b) =>
  [a, b].every(value => /^-?\d+$/.test(String(value)))
    ? String(BigInt(a) + BigInt(b))
    : Number(a) + Number(b)

/** Adds what is known, null where nothing is. @param {Cell[]} values */
const stated = values => known(values.filter(value => value !== null))

/**
 * One row of several: what adds up, what is a mean, and what all of them say. Its total is self
 * time: totals of loops hold what runs in them.
 * @param {Column[]} columns @param {Row[]} rows @param {string} name
 */
function sumOf(columns, rows, name) {
  if (rows.length === 1 && rows[0][columnAt(columns, 'operator')] === name) return rows[0]
  const at = (/** @type {string} */ of) => columnAt(columns, of),
    self = at('self_ns')
  const all = (/** @type {number} */ c) => rows.map(row => (c < 0 ? null : row[c]))
  return columns.map((column, c) => {
    if (column.name === 'operator') return name
    if (SUMS.includes(column.name)) return known(all(c))
    if (WORK.includes(column.name)) return stated(all(c))
    if (MEANS.includes(column.name)) {
      const parts = stated(
          rows.map(row => (row[c] === null ? null : Number(row[c]) * Number(row[self]))),
        ),
        time = Number(known(all(self)))
      return parts === null || !time ? null : Number(parts) / time
    }
    if (column.name === 'total_ns') return known(all(self))
    if (column.name === 'mean_ns') return null
    return new Set(all(c)).size === 1 ? rows[0][c] : null
  })
}

/**
 * Rows that lie below none.
 * @param {Column[]} columns of table operators @param {Row[]} rows @returns {Layer[]}
 */
export function flat(columns, rows) {
  const [operator, device, calls] = ['operator', 'device', 'calls'].map(name =>
    columnAt(columns, name),
  )
  return rows.map(row => ({
    name: String(row[operator] ?? ''),
    device: device < 0 ? '' : String(row[device]),
    path: [],
    row,
    own: row,
    calls: row[calls] === null ? null : Number(row[calls]),
    nodes: [],
    opens: false,
    leaf: row[operator] === null,
  }))
}

/**
 * The layers of each device, the outermost; a model that is alone is open.
 * @param {Column[]} columns of table operators @param {Row[]} rows of level layer
 * @returns {Layer[]}
 */
export function nested(columns, rows) {
  const [operator, deviceAt, calls] = ['operator', 'device', 'calls'].map(name =>
    columnAt(columns, name),
  )
  /** @type {Map<string, Layer>} */
  const nodes = new Map()
  /** @type {Layer[]} */
  const roots = []
  for (const row of rows) {
    const device = deviceAt < 0 ? '' : String(row[deviceAt])
    /** @type {Layer | null} */
    let above = null
    for (const name of pathsTo(String(row[operator] ?? ''))) {
      const key = device + '\0' + name,
        node = nodes.get(key) ?? {
          name,
          device,
          path: [],
          row: [],
          own: null,
          calls: null,
          nodes: [],
          opens: false,
          leaf: row[operator] === null,
        }
      if (!nodes.has(key)) (above?.nodes ?? roots).push(node)
      nodes.set(key, node)
      above = node
    }
    if (!above) continue
    above.own = row
    above.calls = row[calls] === null ? null : Number(row[calls])
  }
  /** @param {Layer} node @returns {Row[]} */
  const rowsOf = node => [...(node.own ? [node.own] : []), ...node.nodes.flatMap(rowsOf)]
  for (const node of nodes.values()) {
    node.row = node.leaf ? (node.own ?? []) : sumOf(columns, rowsOf(node), node.name)
    node.opens =
      node.nodes.length > 0 &&
      roots.filter(one => !one.leaf && one.device === node.device).length === 1 &&
      roots.includes(node)
  }
  return roots
}
