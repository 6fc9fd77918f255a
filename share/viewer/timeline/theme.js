// SPDX-License-Identifier: Apache-2.0
// The colours of the canvases, read from the style sheet so that light, dark and forced colours agree.

import { PALETTE } from './colours.js'
import { paletteOf, pixelOf } from './palette.js'

/** Asking for styles costs a tenth of a frame; they change with the theme alone. @type {import('./paint.js').Theme | null} */
let known = null
const forget = () => {
  known = null
}
globalThis.document?.addEventListener('nprof-theme', forget)
globalThis.matchMedia?.('(forced-colors: active)').addEventListener('change', forget)

/** @returns {import('./paint.js').Theme} */
export function themeNow() {
  if (known) return known
  const style = getComputedStyle(document.documentElement)
  const of = (/** @type {string} */ name) => style.getPropertyValue(name).trim()
  return (known = {
    background: of('--panel'),
    text: of('--ink'),
    faint: of('--ink3'),
    line: of('--line'),
    accent: of('--link'),
    series: of('--k'),
    communication: of('--c'),
    control: of('--x'),
    copy: of('--m'),
    hatch: of('--i2'),
    lost: of('--warn'),
    selected: of('--sel'),
    linePixel: pixelOf(rgbOf(of('--line'))),
    accentPixel: pixelOf(rgbOf(of('--link'))),
    palette: paletteOf(PALETTE, of, rgbOf),
  })
}

/** What a colour of the style sheet, or of the system, is on the screen. @param {string} css @returns {[number, number, number]} */
function rgbOf(css) {
  const context = /** @type {CanvasRenderingContext2D} */ (
    Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d')
  )
  context.fillStyle = css
  context.fillRect(0, 0, 1, 1)
  const [r, g, b] = context.getImageData(0, 0, 1, 1).data
  return [r, g, b]
}
