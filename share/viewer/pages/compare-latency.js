// SPDX-License-Identifier: Apache-2.0
// Durations of one name in all profiles that are compared: percentiles, histograms and durations over time beside each
// other, with the same axes. All figures are those of route latency.
import { cellText, numberText } from '../base/values.js'
import { html, nothing, signal } from '../lib/lit.js'
import { asked, saveCsv, unknown, waiting } from '../widgets/frame.js'
import { currentRow, histogram, mostOf, scatter } from '../widgets/durations.js'
import { gridTemplate } from '../widgets/grid.js'
import { pick } from './compare-parts.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./compare.js').ComparePage} ComparePage */
/** @typedef {import('../base/answers.d.ts').Latency} Latency */
/** @typedef {import('../widgets/frame.js').Answer<Latency>} Answer */
/** @typedef {import('../base/session.js').Session} Session */

const SCALES = ['log', 'lin'],
  BINS = 64

/** What the tab keeps, and asks: of each profile how long its spans are, then how many are in which bin of all. @param {ComparePage} page @param {URLSearchParams} params of the address */
export function latencyOf(page, params) {
  const name = signal(params.get('op') ?? ''),
    scale = signal(params.get('scale') === 'lin' ? 'lin' : 'log')
  const question = (
    /** @type {Session} */ session,
    /** @type {import('../base/api.js').Params} */ more,
  ) => {
    const wanted =
      page.tab.value === 'latency' ? nameIn(page, session, name.value || firstOf(page)) : ''
    return wanted
      ? {
          route: /** @type {const} */ ('latency'),
          params: { name: wanted, scale: scale.value, ...more },
        }
      : null
  }
  const ends = page.sessions.map(
    session => asked(session, () => question(session, { bins: 1 })).answer,
  )
  const all = page.sessions.map(
    session =>
      asked(session, () => {
        const axis = axisOf(
          page,
          name.value || firstOf(page),
          ends.map(one => one.value),
        )
        return axis && question(session, { bins: BINS, ...axis })
      }).answer,
  )
  return { name, scale, answers: all, ends }
}

/**
 * The least and the most of all profiles.
 * @param {ComparePage} page @param {string} name @param {Answer[]} ends of each profile
 * @returns {{low: string, high: string} | null} null: not all of this name have come, or none has a
 *   span
 */
function axisOf(page, name, ends) {
  const known = ends.flatMap(({ data }) =>
    data && data.min !== null && data.max !== null ? [[BigInt(data.min), BigInt(data.max)]] : [],
  )
  if (
    !known.length ||
    ends.some((one, i) => one.of?.params?.name !== nameIn(page, page.sessions[i], name))
  )
    return null
  const low = known.reduce((least, [ps]) => (ps < least ? ps : least), known[0][0]),
    high = known.reduce((most, [, ps]) => (ps > most ? ps : most), known[0][1])
  return { low: String(low), high: String(high) }
}

/** Rows of the diff table that have names of events. @param {ComparePage} page @returns {{name: string, profile: string, renamed: string | null}[]} */
function namesOf(page) {
  const table = page.by.value === 'layer' ? null : page.answer.value?.rows
  if (!table) return []
  const [name, profile, renamed] = [/^(name|operator)$/, /^profile$/, /^renamed$/].map(one =>
    table.columns.findIndex(column => one.test(column.name)),
  )
  return table.rows.map(row => ({
    name: String(row[name]),
    profile: String(row[profile]),
    renamed: cellText(row[renamed]),
  }))
}

/** Until one is chosen the first row of the diff table is shown. @param {ComparePage} page */
const firstOf = page => namesOf(page)[0]?.name ?? ''

/** What a profile calls it: nprof diff knows of kernels that were renamed. @param {ComparePage} page @param {Session} session @param {string} name */
const nameIn = (page, session, name) =>
  namesOf(page).find(one => one.name === name && one.profile === session.id)?.renamed ?? name

