// SPDX-License-Identifier: Apache-2.0
// What is outlined in the timeline: events of lines of code, of a layer, or of one run of it. The address keeps what
// people chose, such as "line.2.12-14", "layer.mlp" or "run.4.7", and its rows are asked for.
import { query } from '../base/api.js'
import { quoted, say } from '../base/element.js'
import { setting } from '../base/session.js'
import { counted, numberText } from '../base/values.js'
import { effect } from '../lib/lit.js'
import { asked, scopeParams } from './frame.js'

/** @typedef {import('../base/session.js').Session} Session */
/** Whose rows are outlined. @typedef {'line' | 'q' | 'layers/run'} Route */
/** @typedef {import('./frame.js').Question} Question */

/** Events that are outlined at most, as many as one answer of a search has, and of lines. */
const MOST = 1000,
  MOST_OF_LINES = 10000

/** @param {Session} session @returns {import('../base/session.js').Setting} */
const chosenBy = session => setting(session, 'outline', '')

/** Outlines events of lines of a source, "12" or "12-14", of the scope. @param {Session} session @param {number} index of the source @param {string} lines */
export const outlineLines = (session, index, lines) => {
  chosenBy(session).value = 'line.' + index + '.' + lines
}

/** Outlines what ran of a layer. @param {Session} session @param {string} layer */
export const outlineLayer = (session, layer) => {
  chosenBy(session).value = 'layer.' + layer
}

/** Outlines what ran of a layer in one run of it. @param {Session} session @param {string} row of route layers/run */
export const outlineRun = (session, row) => {
  chosenBy(session).value = 'run.' + row
}

/** @param {Session} session */
export const outlineNothing = session => {
  chosenBy(session).value = ''
}

/** Whether rows name their layer; else it is a part of the path of their framework operator. @param {Session} session */
export const statesLayers = session => session.profile.attributes.some(one => one.key === 'layer')

/**
 * @param {Session} session @param {string} text
 * @returns {import('./frame.js').Question<Route> | null}
 */
function questionOf(session, text) {
  const [, kind, rest = ''] = /^(line|layer|run)\.(.+)$/.exec(text) ?? [],
    [index, lines] = rest.split('.')
  if (kind === 'line')
    return { route: 'line', params: { index, lines, n: MOST_OF_LINES, ...scopeParams(session) } }
  if (kind === 'layer')
    return {
      route: 'q',
      params: {
        q: statesLayers(session)
          ? 'layer=' + quoted(rest)
          : 'framework_op~' + quoted('*/' + rest + '/*'),
        n: MOST,
      },
    }
  return kind === 'run' ? { route: 'layers/run', params: { row: rest } } : null
}

/** @param {Question | null | undefined} question */
const textOf = question => (question ? question.route + query(question.params ?? {}) : '')

/** What the events are of. @param {string} text @param {import('./frame.js').Below[Route]} data */
function nameOf(text, data) {
  const [, kind, rest = ''] = /^(\w+)\.(.+)$/.exec(text) ?? []
  if ('path' in data) return data.path + ' in this run'
  return kind === 'line' ? 'line ' + rest.split('.')[1].replace('-', ' to ') : rest
}

/** Keeps the outlines true to what was chosen, and says how many there are. @param {Session} session */
export function followOutline(session) {
  const by = chosenBy(session),
    { answer } = asked(session, () => questionOf(session, by.value))
  let said = ''
  effect(() => {
    const { data, of, state } = answer.value,
      text = by.value,
      own =
        text !== '' && state === 'done' && textOf(of) === textOf(questionOf(session, text))
          ? data
          : null
    if (!text) session.outlined.value = []
    if (own) session.outlined.value = own.hits
    if (own && said !== text)
      say(
        own.total
          ? (own.hits.length < own.total ? numberText(own.hits.length) + ' of ' : '') +
              counted(own.total, 'event') +
              ' of ' +
              nameOf(text, own)
          : 'no events of ' + nameOf(text, own),
      )
    if (own || !text) said = text
  })
}
