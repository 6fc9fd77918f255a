// SPDX-License-Identifier: Apache-2.0
// Goes from step to step, or from period to period, and to the longest; says why there is none.
import { say } from './element.js'
import { mainSteps } from './steps.js'
import { durationText } from './time.js'
import { counted, numberText } from './values.js'

/** @typedef {import('./session.js').Session} Session */

/** What a step is called, or a period. @param {string} name */
export const stepTitle = name => (/^period \d+$/.test(name) ? name : 'step ' + name)

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

/** Selects the step behind or before the selected one, else the first in the window. @param {Session} session @param {1 | -1} by */
export async function stepBy(session, by) {
  const steps = await mainSteps(session),
    now = session.selection.value,
    { start } = session.model
  if (!steps.length) return say('No step: ' + noSteps(session) + '.')
  const at = now?.kind === 'step' ? steps.findIndex(one => start + BigInt(one.t0) === now.t0) : -1
  const next = at >= 0 ? at + by : by > 0 ? 0 : steps.length - 1
  const step = steps[next]
  if (!step) return say(by > 0 ? 'That was the last step.' : 'That was the first step.')
  const t0 = start + BigInt(step.t0),
    t1 = start + BigInt(step.t1)
  session.select({ kind: 'step', step: step.name, t0, t1 })
  session.showSpan(t0, t1, 0.02)
  say(stepTitle(step.name) + ', ' + (next + 1) + ' of ' + steps.length)
}

/** Selects the longest step. @param {Session} session */
export async function slowestStep(session) {
  const { start } = session.model,
    long = (/** @type {{t0: number, t1: number}} */ one) => one.t1 - one.t0,
    [first, ...steps] = await mainSteps(session)
  if (!first) return say('No step: ' + noSteps(session) + '.')
  const most = steps.reduce((a, b) => (long(b) > long(a) ? b : a), first),
    [t0, t1] = [most.t0, most.t1].map(t => start + BigInt(t))
  session.select({ kind: 'step', step: most.name, t0, t1 })
  session.showSpan(t0, t1, 0.02)
}