/** @param {ComparePage} page */
export function latencyTab(page) {
  const { name, scale, answers, ends } = page.latency,
    chosen = name.value || firstOf(page),
    several = answers.map(one => one.value)
  const axis = axisOf(
      page,
      chosen,
      ends.map(one => one.value),
    ),
    found = several.flatMap(({ data, of }, i) =>
      data &&
      of?.params?.low === axis?.low &&
      of?.params?.high === axis?.high &&
      of?.params?.name === nameIn(page, page.sessions[i], chosen)
        ? [data]
        : [],
    ),
    known = axis && found.length === several.length
  return html`<div class="bar">${page.tabs()}<input type="search" class="wide" aria-label="Name" placeholder="name of an operator, or click a row of the diff table" .value=${chosen} @change=${(
    /** @type {FieldEvent} */ event,
  ) => {
    name.value = event.target.value
  }}>${pick('Scale', SCALES, scale)}<span class="gap"></span>${
    known
      ? page.tools(
          () => save(page, chosen, found),
          page.eachCommand('report --full --top 0 --only latency'),
        )
      : nothing
  }</div>
    ${
      known
        ? html`<div class="scrolled">${beside(page, chosen, found, [
            Number(axis.low),
            Number(axis.high),
          ])}</div>`
        : instead(
            chosen,
            ends.map(one => one.value),
            several,
          )
    }`
}

/**
 * What stands there while nothing is known.
 * @param {string} name @param {Answer[]} ends @param {Answer[]} answers
 */
function instead(name, ends, answers) {
  if (!name) return unknown('choose an operator: a row of the diff table, or a name')
  const wrong = [...ends, ...answers].find(one => one.state === 'failed')
  if (wrong) return waiting(wrong)
  return ends.every(one => one.data && one.data.count === one.data.unclosed)
    ? unknown('no span that ended has the name ' + name + ' in these profiles')
    : html`<p class="muted pad" aria-busy="true">asking…</p>`
}

/** @param {ComparePage} page @param {string} name @param {Latency[]} all @param {[number, number]} span least and most duration of all */
function beside(page, name, all, span) {
  const { sessions } = page,
    scale = page.latency.scale.value,
    most = Math.max(...all.map(mostOf))
  const reach = sessions.map(session =>
      [session.model.start - page.origin(session), session.model.end - page.origin(session)].map(
        Number,
      ),
    ),
    time = /** @type {[number, number]} */ ([
      Math.min(...reach.map(one => one[0])),
      Math.max(...reach.map(one => one[1])),
    ])
  const titles = sessions.map((session, i) => page.sideText(i) + ' ' + session.head.name)
  return html`${figures(titles, all)}<div class="beside">${sessions.map(
    (
      session,
      i,
    ) => html`<section aria-label=${titles[i]}><h3>${titles[i]} <span class="muted">${nameIn(page, session, name)}${all[i].unclosed ? ', ' + all[i].unclosed + ' without end' : ''}</span></h3>
    ${all[i].scatter.length ? html`<div class="charts">${histogram(all[i], { scale, most })}${scatter(all[i], { scale, zero: page.origin(session), time, span, current: currentRow(session), pick: one => session.select({ kind: 'event', row: one.row }, { reveal: true }) })}</div>` : unknown('no span that ended has this name in this profile')}</section>`,
  )}</div>`
}

/** Percentiles, extremes, mean and count: a row of each profile. @param {string[]} titles @param {Latency[]} all */
function figures(titles, all) {
  const own = all.map(({ min, percentiles, max, mean }) => ({ min, ...percentiles, max, mean })),
    keys = /** @type {(keyof typeof own[0])[]} */ (Object.keys(own[0]))
  /** @type {import('../widgets/grid.js').Column[]} */
  const columns = [
    { name: 'profile', type: 'string', unit: '' },
    { name: 'count', type: 'int64', unit: '' },
    ...keys.map(name => ({ name, type: 'int64', unit: 'ps' })),
  ]
  const rows = all.map((data, i) => [titles[i], data.count, ...keys.map(key => own[i][key])])
  return gridTemplate({
    label: 'Latency beside each other',
    columns,
    rows,
    total: rows.length,
    offset: 0,
    sort: '',
    cell: (row, c) =>
      columns[c].name === 'count'
        ? html`<span title=${String(row[c])}>${numberText(Number(row[c]))}</span>`
        : null,
  })
}

/** The durations that are drawn. @param {ComparePage} page @param {string} name @param {Latency[]} all */
const save = (page, name, all) =>
  saveCsv(
    'compare-latency',
    ['profile', 'name', 'row', 'start_ps', 'duration_ps'],
    all.flatMap((data, i) =>
      data.scatter.map(dot => [
        page.sessions[i].head.name,
        nameIn(page, page.sessions[i], name),
        dot.row,
        dot.start,
        dot.duration,
      ]),
    ),
  )
