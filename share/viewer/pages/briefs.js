// SPDX-License-Identifier: Apache-2.0
// What the list says of each profile: its verdict, and what a step is made of as a small bar. Each is asked for once, when its row
// is first in sight, one after the other: a list may be long.
import { get } from '../base/api.js'
import { html, nothing, signal } from '../lib/lit.js'
import { sentenceOf, stepBar } from './verdict.js'

/** @typedef {import('../base/answers.d.ts').Profile} Profile */
/** @typedef {`p/${string}/${string}`} Place of a reading below the API */

export class Briefs {
  constructor() {
    /** Answers of route profile, by reading; null: there is none. */
    this.known = signal(/** @type {Map<string, Profile | null>} */ (new Map()))
    /** Those to ask for. @type {Place[]} */
    this.wanted = []
    this.asking = false
    this.watch = new IntersectionObserver(entries => {
      for (const { target, isIntersecting } of entries)
        if (isIntersecting)
          this.want(
            /** @type {Place | ''} */ (/** @type {HTMLElement} */ (target).dataset.brief ?? ''),
          )
    })
  }

  /** Looks at the cells of a list that was drawn. @param {HTMLElement} list */
  look(list) {
    this.watch.disconnect()
    for (const cell of list.querySelectorAll('[data-brief]')) this.watch.observe(cell)
  }

  /** @param {Place | ''} place */
  want(place) {
    if (!place || this.known.value.has(place) || this.wanted.includes(place)) return
    this.wanted.push(place)
    if (!this.asking) this.askAll()
  }

  async askAll() {
    this.asking = true
    for (let place; (place = this.wanted[0]); this.wanted.shift()) {
      const answer = await get(`${place}/profile`).catch(() => null)
      this.known.value = new Map(this.known.value).set(place, answer)
    }
    this.asking = false
  }

  /** @param {import('../base/answers.d.ts').Brief} profile */
  cell(profile) {
    const place =
      profile.status === 'ready' && profile.gen ? `p/${profile.bucket}/${profile.gen}` : ''
    if (!place) return html`<td class="brief"></td>`
    const answer = this.known.value.get(place),
      text = answer ? sentenceOf(answer) : ''
    return html`<td class="brief" data-brief=${place} title=${text || nothing}><span>${text}</span>${answer?.screen.window ? stepBar(answer.screen.window) : nothing}</td>`
  }
}
