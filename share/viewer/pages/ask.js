// SPDX-License-Identifier: Apache-2.0
// What can be asked where people search: verbs, each with a sentence of what it does now; and the list of them below the box.
import { query } from '../base/api.js'
import { quoted, say } from '../base/element.js'
import { shortNames } from '../base/ends.js'
import { gapsIn, idleBefore, slowest, slowestOf, wholeGap } from '../base/find.js'
import { slowestStep } from '../base/step-by.js'
import { fieldsHint } from '../base/sought.js'
import { durationText } from '../base/time.js'
import { counted, numberText, unbroken } from '../base/values.js'
import { html, nothing } from '../lib/lit.js'
import { goTo } from './commands.js'
import { showFinding } from '../widgets/show.js'
import { showGapOfScope } from '../widgets/shown.js'
import { base } from '../base/packed.js'

/** @typedef {import('./profile.js').ProfilePage} ProfilePage */
/** @typedef {import('../base/session.js').Session} Session */
/** One name that a search finds; `self_inside`: ps of its events without what lies in them, so that names add up. @typedef {{name: string, count: number, self_inside: string}} Found */
/** What people may choose below the box; `figures` of a name are its calls and their time. @typedef {{text: string, note: string, key: string, run: () => void, title?: string, figures?: string[]}} Option */
/**
 * Something to ask. `least` is what Enter takes for it, where that is less than the first word; `takes` is what may
 * stand behind the word; `said` is how people say it otherwise, of which group `rest` stands
 * there; `tells` says what it does now, with what stands there.
 * @typedef {{word: string, least?: string, takes?: string, said: RegExp[], key?: string, tells: (page: ProfilePage, rest: string) => string, run: (page: ProfilePage, rest: string) => void}} Verb
 */

/** Names of hits that are listed below the box and highlighted in the timeline; of more none is. */
const NAMES = 6,
  LIT = 500
/** Letters of a name that the box has room for. */
const LETTERS = 32

/** What stands behind `slowest` for the longest step: with a blank, as no name that is typed has. */
const STEP = 'step '

/** Files of a window: their format as the server has it, and what they are, by the word. @type {Record<string, {format: string, what: string}>} */
const FILES = {
  perfetto: { format: 'chrome', what: 'a Chrome trace for Perfetto' },
  csv: { format: 'csv', what: 'CSV' },
  parquet: { format: 'parquet', what: 'Parquet' },
}

/** The times that verbs look at: those of the scope where it is narrower than the run, else the window. @param {Session} session */
const rangeOf = session => session.rangeOf(session.scope.value) ?? session.window.value

/** @param {Session} session */
function tellsGap(session) {
  const gap = wholeGap(session, gapsIn(session)[0])
  if (!gap) return 'no gap between work of a device lies there, as far as the file says'
  return `${durationText(gap.t1 - gap.t0)} at ${durationText(gap.t0 - session.zero.value.t)}, ${gap.why}`
}

/** @param {Session} session */
function tellsWhy(session) {
  const event = session.details.value,
    [first] = session.profile.findings
  if (event) return 'why its device was idle before ' + session.names.called.value(event.name)
  return first ? first.text : 'nothing stands out'
}

/** @param {ProfilePage} page */
function why(page) {
  const [first] = page.session.profile.findings
  if (page.session.details.value) idleBefore(page.session)
  else if (first) showFinding(page, first)
  else say('Nothing stands out.')
}

/** Downloads the rows of the range. @param {Session} session @param {string} word of the format */
function exportRange(session, word) {
  const { t0, t1 } = rangeOf(session),
    { tracks } = session.chosenOf(session.scope.value),
    file = FILES[word]
  if (!file) return say('Files are ' + Object.keys(FILES).join(', ') + ', not ' + word + '.')
  const link = document.createElement('a')
  link.href =
    base +
    '/api/v1/' +
    session.base +
    '/export' +
    query({ format: file.format, t0, t1, tracks: tracks.join(',') || null, what: 'rows' })
  link.download = ''
  link.click()
  say('Exporting ' + durationText(t1 - t0) + ' as ' + file.what)
}

