// SPDX-License-Identifier: Apache-2.0
// What route latency says of the spans of one name, drawn: a histogram, and durations over time. Charts that stand beside
// each other are given the same axes.
import { html, nothing, svg } from '../lib/lit.js'
import { gridLines, linear, logarithmic } from '../charts/scale.js'
import { durationText } from '../base/time.js'
import { numberText } from '../base/values.js'

/** @typedef {import('../base/answers.d.ts').Latency} Latency */
/** A span. @typedef {Latency['scatter'][number]} Dot */

const WIDTH = 420,
  HEIGHT = 170,
  LEFT = 62,
  FOOT = 24

/** @param {number} low @param {number} high @param {number} from @param {number} to @param {string} kind */
const scaleOf = (low, high, from, to, kind) =>
  kind === 'log'
    ? logarithmic(Math.max(low, 1), Math.max(high, 2), from, to)
    : linear(0, high, from, to)

/** @param {number} ps */
const text = ps => durationText(BigInt(Math.round(ps)))

/** How often which duration. @param {Latency} data @param {{scale: string, most?: number}} how most: of a bin, of all charts beside each other */
export function histogram(data, { scale, most }) {
  const bins = data.bins.map(bin => ({
    from: Number(bin.from),
    to: Number(bin.to),
    count: bin.count,
  }))
  if (!bins.length) return nothing
  const x = scaleOf(bins[0].from, bins[bins.length - 1].to, LEFT, WIDTH - 8, scale),
    y = linear(0, most ?? mostOf(data), HEIGHT - FOOT, 8)
  return html`<figure class="chart"><figcaption>How often which duration</figcaption><svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img" aria-label=${'Histogram of ' + data.count + ' durations'}>
    ${gridLines({ ...y, ticks: y.ticks.filter(Number.isInteger) }, LEFT, WIDTH, numberText)}
    ${bins.filter(bin => bin.count).map(bin => svg`<rect fill="var(--k)" x=${x.of(bin.from)} width=${Math.max(1.5, x.of(bin.to) - x.of(bin.from) - 0.5)} y=${y.of(bin.count)} height=${HEIGHT - FOOT - y.of(bin.count)}><title>${text(bin.from)} to ${text(bin.to)}: ${bin.count}</title></rect>`)}
    ${marks(data, x)}${x.ticks.map(tick => svg`<text x=${x.of(tick)} y=${HEIGHT - 8} text-anchor="middle">${x.of(tick) >= LEFT && x.of(tick) < WIDTH - 10 ? text(tick) : ''}</text>`)}</svg></figure>`
}

/** The most that a bin has. @param {Latency} data */
export const mostOf = data => data.bins.reduce((most, bin) => Math.max(most, bin.count), 0)

/** Percentiles as lines; their names stand below each other, as they may be near. @param {Latency} data @param {import('../charts/scale.js').Scale} x */
const marks = (data, x) =>
  Object.entries(data.percentiles)
    .filter(([key, ps]) => ps !== null && /^p(50|99)$/.test(key))
    .map(
      ([key, ps], i) =>
        svg`<line class="mark-line" x1=${x.of(Number(ps))} x2=${x.of(Number(ps))} y1="8" y2=${HEIGHT - FOOT}></line><text x=${x.of(Number(ps)) + 3} y=${16 + 12 * i}>${key}</text>`,
    )

/**
 * Durations over time.
 * @param {Latency} data
 * @param {{scale: string, zero: bigint, time: [number, number], span?: [number, number], current: string | null, pick: (one: Dot) => void}} how zero: what time counts from, ps; span: least and most duration of all charts beside each other; current: the row that is selected
 */
export function scatter(data, { scale, zero, time, span, current, pick }) {
  const dots = data.scatter.map(one => ({
    of: one,
    start: Number(BigInt(one.start) - zero),
    duration: Number(one.duration),
  }))
  if (!dots.length) return nothing
  const durations = dots.map(one => one.duration),
    [low, high] = span ?? [Math.min(...durations), Math.max(...durations)]
  const x = linear(time[0], time[1], LEFT, WIDTH - 8),
    y = scaleOf(low, high, HEIGHT - FOOT, 8, scale),
    slow = new Set(data.outliers.map(one => one.row))
  return html`<figure class="chart"><figcaption>Duration over the run</figcaption><svg width=${WIDTH} height=${HEIGHT} viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="group" aria-label="Durations over the run">
    ${gridLines(y, LEFT, WIDTH, text)}
    ${dots.map(
      one =>
        svg`<circle class="dot ${slow.has(one.of.row) ? 'slow' : ''} ${current === one.of.row ? 'current' : ''}" tabindex="0" role="button" aria-label=${'Event of ' + text(one.duration)} data-row=${one.of.row} cx=${x.of(one.start)} cy=${y.of(one.duration)} r="3.5" @click=${() => pick(one.of)} @keydown=${(
          /** @type {KeyboardEvent} */ event,
        ) => {
          if (event.key === 'Enter') pick(one.of)
        }}><title>${text(one.duration)}</title></circle>`,
    )}</svg></figure>`
}

/** The row of the selected event. @param {import('../base/session.js').Session} session */
export function currentRow(session) {
  const now = session.selection.value
  return now?.kind === 'event' ? now.row : null
}
