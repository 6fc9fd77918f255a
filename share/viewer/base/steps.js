// SPDX-License-Identifier: Apache-2.0
// Steps of each device, as the analyzer says that its work belongs to them, asked for once.
import { durationText } from './time.js'
import { columnAt, counted, numberText } from './values.js'

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

/** Steps of the first device that has some, else of a host. @param {import('./session.js').Session} session */
export async function mainSteps(session) {
  const steps = await stepsOf(session)
  const devices = [...session.model.tracks.values()]
    .filter(track => track.kind === 'device')
    .map(track => track.label || track.key)
  return steps.get(devices.find(device => steps.has(device)) ?? [...steps.keys()][0]) ?? []
}

/** Why there is no step to show, by what the verdict is of instead. @type {Record<string, (windows: number, mean: string) => string>} */
const INSTEAD = {
  period: (n, mean) =>
    `the file states no steps; the verdict uses ${counted(n, 'period')} of work that repeats, ${mean} in the mean`,
  phase: (n, mean) =>
    `the file states steps of serving alone, table server_steps; the verdict uses ${numberText(n)} of them, ${mean} in the mean`,
}

/** Why there is no step to show. @param {import('./session.js').Session} session */
export function noSteps({ profile: { screen } }) {
  const { base = '', windows = 0, mean = '0' } = screen.window ?? {}
  return (
    INSTEAD[base.replace(/1$/, '')]?.(windows, durationText(BigInt(mean))) ??
    'the file states no steps, and no program ran often enough to be taken for one'
  )
}

/** The median of the steps; none where it is unknown, and the verdict beside it says how long a step, or a period, is. @param {import('./session.js').Session} session */
export function stepMedian({ head, profile }) {
  const { window } = profile.screen,
    judged = window && window.base !== 'span'
  return head.step_median.value === null && judged ? undefined : head.step_median
}
