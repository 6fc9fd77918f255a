// SPDX-License-Identifier: Apache-2.0
// The ruler: round times from the chosen zero in one unit, and where the window is short and far from zero the time
// from which they count, which is told once.
import { durationText, inUnit, roundStep, unitOf } from '../base/time.js'
import { floorDiv } from './tiles.js'

/** Pixels that ticks are apart, at least; a window so many times its length behind zero has a base of its own. */
const APART = 110,
  FAR = 20n

/** @typedef {{t: bigint, text: string}} Tick `text`: with its unit where a base is told, and on the first one */
/** @typedef {{ticks: Tick[], base: string}} Rule `base`: the time from zero that ticks count from; empty: zero itself */

/** Ticks of a window. @param {bigint} t0 @param {bigint} t1 @param {number} width @param {bigint} zero @returns {Rule} */
export function ruleOf(t0, t1, width, zero) {
  const length = t1 - t0,
    from = t0 - zero,
    step = roundStep((length * BigInt(APART)) / BigInt(Math.max(APART, Math.round(width))) + 1n)
  const unit = unitOf(length / 2n),
    far = (from < 0n ? -t1 + zero : from) > length * FAR
  const base = far ? floorDiv(from, step * 10n) * step * 10n : 0n
  const sign = far ? '+' : ''
  /** @type {Tick[]} */
  const ticks = []
  for (let t = -floorDiv(-from, step) * step; t < t1 - zero; t += step) {
    ticks.push({
      t: t + zero,
      text: sign + inUnit(t - base, unit, step) + (far || !ticks.length ? ' ' + unit[0] : ''),
    })
  }
  return { ticks, base: far ? timeText(base) : '' }
}

/** A time from zero, exactly, in its largest unit. @param {bigint} ps */
function timeText(ps) {
  const unit = unitOf(ps < 0n ? -ps : ps),
    text = inUnit(ps, unit, 1n)
  return (text.includes('.') ? text.replace(/\.?0+$/, '') : text) + ' ' + unit[0]
}

/** @param {CanvasRenderingContext2D} context @param {number} width @param {number} height @param {{t0: bigint, t1: bigint}} window @param {bigint} zero @param {import('./paint.js').Theme} theme */
export function paintRuler(context, width, height, window, zero, theme) {
  const { ticks } = ruleOf(window.t0, window.t1, width, zero)
  const perPixel = Number(window.t1 - window.t0) / width
  context.clearRect(0, 0, width, height)
  context.font = '11px system-ui, sans-serif'
  context.textBaseline = 'middle'
  context.textAlign = 'left'
  for (const { t, text } of ticks) {
    const x = Math.round(Number(t - window.t0) / perPixel),
      room = context.measureText(text).width
    context.fillStyle = theme.line
    context.fillRect(x, height - 7, 1, 7)
    context.fillStyle = theme.faint
    context.fillText(text, Math.min(Math.max(x - room / 2, 2), width - room - 4), height / 2 - 2)
  }
}

/** The length of a gap, for its caption. @param {{t0: bigint, t1: bigint}} window */
export const lengthText = window => durationText(window.t1 - window.t0)
