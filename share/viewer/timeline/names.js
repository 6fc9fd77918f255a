// SPDX-License-Identifier: Apache-2.0
// The texts of labels, fetched in blocks when they are first needed.
import { signal } from '../lib/lit.js'

const BLOCK = 16384

/** @typedef {[string, string, string, string | null, ...(string | null)[]]} Label name, category, short name, layer */

export class Names {
  /** @param {(route: string, params: Record<string, number>) => Promise<any>} ask @param {number} total */
  constructor(ask, total) {
    this.ask = ask
    this.total = total
    /** @type {Label[]} */
    this.labels = []
    /** @type {Map<number, Promise<void>>} */
    this.asked = new Map()
    /** Grows when texts have come, so that pictures are drawn again. */
    this.version = signal(0)
  }

  /** @param {number} label @returns {Label | null} */
  get(label) {
    const found = this.labels[label]
    if (!found) this.load(Math.floor(label / BLOCK))
    return found ?? null
  }

  /** @param {number} block */
  load(block) {
    if (this.asked.has(block) || block * BLOCK >= this.total) return
    const done = this.ask('names', { from: block * BLOCK, n: BLOCK }).then(answer => {
      answer.names.forEach((/** @type {Label} */ label, /** @type {number} */ i) => (this.labels[answer.from + i] = label))
      this.version.value++
    }, () => { this.asked.delete(block) })
    this.asked.set(block, done)
  }
}
