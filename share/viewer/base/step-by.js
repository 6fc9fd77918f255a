// SPDX-License-Identifier: Apache-2.0
// Goes from step to step, or from window to window of the verdict, to the longest, and to the step of an event.
import { quoted, say } from './element.js'
import { titleOf } from '../timeline/model.js'
import { stepTitle, stepsOf } from './steps.js'
import { durationText } from './time.js'
import { columnAt, counted, numberText } from './values.js'

/** @typedef {import('./session.js').Session} Session */

/** Why the file has no steps of its own, by what the verdict is of instead. @type {Record<string, (windows: number, mean: string) => string>} */
const INSTEAD = {
  period: (n, mean) =>
    `the file states no steps; the verdict uses ${counted(n, 'period')} of work that repeats, ${mean} in the mean`,
  phase: (n, mean) =>
    `the file states steps of serving alone, table server_steps; the verdict uses ${numberText(n)} of them, ${mean} in the mean`,
}

/** Why the file has no steps of its own. @param {Session} session */
export function noSteps({ profile: { screen } }) {
  const { base = '', windows = 0, mean = '0' } = screen.window ?? {}
  return (
    INSTEAD[base.replace(/1$/, '')]?.(windows, durationText(BigInt(mean))) ??
    'the file states no steps, and no program ran often enough to be taken for one'
  )
}

/** What windows of the verdict are called, by their base, as its sentence has it. @type {Record<string, string>} */
const WINDOWS = { step: 'step', phase: 'step', period: 'period' }

/**
 * The windows that the verdict is of, where the file states no steps.
 * @param {Session} session
 */
async function windowsOf(session) {
  const { window } = session.profile.screen,
    word = WINDOWS[window?.base ?? '']
  if (!window || !word) return []
  const { columns, rows } = await session.ask('table/verdict_windows', {
    where: 'input=' + quoted(window.input) + ' and device=' + quoted(window.device),
    n: 10000,
  })
  const cell = (/** @type {import('./answers.d.ts').Row} */ row, /** @type {string} */ name) =>
    row[columnAt(columns, name)]
  return rows.map(row => {
    const t0 = Number(BigInt(cell(row, 'start_ns') ?? 0) - session.model.start)
    return {
      t0,
      t1: t0 + Number(cell(row, 'duration_ns')),
      name: word + ' ' + cell(row, 'window'),
    }
  })
}

/** Steps of the first device that has some, else of a host, else windows of the verdict. @param {Session} session */
export async function mainSteps(session) {
  const steps = await stepsOf(session)
  const devices = [...session.model.tracks.values()]
    .filter(track => track.kind === 'device')
    .map(track => track.label || track.key)
  return (
    steps.get(devices.find(device => steps.has(device)) ?? [...steps.keys()][0]) ??
    windowsOf(session)
  )
}

/** Selects a step and shows it. @param {Session} session @param {{name: string, t0: number, t1: number}} step @param {string} [place] among all */
function showStep(session, { name, ...step }, place = '') {
  const [t0, t1] = [step.t0, step.t1].map(t => session.model.start + BigInt(t))
  session.select({ kind: 'step', step: name, t0, t1 })
  session.showSpan(t0, t1, 0.02)
  say(stepTitle(name) + place)
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
  showStep(session, step, ', ' + (next + 1) + ' of ' + steps.length)
}

/** Selects the longest step. @param {Session} session */
export async function slowestStep(session) {
  const long = (/** @type {{t0: number, t1: number}} */ one) => one.t1 - one.t0,
    [first, ...steps] = await mainSteps(session)
  if (!first) return say('No step: ' + noSteps(session) + '.')
  const most = steps.reduce((a, b) => (long(b) > long(a) ? b : a), first)
  showStep(session, most, ', the longest of ' + (steps.length + 1))
}

/** Selects the step that an event is of: that of its device, else the one of its name. @param {Session} session @param {import('./session.js').EventDetails} event */
export async function showStepOf(session, event) {
  const all = await stepsOf(session),
    device = session.model.deviceOf(event.track)
  const lists = [
    ...(device ? [all.get(titleOf(device)) ?? []] : []),
    await mainSteps(session),
    ...all.values(),
  ]
  const step = lists.flat().find(one => one.name === String(event.step))
  if (!step) return say('The table of steps has no step ' + event.step + '.')
  showStep(session, step)
}
