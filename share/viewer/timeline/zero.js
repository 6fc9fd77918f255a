// SPDX-License-Identifier: Apache-2.0
// What the ruler calls 0: the first row, nprof's origin, the epoch, a step or a marker. Its offset is told once, here.
import { html, nothing } from '../lib/lit.js'
import { stepTitle } from '../base/steps.js'
import { durationText, nsText } from '../base/time.js'
import { ruleOf } from './ruler.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */

/** @typedef {{key: string, text: string, t: bigint}} Zero */

/** What the profile has, markers, and the step that is selected. @param {import('../base/session.js').Session} session @returns {Zero[]} */
function zerosOf({ profile, markers, area, zero }) {
  const step = area.value?.kind === 'step' ? area.value : null
  const own = profile.zeros.map(one => ({ ...one, t: BigInt(one.t) })),
    all = [
      ...own,
      ...markers.value.map(marker => ({
        key: 'marker:' + nsText(marker.t, ''),
        text: marker.name,
        t: marker.t,
      })),
      ...(step
        ? [{ key: 'step:' + step.step, text: 'start of ' + stepTitle(step.step), t: step.t0 }]
        : []),
    ]
  const { key, t } = zero.value
  return all.some(one => one.key === key)
    ? all
    : [
        ...all,
        {
          key,
          text: key.startsWith('step:')
            ? 'start of ' + stepTitle(key.slice(5))
            : key.replace(/^marker:/, 'marker that was at '),
          t,
        },
      ]
}

/** The label cell of the ruler: the time that its ticks count from where they have a base, and the choice of zero. @param {import('../base/session.js').Session} session @param {number} width of the ruler */
export function zeroCell(session, width) {
  const { t0, t1 } = session.window.value,
    { key, t } = session.zero.value,
    { base } = ruleOf(t0, t1, width, t),
    zeros = zerosOf(session)
  const choose = (/** @type {ChoiceEvent} */ event) => {
    const zero = zeros.find(one => one.key === event.target.value)
    if (zero) session.zero.value = { key: zero.key, t: zero.t }
  }
  return html`<label class="zero" title=${'0 of the ruler is ' + nsText(t) + " ns from nprof's origin"}>${base ? html`<b class="base">${base} +</b>` : '0 ='} <select aria-label="Zero of the ruler" @change=${choose}>${zeros.map(one => html`<option value=${one.key} .selected=${key === one.key}>${one.text}</option>`)}</select>${t && !base ? html`<span class="muted">(${durationText(t)})</span>` : nothing}</label>`
}
