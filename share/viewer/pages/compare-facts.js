// SPDX-License-Identifier: Apache-2.0
// What the profiles that are compared say of themselves, beside each other: where they differ, times may differ for that.
import { html, nothing } from '../lib/lit.js'
import { durationText } from '../base/time.js'
import { counted, devicesText, formatText, numberText, valueText } from '../base/values.js'
import { saveTable } from '../widgets/frame.js'
import { gridTemplate } from '../widgets/grid.js'
import { titleOf } from '../timeline/model.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./compare.js').ComparePage} ComparePage */
/** @typedef {import('../base/session.js').Session} Session */

const ABSENT = '–',
  MOST_TRACKS = 300

/** When it was recorded. @param {string | null} ns */
const dateText = ns =>
  ns === null
    ? 'unknown: the file states no time of day'
    : new Date(Number(BigInt(ns) / 1000000n))
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/, ' UTC')

/**
 * Without the prefix that a fact of a device has.
 * @param {string} value @param {string | null} unit
 */
const factText = (value, unit) =>
  unit && /^-?[\d.]+(e[+-]?\d+)?$/i.test(value)
    ? valueText(Number(value), unit)
    : value + (unit ? ' ' + unit : '')

/** A track by its names; inputs have numbers, since their files are called otherwise. @param {import('../timeline/model.js').Model} model @param {number} number */
function trackName(model, number) {
  const [root, ...below] = model.pathOf(number),
    input =
      model.inputs.length > 1 || !below.length ? ['input ' + (model.inputs.indexOf(root) + 1)] : []
  return [...input, ...below.map(titleOf)].join(' › ')
}

/** What a profile says of itself, by name. @param {Session} session @returns {Map<string, string>} */
function factsOf({ head, profile, model }) {
  const inputs = profile.inputs,
    several = inputs.length > 1
  /** @type {[string, string][]} */
  const own = [
    ['format', formatText(head)],
    ['certainty', head.certainty],
    ['recorded', dateText(profile.origin_unix_ns)],
    ['length', durationText(model.length)],
    ['rows', numberText(profile.rows)],
    ['inputs', String(inputs.length)],
    ['devices', devicesText(head.devices) || 'none'],
    ['rows without an end', numberText(profile.unclosed)],
    ['places where rows may be missing', numberText(profile.lost)],
    [
      'records skipped',
      numberText(profile.skipped.reduce((sum, one) => sum + Number(one.count), 0)),
    ],
  ]
  for (const [i, input] of inputs.entries()) {
    const of = several ? ' of input ' + (i + 1) : ''
    own.push(
      ['decoder' + of, input.decoder],
      ['version of the format' + of, input.version || 'none stated'],
      ['size' + of, valueText(input.bytes, 'byte')],
    )
    for (const [key, value] of Object.entries(input.properties)) own.push([key + of, String(value)])
  }
  for (const fact of profile.facts)
    own.push([fact.key + ' of ' + trackName(model, fact.track), factText(fact.value, fact.unit)])
  for (const warning of profile.warnings) own.push(['warning', warning])
  /** @type {Map<string, string>} */
  const facts = new Map()
  for (const [name, value] of own)
    facts.set(
      name,
      facts.has(name) && facts.get(name) !== value ? facts.get(name) + '; ' + value : value,
    )
  return facts
}

/** A row for each name: those in which the profiles differ come first. @param {Session[]} sessions @returns {{name: string, values: string[], differs: boolean}[]} */
export function factRows(sessions) {
  const all = sessions.map(factsOf),
    names = [...new Set(all.flatMap(facts => [...facts.keys()]))]
  const rows = names
    .map(name => ({ name, values: all.map(facts => facts.get(name) ?? ABSENT) }))
    .map(row => ({ ...row, differs: new Set(row.values).size > 1 }))
  return [...rows.filter(row => row.differs), ...rows.filter(row => !row.differs)]
}

/** Tracks with rows that not all have: the name of each, and its rows in each profile. @param {Session[]} sessions @returns {{name: string, rows: (number | null)[]}[]} */
export function unmatchedTracks(sessions) {
  const all = sessions.map(
    ({ model }) =>
      new Map(
        [...model.tracks.values()]
          .filter(track => track.rows)
          .map(track => [trackName(model, track.track), track.rows]),
      ),
  )
  return [...new Set(all.flatMap(tracks => [...tracks.keys()]))]
    .map(name => ({ name, rows: all.map(tracks => tracks.get(name) ?? null) }))
    .filter(one => one.rows.includes(null))
}

/** @param {ComparePage} page */
export function factsTab(page) {
  const { sessions } = page,
    titles = sessions.map((session, i) => page.sideText(i) + ' ' + session.head.name),
    facts = factRows(sessions),
    kept = page.facts.all.value ? facts : facts.filter(row => row.differs)
  const columns = ['fact', ...titles].map(name => ({ name, title: name, type: 'text', unit: '' })),
    table = { columns, rows: kept.map(row => [row.name, ...row.values]), total: kept.length },
    differ = facts.filter(row => row.differs).length
  const without = (page.answer.value?.unmatched ?? []).map(
    one =>
      page.named(one.track) + (sessions.length > 2 ? ' (' + page.named(one.profile) + ')' : ''),
  )
  return html`<div class="bar">${page.tabs()}<span class="muted">${differ} of ${counted(facts.length, 'fact')} ${differ === 1 ? 'differs' : 'differ'}</span><label class="chip keep"><input type="checkbox" .checked=${page.facts.all.value} @change=${(
    /** @type {FieldEvent} */ event,
  ) => {
    page.facts.all.value = event.target.checked
  }}> also what is the same</label><span class="gap"></span>${page.tools(() => saveTable('compare-facts', table), page.eachCommand('info'), table)}</div>
    <div class="scrolled">${without.length ? html`<p class="note">Not compared: ${without.join('; ')}.</p>` : nothing}
    ${gridTemplate({ label: 'Facts', columns, rows: table.rows, total: table.total, offset: 0, sort: '', cell: (row, c) => html`<span title=${row[c]} class=${row[c] === ABSENT ? 'muted' : ''}>${row[c]}</span>`, rowClass: (_row, i) => (kept[i].differs ? 'differs' : '') })}
    ${tracks(page, titles)}</div>`
}

/** @param {ComparePage} page @param {string[]} titles */
function tracks({ sessions }, titles) {
  const all = unmatchedTracks(sessions),
    shown = all.slice(0, MOST_TRACKS)
  if (!all.length) return html`<p class="note">Each track with rows is in all of them.</p>`
  const columns = [
    { name: 'track', type: 'text', unit: '' },
    ...titles.map(name => ({ name, title: 'rows in ' + name, type: 'text', unit: '' })),
  ]
  return html`<h3>Tracks without a counterpart <span class="muted">${counted(all.length, 'track')}</span></h3>
    ${gridTemplate({ label: 'Tracks without a counterpart', columns, rows: shown.map(one => [one.name, ...one.rows.map(count => (count === null ? ABSENT : numberText(count)))]), total: all.length, offset: 0, sort: '', cell: (row, c) => (row[c] === ABSENT ? html`<span class="muted">${ABSENT}</span>` : null) })}`
}
