// SPDX-License-Identifier: Apache-2.0
// Steps of each device, as the analyzer says that its work belongs to them, asked for once.
import { columnAt } from './values.js'

/** By device, in the order of time; ps from the start of the profile. @typedef {Map<string, {t0: number, t1: number, name: string}[]>} Steps */

/** @param {import('./session.js').Session} session @returns {Promise<Steps>} */
export async function stepsOf(session) {
  const known = session.steps.peek()
  if (known) return known
  const { columns, rows } = await session
    .ask('steps', { n: 10000 })
    .catch(() => /** @type {import('./answers.d.ts').Sheet} */ ({ columns: [], rows: [] }))
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

/**
 * The windows that the verdict is of, where the file states no steps: periods of work that repeats.
 * @param {import('./session.js').Session} session
 */
async function periodsOf(session) {
  const { window } = session.profile.screen
  if (!window || window.base === 'span') return []
  const { columns, rows } = await session
    .ask('table/verdict_windows', { n: 10000 })
    .catch(() => /** @type {import('./answers.d.ts').Sheet} */ ({ columns: [], rows: [] }))
  const cell = (/** @type {import('./answers.d.ts').Row} */ row, /** @type {string} */ name) =>
    row[columnAt(columns, name)]
  return rows
    .filter(row => cell(row, 'device') === window.device)
    .map(row => {
      const t0 = Number(BigInt(cell(row, 'start_ns') ?? 0) - session.model.start)
      return {
        t0,
        t1: t0 + Number(cell(row, 'duration_ns')),
        name: 'period ' + cell(row, 'window'),
      }
    })
}

/** Steps of the first device that has some, else of a host, else periods. @param {import('./session.js').Session} session */
export async function mainSteps(session) {
  const steps = await stepsOf(session)
  const devices = [...session.model.tracks.values()]
    .filter(track => track.kind === 'device')
    .map(track => track.label || track.key)
  return (
    steps.get(devices.find(device => steps.has(device)) ?? [...steps.keys()][0]) ??
    periodsOf(session)
  )
}

/** The median of the steps; none where it is unknown, and the verdict beside it says how long a step, or a period, is. @param {import('./session.js').Session} session */
export function stepMedian({ head, profile }) {
  const { window } = profile.screen,
    judged = window && window.base !== 'span'
  return head.step_median.value === null && judged ? undefined : head.step_median
}
