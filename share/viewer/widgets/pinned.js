// SPDX-License-Identifier: Apache-2.0
// Events that were pinned in Details stay beside the selected one: their fields in columns, those that differ.
import { html, nothing, signal } from '../lib/lit.js'
import { nsText } from '../base/time.js'
import { setting } from '../base/session.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').EventDetails} EventDetails */

const MOST = 4

/** The pinned events of a session; the address keeps their rows. @param {Session} session */
export function pinsOf(session) {
  const kept = setting(session, 'details.pins', ''),
    events = signal(/** @type {Map<string, EventDetails>} */ (new Map())),
    asked = new Set()
  const rows = () => kept.value.split(',').filter(Boolean)
  const set = (/** @type {string[]} */ next) => {
    kept.value = next.slice(-MOST).join(',')
  }
  return {
    has: (/** @type {string} */ row) => rows().includes(row),
    toggle: (/** @type {string} */ row) =>
      set(rows().includes(row) ? rows().filter(one => one !== row) : [...rows(), row]),
    /** Those whose fields have come; the others are asked for. @returns {EventDetails[]} */
    shown() {
      for (const row of rows().filter(one => !asked.has(one))) {
        asked.add(row)
        session.ask('e', { row }).then(
          event => {
            events.value = new Map([...events.peek(), [row, event]])
          },
          () => {},
        ) // a row of another reading is left out
      }
      return rows()
        .map(row => events.value.get(row))
        .filter(one => one !== undefined)
    },
  }
}

/** @typedef {ReturnType<typeof pinsOf>} Pins */

/** What an event has in each field. @param {Session} session @param {EventDetails} event @returns {Map<string, string>} */
function fieldsOf(session, event) {
  const ns = (/** @type {string | null | undefined} */ ps) =>
    ps === null || ps === undefined ? 'unknown' : nsText(BigInt(ps)) + ' ns'
  return new Map([
    ['start', ns(String(BigInt(event.start) - session.zero.value.t))],
    ['duration', ns(event.duration)],
    ['self', ns(event.self)],
    ['track', session.model.nameOf(event.track)],
    .../** @type {[string, string][]} */ (event.attributes.map(one => [one.key, one.value])),
  ])
}

/** The pinned events beside the selected one. @param {Session} session @param {Pins} pins @param {EventDetails | null} event */
export function pinnedTemplate(session, pins, event) {
  const all = [...pins.shown().filter(one => one.row !== event?.row), ...(event ? [event] : [])]
  if (!all.length || !pins.shown().length) return nothing
  const fields = all.map(one => fieldsOf(session, one)),
    keys = [...new Set(fields.flatMap(one => [...one.keys()]))]
  const differ = keys.filter(
    key => new Set(fields.map(one => one.get(key))).size > 1 || key === 'duration',
  )
  return html`<details open class="pins"><summary>Pinned, with the selected event: ${all.length}</summary><div class="grid-box"><table class="grid" aria-label="Pinned events"><thead><tr><th scope="col">field</th>${all.map(
    one => html`<th scope="col">
      <button class="quiet" title=${one.name} @click=${() => session.select({ kind: 'event', row: one.row }, { reveal: true })}>${one.name || 'no name'}</button>
      ${pins.has(one.row) ? html`<button class="quiet" aria-label=${'Unpin ' + one.name} @click=${() => pins.toggle(one.row)}>×</button>` : nothing}</th>`,
  )}</tr></thead>
    <tbody>${differ.map(key => html`<tr><th scope="row">${key}</th>${fields.map(one => html`<td title=${one.get(key) ?? nothing}>${one.get(key) ?? '–'}</td>`)}</tr>`)}</tbody></table></div></details>`
}
