// SPDX-License-Identifier: Apache-2.0
// What is below rows of operators that are unfolded, of the same part of the run as they are. The address keeps which
// are, by a hash of level, device and name: names are long.
import { hashOf } from '../base/hash.js'
import { query } from '../base/api.js'
import { setting } from '../base/session.js'
import { effect, signal } from '../lib/lit.js'

/** @typedef {import('./frame.js').Answer} Answer */
/** A row that may be unfolded. @typedef {{name: string, device: string, calls: number | null}} Row */
/** Rows below one, and the part of the run that they are of. @typedef {{part: string, rows: any[]}} Below */

/** Part of what could not be asked for: it is asked for again when it is unfolded once more. */
const FAILED = 'failed'

/** The part of the run that an answer is of. @param {Answer} answer */
function partOf({ of }) {
  const { t0, t1, tracks, parts } = /** @type {any} */ (of?.params ?? {})
  return { t0, t1, tracks, parts }
}

/** @param {import('../base/session.js').Session} session @param {string} id of the widget @param {() => Answer} shown whose rows these are @param {() => Row[]} rowsOf it @param {(row: Row, part: import('../base/api.js').Params) => Promise<any[] | null>} ask for what is below; null: nobody knows */
export function unfolded(session, id, shown, rowsOf, ask) {
  const open = setting(session, id + '.open', ''),
    found = signal(/** @type {Map<string, Below>} */ (new Map()))
  const keyOf = (/** @type {Row} */ { name, device }) =>
    hashOf([shown().of?.params?.level, device, name].join('\0')).toString(36)
  const keys = () => open.value.split('.').filter(Boolean),
    isOpen = (/** @type {Row} */ row) => keys().includes(keyOf(row))
  const toggle = (/** @type {Row} */ row) => {
    open.value = (
      isOpen(row) ? keys().filter(one => one !== keyOf(row)) : [...keys(), keyOf(row)]
    ).join('.')
  }
  const stop = effect(() => {
    const part = partOf(shown()),
      text = query(part)
    for (const row of open.value ? rowsOf().filter(isOpen) : []) {
      const key = keyOf(row),
        put = (/** @type {any[]} */ rows, was = text) => {
          found.value = new Map([...found.peek(), [key, { part: was, rows }]])
        }
      const isWanted = () => found.peek().get(key)?.part === text // else another part was asked for meanwhile
      if (isWanted()) continue
      put([])
      ask(row, part).then(
        rows => {
          if (!isWanted()) return
          if (rows) put(rows)
          else
            open.value = keys()
              .filter(one => one !== key)
              .join('.')
        },
        () => {
          if (isWanted()) put([], FAILED)
        },
      )
    }
  })
  return {
    isOpen,
    toggle,
    below: (/** @type {Row} */ row) =>
      isOpen(row) ? (found.value.get(keyOf(row))?.rows ?? []) : [],
    dispose: stop,
  }
}
