// SPDX-License-Identifier: Apache-2.0
// What to do first after a comparison: the names that a step grew by most, the rows that are
// inconclusive, and the first advice of the other profile itself.
import { shortNames } from '../base/ends.js'
import { durationText } from '../base/time.js'
import { counted } from '../base/values.js'
import { html, nothing } from '../lib/lit.js'
import { itemTemplate } from '../widgets/advice.js'

/** @typedef {import('./compare.js').ComparePage} ComparePage */
/** @typedef {import('../widgets/advice.js').Item} Item */

/** Names that are listed; the table has all. */
const MOST = 2
/** From this ratio on a name is said to take N times as long, below it N % longer. */
const TIMES = 1.5

/** @param {number} a @param {number} b ps of a step */
function slowerBy(a, b) {
  if (!a) return 'new'
  return b / a >= TIMES
    ? (b / a).toFixed(1) + ' × as long'
    : '+' + ((b / a - 1) * 100).toFixed(1) + ' %'
}

/** By the names of columns. @typedef {Record<string, import('../base/answers.d.ts').Cell>} Row */

/** Letters of a name in a title, so that what became of it is on the line. */
const LETTERS = 28

/** @param {ComparePage} page @param {Row[]} rows @returns {Item[]} */
function itemsOfRows(page, rows) {
  const called = rows.map(row => page.chosen.names.called.value(String(row.operator))),
    short = shortNames(called, LETTERS)
  return rows.map((row, i) => itemOfRow(page, row, short.get(called[i]) ?? called[i]))
}

/** @param {ComparePage} page @param {Row} row @param {string} called @returns {Item} */
function itemOfRow(page, row, called) {
  const [a, b] = [Number(row.a_ps ?? 0), Number(row.b_ps ?? 0)],
    name = String(row.operator),
    each = page.answer.value?.per === 'step' ? ' a step' : '',
    calls = [row.calls_a, row.calls_b].filter(one => one !== null && one !== undefined)
  return {
    title: called + ': ' + slowerBy(a, b),
    full: name,
    stake: null,
    advice: null,
    gain: null,
    evidence:
      durationText(BigInt(Math.round(a))) +
      ' → ' +
      durationText(BigInt(Math.round(b))) +
      each +
      (calls.length === 2 && Number(calls[0]) !== Number(calls[1])
        ? ', in ' + Number(calls[0]) + ' → ' + Number(calls[1]) + ' calls'
        : ''),
    show: page.by.value === 'layer' ? undefined : () => page.showLatency(name),
  }
}

/**
 * Rows of the profile that is beside the base, by the names of their columns.
 * @param {ComparePage} page @returns {Row[]}
 */
function rowsOf(page) {
  const table = page.answer.value?.rows
  if (!table) return []
  return table.rows
    .map(row => Object.fromEntries(table.columns.map((column, i) => [column.name, row[i]])))
    .filter(row => !row.profile || row.profile === page.chosen.id)
}

/** @param {ComparePage} page @returns {Item[]} */
function itemsOf(page) {
  const rows = rowsOf(page),
    more = (/** @type {Row} */ row) => Number(row.b_ps ?? 0) - Number(row.a_ps ?? 0),
    slower = rows
      .filter(row => /^(slower|added)$/.test(String(row.verdict)))
      .sort((x, y) => more(y) - more(x)),
    unjudged = page.said?.unjudged,
    untold = rows.filter(row => row.verdict === 'inconclusive').length,
    own = page.chosen.profile.findings.find(one => one.advice)
  return [
    ...itemsOfRows(page, slower.slice(0, MOST)),
    ...(untold
      ? [
          {
            title: 'Inconclusive: ' + counted(untold, 'row'),
            stake: null,
            evidence: unjudged ?? 'The steps are too few, or differ too much.',
            advice: unjudged
              ? 'record both on one machine, or nprof diff --other-machine'
              : 'record more steps of both',
            gain: null,
          },
        ]
      : []),
    ...(own
      ? [
          {
            title: own.text,
            stake: null,
            evidence: 'Of ' + page.chosen.head.name + ' alone.',
            advice: own.advice,
            gain: own.gain,
          },
        ]
      : []),
  ]
}

/** @param {ComparePage} page */
export function compareAdvice(page) {
  if (!page.answer.value?.rows) return nothing
  const items = itemsOf(page)
  return html`<aside class="advice-box" tabindex="0" aria-label="What to do first"><h2>${items.length ? 'What to do first' : 'Nothing became slower'}</h2><ol class="advices">${items.map(itemTemplate)}</ol></aside>`
}
