// SPDX-License-Identifier: Apache-2.0
// What is below rows of operators that are unfolded, level by level, of the same part of the run as they are. The
// address keeps which are, by a hash of level, device and names: names are long.
import { hashOf } from '../base/hash.js'
import { query } from '../base/api.js'
import { setting } from '../base/session.js'
import { effect, signal } from '../lib/lit.js'

/** The question of an answer. @typedef {Pick<import('./frame.js').Answer<object>, 'of'>} Asked */
/**
 * A row that may be unfolded: `path` names those above it, `nodes` are rows below it that need no
 * question, `opens`: it is open until it is folded.
 * @template Row
 * @typedef {{name: string, device: string, calls: number | null, path?: string[], nodes?: Row[],
 *   opens?: boolean, leaf?: boolean}} Unfolding
 */
/**
 * Rows below one, and the part of the run that they are of.
 * @template Row @typedef {{part: string, rows: Row[]}} Below
 */

/** Part of what could not be asked for: it is asked for again when it is unfolded once more. */
const FAILED = 'failed'

/** The part of the run that an answer is of. @param {Asked} answer */
function partOf({ of }) {
  const { t0, t1, tracks, parts } = of?.params ?? {}
  return { t0, t1, tracks, parts }
}

/**
 * @template {Unfolding<Row>} Row @param {import('../base/session.js').Session} session
 * @param {string} id of the widget @param {() => Asked} shown whose rows these are
 * @param {() => Row[]} rowsOf it
 * @param {(row: Row, part: import('../base/api.js').Params) => Promise<Row[] | null>} ask for what
 *   is below; null: it is unknown
 */
export function unfolded(session, id, shown, rowsOf, ask) {
  const open = setting(session, id + '.open', ''),
    found = signal(/** @type {Map<string, Below<Row>>} */ (new Map()))
  const keyOf = (/** @type {Row} */ { name, device, path = [] }) =>
    hashOf([shown().of?.params?.level, device, ...path, name].join('\0')).toString(36)
  const keys = () => open.value.split('.').filter(Boolean),
    isTurned = (/** @type {Row} */ row) => keys().includes(keyOf(row)),
    isOpen = (/** @type {Row} */ row) => !row.leaf && isTurned(row) !== Boolean(row.opens)
  const toggle = (/** @type {Row} */ row) => {
    open.value = (
      isTurned(row) ? keys().filter(one => one !== keyOf(row)) : [...keys(), keyOf(row)]
    ).join('.')
  }
  const below = (/** @type {Row} */ row) =>
    isOpen(row) ? [...(row.nodes ?? []), ...(found.value.get(keyOf(row))?.rows ?? [])] : []
  /** @param {Row[]} rows @returns {Row[]} */
  const withOpen = rows => rows.filter(isOpen).flatMap(row => [row, ...withOpen(below(row))])
  const stop = effect(() => {
    const part = partOf(shown()),
      text = query(part)
    for (const row of withOpen(rowsOf())) {
      const key = keyOf(row),
        put = (/** @type {Row[]} */ rows, was = text) => {
          found.value = new Map([...found.peek(), [key, { part: was, rows }]])
        }
      const isWanted = () => found.peek().get(key)?.part === text // else another part was asked for meanwhile
      if (isWanted()) continue
      put([])
      ask(row, part).then(
        rows => {
          if (!isWanted()) return
          if (rows) put(rows)
          else if (isOpen(row) && !row.nodes?.length) toggle(row)
        },
        () => {
          if (isWanted()) put([], FAILED)
        },
      )
    }
  })
  return { isOpen, toggle, below, dispose: stop }
}
