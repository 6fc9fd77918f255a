// SPDX-License-Identifier: Apache-2.0
// What the tabs below compared timelines share.
import { html } from '../lib/lit.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */

/** @template T @typedef {import('../lib/lit.js').Signal<T>} Signal */

export const SIGNS = /** @type {Record<string, string>} */ ({
  slower: '▲ slower',
  faster: '▽ faster',
  added: '+ added',
  removed: '− removed',
})

/** @param {string | null} verdict */
export const verdictSpan = verdict =>
  verdict ? html`<span class=${'verdict ' + verdict}>${SIGNS[verdict] ?? verdict}</span>` : null

/** A choice of a few words. @param {string} label @param {string[]} words @param {Signal<string>} chosen @param {string} [preset] what an empty one means */
export const pick = (label, words, chosen, preset = words[0]) =>
  html`<label class="chip keep" title=${label}>${label} <select aria-label=${label} @change=${(
    /** @type {ChoiceEvent} */ event,
  ) => {
    chosen.value = event.target.value
  }}>${words.map(one => html`<option value=${one} .selected=${(chosen.value || preset) === one}>${one}</option>`)}</select></label>`

/** @param {{name: string}[]} columns @param {unknown[][]} rows */
export const markdown = (columns, rows) =>
  [columns.map(column => column.name), columns.map(() => '---'), ...rows]
    .map(
      row => '| ' + row.map(cell => String(cell ?? '').replaceAll('|', '\\|')).join(' | ') + ' |',
    )
    .join('\n') + '\n'
