// SPDX-License-Identifier: Apache-2.0
// The colour of a label: from a hash of its text, so that a name looks the same in all profiles.
import { hashOf } from '../base/hash.js'

/** The palette of Okabe and Ito, which people with any colour vision tell apart, in three shades. */
const BASE = [[0, 114, 178], [230, 159, 0], [0, 158, 115], [204, 121, 167], [86, 180, 233], [213, 94, 0], [240, 228, 66], [140, 140, 150]]
const SHADES = [0, 0.28, -0.2]

/** @param {number} value @param {number} shade */
const shaded = (value, shade) => Math.round(shade >= 0 ? value + (255 - value) * shade : value * (1 + shade))

/** @type {[number, number, number][]} */
export const PALETTE = SHADES.flatMap(shade => BASE.map(rgb => /** @type {[number, number, number]} */ (rgb.map(value => shaded(value, shade)))))

/** @param {number[]} rgb */
const luminance = rgb => rgb.map(value => value / 255).map(v => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0)

/** Black or white, what contrasts more. */
export const INK = PALETTE.map(rgb => (luminance(rgb) > 0.179 ? '#000' : '#fff'))

/** WCAG's ratio of two luminances. @param {number} a @param {number} b */
const contrast = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
/** What a line over a bar is drawn in: black or white, more or less of it. @type {[number, number][]} value, alpha */
const INKS = [0, 255].flatMap(value => [0.55, 0.4, 0.3, 0.2].map(alpha => /** @type {[number, number]} */ ([value, alpha])))
const READABLE = 4.5

/** The line that is seen best of those on which a text of the bar can be read as well. @param {number[]} rgb */
function lineOn(rgb) {
  const own = luminance(rgb), text = own > 0.179 ? 0 : 1
  const all = INKS.map(([value, alpha]) => ({ css: `rgb(${value} ${value} ${value} / ${alpha})`, seen: luminance(rgb.map(one => one + (value - one) * alpha)) }))
  return all.filter(({ seen }) => contrast(seen, text) >= READABLE).reduce((best, one) => (contrast(one.seen, own) > contrast(best.seen, own) ? one : best)).css
}

/** Lines of patterns over bars of a colour. */
export const LINE = PALETTE.map(lineOn)
export const CSS = PALETTE.map(rgb => `rgb(${rgb.join(' ')})`)
/** As a pixel of ImageData without alpha. */
export const PIXEL = Uint32Array.from(PALETTE, rgb => (rgb[2] << 16) | (rgb[1] << 8) | rgb[0])
export const EDGE = Uint32Array.from(PALETTE, rgb => {
  const [r, g, b] = rgb.map(value => shaded(value, -0.35))
  return (b << 16) | (g << 8) | r
})

/** @param {string} text */
export const colourOf = text => hashOf(text) % PALETTE.length

/** fusion.15 and fusion.16 are instances of one operator. @param {string} name */
const withoutNumber = name => name.replace(/[._-]?\d+$/, '') || name

/** The layer of what states none, as table layers has it: the path of its operator without the last name. @param {string} operator */
const layerOf = operator => operator.split('/').slice(0, -1).join('/')

/**
 * What is coloured alike: the text of a label, of what its rows state, and of its track in each mode.
 * @type {Record<string, (label: import('./names.js').Label, track: string, rank: string) => string>}
 */
export const MODES = {
  operator: label => label[4] || label[2] || label[0],
  name: label => label[0],
  kind: label => withoutNumber(label[2] || label[0]),
  category: label => label[1] || 'no category',
  layer: label => label[3] || layerOf(label[4] ?? '') || 'no layer',
  engine: (_label, track) => track,
  source: label => label[5] || 'source not given',
  rank: (_label, _track, rank) => rank,
  step: label => label[0],
  duration: label => label[0],
}

/** What a mode means beyond its name. @type {Record<string, string>} */
export const LEGENDS = {
  operator: 'the framework operator of each event, else its name',
  layer: 'the layer of each event; one colour for events without one',
  source: 'the line of each event; one colour for events without one',
  step: 'each step has a colour; grey: in no step',
  duration: 'against the median of its name: blue below 0.8 ×, grey about it, orange above 1.25 ×, red above 2 ×',
}

/** Stands in place of a colour that was not looked for. */
export const UNKNOWN = 255

const GREY = 7, SHORT = 0, LONG = 1, LONGEST = 5
/** Bars of a changed name on the page that compares. @type {Record<string, number>} */
const VERDICTS = { slower: 5, faster: 2, added: 0, removed: 3 }
/** In 1/16 pixels: of shorter bars a picture does not tell the duration well enough. */
const MEASURABLE = 12

