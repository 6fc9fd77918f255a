// SPDX-License-Identifier: Apache-2.0
// Statistics of an area, the window or the whole run: clipped to it, by name, track or category.
import { html, nothing } from '../lib/lit.js'
import { quoted } from '../base/element.js'
import { durationText, nsText } from '../base/time.js'
import { columnAt, counted, numberText, valueText } from '../base/values.js'
import { setting } from '../base/session.js'
import { countersQuery, devicesCommand, spansInSql, sqlCommand } from '../base/sqlcommand.js'
import { asked, bar, live, metricSpan, saveCsv, scopeOf, scopeParams, waiting } from './frame.js'
import { gridTemplate, sortRows } from './grid.js'
import { MOST_ROWS, runButton } from './scoped.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */

/** @typedef {import('./grid.js').Column} Column */
/** @typedef {import('../base/answers.d.ts').Sum} Sum */
/** @typedef {import('../base/answers.d.ts').CounterSum} CounterSum */
/** @typedef {import('../base/answers.d.ts').Stats} Stats */
/** @typedef {import('../base/answers.d.ts').Row} Row */

/** Columns of the answer of route s. @type {(Column & {name: keyof Sum})[]} */
const COLUMNS = [
  { name: 'name', type: 'string', unit: '' },
  { name: 'count', type: 'int64', unit: '' },
  { name: 'inside', title: 'total', type: 'int64', unit: 'ps', help: 'what lies in the range' },
  {
    name: 'self_inside',
    title: 'self',
    type: 'int64',
    unit: 'ps',
    help: 'in the range, without what lies in it',
  },
  {
    name: 'share',
    type: 'double',
    unit: '1',
    help: 'self time, of that of all rows of its kind in the range: work of devices, or threads of hosts',
  },
  { name: 'share_of', title: 'of', type: 'string', unit: '', help: 'what the share is of' },
  { name: 'share_reason', type: 'string', unit: '' },
  { name: 'mean', type: 'int64', unit: 'ps', help: 'of whole durations' },
  { name: 'median', type: 'int64', unit: 'ps', help: 'of whole durations' },
  { name: 'p99', type: 'int64', unit: 'ps', help: 'of whole durations' },
  { name: 'min', type: 'int64', unit: 'ps' },
  { name: 'max', type: 'int64', unit: 'ps' },
]

/** Columns of its counters. @type {(Column & {name: keyof CounterSum})[]} */
const COUNTERS = [
  { name: 'name', type: 'string', unit: '' },
  { name: 'track', type: 'string', unit: '' },
  { name: 'unit', type: 'string', unit: '' },
  {
    name: 'count',
    title: 'values',
    type: 'int64',
    unit: '',
    help: 'rows of the counter in the range',
  },
  {
    name: 'min',
    type: 'double',
    unit: '',
    help: 'of what holds in the range, also from before it',
  },
  {
    name: 'mean',
    type: 'double',
    unit: '',
    help: 'over the time in which a value is known, each weighted by how long it holds',
  },
  {
    name: 'max',
    type: 'double',
    unit: '',
    help: 'of what holds in the range, also from before it',
  },
  { name: 'known', type: 'int64', unit: 'ps', help: 'time of the range in which a value is known' },
  { name: 'reason', type: 'string', unit: '' },
]

/** What rows have behind these: what of the self time the share counts. */
const SHARE_SELF = COLUMNS.length

