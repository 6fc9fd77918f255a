// SPDX-License-Identifier: Apache-2.0
// A pie of at most nine slices and the rest. The legend is a list with the same numbers, so nothing needs colour.
import { html, svg } from '../lib/lit.js'
import { css } from '../base/element.js'
import { differingAt, endsOf } from '../base/ends.js'
import { exactPercent, percentText } from '../base/values.js'
import { fillText, fillsOf, hatchings, swatchText } from './fill.js'

const MOST = 9,
  FEW = 4,
  RADIUS = 50
/** About what --x is, light or dark. @type {import('./fill.js').Rgb} */
const REST = [124, 134, 145]

/** @typedef {{name: string, value: number, rest?: boolean}} Slice */

/** The largest slices, and all others as one. @param {[string, string | number][]} pairs @returns {Slice[]} */
export function slicesOf(pairs) {
  const all = pairs
    .map(([name, value]) => ({ name, value: Number(value) }))
    .filter(one => one.value > 0)
    .sort((a, b) => b.value - a.value)
  const rest = all.length === MOST + 1 ? [] : all.slice(MOST) // one alone has its name
  return rest.length
    ? [
        ...all.slice(0, MOST),
        {
          name: rest.length + ' more',
          value: rest.reduce((sum, one) => sum + one.value, 0),
          rest: true,
        },
      ]
    : all
}

/** @param {number} part of the circle */
const point = part =>
  [RADIUS * Math.sin(2 * Math.PI * part), -RADIUS * Math.cos(2 * Math.PI * part)]
    .map(value => value.toFixed(3))
    .join(' ')

/** @param {number} from @param {number} to */
function slicePath(from, to) {
  if (to - from > 0.9999)
    return `M 0 ${-RADIUS} A ${RADIUS} ${RADIUS} 0 1 1 0 ${RADIUS} A ${RADIUS} ${RADIUS} 0 1 1 0 ${-RADIUS} Z`
  return `M 0 0 L ${point(from)} A ${RADIUS} ${RADIUS} 0 ${to - from > 0.5 ? 1 : 0} 1 ${point(to)} Z`
}

/** @param {string} title @param {[string, string | number][]} pairs @param {(name: string) => void} onPick @param {(name: string) => string} [textOf] what is written for a name @param {(name: string) => number} [colourOfName] */
export function pie(title, pairs, onPick, textOf = name => name, colourOfName = undefined) {
  const slices = slicesOf(pairs),
    total = slices.reduce((sum, one) => sum + one.value, 0)
  const fills = fillsOf(
    slices.filter(one => !one.rest).map(one => one.name),
    slices.some(one => one.rest) ? [REST] : [],
    colourOfName,
  )
  const of = (/** @type {Slice} */ slice, /** @type {typeof fillText} */ write) => {
    const fill = fills.get(slice.name)
    return fill ? write(fill) : 'var(--x)'
  }
  const differ = differingAt(slices.map(slice => textOf(slice.name)))
  let at = 0
  const parts = slices.map(slice => {
    const from = at
    at += slice.value / total
    return { slice, from, to: at }
  })
  return html`<figure class="pie"><figcaption>${title}</figcaption><div class="pie-body">
    <svg viewBox="-52 -52 104 104" role="img" aria-label=${title + ': ' + slices.map(one => textOf(one.name) + ' ' + exactPercent(one.value / total)).join(', ')}>
      ${hatchings(fills.values())}${parts.map(({ slice, from, to }) => svg`<path class="slice" d=${slicePath(from, to)} fill=${of(slice, fillText)} data-name=${slice.name} @click=${() => !slice.rest && onPick(slice.name)}><title>${textOf(slice.name)} ${exactPercent(slice.value / total)}</title></path>`)}</svg>
    <ol class=${slices.length > FEW ? 'legend columns' : 'legend'}>${slices.map(slice => html`<li><button class="quiet" ?disabled=${Boolean(slice.rest)} @click=${() => onPick(slice.name)}><span class="swatch" ${css({ background: of(slice, swatchText) })}></span><span class="legend-name" title=${textOf(slice.name)}>${endsOf(textOf(slice.name), differ.get(textOf(slice.name)))}</span><b title=${exactPercent(slice.value / total)}>${percentText(slice.value / total)}</b></button></li>`)}</ol></div></figure>`
}
