// SPDX-License-Identifier: Apache-2.0
// The card beside the pointer: name, window, hierarchy and instruction of what lies there. What the picture
// knows is shown at once; the rest comes with the event.
import { html, nothing, render } from '../lib/lit.js'
import { durationText, nsText } from '../base/time.js'
import { countTexts, exactPercent, numberText } from '../base/values.js'

/** @typedef {import('../base/session.js').EventDetails} EventDetails */

/** @param {import('./timeline.js').Timeline} timeline */
export function hovercard(timeline) {
  const card = /** @type {HTMLElement} */ (timeline.element.querySelector('.hovercard'))
  const { session } = timeline
  /** @type {Map<string, EventDetails>} */
  const known = new Map()
  let shown = '',
    timer = 0

  /** @param {number} x @param {number} y of the page */
  const place = (x, y) => {
    const box = timeline.element.getBoundingClientRect()
    card.style.left =
      Math.max(0, Math.min(x - box.left + 14, box.width - card.offsetWidth - 6)) + 'px'
    card.style.top =
      Math.max(
        0,
        y - box.top + 18 + card.offsetHeight > box.height
          ? y - box.top - card.offsetHeight - 10
          : y - box.top + 18,
      ) + 'px'
  }

  /** @param {NonNullable<ReturnType<import('./timeline.js').Timeline['hit']>>} hit */
  const draw = hit => {
    const event = known.get(hit.row),
      label = session.names.get(hit.label)
    const zero = session.zero.value.t
    render(
      html`${nameLines(session.names.called.value, event?.name ?? label?.[0])}
      ${hit.count > 1 && hit.value === null ? html`<div>${numberText(hit.count)} events here, ${exactPercent(hit.share)} of the time is this one</div>` : nothing}
      ${hit.value !== null ? valueLine(countTexts(hit.value, label?.[6] ?? null)) : nothing}
      ${event ? eventLines(event, zero) : html`<div class="muted">from the picture: about ${durationText(timeline.timeAt(hit.x1) - timeline.timeAt(hit.x0))}</div>`}
      <div class="muted">${session.model.nameOf(hit.track)}</div>`,
      card,
    )
  }

  return {
    /** @param {ReturnType<import('./timeline.js').Timeline['hit']>} hit @param {number} x @param {number} y */
    show(hit, x, y) {
      if (!hit) return this.hide()
      const first = shown !== hit.row
      shown = hit.row
      card.hidden = false
      if (first) {
        draw(hit)
        clearTimeout(timer)
        if (!known.has(hit.row)) timer = window.setTimeout(() => this.ask(hit, x, y), 25)
      }
      place(x, y)
    },
    /** @param {NonNullable<ReturnType<import('./timeline.js').Timeline['hit']>>} hit @param {number} x @param {number} y */
    async ask(hit, x, y) {
      const event = await session.ask('e', { row: hit.row }).catch(() => null)
      if (known.size > 500) known.clear()
      if (event) known.set(hit.row, event)
      if (shown !== hit.row || !event) return
      draw(hit)
      place(x, y)
    },
    hide() {
      clearTimeout(timer)
      shown = ''
      card.hidden = true
    },
    dispose: () => clearTimeout(timer),
  }
}

/** The short name, and the full one where that is another. @param {(name: string) => string} called @param {string | undefined} name */
function nameLines(called, name) {
  const short = name === undefined ? '…' : called(name)
  return html`<b class="name">${short}</b>${name === undefined || short === name ? nothing : html`<div class="full-name muted">${name}</div>`}`
}

/** @param {[string, string]} texts */
const valueLine = ([text, beside]) =>
  html`<div class="value">value ${text}${beside ? html` <span class="muted">${beside}</span>` : nothing}</div>`

/** @param {EventDetails} event @param {bigint} zero */
function eventLines(event, zero) {
  const start = BigInt(event.start) - zero,
    end = event.end === null ? null : BigInt(event.end) - zero
  const field = (/** @type {string} */ key) => event.attributes.find(one => one.key === key)?.value
  const path = field('framework_op') ?? event.layer ?? event.path.map(one => one.name).join(' › ')
  const instruction = field('opcode') ?? field('hlo_op') ?? field('instruction') ?? event.category
  const beside = [operandsOf(field('args')), field('tensor')].filter(Boolean)
  const waits = [
    ...(field('waits_for') ? ['waits for ' + field('waits_for')] : []),
    ...(field('signals') ? ['signals ' + field('signals')] : []),
  ]
  return html`<div class="figures">${nsText(start)} – ${end === null ? 'no end in the file' : nsText(end) + ' ns'}${event.duration === null ? nothing : html` · <b>${durationText(BigInt(event.duration))}</b>`}</div>
    ${path ? html`<div>${path}</div>` : nothing}
    ${instruction ? html`<div>${instruction}</div>` : nothing}
    ${(beside.length ? beside : waits).map(text => html`<div>${text}</div>`)}`
}

/**
 * What an instruction works on, where the producer's own arguments say so.
 * @param {string | number | boolean | undefined} args JSON @returns {string | null}
 */
function operandsOf(args) {
  try {
    const { operands } = JSON.parse(String(args ?? '{}'))
    return typeof operands === 'string' ? operands.trim() : null
  } catch {
    return null
  }
}
