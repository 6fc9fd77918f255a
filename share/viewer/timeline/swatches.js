// SPDX-License-Identifier: Apache-2.0
// What each pattern of the timeline means, for the help.
import { Patterns, crosses, dots, hatch } from './patterns.js'

/** @typedef {import('./patterns.js').Context} Context */
/** @typedef {import('./patterns.js').Kind} Kind */
/** A swatch of a pattern in the help. @typedef {(context: Context, w: number, h: number, theme: import('./paint.js').Theme) => void} Swatch */
/** Place in the palette of the bars of swatches. */
const SWATCH = 4

/** @param {Kind} kind @returns {Swatch} */
const onBar =
  kind =>
  (context, w, h, { palette }) => {
    context.fillStyle = palette.css[SWATCH]
    context.fillRect(0, 0, w, h)
    const patterns = new Patterns()
    patterns.add(kind, palette.line[SWATCH], 1, 0, 0, w, h)
    patterns.draw(context, 1)
  }

/** What each pattern means. @type {[Swatch, string][]} */
export const PATTERNS = [
  [(context, w, h, theme) => hatch(context, 0, 0, w, h, theme.hatch), 'idle: a device had no work'],
  [onBar('backslash'), 'communication between devices'],
  [
    (context, w, h, theme) => crosses(context, 0, 0, w, h, theme.lost),
    'lost: rows that the file says were dropped, or that could not be read',
  ],
  [onBar('wave'), 'likely: a name that the decoder guessed'],
  [
    (context, w, h, theme) => dots(context, 0, 0, w, h, theme.series),
    'it is unknown which rows are work',
  ],
]