/** @type {import('./dock.js').Mount} */
export const selection = (element, page) => {
  const { session } = page
  const by = setting(session, 'selection.by', 'name'),
    sort = setting(session, 'selection.sort', '-inside'),
    filter = setting(session, 'selection.filter', '')
  const { answer, dispose } = asked(session, () => ({
    route: 's',
    params: { ...scopeParams(session), by: by.value, n: 1000, percentiles: 1, counters: 1 },
  }))
  const figures = askedFigures(session),
    counterSort = setting(session, 'selection.counters.sort', '')
  // Tracks of one label are told apart by what they are below.
  const named = (/** @type {Stats} */ data, /** @type {Sum} */ row) =>
    data.by === 'track' ? session.model.nameOf(row.key) : (row.name ?? '')
  const rows = (/** @type {Stats} */ data) => {
    const words = filter.value.toLowerCase(),
      kept = data.rows.filter(row => named(data, row).toLowerCase().includes(words))
    return sortRows(
      COLUMNS,
      kept.map(row => [
        ...COLUMNS.map(column => (column.name === 'name' ? named(data, row) : row[column.name])),
        row.share_self,
      ]),
      sort.value,
    )
  }
  const stop = live(element, () => {
    const age = scopeOf(session, answer.value),
      data = age === 'other' ? null : answer.value.data,
      range = session.rangeOf(session.scope.value)
    const shown = data ? rows(data) : []
    const spans = (/** @type {Stats} */ of) =>
      gridTemplate({
        label: 'Statistics of the selection',
        called: page.session.names.called.value,
        past: age === 'past',
        columns: COLUMNS,
        rows: shown,
        total: of.total,
        offset: 0,
        sort: sort.value,
        onSort: next => {
          sort.value = next
        },
        share: 'share',
        reasons: of.reasons,
        onRow: row => search(page, String(row[0]), by.value),
        cell: (row, c) => cellOf(page, of, row, c, by.value),
      })
    return html`${bar({
      note:
        (data
          ? counted(data.total, 'row') +
            (data.counters_total ? ', ' + counted(data.counters_total, 'counter') : '') +
            ' · '
          : '') + (range ? durationText(range.t1 - range.t0) + groupNote(session) : 'whole run'),
      left: html`<label class="chip" title="Rows by">by <select aria-label="By" @change=${(
        /** @type {ChoiceEvent} */ event,
      ) => {
        by.value = event.target.value
      }}>${['name', 'track', 'category'].map(one => html`<option .selected=${by.value === one}>${one}</option>`)}</select></label>
          <input type="search" placeholder="filter" aria-label="Filter" .value=${filter.value} @input=${(
            /** @type {FieldEvent} */ event,
          ) => {
            filter.value = event.target.value
          }}>`,
      csv: () => saveCsv('selection', [...COLUMNS.map(one => one.name), 'share_self'], shown),
      command: commandOf(session, by.value, Boolean(data?.counters_total)),
    })}
      ${waiting(age === 'other' ? { ...answer.value, state: 'asking', data: null } : answer.value)}
      ${data && !data.total ? html`<p class="pad">No span lies in ${range ? 'this part of the run' : 'the profile'}.</p>${runButton(session)}` : nothing}
      ${data ? html`<div class=${age === 'past' ? 'past' : ''}>${figures.totalsTemplate(data)}</div>` : nothing}
      ${data?.counters?.length ? html`<div class="scrolled">${spans(data)}${counters(session, data, age === 'past', counterSort)}</div>` : data ? spans(data) : nothing}`
  })
  return () => {
    stop()
    dispose()
    figures.dispose()
  }
}

/**
 * The counters of the scope, below what ran in it.
 * @param {import('../base/session.js').Session} session @param {Stats} data @param {boolean} past
 * @param {import('../base/session.js').Setting} sort
 */
function counters(session, data, past, sort) {
  const rows = sortRows(
    COUNTERS,
    (data.counters ?? []).map(one =>
      COUNTERS.map(({ name }) => (name === 'track' ? session.model.nameOf(one.track) : one[name])),
    ),
    sort.value,
  )
  return html`<h2>Counters <button class="quiet" title="Save the rows of counters as CSV" @click=${() =>
    saveCsv(
      'counters',
      COUNTERS.map(one => one.name),
      rows,
    )}>CSV of counters</button></h2>
    ${gridTemplate({
      label: 'Counters of the selection',
      past,
      columns: COUNTERS,
      rows,
      total: data.counters_total ?? 0,
      offset: 0,
      sort: sort.value,
      onSort: next => {
        sort.value = next
      },
      reasons: { unit: 'its rows state no unit' },
      cell: (row, c) =>
        /^(min|mean|max)$/.test(COUNTERS[c].name) && row[c] !== null
          ? html`<span title=${String(row[c])}>${valueText(row[c], String(row[2] ?? ''))}</span>`
          : null,
    })}`
}

/** The commands that print these rows, but for their shares, the sums above them where those are of devices, and the counters; a track is told by what it is below, too. @param {import('../base/session.js').Session} session @param {string} by @param {boolean} counted whether there are counters */
function commandOf(session, by, counted) {
  const scope = session.scope.value,
    chosen = session.chosenOf(scope),
    spans = spansInSql(session, session.rangeOf(scope), chosen)
  const key = by === 'track' ? 'process, thread, track' : by
  const rows = spans
    ? sqlCommand(
        session,
        `select ${key}, count(*) as count, sum(inside) as inside_ps, sum(self) as self_ps, ` +
          '(2 * sum(duration_ps) + count(duration_ps)) / (2 * count(duration_ps)) as mean_ps, cast(round(median(duration_ps)) as integer) as median_ps, cast(round(quantile_cont(duration_ps, 0.99)) as integer) as p99_ps, min(duration_ps) as min_ps, max(duration_ps) as max_ps ' +
          `from (select ${key}, duration_ps, ${spans.inside} as inside, ${spans.self} as self from events where ${spans.where}) group by ${key} order by inside_ps desc`,
        chosen.tracks.length > 0,
      )
    : ''
  if (!rows) return ''
  return [
    rows,
    chosen.tracks.length ? '' : devicesCommand(session, session.rangeOf(scope)),
    counted
      ? sqlCommand(session, countersQuery(session, session.rangeOf(scope), chosen), true)
      : '',
  ]
    .filter(Boolean)
    .join('\n')
}

/** Of which groups the rows of the scope are. @param {import('../base/session.js').Session} session */
function groupNote(session) {
  const chosen = session.chosenOf(session.scope.value)
  return chosen.parts ? ' of ' + session.chosenText(chosen) : ''
}

