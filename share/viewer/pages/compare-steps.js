// SPDX-License-Identifier: Apache-2.0
// Steps of a base and another profile beside each other, in their order, with the median, the mean and the verdict of
// nprof diff. All figures are those of route compare with by=step.
import { html, nothing, svg } from '../lib/lit.js'
import { gridLines, groupNames, linear } from '../charts/scale.js'
import { css } from '../base/element.js'
import { durationText } from '../base/time.js'
import {
  cellNumber,
  cellText,
  changeText,
  columnAt,
  counted,
  deviceText,
  exactChange,
  percentText,
} from '../base/values.js'
import { saveTable, unknown, waiting } from '../widgets/frame.js'
import { gridTemplate, sortRows } from '../widgets/grid.js'
import { verdictSpan } from './compare-parts.js'

/** @typedef {import('./compare.js').ComparePage} ComparePage */
/**
 * @typedef {{number: string, device: string, names: (string | null)[], ps: (number | null)[],
 *   change: number | null}} Pair steps of the same number
 */
/** @typedef {import('../base/answers.d.ts').Compared} Compared */
/** @typedef {import('../base/answers.d.ts').Sheet} Sheet */

/** Pixels: of bars, of a pair of them, beside and below them, of a letter. */
const HIGH = 120,
  PAIR = 30,
  LEFT = 68,
  BELOW = 34,
  LETTER = 7,
  SIDES = ['base', 'new'],
  FILLS = ['var(--k)', 'var(--link)'],
  MOST = 400
/** @type {Record<string, string>} */
const TITLES = {
  number: 'pair',
  step_a: 'step of base',
  step_b: 'step of new',
  a_ps: 'base',
  b_ps: 'new',
}

/** What the page asks for it. @param {ComparePage} page */
export function stepsQuestion({ sessions: [base, ...others] }) {
  return {
    route: /** @type {const} */ ('compare'),
    params: { a: base.id, b: others.map(one => one.id), by: 'step' },
  }
}

/** @param {Sheet} table @returns {Pair[]} */
function pairsOf({ columns, rows }) {
  const at = (/** @type {string} */ name) => columnAt(columns, name)
  const [number, device, nameA, nameB, a, b, change] = [
    'number',
    'device',
    'step_a',
    'step_b',
    'a_ps',
    'b_ps',
    'change',
  ].map(at)
  return rows.map(row => ({
    number: String(row[number]),
    device: String(row[device]),
    names: [row[nameA], row[nameB]].map(cellText),
    ps: [row[a], row[b]].map(cellNumber),
    change: cellNumber(row[change]),
  }))
}

/** @param {ComparePage} page */
export function stepsTab(page) {
  const { answer } = page.steps.asked,
    { data } = answer.value,
    shown = data ? page.shownRows({ ...data.rows, rows: page.ofChosen(data.rows) }) : null
  return html`<div class="bar">${page.tabs()}<span class="muted">${shown ? counted(shown.rows.length, 'pair') + ' of steps' : ''}</span><span class="gap"></span>${shown?.rows.length ? page.tools(() => saveTable('compare-steps', shown), page.commandOf('diff --by steps'), shown) : nothing}</div>
    ${waiting(answer.value)}${data && shown ? (shown.rows.length ? body(page, data, shown) : unknown('needs steps: nprof diff found none in these profiles')) : nothing}`
}

/** @param {ComparePage} page @param {Compared} data @param {Sheet & {total: number}} shown */
function body(page, data, shown) {
  const pairs = pairsOf({ columns: data.rows.columns, rows: page.ofChosen(data.rows) }),
    columns = shown.columns.map(column => ({ ...column, title: TITLES[column.name] }))
  const change = columnAt(columns, 'change'),
    device = columnAt(columns, 'device'),
    sort = page.steps.sort
  return html`<dl class="totals changes">${summaries(page, data)}</dl>
    <div class="steps compare-steps">${chart(pairs)}${gridTemplate({
      label: 'Steps beside each other',
      columns,
      rows: sortRows(columns, shown.rows, sort.value),
      total: shown.rows.length,
      offset: 0,
      sort: sort.value,
      onSort: next => {
        sort.value = next
      },
      cell: (row, c) =>
        c === change && row[c] !== null
          ? html`<span title=${exactChange(Number(row[c]))}>${changeText(Number(row[c]))}</span>`
          : c === device
            ? deviceText(String(row[c]))
            : null,
    })}</div>`
}

