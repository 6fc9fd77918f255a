// SPDX-License-Identifier: Apache-2.0
// Steps of each device, as the analyzer says that its work belongs to them, asked for once.
import { columnAt } from './values.js'

/** By device, in the order of time; ps from the start of the profile. @typedef {Map<string, {t0: number, t1: number, name: string}[]>} Steps */

/** @param {import('./session.js').Session} session @returns {Promise<Steps>} */
export async function stepsOf(session) {
  const known = session.steps.peek()
  if (known) return known
  const { columns, rows } = await session.ask('steps', { n: 10000 })
  const at = (/** @type {string} */ name) => columnAt(columns, name)
  /** @type {Steps} */
  const steps = new Map()
  for (const row of rows) {
    const start = row[at('start_ns')]
    if (start === null || row[at('duration_ns')] === null) continue
    const t0 = Number(BigInt(start) - session.model.start),
      device = String(row[at('device')])
    steps.set(device, [
      ...(steps.get(device) ?? []),
      { t0, t1: t0 + Number(row[at('duration_ns')]), name: String(row[at('step')]) },
    ])
  }
  for (const list of steps.values()) list.sort((a, b) => a.t0 - b.t0)
  session.steps.value = steps
  return steps
}

/** What a step is called, or a window of the verdict, which is named with its word. @param {string} name */
export const stepTitle = name => (/^(?:period|step) \d+$/.test(name) ? name : 'step ' + name)

/** The median of the steps; none where it is unknown, and the verdict beside it says how long a step, or a period, is. @param {import('./session.js').Session} session */
export function stepMedian({ head, profile }) {
  const { window } = profile.screen,
    judged = window && window.base !== 'span'
  return head.step_median.value === null && judged ? undefined : head.step_median
}