/** @type {Verb[]} */
const VERBS = [
  {
    word: 'gap',
    said: [
      /^(?:the )?(?:(?:longest|biggest|largest|idle) )+(?:gaps?|idle|time|waits?|pauses?)$/,
      /^(?:idle|gaps)$/,
    ],
    tells: ({ session }) => 'the longest idle gap: ' + tellsGap(session),
    run: ({ session }) => showGapOfScope(session),
  },
  {
    word: 'slowest',
    least: 'slo',
    takes: 'name',
    key: 'x',
    said: [
      /^(?:the )?(?:slow|slowest|longest)(?: (?:kernel|call|op|operator|event|span)s?)?$/,
      /^(?:the )?(?:slow|slowest|longest) (?:\w+ )?(?:of|named|called) (?<rest>.+)$/,
      /^(?:the )?(?:slow|slowest|longest) (?<step>step|period|iteration)s?$/,
      /^what(?:'s| is) (?:slow|slowest)$/,
    ],
    tells: (_page, rest) =>
      rest === STEP
        ? 'the longest step'
        : rest
          ? 'the longest call whose name has “' + rest + '”'
          : 'the longest call; or of a name, or step',
    run: ({ session }, rest) =>
      rest === STEP ? slowestStep(session) : rest ? slowestOf(session, rest) : slowest(session),
  },
  {
    word: 'why',
    said: [
      /^(?:the )?bottleneck$/,
      /^what (?:bounds|limits|is wrong|to do|to try)\b/,
      /^how (?:to|can|do)\b.*\b(?:fast|faster|speed)\b/,
    ],
    takes: 'question',
    tells: ({ session }) => tellsWhy(session),
    run: why,
  },
  {
    word: 'measure',
    said: [/^(?:ruler|measure(?: (?:a|an|the|time|area|range|duration))+)$/],
    least: 'mea',
    tells: () => 'the next drag in the timeline selects, and says what ran in it',
    run: ({ session }) => {
      session.measuring.value = true
      say('Drag over what is to be measured; Esc: not.')
    },
  },
  {
    word: 'export window',
    said: [
      /^(?:export|save|download)(?: (?:the|this|as|to|for|window|selection|area|rows))*$/,
      /^(?:export|save|download) (?:.* )?(?<rest>perfetto|csv|parquet)$/,
    ],
    least: 'exp',
    takes: 'format',
    tells: ({ session }, rest) => {
      const { t0, t1 } = rangeOf(session)
      return `${durationText(t1 - t0)} as ${FILES[rest]?.what ?? FILES.perfetto.what + ', or csv, parquet'}`
    },
    run: ({ session }, rest) => exportRange(session, rest || 'perfetto'),
  },
  {
    word: 'compare',
    said: [/^(?:compare|diff)(?: (?:with|to|against)\b.*)?$/],
    tells: () => 'with another profile of this server',
    run: page => page.compare(),
  },
]

/** What begins otherwise, which the empty box tells. @type {[string, string][]} */
const SIGNS = [
  ['@', 'goes to a time: @15.2ms'],
  ['>', 'runs a command'],
  [':', 'asks in SQL'],
]

/** How a text says a verb in other words. @param {Verb} verb @param {string} text */
const saidOf = (verb, text) => verb.said.map(one => one.exec(text)).find(Boolean)

/** What stands behind the word of a verb; null: the text is not of it. @param {Verb} verb @param {string} text */
function restOf(verb, text) {
  if (verb.word.startsWith(text)) return ''
  const said = saidOf(verb, text)
  if (said) return said.groups?.rest ?? (said.groups?.step ? STEP : '')
  return verb.takes && text.startsWith(verb.word + ' ') ? text.slice(verb.word.length).trim() : null
}

/** Whether Enter takes a verb for a text that may be the beginning of it: of a word that begins many names, `compare`, all of it. @param {Verb} verb @param {string} text */
const isMeant = (verb, text) =>
  text.startsWith(verb.least ?? verb.word.split(' ')[0]) || Boolean(saidOf(verb, text))

/** Whether a text is one word that says a verb otherwise, as `diff`: it is searched where names have it. @param {string} text */
const mayBeName = text =>
  /^\w+$/.test(text) &&
  VERBS.some(verb => saidOf(verb, text)) &&
  !VERBS.some(verb => verb.word.startsWith(text))

/** Which option Enter takes before arrows choose: a command, or a verb of which enough is typed. @param {string} typed */
export function presetOf(typed) {
  const text = typed.trim().toLowerCase(),
    verb = VERBS.find(one => restOf(one, text) !== null && isMeant(one, text))
  return text && (text.startsWith('>') || verb) ? 0 : -1
}

/** Whether a text is one to search for. @param {string} typed */
export const isSearch = typed => Boolean(typed.trim()) && !/^[>@:]/.test(typed)

/**
 * The question for names that a text finds.
 * @param {ProfilePage} page @param {string} typed
 * @returns {import('../widgets/frame.js').Question<'s'> | null}
 */
export const namesQuestion = ({ session }, typed) =>
  isSearch(typed)
    ? { route: 's', params: { where: session.sought(typed).q, by: 'name', n: LIT } }
    : null

/** The answer to it, when it is that of the text. @param {ProfilePage} page @param {string} typed */
function namesOf(page, typed) {
  const { state, data, error, of } = page.found.value,
    isIts = of?.params?.where === page.session.sought(typed).q
  return isSearch(typed) && (isIts || state === 'failed') ? { data, error } : null
}

/** The names that a text finds, all others of which are dimmed; null: it finds none, or so many that some may be missing. @param {ProfilePage} page @param {string} typed @returns {Set<string> | null} */
export function litNames(page, typed) {
  const rows = namesOf(page, typed)?.data?.rows ?? []
  return rows.length && rows.length < LIT ? new Set(rows.map(one => one.name ?? '')) : null
}

/** Names that a text finds, those with most self time first, so short that what tells them apart is seen. @param {ProfilePage} page @param {string} typed @returns {Option[]} */
function nameOptions(page, typed) {
  const rows = /** @type {Found[]} */ ([...(namesOf(page, typed)?.data?.rows ?? [])])
      .sort((a, b) => Number(b.self_inside) - Number(a.self_inside))
      .slice(0, NAMES),
    calledOf = page.session.names.called.value,
    short = shortNames(
      rows.map(row => calledOf(row.name)),
      LETTERS,
    )
  return rows.map(row => ({
    text: short.get(calledOf(row.name)) ?? row.name,
    title: row.name,
    note: '',
    key: '',
    figures: [numberText(row.count) + ' ×', durationText(BigInt(row.self_inside))],
    run: () => page.find('name=' + quoted(row.name)),
  }))
}

/** @param {ProfilePage} page @param {Verb} verb @param {string} rest @returns {Option} */
const optionOf = (page, verb, rest) => ({
  text: verb.word + (rest ? ' ' + rest : ''),
  note: unbroken(verb.tells(page, rest)),
  key: verb.key ?? '',
  run: () => {
    page.clearSearch()
    verb.run(page, rest)
  },
})

/** Commands whose title has a text. @param {ProfilePage} page @param {string} text @returns {Option[]} */
const commandOptions = (page, text) =>
  page.matching(text).map(one => ({
    text: one.title,
    note: '',
    key: one.keys[0] ?? '',
    run: () => {
      one.run()
      page.clearSearch()
    },
  }))

/** A text that no event has may have meant a command. @param {ProfilePage} page @param {string} typed @returns {Option[]} */
const meantOptions = (page, typed) =>
  namesOf(page, typed)?.data?.totals.events === 0
    ? commandOptions(page, typed.trim().toLowerCase())
    : []

/** What may be chosen with a text in the box; the first is what Enter takes. @param {ProfilePage} page @param {string} typed @returns {Option[]} */
export function optionsOf(page, typed) {
  if (typed.startsWith('>')) return commandOptions(page, typed.slice(1).trim().toLowerCase())
  const text = typed.trim().toLowerCase()
  const verbs = VERBS.flatMap(verb => {
    const rest = restOf(verb, text)
    return rest === null ? [] : [optionOf(page, verb, rest)]
  })
  if (!text)
    return [
      ...verbs,
      ...SIGNS.map(([sign, note]) => ({
        text: sign,
        note,
        key: '',
        run: () => page.focusSearch(sign),
      })),
    ]
  const find = {
    text: 'Find',
    note: 'names that have “' + typed.trim() + '”',
    key: '',
    run: () => page.find(typed),
  }
  const isName = mayBeName(text) && Boolean(namesOf(page, typed)?.data?.rows.length)
  return [
    ...(isName && verbs.length ? [find] : []),
    ...verbs,
    ...(!isName && verbs.length ? [find] : []),
    ...nameOptions(page, typed),
    ...meantOptions(page, typed),
  ]
}

/**
 * What Enter does with a text. Where names decide between a verb and a search, it waits for them.
 * @param {ProfilePage} page @param {string} typed
 */
export async function submit(page, typed) {
  let chosen = /** @type {Option | undefined} */ (optionsOf(page, typed)[page.option.value])
  const names = namesQuestion(page, typed)
  if (chosen && names && mayBeName(typed.trim().toLowerCase()) && !namesOf(page, typed)) {
    const { total } = await page.session.ask('s', { ...names.params, n: 1 })
    if (page.typed.value !== typed) return
    if (total) chosen = undefined
  }
  const rest = typed.slice(1).trim()
  if (chosen) return chosen.run()
  if (isSearch(typed) || !typed.trim()) return page.find(typed)
  if (typed.startsWith('@')) goTo(page, rest)
  if (typed.startsWith(':')) page.runSql(rest)
  page.clearSearch()
}

/** What a text finds, in one line; nothing: it is no search. @param {ProfilePage} page @param {string} typed */
function foundLine(page, typed) {
  const { data, error } = namesOf(page, typed) ?? {},
    { told } = page.session.sought(typed)
  if (error) return html`<p class="found failed">${error.message}</p>`
  if (!data) return isSearch(typed) ? html`<p class="found">asking…</p>` : nothing
  const known = data.total <= data.rows.length,
    total = data.rows.reduce((sum, row) => sum + BigInt(row.self_inside), 0n)
  return html`<p class="found"><span>${[counted(data.totals.events, 'hit'), counted(data.total, 'name'), ...(known && total ? [durationText(total) + ' self time'] : [])].join(', ')}</span><span>${told}</span></p>`
}

/** How a field is searched, where somebody may want to know: before anything is typed, and where nothing was found. @param {ProfilePage} page @param {string} typed */
function fieldsLine(page, typed) {
  const found = namesOf(page, typed)
  if (typed.trim() && found?.data?.totals.events !== 0 && !found?.error) return nothing
  const { fields } = page.session
  return html`<p class="found"><span title=${'All fields: ' + fields.join(', ')}>Fields: field = value, field ~ part, field &gt; number; such as ${fieldsHint(fields)}</span></p>`
}

const KEYS = html`<p class="found"><span><kbd>↓</kbd> choose <kbd>Enter</kbd> next hit <kbd>Shift Enter</kbd> previous</span></p>`

/** @param {ProfilePage} page @param {Option[]} options @param {number} at the current one @param {string} typed */
export const optionList = (page, options, at, typed) =>
  html`<div class="command-list">${foundLine(page, typed)}<ul role="listbox" id="asks" aria-label=${typed.startsWith('>') ? 'Commands' : isSearch(typed) ? 'Names found, and what can be asked' : 'What can be asked'}>${options.map(
    (one, i) =>
      html`<li role="option" id=${'ask-' + i} aria-selected=${String(i === at)} @mousedown=${(
        /** @type {Event} */ event,
      ) => {
        event.preventDefault()
        one.run()
      }}><span title=${one.title ?? nothing}>${one.text}${one.note ? html` <span class="muted">${one.note}</span>` : nothing}</span>${one.figures ? html`<span class="figures">${one.figures.map(text => html`<span>${text}</span>`)}</span>` : nothing}${one.key ? html`<kbd>${one.key}</kbd>` : nothing}</li>`,
  )}</ul>${fieldsLine(page, typed)}${isSearch(typed) ? KEYS : nothing}</div>`
