// SPDX-License-Identifier: Apache-2.0
// The ruler: round times from the chosen zero, and the grid lines below it.
import { durationText, nsText, roundStep } from '../base/time.js'
import { floorDiv } from './tiles.js'

/** Pixels: ticks are at least so far apart; at most so wide are a digit and a mark; between a label and the next tick. */
const APART = 90, DIGIT = 7, MARK = 4, BETWEEN = 16
const UNIT = 'ns'

/** Ticks of a window, so far apart that the number of each has room before the next. @param {bigint} t0 @param {bigint} t1 @param {number} width @param {bigint} zero */
export function ticksOf(t0, t1, width, zero) {
  let found = ticksApart(t0, t1, width, zero, APART)
  for (let apart = roomOf(found.ticks); apart > APART; apart = roomOf(found.ticks)) {
    const wider = ticksApart(t0, t1, width, zero, apart)
    if (wider.step === found.step) break
    found = wider
  }
  return found
}

/** @param {{text: string}[]} ticks */
const roomOf = ticks => ticks.reduce((most, { text }) => Math.max(most, text.length * DIGIT - text.replace(/\d/g, '').length * (DIGIT - MARK) + BETWEEN), 0)

/** @param {bigint} t0 @param {bigint} t1 @param {number} width @param {bigint} zero @param {number} apart in pixels */
function ticksApart(t0, t1, width, zero, apart) {
  const step = roundStep(((t1 - t0) * BigInt(apart)) / BigInt(Math.max(apart, Math.round(width))) + 1n)
  /** @type {{t: bigint, text: string}[]} */
  const ticks = []
  for (let t = (floorDiv(t0 - zero, step) + 1n) * step + zero; t < t1; t += step) ticks.push({ t, text: nsText(t - zero) })
  return { ticks, step }
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {{t0: bigint, t1: bigint}} window @param {bigint} zero @param {import('./paint.js').Theme} theme */
export function paintRuler(context, width, height, window, zero, theme) {
  const { ticks } = ticksOf(window.t0, window.t1, width, zero)
  const perPixel = Number(window.t1 - window.t0) / width
  context.clearRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  const unit = context.measureText(UNIT).width + 12
  for (const { t, text } of ticks) {
    const x = Math.round(Number(t - window.t0) / perPixel)
    context.fillStyle = theme.line
    context.fillRect(x, height - 7, 1, 7)
    context.fillStyle = theme.faint
    // A number always stands behind its tick: before it it would seem to be of the one before. The last has none where it would be cut.
    if (x + 4 + context.measureText(text).width < width - unit) context.fillText(text, x + 4, height / 2 - 1)
  }
  context.fillStyle = theme.faint
  context.fillText(UNIT, width - unit + 8, height / 2 - 1)
}

/** The length of the window, for the corner of the ruler. @param {{t0: bigint, t1: bigint}} window */
export const lengthText = window => durationText(window.t1 - window.t0)
