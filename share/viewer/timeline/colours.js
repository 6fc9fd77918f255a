// SPDX-License-Identifier: Apache-2.0
// The colour of a label: the hue of its kind of work, else one from a hash of its text; a name looks the same in all
// profiles, but for layers, operators and lines of which another one of the profile has that colour (rect-colours.c).
import { hashOf } from '../base/hash.js'
import { kindOf } from './kinds.js'
import { KINDS, SHADES, inkOn } from './palette.js'

/** The palette of Okabe and Ito, which people with any colour vision tell apart, in three shades. */
const BASE = [
  [0, 114, 178],
  [230, 159, 0],
  [0, 158, 115],
  [204, 121, 167],
  [86, 180, 233],
  [213, 94, 0],
  [240, 228, 66],
  [140, 140, 150],
]
const TINTS = [0, 0.28, -0.2]

/** @param {number} value @param {number} shade */
const shaded = (value, shade) =>
  Math.round(shade >= 0 ? value + (255 - value) * shade : value * (1 + shade))

/** @type {[number, number, number][]} */
export const PALETTE = TINTS.flatMap(shade =>
  BASE.map(rgb => /** @type {[number, number, number]} */ (rgb.map(value => shaded(value, shade)))),
)

/** Of kinds of work, in the style sheet's own words: they are others in the dark. */
const KIND_CSS = [...KINDS].flatMap(kind =>
  Array.from({ length: SHADES }, (_, i) => `color-mix(in oklab, var(--${kind}), var(--l${i}))`),
)
/** What drawings of the page fill a colour with, and the ink on it. */
export const CSS = [...PALETTE.map(rgb => `rgb(${rgb.join(' ')})`), ...KIND_CSS]
export const INK = [...PALETTE.map(inkOn), ...KIND_CSS.map(() => 'var(--barink)')]

/** The colour of a name in the hue of a kind of work. @param {string} kind @param {string} name */
const ofKind = (kind, name) =>
  PALETTE.length + KINDS.indexOf(kind) * SHADES + (hashOf(name) % SHADES)

/** What is narrower than a bar has the hue of its kind alone. @param {number} colour */
export const withoutName = colour =>
  colour < PALETTE.length ? colour : colour - ((colour - PALETTE.length) % SHADES)

const GREY = 7

/** A colour that is no grey: there is one behind each seven hues. @param {string} text */
export const colourOf = text => {
  const colour = hashOf(text) % (TINTS.length * GREY)
  return colour + Math.floor(colour / GREY)
}

/** fusion.15 and fusion.16 are instances of one operator. @param {string} name */
const withoutNumber = name => name.replace(/[._-]?\d+$/, '') || name

/** The layer of what states none, as table layers has it: the path of its operator without the last name. @param {string} operator */
const layerOf = operator => operator.split('/').slice(0, -1).join('/')

/** Categories of instructions of Neuron, which state their operator as the end of their layer. */
const INSTRUCTIONS = ['instruction', 'semaphore wait']

/**
 * What is coloured alike: the text of a label, of what its rows state, and of its track in each mode; empty: it is grey.
 * @type {Record<string, (label: import('./names.js').Label, track: string, rank: string) => string>}
 */
export const MODES = {
  work: label => label[2] || label[0],
  operator: label => label[4] || (INSTRUCTIONS.includes(label[1]) && label[3]) || '',
  name: label => label[0],
  kind: label => withoutNumber(label[2] || label[0]),
  category: label => label[1],
  layer: label => label[3] || layerOf(label[4] ?? ''),
  engine: (_label, track) => track,
  source: label => label[5] ?? '',
  rank: (_label, _track, rank) => rank,
  step: label => label[0],
  duration: label => label[0],
}

/** What a mode means beyond its name. @type {Record<string, string>} */
const LEGENDS = {
  work: 'the hue by the kind of work, the lightness by name',
  operator: 'the framework operator of each event; grey: it names none',
  layer: 'the layer of each event; grey: it names none',
  source: 'the line of each event; grey: it names none',
  step: 'each step has a colour; grey: in no step',
  duration:
    'against the median of its name: blue below 0.8 ×, grey about it, orange above 1.25 ×, red above 2 ×',
}

/** What a mode means beyond its name, or that the profile has nothing to colour by. @param {import('./names.js').Names} names @param {string} mode */
export function legendOf(names, mode) {
  const what = { layer: 'a layer', operator: 'an operator', source: 'a line of code' }[mode]
  const lacks = what && names.colours && !names.colours.has(mode)
  if (!lacks) return LEGENDS[mode] ?? ''
  return `no event of this profile names ${what}${mode === 'operator' ? '; colours are by name' : ''}`
}

/** Stands in place of a colour that was not looked for. */
export const UNKNOWN = 255

