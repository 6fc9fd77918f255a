// SPDX-License-Identifier: Apache-2.0
// The texts of labels: those of the first picture at once, others in blocks when they are first needed.
import { mayShorten } from '../base/kernels.js'
import { computed, signal } from '../lib/lit.js'

const BLOCK = 4096

/** Blocks that are asked for to find a name of which no label has come. */
const SOUGHT = 16

/** @typedef {import('../base/answers.d.ts').Label} Label */

export class Names {
  /**
   * @param {(params: {from: number, n: number}) => Promise<import('../base/answers.d.ts').Names>}
   *   ask @param {number} total
   */
  constructor(ask, total) {
    this.ask = ask
    this.total = total
    /** Made whole at once: a list that grows from its end is a slow one. @type {(Label | undefined)[]} */
    this.labels = new Array(total).fill(undefined)
    /** The names of the first picture are under way: no block is asked for yet. */
    this.first = true
    /** What rows of one name may differ in: of these modes pictures say the colour of each bar. @type {Set<string>} */
    this.mixed = new Set()
    /** By mode, of those of which some row states a value: values that are not in the colour of their hash; null: they have not come. @type {Map<string, Map<string, number>> | null} */
    this.colours = null
    /** @type {Map<number, Promise<void>>} */
    this.asked = new Map()
    /** Grows when texts have come, so that pictures are drawn again. */
    this.version = signal(0)
    /** What a name is called where there is little room; another function when texts have come. */
    this.called = computed(() => {
      this.version.value
      return (/** @type {string} */ name) => this.shortOf(name)
    })
    /** The first label of each name, of the texts of a version. */
    this.byName = { version: -1, labels: /** @type {Map<string, number>} */ (new Map()) }
  }

  /** The unit of counters of these labels; null: it is not known, or they differ. @param {(number | null)[]} labels */
  unitOf(labels) {
    const units = new Set(
      labels.map(label => (label === null ? null : (this.get(label)?.[6] ?? null))),
    )
    return units.size === 1 ? [...units][0] : null
  }

  /** The first label with a name, of those whose texts have come; -1: none. @param {string} name */
  labelOf(name) {
    const version = this.version.peek()
    if (this.byName.version !== version) {
      this.byName = { version, labels: new Map() }
      for (let i = this.labels.length; i-- > 0;)
        if (this.labels[i]) this.byName.labels.set(/** @type {Label} */ (this.labels[i])[0], i)
    }
    return this.byName.labels.get(name) ?? -1
  }

  /** The short name of a name: its own until that has come, and of what is no name of rows. @param {string} name */
  shortOf(name) {
    if (!mayShorten(name)) return name
    const label = this.labelOf(name)
    if (label >= 0) return this.labels[label]?.[2] || name
    for (let block = 0; block < SOUGHT; block++)
      if (!this.asked.has(block)) {
        this.load(block)
        break
      }
    return name
  }

  /** @param {number} label @returns {Label | null} */
  get(label) {
    const found = this.labels[label]
    if (!found) this.load(Math.floor(label / BLOCK))
    return found ?? null
  }

  /**
   * Takes what the first picture shows.
   * @param {import('../base/session.js').Picture['names']} names
   */
  async loadFirst(names) {
    const answer = await names.catch(() => null) // blocks say what was wrong
    answer?.labels.forEach((label, i) => (this.labels[label] = answer.names[i]))
    this.mixed = new Set(answer?.mixed)
    this.colours =
      answer &&
      new Map(
        Object.entries(answer.colours).map(([mode, moved]) => [
          mode,
          new Map(Object.entries(moved)),
        ]),
      )
    this.first = false
    this.version.value++
  }

  /** @param {number} block */
  load(block) {
    if (this.first || this.asked.has(block) || block * BLOCK >= this.total) return
    const done = this.ask({ from: block * BLOCK, n: BLOCK }).then(
      answer => {
        answer.names.forEach(
          (/** @type {Label} */ label, /** @type {number} */ i) =>
            (this.labels[answer.from + i] = label),
        )
        this.version.value++
      },
      () => {
        this.asked.delete(block)
      },
    )
    this.asked.set(block, done)
  }
}
