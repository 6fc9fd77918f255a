// SPDX-License-Identifier: Apache-2.0
// What changed in a mean step of the device that the verdict is of: its parts in both profiles as a waterfall, from the base to the
// other. Its bars add up to the difference.
import { css } from '../base/element.js'
import { kindOf } from '../base/step-parts.js'
import { durationText } from '../base/time.js'
import { deviceText } from '../base/values.js'
import { OTHER, axisOf, changesOf } from '../base/waterfall.js'
import { html, nothing } from '../lib/lit.js'
import { saveTable, unknown } from '../widgets/frame.js'

/** @typedef {import('./compare.js').ComparePage} ComparePage */
/**
 * What a verdict is of.
 * @typedef {NonNullable<import('../base/answers.d.ts').Verdict['judged']>} Judged
 */

/** @param {Judged} judged @param {number} side @returns {import('../base/waterfall.js').Sum} */
const sumOf = ({ mean = ['0', '0'], parts = [] }, side) => ({
  mean: BigInt(mean[side]),
  parts: parts.map(({ part, time }) => ({ part, time: BigInt(time[side]) })),
})

/** The device, with that of the other profile where it is called otherwise. @param {Judged} judged */
export const judgedDevice = ({ device_a: a, device_b: b }) =>
  deviceText(a) + (a === b ? '' : ' → ' + deviceText(b))

/** @param {bigint} by */
const signed = by =>
  by > 0n ? '▲ +' + durationText(by) : by < 0n ? '▽ −' + durationText(-by) : 'the same'

/** @param {bigint} t @param {{start: bigint, end: bigint}} axis */
const shareOf = (t, { start, end }) => (Number(t - start) / Number(end - start || 1n)) * 100 + '%'

/** A line of the chart. @param {{name: string, look: string, from: bigint, to: bigint, text: string}} line @param {{start: bigint, end: bigint}} axis */
function line({ name, look, from, to, text }, axis) {
  const [left, right] = from < to ? [from, to] : [to, from]
  return html`<div class="fall-name">${name}</div><div class="fall-bar"><span class=${'part ' + look} ${css({ left: shareOf(left, axis), width: `calc(${shareOf(right, axis)} - ${shareOf(left, axis)})` })}></span></div><div class="fall-text">${text}</div>`
}

/** The same as a table: the sums, and each part that differs. @param {import('../base/waterfall.js').Sum} a @param {import('../base/waterfall.js').Sum} b @param {import('../base/waterfall.js').Change[]} changes */
function tableOf(a, b, changes) {
  const rows = [
    ['base', null, a.mean],
    ...changes.map(one => [one.part, one.by, one.to]),
    ['new', b.mean - a.mean, b.mean],
  ].map(row => row.map(cell => (typeof cell === 'bigint' ? String(cell) : cell)))
  return {
    columns: ['part', 'change_ps', 'step_ps'].map(name => ({ name })),
    rows,
    total: rows.length,
  }
}

/** @param {ComparePage} page */
export function changesHead(page) {
  const { judged } = page.said ?? {}
  if (!page.said) return nothing
  if (!judged?.mean)
    return unknown('what changed needs steps, or periods, of one device in both profiles')
  const [a, b] = [0, 1].map(side => sumOf(judged, side))
  const changes = changesOf(a, b),
    axis = axisOf(a, b, changes),
    by = b.mean - a.mean,
    table = tableOf(a, b, changes)
  return html`<section class="fall" aria-label="What changed in a step"><div class="bar"><span>What changed in a mean ${judged.of} of ${judgedDevice(judged)}: <b>${durationText(a.mean)} → ${durationText(b.mean)}, ${signed(by)}</b></span>${axis.start ? html`<span class="muted">the axis begins at ${durationText(axis.start)}</span>` : nothing}<span class="gap"></span>${page.tools(() => saveTable('compare-changes', table), page.eachCommand('report --only verdict_parts'), table)}</div>
    <div class="fall-lines">${line({ name: 'base', look: 'sum', from: axis.start, to: a.mean, text: durationText(a.mean) }, axis)}
    ${changes.map(one => line({ ...one, ...(one.part === OTHER ? { name: 'Other time', look: 'control' } : kindOf(one.part)), text: signed(one.by) }, axis))}
    ${line({ name: 'new', look: 'sum', from: axis.start, to: b.mean, text: durationText(b.mean) }, axis)}</div></section>`
}
