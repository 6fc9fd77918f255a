// SPDX-License-Identifier: Apache-2.0
// The colours of bars: a hue for each kind of work and five lightnesses of it by name, from the tokens of the style
// sheet; and a palette for what has no kind, such as layers and steps. A colour is a place in both, one behind the other.

/** Kinds of work, by their tokens: compute, communication, copy, control, host operator, Python, runtime call, annotation. */
export const KINDS = 'kcmxopra'
/** What they are called, and idle time, which no bar has. */
export const KIND_NAMES = Object.entries({
  k: 'compute',
  c: 'communication',
  m: 'copy',
  x: 'control',
  i: 'idle',
  o: 'host operator',
  p: 'Python',
  r: 'runtime call',
  a: 'annotation, or of no kind',
})
/** Lightnesses of each, tokens l0 to l4. */
export const SHADES = 5
/** Tokens of the lower edges of kinds; of others the ink of captions. @type {Record<string, string>} */
const EDGES = { k: 'kt', c: 'ct', m: 'mt' }

/** @typedef {[number, number, number]} Rgb */

/** @param {number[]} rgb */
export const luminance = rgb =>
  rgb
    .map(value => value / 255)
    .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)

/** WCAG's ratio of two luminances. @param {number} a @param {number} b */
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
/** What a line over a bar is drawn in: black or white, more or less of it. @type {[number, number][]} value, alpha */
const INKS = [0, 255].flatMap(value =>
  [0.55, 0.4, 0.3, 0.2].map(alpha => /** @type {[number, number]} */ ([value, alpha])),
)
const READABLE = 4.5

/** The line that is seen best of those on which a text of the bar can be read as well. @param {number[]} rgb */
export function lineOn(rgb) {
  const own = luminance(rgb),
    text = own > 0.179 ? 0 : 1
  const all = INKS.map(([value, alpha]) => ({
    css: `rgb(${value} ${value} ${value} / ${alpha})`,
    seen: luminance(rgb.map(one => one + (value - one) * alpha)),
  }))
  return all
    .filter(({ seen }) => contrast(seen, text) >= READABLE)
    .reduce((best, one) => (contrast(one.seen, own) > contrast(best.seen, own) ? one : best)).css
}

/** @param {number[][]} m @param {number[]} v */
const product = (m, v) => m.map(row => row.reduce((sum, one, i) => sum + one * v[i], 0))
const TO_LMS = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
]
const TO_LAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]
const FROM_LAB = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
]
const FROM_LMS = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
]

/** A colour with a share of white or black, as color-mix() has it in oklab. @param {Rgb} rgb @param {number} to lightness of that @param {number} share @returns {Rgb} */
export function mixed(rgb, to, share) {
  const linear = rgb
    .map(value => value / 255)
    .map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  const [l, a, b] = product(TO_LAB, product(TO_LMS, linear).map(Math.cbrt)).map(
    (one, i) => one * (1 - share) + (i ? 0 : to * share),
  )
  const back = product(
    FROM_LMS,
    product(FROM_LAB, [l, a, b]).map(one => one ** 3),
  )
  return /** @type {Rgb} */ (
    back.map(v =>
      Math.round(
        Math.min(1, Math.max(0, v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055)) * 255,
      ),
    )
  )
}

/** As a pixel of ImageData without alpha. @param {number[]} rgb */
export const pixelOf = ([r, g, b]) => (b << 16) | (g << 8) | r
/** @param {Rgb} rgb */
const cssOf = rgb => `rgb(${rgb.join(' ')})`

/**
 * What canvases draw bars with, a value for each colour. `seam` is at the right end of a bar, `edge` at its foot.
 * @typedef {object} Palette
 * @property {Rgb[]} rgb
 * @property {string[]} css
 * @property {string[]} ink   of texts
 * @property {string[]} line  of patterns
 * @property {Uint32Array} pixel
 * @property {Uint32Array} seam
 * @property {Uint32Array} edge
 */

/** @param {Rgb[]} plain colours without a kind @param {(token: string) => string} of the text of a token @param {(css: string) => Rgb} read @returns {Palette} */
export function paletteOf(plain, of, read) {
  const shades = Array.from(
    { length: SHADES },
    (_, i) => /(\w+) (\d+)%/.exec(of('--l' + i)) ?? ['', 'black', '0'],
  )
  const kinds = [...KINDS].flatMap(kind =>
    shades.map(([, to, share]) =>
      mixed(read(of('--' + kind)), to === 'white' ? 1 : 0, Number(share) / 100),
    ),
  )
  const feet = [...KINDS].flatMap(kind =>
    shades.map(() => read(of('--' + (EDGES[kind] ?? 'ink3')))),
  )
  const all = [...plain, ...kinds],
    dark = all.map(rgb => rgb.map(value => Math.round(value * 0.65)))
  return {
    rgb: all,
    css: all.map(cssOf),
    ink: all.map((rgb, i) => (i >= plain.length ? of('--barink') : inkOn(rgb))),
    line: all.map(lineOn),
    pixel: Uint32Array.from(all, pixelOf),
    seam: Uint32Array.from(dark, pixelOf),
    edge: Uint32Array.from([...dark.slice(0, plain.length), ...feet], pixelOf),
  }
}

/** Black or white, what contrasts more. @param {number[]} rgb */
export const inkOn = rgb => (luminance(rgb) > 0.179 ? '#000' : '#fff')
