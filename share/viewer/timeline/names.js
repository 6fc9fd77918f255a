// SPDX-License-Identifier: Apache-2.0
// The texts of labels: those of the first picture at once, others in blocks when they are first needed.
import { signal } from '../lib/lit.js'

const BLOCK = 4096, MOST_FACTS = 4000, AT_ONCE = 4

/** @typedef {{operator: string, layer: string, source: string}} Facts */

/** @typedef {[string, string, string, string | null, ...(string | null)[]]} Label name, category, short name, layer */

/** The layer of what states none, as table layers has it: the path of its operator without the last name. @param {string} operator */
const layerOf = operator => operator.split('/').slice(0, -1).join('/')

export class Names {
  /** @param {(route: string, params: Record<string, number | string>) => Promise<any>} ask @param {number} total */
  constructor(ask, total) {
    this.ask = ask
    this.total = total
    /** Made whole at once: a list that grows from its end is a slow one. @type {(Label | undefined)[]} */
    this.labels = new Array(total).fill(undefined)
    /** The names of the first picture are under way: no block is asked for yet. */
    this.first = true
    /** @type {Map<number, Promise<void>>} */
    this.asked = new Map()
    /** What rows of a label say beside its name, from the first that was seen. @type {Map<number, Facts | null>} */
    this.facts = new Map()
    /** @type {[number, string][]} */
    this.waiting = []
    this.asking = 0
    /** Grows when texts have come, so that pictures are drawn again. */
    this.version = signal(0)
    /** The first label of each name, of the texts of a version. */
    this.byName = { version: -1, labels: /** @type {Map<string, number>} */ (new Map()) }
  }

  /** Operator, layer and source of a label; they are asked of the row that is drawn, and come later. @param {number} label @param {string} row @returns {Facts | null} */
  factsOf(label, row) {
    const known = this.facts.get(label)
    if (known !== undefined || this.facts.size >= MOST_FACTS) return known ?? null
    this.facts.set(label, null)
    this.waiting.push([label, row])
    this.askFacts()
    return null
  }

  async askFacts() {
    const next = this.asking < AT_ONCE ? this.waiting.shift() : undefined
    if (!next) return
    this.asking++
    const event = await this.ask('e', { row: next[1] }).catch(() => null)
    const of = (/** @type {string} */ key) => event?.attributes.find((/** @type {any} */ one) => one.key === key)?.value ?? ''
    if (event) this.facts.set(next[0], { operator: of('framework_op'), layer: event.layer || layerOf(of('framework_op')), source: event.source ? event.source.file + ':' + event.source.line : '' })
    this.asking--
    if (!this.waiting.length) this.version.value++
    this.askFacts()
  }

  /** The first label with a name, of those whose texts have come; -1: none. @param {string} name */
  labelOf(name) {
    const version = this.version.peek()
    if (this.byName.version !== version) {
      this.byName = { version, labels: new Map() }
      for (let i = this.labels.length; i-- > 0; ) if (this.labels[i]) this.byName.labels.set(/** @type {Label} */ (this.labels[i])[0], i)
    }
    return this.byName.labels.get(name) ?? -1
  }

  /** @param {number} label @returns {Label | null} */
  get(label) {
    const found = this.labels[label]
    if (!found) this.load(Math.floor(label / BLOCK))
    return found ?? null
  }

  /** Takes what the first picture shows. @param {Promise<any>} names */
  async loadFirst(names) {
    const answer = await names.catch(() => ({ labels: [], names: [] })) // blocks say what was wrong
    answer.labels.forEach((/** @type {number} */ label, /** @type {number} */ i) => (this.labels[label] = answer.names[i]))
    this.first = false
    this.version.value++
  }

  /** @param {number} block */
  load(block) {
    if (this.first || this.asked.has(block) || block * BLOCK >= this.total) return
    const done = this.ask('names', { from: block * BLOCK, n: BLOCK }).then(answer => {
      answer.names.forEach((/** @type {Label} */ label, /** @type {number} */ i) => (this.labels[answer.from + i] = label))
      this.version.value++
    }, () => { this.asked.delete(block) })
    this.asked.set(block, done)
  }
}