/**
 * Asks what devices did in the range of the scope, to stand beside sums of it. The server works that out of all rows of the range;
 * with more rows than MOST_ROWS it takes so long that people ask for it on the command line instead.
 * @param {import('../base/session.js').Session} session
 */
export function askedFigures(session) {
  /** @returns {import('./frame.js').Question<'window'> | null} */
  const question = () => {
    const { t0, t1, tracks, parts } = scopeParams(session)
    return t0 !== null && !tracks && !parts && session.model.rows <= MOST_ROWS
      ? { route: 'window', params: { t0, t1 } }
      : null
  }
  const { answer, dispose } = asked(session, question)
  /** The totals of sums with them, once they are of the same range. @param {Stats} sums */
  const totalsTemplate = sums => {
    const { data: more, state } = answer.value
    if (!question() || state === 'failed') return totals(sums.totals)
    return more?.t0 === sums.t0 && more.t1 === sums.t1
      ? totals({ ...sums.totals, ...more.totals })
      : totals(sums.totals, true)
  }
  return { totalsTemplate, dispose }
}

/** @param {Page} page @param {string} name @param {string} by */
function search(page, name, by) {
  page.session.query.value =
    (by === 'track' ? 'track=' : by === 'category' ? 'category=' : 'name=') +
    quoted(by === 'track' ? (name.split(' › ').pop() ?? name) : name)
  page.open('search')
}

/** @param {Page} page @param {Stats} data @param {Row} row @param {number} c @param {string} by */
function cellOf(page, data, row, c, by) {
  const { name } = COLUMNS[c],
    known = row[c] !== null
  if (name === 'share_of' && !known) return '' // its neighbour says why
  if (name === 'share' && known) return shareCell(data, row, c)
  return by === 'name' && /^(min|max)$/.test(name) && known
    ? extreme(page, String(row[0]), String(row[c]), name === 'max')
    : null
}

/** A share, with how much all of it is. @param {Stats} data @param {Row} row @param {number} c */
function shareCell(data, row, c) {
  const cell = (/** @type {string} */ name) => row[columnAt(COLUMNS, name)]
  const all = data.shared.find(one => one.of === cell('share_of')),
    rest = BigInt(cell('self_inside') ?? 0) - BigInt(row[SHARE_SELF] ?? 0)
  if (!all) return null
  return html`<span title=${String(row[c]) + ' of ' + nsText(BigInt(all.self_inside)) + ' ns, the ' + all.what + ' in the range' + (rest ? '; ' + nsText(rest) + ' ns of its self time are of other rows, which are a share of nothing' : '')}>${valueText(row[c], '1')}</span>`
}

/**
 * The shortest or longest event of a name is a link to it.
 * @param {Page} page @param {string} name @param {string} ps @param {boolean} isMost
 */
function extreme(page, name, ps, isMost) {
  const go = () => {
    page.session.query.value =
      'name=' + quoted(name) + (isMost ? ' dur>=' : ' dur<=') + nsText(BigInt(ps), '') + 'ns'
    document.dispatchEvent(new CustomEvent('nprof-hit', { detail: 1 }))
  }
  return html`<button class="quiet cell-link" title=${'Show it: ' + nsText(BigInt(ps)) + ' ns'} @click=${go}>${durationText(BigInt(ps))}</button>`
}

/** Where tables have another word than the answer. @type {Record<string, string>} */
const WORDS = { memory: 'copy' }

/** @param {string} key of the answer */
const wordOf = key => (/^[mh].u$/.test(key) ? key.toUpperCase() : (WORDS[key] ?? key))

/**
 * Sums of the answer; what is unknown has one place for all its names, which say why.
 * @param {import('../base/answers.d.ts').Totals} all @param {boolean} isAsking what is unknown is being asked
 */
function totals(all, isAsking = false) {
  const shown = /** @type {const} */ ([
    'busy',
    'compute',
    'communication',
    'memory',
    'exposed',
    'idle',
    'flops',
    'bytes',
    'mfu',
    'hfu',
    'mbu',
    'lost',
  ]).filter(key => all[key])
  const known = shown.filter(key => all[key].value !== null),
    others = shown.filter(key => all[key].value === null)
  const unknown = () =>
    html`<div><dt>unknown:</dt><dd>${others.map((key, i) => html`${i ? ', ' : ''}<span class="unknown" tabindex="0" title=${all[key].reason} aria-label=${wordOf(key) + ', unknown: ' + all[key].reason}>${wordOf(key)}</span>`)}</dd></div>`
  return html`<dl class="totals"><div><dt>events</dt><dd>${numberText(all.events)}${all.unclosed ? html` <span class="muted">${all.unclosed} without end</span>` : nothing}</dd></div>
    ${all.together.count > 1 ? html`<div><dt>times of</dt><dd>${counted(all.together.count, all.together.what)} together</dd></div>` : nothing}
    ${known.map(key => html`<div><dt>${wordOf(key)}</dt><dd>${metricSpan(all[key])}</dd></div>`)}
    ${isAsking ? html`<div><dt>of devices</dt><dd class="muted" aria-busy="true">asking…</dd></div>` : others.length ? unknown() : nothing}</dl>`
}