/**
 * The step of each device: its median, its mean, and what nprof diff tells of it.
 * @param {ComparePage} page @param {Compared} data
 */
function summaries(page, data) {
  const medians = (data.medians ?? []).filter(one => one.profile === page.chosen.id)
  return medians.map(one => {
    const total = data.totals.find(
      other =>
        other.part === 'step' && other.device === one.device && other.profile === one.profile,
    )
    return html`<div data-device=${one.device}><dt>${deviceText(one.device)}</dt><dd>median <b>${change(one.a_ps, one.b_ps, one.change)}</b></dd>
      ${total && total.value !== null ? html`<dd>mean <b>${change(total.a_ps, total.b_ps, total.value)}</b>${total.interval === null ? nothing : html` <span class="muted">± ${percentText(total.interval)}</span>`}</dd><dd>${verdictSpan(total.verdict)}</dd>` : html`<dd class="unknown">verdict unknown: ${total?.reason ?? 'nprof diff compares no steps of this device'}</dd>`}</div>`
  })
}

/** @param {number | null} ps */
const timeOf = ps => (ps === null ? 'unknown' : durationText(BigInt(Math.round(ps))))

/** @param {number | null} a @param {number | null} b @param {number | null} by */
const change = (a, b, by) =>
  timeOf(a) + ' → ' + timeOf(b) + (by === null ? '' : ', ' + changeText(by))

/** Pairs of bars, those of a device together. @param {Pair[]} all */
function chart(all) {
  const pairs = all.slice(0, MOST),
    most = pairs.reduce((sum, one) => Math.max(sum, ...one.ps.map(Number)), 1),
    y = linear(0, most, HIGH, 6)
  const labels = pairs.map(one => stepsOf(one, shortName)),
    pitch = Math.max(
      PAIR,
      8 + LETTER * labels.reduce((most, text) => Math.max(most, text.length), 0),
    )
  let x = LEFT
  const groups = /** @type {{name: string, x: number}[]} */ ([]),
    places = pairs.map((one, i) => {
      if (one.device !== pairs[i - 1]?.device) {
        if (i) x += 20
        groups.push({ name: deviceText(one.device), x })
      }
      x += pitch
      return x - pitch
    })
  return html`<figure class="chart" tabindex="0"><figcaption>${SIDES.map((name, k) => html`<span class="key"><span class="swatch" ${css({ background: FILLS[k] })}></span>${name}</span>`)}${all.length > MOST ? html`<span class="muted">the first ${MOST} of ${all.length}</span>` : nothing}</figcaption>
    <div class="chart-scroll"><svg class="steps-chart" width=${Math.max(300, x)} height=${HIGH + BELOW} role="img" aria-label="Steps of both profiles, which the table beside it lists">
      ${gridLines(y, LEFT - 4, Math.max(300, x), tick => durationText(BigInt(Math.round(tick))))}
      ${pairs.map((one, i) => svg`<g><title>${labelOf(one)}</title>${one.ps.map((ps, k) => (ps === null ? nothing : svg`<rect class="pair-bar" x=${places[i] + k * (PAIR / 2 - 2)} width=${PAIR / 2 - 3} y=${y.of(ps)} height=${Math.max(0, HIGH - y.of(ps))} fill=${FILLS[k]}></rect>`))}<text x=${places[i] + PAIR / 2 - 2} y=${HIGH + 13} text-anchor="middle">${labels[i]}</text></g>`)}
      ${groupNames(groups, Math.max(300, x), HIGH + 29)}</svg></div></figure>`
}

/** Steps are called as their profiles number them, a pair of unlike ones by both; the number of the pair is that of neither. @param {Pair} one @param {(name: string) => string} [short] */
const stepsOf = ({ names }, short = name => name) =>
  [...new Set(names.map(name => (name === null ? '–' : short(name))))].join(' / ')

/** As the chart of Steps has them. @param {string} name */
const shortName = name => /\d+$/.exec(name)?.[0] ?? name.slice(0, 3)

/** @param {Pair} one */
const labelOf = one =>
  'Step ' +
  stepsOf(one) +
  ' of ' +
  deviceText(one.device) +
  ': ' +
  one.ps
    .map(
      (ps, k) =>
        SIDES[k] + ' ' + (ps === null ? 'not there' : timeOf(ps) + ' (' + one.names[k] + ')'),
    )
    .join(', ') +
  (one.change === null ? '' : ', ' + exactChange(one.change))