const SHORT = 0,
  LONG = 1,
  LONGEST = 5
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
    this.mode = MODES[mode] ? mode : 'work'
    this.measured = this.mode === 'step' || this.mode === 'duration'
    this.byTrack = this.mode === 'engine' || this.mode === 'rank'
    /** Colours by label, where its rows are no work and where they are; one whose text has not come is grey until it has. */
    this.known = [false, true].map(() => new Uint8Array(names.total).fill(UNKNOWN))
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
    for (const one of this.known) one.fill(UNKNOWN)
    this.lookAtNames()
  }

  /** @param {import('./tiles.js').Picture} picture @param {number} i its rectangle @param {number} lane @param {boolean} works */
  rect(picture, i, lane, works) {
    if (!this.byRect) return this.of(picture.label[i], works)
    if (this.measured)
      return this.mode === 'step' ? this.ofStep(picture, i, lane) : this.ofDuration(picture, i)
    const own = picture.colour?.[i] ?? UNKNOWN
    return own === UNKNOWN ? this.of(picture.label[i], works) : own
  }

  /** @param {import('./tiles.js').Picture} picture @param {number} i @param {number} lane */
  ofStep(picture, i, lane) {
    const t =
      Number(picture.t0 - this.more.start) +
      ((picture.x0[i] + picture.x1[i]) / 32) * Number(picture.p)
    const steps = this.more.steps(lane)
    let low = 0,
      high = steps.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (steps[middle].t1 < t) low = middle + 1
      else high = middle
    }
    return steps[low] && steps[low].t0 <= t ? colourOf('step ' + steps[low].name) : GREY
  }

  /** A bar that the picture cuts is at least as long as what is seen of it. @param {import('./tiles.js').Picture} picture @param {number} i */
  ofDuration(picture, i) {
    const name = this.names.get(picture.label[i])?.[0],
      seen = picture.x1[i] - picture.x0[i]
    const median = name === undefined ? undefined : this.more.medians.get(name)
    if (!median || picture.count[i] > 1 || seen < MEASURABLE) return GREY
    const times = ((seen / 16) * Number(picture.p)) / median,
      cut = picture.x0[i] === 0 || picture.x1[i] === 16 * 2048
    if (times > 2) return LONGEST
    if (times > 1.25) return LONG
    return times < 0.8 && !cut ? SHORT : GREY
  }

  /** What stands before the text of a bar: how its name changed. @param {string} name */
  sign(name) {
    const verdict = this.more.verdicts?.get(name) ?? ''
    return { slower: '▲ ', faster: '▽ ', added: '+ ', removed: '− ' }[verdict] ?? ''
  }

  /** @param {number} label @param {boolean} works whether its lane has work of a device */
  of(label, works) {
    const known = this.known[Number(works)]
    if (known[label] !== UNKNOWN) return known[label]
    const colour = this.find(label, works)
    if (!this.byRect) known[label] = colour
    return colour
  }

  /** @param {number} label @param {boolean} works */
  find(label, works) {
    const text = this.names.get(label)
    if (!text) return GREY
    if (this.more.verdicts) return VERDICTS[this.more.verdicts.get(text[0]) ?? ''] ?? GREY
    return this.ofText(text, works)
  }

  /** @param {import('./names.js').Label} text @param {boolean} works */
  ofText(text, works) {
    const named = this.mode === 'operator' && !this.names.colours?.has('operator'),
      alike = MODES[this.mode](text, '', '') || (named ? MODES.work(text, '', '') : '')
    return this.mode === 'work' ? ofKind(kindOf(text, works), alike) : this.ofValue(alike)
  }

  /** @param {string} value of the mode */
  ofValue(value) {
    if (!value) return GREY
    return this.names.colours?.get(this.mode)?.get(value) ?? colourOf(value)
  }

  /** The colour that bars of a name have, for charts beside them; a name of no bar, and all where bars are coloured by more than what they state, have their own. @param {string} name */
  ofName(name) {
    const text = this.names.labels[this.names.labelOf(name)]
    return text && !this.byTrack && !this.measured
      ? this.ofText(text, text[7] !== null)
      : this.ofValue(name)
  }

  /** The colour of a frame of a flame graph: as that of a bar, and what no bar is called has the hue of no work, as a thread. @param {string} name */
  ofFrame(name) {
    const isBar = this.mode !== 'work' || this.names.labels[this.names.labelOf(name)]
    return isBar ? this.ofName(name) : ofKind('a', name)
  }

  /** The colour of a whole lane, where its labels do not matter. @param {string} track @param {string} rank */
  ofTrack(track, rank) {
    return this.ofValue(
      MODES[this.mode](['', '', '', null, null, null, null, null, false], track, rank),
    )
  }
}