/**
 * What rectangles are coloured by that their label does not say.
 * @typedef {object} More
 * @property {bigint} start                                             of the profile
 * @property {(lane: number) => {t0: number, t1: number, name: string}[]} steps  of the device of a lane, by time, in ps from the start
 * @property {Map<string, number>} medians                              of a name, in ps
 * @property {Map<string, string> | null} verdicts                      of a name against another profile
 */

export class Colours {
  /** @param {import('./names.js').Names} names @param {string} mode @param {More} more */
  constructor(names, mode, more) {
    this.names = names
    this.more = more
    this.mode = MODES[mode] ? mode : 'operator'
    this.measured = this.mode === 'step' || this.mode === 'duration'
    this.byTrack = this.mode === 'engine' || this.mode === 'rank'
    /** Colours by label; one whose text has not come is grey until it has. */
    this.known = new Uint8Array(names.total).fill(UNKNOWN)
    this.version = names.version.peek()
    this.byRow = ''
    this.lookAtNames()
  }

  /** Finds out by what bars of one name have several colours: the mode, where their rows differ in it; empty: they have one. */
  lookAtNames() {
    this.byRow = !this.more.verdicts && this.names.mixed.has(this.mode) ? this.mode : ''
    this.byRect = !this.more.verdicts && (this.measured || Boolean(this.byRow))
  }

  /** Forgets the colours when texts have come since they were found. */
  refresh() {
    const version = this.names.version.peek()
    if (version === this.version) return
    this.version = version
    this.known.fill(UNKNOWN)
    this.lookAtNames()
  }

  /** @param {import('./tiles.js').Picture} picture @param {number} i its rectangle @param {number} lane */
  rect(picture, i, lane) {
    if (!this.byRect) return this.of(picture.label[i])
    if (this.measured) return this.mode === 'step' ? this.ofStep(picture, i, lane) : this.ofDuration(picture, i)
    const own = picture.colour?.[i] ?? UNKNOWN
    return own === UNKNOWN ? this.of(picture.label[i]) : own
  }

  /** @param {import('./tiles.js').Picture} picture @param {number} i @param {number} lane */
  ofStep(picture, i, lane) {
    const t = Number(picture.t0 - this.more.start) + ((picture.x0[i] + picture.x1[i]) / 32) * Number(picture.p)
    const steps = this.more.steps(lane)
    let low = 0, high = steps.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (steps[middle].t1 < t) low = middle + 1
      else high = middle
    }
    return steps[low] && steps[low].t0 <= t ? colourOf('step ' + steps[low].name) : GREY
  }

  /** A bar that the picture cuts is at least as long as what is seen of it. @param {import('./tiles.js').Picture} picture @param {number} i */
  ofDuration(picture, i) {
    const name = this.names.get(picture.label[i])?.[0], seen = picture.x1[i] - picture.x0[i]
    const median = name === undefined ? undefined : this.more.medians.get(name)
    if (!median || picture.count[i] > 1 || seen < MEASURABLE) return GREY
    const times = (seen / 16) * Number(picture.p) / median, cut = picture.x0[i] === 0 || picture.x1[i] === 16 * 2048
    if (times > 2) return LONGEST
    if (times > 1.25) return LONG
    return times < 0.8 && !cut ? SHORT : GREY
  }

  /** What stands before the text of a bar: how its name changed. @param {string} name */
  sign(name) {
    const verdict = this.more.verdicts?.get(name) ?? ''
    return { slower: '▲ ', faster: '▽ ', added: '+ ', removed: '− ' }[verdict] ?? ''
  }

  /** @param {number} label */
  of(label) {
    if (this.known[label] !== UNKNOWN) return this.known[label]
    const colour = this.find(label)
    if (!this.byRect) this.known[label] = colour
    return colour
  }

  /** @param {number} label */
  find(label) {
    const text = this.names.get(label)
    if (!text) return GREY
    if (this.more.verdicts) return VERDICTS[this.more.verdicts.get(text[0]) ?? ''] ?? GREY
    return colourOf(MODES[this.mode](text, '', ''))
  }

  /** The colour that bars of a name have, for charts beside them; a name of no bar, and all where bars are coloured by more than what they state, have their own. @param {string} name */
  ofName(name) {
    const text = this.names.labels[this.names.labelOf(name)]
    return colourOf(text && !this.byTrack && !this.measured ? MODES[this.mode](text, '', '') : name)
  }

  /** The colour of a whole lane, where its labels do not matter. @param {string} track @param {string} rank */
  ofTrack(track, rank) {
    return colourOf(MODES[this.mode](['', '', '', null, null, null, null, null, false], track, rank))
  }
}
