// SPDX-License-Identifier: Apache-2.0
// The ruler: round times from the chosen zero, and the grid lines below it.
import { durationText, nsText, roundStep } from '../base/time.js'
import { floorDiv } from './tiles.js'

const APART = 90, UNIT = 'ns'

/** Ticks of a window: at most one each 90 pixels. @param {bigint} t0 @param {bigint} t1 @param {number} width @param {bigint} zero */
export function ticksOf(t0, t1, width, zero) {
  const step = roundStep(((t1 - t0) * BigInt(APART)) / BigInt(Math.max(APART, Math.round(width))) + 1n)
  /** @type {{t: bigint, text: string}[]} */
  const ticks = []
  for (let t = (floorDiv(t0 - zero, step) + 1n) * step + zero; t < t1; t += step) ticks.push({ t, text: nsText(t - zero) })
  return { ticks, step }
}

/** Pixels between a number that stands before its tick and the one before: nearer it would seem to be of that tick. */
const ASIDE = 24

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {{t0: bigint, t1: bigint}} window @param {bigint} zero @param {import('./paint.js').Theme} theme */
export function paintRuler(context, width, height, window, zero, theme) {
  const { ticks } = ticksOf(window.t0, window.t1, width, zero)
  const perPixel = Number(window.t1 - window.t0) / width
  context.clearRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  const unit = context.measureText(UNIT).width + 12
  let free = 0
  for (const { t, text } of ticks) {
    const x = Math.round(Number(t - window.t0) / perPixel), length = context.measureText(text).width
    context.fillStyle = theme.line
    context.fillRect(x, height - 7, 1, 7)
    context.fillStyle = theme.faint
    const fits = x + 4 + length < width - unit, at = fits ? x + 4 : x - 4 - length // at the right edge it stands before its tick
    if (at > free + (fits ? 0 : ASIDE)) context.fillText(text, at, height / 2 - 1)
    free = Math.max(free, at + length + 4)
  }
  context.fillText(UNIT, width - unit + 8, height / 2 - 1)
}

/** The length of the window, for the corner of the ruler. @param {{t0: bigint, t1: bigint}} window */
export const lengthText = window => durationText(window.t1 - window.t0)
