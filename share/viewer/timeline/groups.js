// SPDX-License-Identifier: Apache-2.0
// Rows by category, layer, step, operator or source, whatever track they are on, as routes groups and group tell: a lane has a part for
// each group that has rows of it, which is drawn as a lane of its own.
import { signal } from '../lib/lit.js'
import { say } from '../base/element.js'

/** Groupings that part lanes. */
export const PARTED = ['category', 'layer', 'step', 'operator', 'source']

/** @typedef {import('../base/answers.d.ts').Group} Group */
/** @typedef {import('../base/answers.d.ts').Groups} Answer */

/** Rows of one question of route group. */
const MOST = 200

/** What a group is called; null: its rows state none. @param {string} by @param {string | null} name */
export function groupText(by, name) {
  if (name === null) return by === 'step' ? 'in no step' : 'no ' + by
  return by === 'step' ? 'step ' + name : name
}

export class Groups {
  /** @param {Pick<import('../base/session.js').Session, 'ask'>} session */
  constructor(session) {
    this.session = session
    /** Grows when the group of rows has come, or groups have. */
    this.version = signal(0)
    /** What is under way, such as "grouping… 40 %"; empty: nothing. */
    this.asking = signal('')
    /** @type {Map<string, Answer | null>} null: under way */
    this.answers = new Map()
    /** Groups of each lane. @type {Map<string, Map<number, number[]>>} */
    this.ofLane = new Map()
    /** By "by row": its group; null: under way. @type {Map<string, number | null>} */
    this.ofRow = new Map()
    /** Rows to ask for. @type {string[]} */
    this.waiting = []
  }

  /** The groups; null: rows are not parted by that, or the answer is under way. @param {string} by @returns {Answer | null} */
  of(by) {
    this.version.value
    if (!PARTED.includes(by)) return null
    if (!this.answers.has(by)) this.load(by)
    return this.answers.get(by) ?? null
  }

  /** @param {string} by */
  async load(by) {
    this.answers.set(by, null)
    await null // who asks for groups while it draws may change no signal
    const tell = (/** @type {number | null} */ part) => {
      this.asking.value = 'grouping…' + (part === null ? '' : ' ' + Math.round(part * 100) + ' %')
    }
    tell(null)
    try {
      const answer = await this.session.ask(
        'groups',
        { by },
        { progress: ({ progress }) => tell(progress) },
      )
      /** @type {Map<number, number[]>} */
      const lanes = new Map()
      for (const { group, lanes: own } of answer.groups)
        for (const [lane] of own) lanes.set(lane, [...(lanes.get(lane) ?? []), group])
      this.ofLane.set(by, lanes)
      this.answers.set(by, answer)
      this.version.value++
      if (answer.unknown) say('rows by ' + by + ' unknown: ' + answer.unknown)
    } catch (error) {
      this.answers.delete(by)
      say('rows by ' + by + ': ' + /** @type {Error} */ (error).message)
    } finally {
      this.asking.value = ''
    }
  }

  /** The group of a row, if it is known; else it is asked for. @param {string} by @param {string} row @returns {number | undefined} */
  ofRowNow(by, row) {
    const lanes = this.ofLane.get(by)
    if (!lanes) return undefined
    const own = lanes.get(Number(row.split('.')[0])) ?? []
    if (own.length < 2) return own[0]
    const key = by + ' ' + row
    if (!this.ofRow.has(key)) {
      this.ofRow.set(key, null)
      if (!this.waiting.length) queueMicrotask(() => this.askRows(by))
      this.waiting.push(row)
    }
    return this.ofRow.get(key) ?? undefined
  }

  /** @param {string} by @param {string} row @returns {Promise<number | undefined>} */
  async ofRowSoon(by, row) {
    if (!PARTED.includes(by)) return undefined
    const known = this.ofRowNow(by, row)
    if (known !== undefined || !this.ofLane.has(by)) return known
    return (await this.session.ask('group', { by, rows: row })).groups[0] ?? undefined
  }

  /** @param {string} by */
  async askRows(by) {
    const rows = this.waiting.splice(0)
    for (let i = 0; i < rows.length; i += MOST) {
      const some = rows.slice(i, i + MOST)
      const { groups } = await this.session
        .ask('group', { by, rows: some.join(',') })
        .catch(() => ({
          groups: [],
        })) // what has no group is not outlined
      some.forEach((row, k) => this.ofRow.set(by + ' ' + row, groups[k] ?? null))
      this.version.value++
    }
  }
}
