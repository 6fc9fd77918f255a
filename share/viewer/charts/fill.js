// SPDX-License-Identifier: Apache-2.0
// What fills the parts of a chart: the colour of the name, as everywhere, and a hatching where another part of the
// chart has one like it already, so that no two of them look alike. Parts of a step have the hue of their kind of work.
import { svg } from '../lib/lit.js'
import { CSS, PALETTE, colourOf } from '../timeline/colours.js'
import { themeNow } from '../timeline/theme.js'

/** Degrees of the hatchings; NaN: none. */
const HATCHINGS = [NaN, 45, -45, 0]
/** Colours nearer than this, of 441 from black to white, are hard to tell apart: half of the shades of one hue, and some of its neighbours. */
const NEAR = 60

/** @typedef {[number, number, number]} Rgb */
/** `stripe` is the colour of the hatching. @typedef {{colour: string, stripe: string, angle: number, id: string}} Fill */

/** @param {Rgb} a @param {Rgb} b */
const areAlike = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) < NEAR

/** Fills of parts in their order, beside parts that are plain in the colours `taken`. @param {string[]} names @param {Rgb[]} [taken] @param {(name: string) => number} [colourOfName] @returns {Map<string, Fill>} */
export function fillsOf(names, taken = [], colourOfName = colourOf) {
  const used = taken.map(rgb => ({ rgb, nth: 0 }))
  return new Map(
    names.map(name => {
      const colour = colourOfName(name),
        rgb = PALETTE[colour] ?? themeNow().palette.rgb[colour],
        alike = used.filter(one => areAlike(one.rgb, rgb))
      const free = HATCHINGS.findIndex((_, nth) => alike.every(one => one.nth !== nth)),
        nth = free < 0 ? alike.length % HATCHINGS.length : free
      used.push({ rgb, nth })
      return [
        name,
        {
          colour: CSS[colour],
          stripe: 'var(--panel)',
          angle: HATCHINGS[nth],
          id: 'fill-' + colour + '-' + nth,
        },
      ]
    }),
  )
}

/** Tokens of the parts of a step: of its work, of idle time, of all else. @type {[RegExp, string][]} */
const HUES = [
  [/communication/, 'c'],
  [/copy/, 'm'],
  [/compute/, 'k'],
  [/^idle/, 'i'],
  [/./, 'x'],
]

/** Fills of the parts of steps: one hue is hatched otherwise for each cause of idle time, which is never plain. @param {string[]} names @returns {Map<string, Fill>} */
export function fillsOfParts(names) {
  /** @type {Record<string, number>} */
  const used = {}
  return new Map(
    names.map(name => {
      const hue = HUES.find(([what]) => what.test(name))?.[1] ?? 'x',
        isIdle = hue === 'i',
        nth = used[hue] ?? Number(isIdle)
      used[hue] = (nth + 1) % HATCHINGS.length || Number(isIdle)
      return [
        name,
        {
          colour: `var(--${hue})`,
          stripe: `var(--${isIdle ? 'i2' : 'panel'})`,
          angle: HATCHINGS[nth],
          id: 'part-' + hue + nth,
        },
      ]
    }),
  )
}

/** The attribute fill of a shape. @param {Fill} fill */
export const fillText = fill => (Number.isNaN(fill.angle) ? fill.colour : `url(#${fill.id})`)

/** What a swatch of HTML has for its background. @param {Fill} fill */
export const swatchText = fill =>
  Number.isNaN(fill.angle)
    ? fill.colour
    : `repeating-linear-gradient(${fill.angle + 90}deg, ${fill.colour} 0 3px, ${fill.stripe} 3px 4.5px)`

/** The hatchings that fillText names: they stand in the same drawing. @param {Iterable<Fill>} fills */
export const hatchings = fills =>
  svg`<defs>${[...fills]
    .filter(fill => !Number.isNaN(fill.angle))
    .map(
      fill => svg`
  <pattern id=${fill.id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform=${`rotate(${fill.angle})`}><rect width="6" height="6" fill=${fill.colour}></rect><rect width="6" height="1.8" fill=${fill.stripe}></rect></pattern>`,
    )}</defs>`
