// SPDX-License-Identifier: Apache-2.0
// Compare: a base and up to seven others. The verdict of `nprof diff`, what changed in a step
// (compare-changes.js) and what to do first (compare-advice.js) lead. Below them timelines stand below each other with one window, aligned by their first step, by time or by a marker, and
// then tabs: the table that `nprof diff` prints, and what the files compare-flame.js, compare-steps.js, compare-latency.js
// and compare-facts.js show.
import { get, query } from '../base/api.js'
import { copy, make, need, say } from '../base/element.js'
import { shortNames } from '../base/ends.js'
import { listen } from '../base/keys.js'
import { openSession } from '../base/session.js'
import { durationText, nsText, readNs } from '../base/time.js'
import { effect, html, nothing, render, signal } from '../lib/lit.js'
import { Timeline } from '../timeline/timeline.js'
import {
  cellNumber,
  cellText,
  changeText,
  columnAt,
  counted,
  deviceText,
  exactChange,
  numberText,
  unbroken,
} from '../base/values.js'
import { asked, metricSpan, saveTable, unknown } from '../widgets/frame.js'
import { gridTemplate, sortRows } from '../widgets/grid.js'
import { compareAdvice } from './compare-advice.js'
import { changesHead, judgedDevice } from './compare-changes.js'
import { factsTab } from './compare-facts.js'
import { flameQuestion, flameTab } from './compare-flame.js'
import { latencyOf, latencyTab } from './compare-latency.js'
import { SIGNS, markdown, verdictSpan } from './compare-parts.js'
import { stepsQuestion, stepsTab } from './compare-steps.js'
import { missingPage } from './missing.js'
import { noticesOf } from './notices.js'
import { nextTheme } from './theme.js'
import { base } from '../base/packed.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('../base/session.js').Session} Session */

const TITLES = /** @type {Record<string, string>} */ ({
  a_ps: 'base',
  b_ps: 'new',
  renamed: 'renamed to',
  interval: '± of change',
  share: 'share, larger side',
})
const ALIGN = ['step', 'time', 'marker'],
  BY = ['name', 'operator', 'layer'],
  ZOOM = ['together', 'apart'],
  MOST = 8,
  /** Of a name in a list of profiles. */
  LETTERS = 24
/** Tabs below the timelines, by what the address calls them. @type {Record<string, {title: string, template: (page: ComparePage) => unknown}>} */
const TABS = {
  table: { title: 'diff table', template: page => page.diff() },
  flame: { title: 'diff flame', template: flameTab },
  steps: { title: 'steps', template: stepsTab },
  latency: { title: 'latency', template: latencyTab },
  facts: { title: 'facts', template: factsTab },
}

/** What a verdict is of. */
const JUDGED = /** @type {Record<string, string>} */ ({
  step: 'Step time',
  period: 'Period',
  recording: 'Recording',
  work: 'All work',
})
/** What is totalled of a device, as `nprof diff` calls it: of periods it judges the median. */
const PARTS = /** @type {Record<string, string>} */ ({
  step: 'mean step',
  period: 'median period',
  work: 'all work',
  communication: 'communication',
})

/** @typedef {import('../base/answers.d.ts').Compared} Compared */
/** Change of a part of the step. @typedef {Compared['totals'][number]} Total */
/** @typedef {import('../base/answers.d.ts').Sheet} Sheet */
/**
 * @typedef {Compared & {error?: undefined} | {error: Error, rows?: undefined, verdicts?: undefined,
 *   per?: undefined, unmatched?: undefined}} Result
 */

/** @param {string[]} list the first is the preset @param {string | null} word */
const oneOf = (list, word) => (word !== null && list.includes(word) ? word : list[0])

export class ComparePage {
  /** @param {Session[]} sessions the base first @param {HTMLElement} app */
  constructor(sessions, app) {
    this.sessions = sessions
    const params = new URLSearchParams(location.search),
      [t0, t1] = (params.get('t') ?? '').split('..').map(readNs)
    this.align = signal(oneOf(ALIGN, params.get('align')))
    this.changed = signal(params.get('changed') === 'yes')
    this.sort = signal(params.get('sort') ?? '')
    this.by = signal(oneOf(BY, params.get('by')))
    this.zoom = signal(oneOf(ZOOM, params.get('zoom')))
    /**
     * What could be compared as well.
     * @type {import('../lib/lit.js').Signal<import('../base/answers.d.ts').Brief[]>}
     */
    this.others = signal([])
    get('profiles').then(
      ({ profiles }) => {
        this.others.value = profiles.filter(one => one.status === 'ready')
      },
      () => {},
    ) // those of the address stay
    if (t0 !== null && t1 !== null && t0 !== undefined && t1 !== undefined && t0 < t1)
      sessions[0].show(t0, t1)
    this.answer = signal(/** @type {Result | null} */ (null))
    this.tab = signal(oneOf(Object.keys(TABS), params.get('tab')))
    /** Which of the others the tabs show beside the base, from 1. */
    this.other = signal(
      Math.max(1, Math.min(sessions.length - 1, Number(params.get('other')) || 1)),
    )
    this.width = signal(1200)
    const server = { ask: get },
      isShown = (/** @type {string} */ tab) => this.tab.value === tab
    const flame = {
      by: signal(params.get('by2') ?? ''),
      rows: signal(params.get('rows') ?? ''),
      width: signal(params.get('width') === 'base' ? 'base' : 'new'),
      root: signal(
        params.get('root') ? Number(params.get('root')) : /** @type {number | null} */ (null),
      ),
    }
    this.flame = {
      ...flame,
      asked: /** @type {ReturnType<typeof asked<'compare/flame'>>} */ (
        /** @type {unknown} */ (null)
      ),
    }
    this.flame.asked = asked(server, () => (isShown('flame') ? flameQuestion(this) : null))
    this.steps = {
      sort: signal(params.get('sort2') ?? ''),
      asked: asked(server, () => (isShown('steps') ? stepsQuestion(this) : null)),
    }
    this.latency = latencyOf(this, params)
    this.facts = { all: signal(params.get('facts') === 'all') }
    app.className = 'profile-page compare-page'
    app.innerHTML =
      '<header class="top"></header><div class="notices"></div><section class="verdict" aria-label="Verdict"></section><main class="compare"><div class="profiles"></div><div class="diff"></div></main><footer class="foot"></footer>'
    this.timelines = sessions.map((session, i) => {
      const box = make('div', 'compare-lane')
      need('.profiles', app).append(box)
      const head = make('div', 'compare-head')
      head.textContent = (i ? 'new ' : 'base ') + session.head.name
      const timeline = new Timeline(session)
      timeline.element.setAttribute('aria-label', 'Timeline of ' + head.textContent)
      const body = make('div', 'compare-body')
      body.append(timeline.element)
      box.append(head, body)
      return timeline
    })
    this.follow()
    effect(() => {
      this.ask(this.by.value)
    })
    effect(() => {
      render(this.header(), need('header', app))
    })
    const notices = noticesOf(sessions)
    effect(() => {
      render(notices(), need('.notices', app))
    })
    document.addEventListener('nprof-back', () => {
      if (this.answer.value?.error) this.ask(this.by.value)
    })
    effect(() => {
      render(
        html`<h1>${this.sentence()}</h1>${this.others2()}<div class="changes-and-advice">${changesHead(this)}${compareAdvice(this)}</div>`,
        need('.verdict', app),
      )
    })
    const below = need('.diff', app),
      watch = new ResizeObserver(() => {
        this.width.value = below.clientWidth - 16 || this.width.value
      })
    watch.observe(below)
    effect(() => {
      render(TABS[this.tab.value].template(this), below)
    })
    listen(() => this.commands())
    this.keepLink()
  }

  /** The address says what is seen: the window of the base, how profiles are aligned, and the rows of the table. */
  keepLink() {
    let timer = 0
    effect(() => {
      const {
          window: {
            value: { t0, t1 },
          },
          whole,
        } = this.sessions[0],
        [a, ...b] = this.sessions.map(session => session.id)
      const link =
        base +
        '/compare' +
        query({
          a,
          b,
          t: t0 === whole.t0 && t1 === whole.t1 ? null : nsText(t0, '') + '..' + nsText(t1, ''),
          align: this.align.value === ALIGN[0] ? null : this.align.value,
          by: this.by.value === BY[0] ? null : this.by.value,
          zoom: this.zoom.value === ZOOM[0] ? null : this.zoom.value,
          changed: this.changed.value ? 'yes' : null,
          sort: this.sort.value || null,
          tab: this.tab.value === 'table' ? null : this.tab.value,
          other: this.other.value > 1 ? this.other.value : null,
          by2: this.flame.by.value || null,
          rows: this.flame.rows.value || null,
          width: this.flame.width.value === 'base' ? 'base' : null,
          root: this.flame.root.value,
          sort2: this.steps.sort.value || null,
          facts: this.facts.all.value ? 'all' : null,
          op: this.latency.name.value || null,
          scale: this.latency.scale.value === 'lin' ? 'lin' : null,
        })
      clearTimeout(timer)
      timer = window.setTimeout(() => history.replaceState(null, '', link), 250)
    })
  }

  /** Where a profile begins for the alignment. @param {Session} session */
  origin(session) {
    const step = session.profile.zeros.find(zero => zero.key === 'step')
    const marker = session.markers.value[0]
    if (this.align.value === 'marker' && marker) return marker.t
    return this.align.value === 'step' && step ? BigInt(step.t) : session.model.start
  }

  /** One window for all, while they zoom together: whoever moves takes the others along. */
  follow() {
    for (const session of this.sessions) {
      effect(() => {
        const { t0, t1 } = session.window.value
        if (this.zoom.value === 'apart') return
        for (const other of this.sessions) {
          const by = this.origin(other) - this.origin(session),
            now = other.window.peek()
          if (now.t0 !== t0 + by || now.t1 !== t1 + by)
            other.window.value = { t0: t0 + by, t1: t1 + by }
        }
      })
    }
  }

  /** @param {string} by */
  async ask(by) {
    const [a, ...others] = this.sessions.map(session => session.id)
    try {
      const answer = await get('compare', { a, b: others, by })
      this.answer.value = answer
      if (by === 'name') this.colour(answer.rows)
    } catch (error) {
      this.answer.value = { error: /** @type {Error} */ (error) }
    }
  }

  /** Bars have the colour of what became of their name. @param {Sheet} table */
  colour({ columns, rows }) {
    const at = (/** @type {RegExp} */ name) => columns.findIndex(column => name.test(column.name))
    const name = at(/^(name|operator)$/),
      verdict = at(/^verdict$/),
      renamed = at(/^renamed$/)
    if (name < 0 || verdict < 0) return
    const verdicts = new Map(
      rows
        .filter(row => String(row[verdict]) in SIGNS)
        .flatMap(row =>
          [row[name], row[renamed]]
            .filter(one => typeof one === 'string')
            .map(one => [one, String(row[verdict])]),
        ),
    )
    for (const session of this.sessions) session.verdicts.value = verdicts
  }

  /** @returns {import('../base/keys.js').Command[]} */
  commands() {
    const first = this.timelines[0]
    /** @param {string} id @param {string[]} keys @param {() => void} run */
    const one = (id, keys, run) => ({ id, keys, run, title: id, group: 'Move' })
    return [
      one('zoom in', ['w', 'ArrowUp'], () => first.zoom(first.anchor, 0.7)),
      one('zoom out', ['s', 'ArrowDown'], () => first.zoom(first.anchor, 1 / 0.7)),
      one('left', ['a', 'ArrowLeft'], () => first.pan(-1 / 8)),
      one('right', ['d', 'ArrowRight'], () => first.pan(1 / 8)),
      one('whole', ['0'], () => {
        const { t0, t1 } = this.sessions[0].whole
        this.sessions[0].show(t0, t1)
      }),
      one('theme', ['t'], nextTheme),
    ]
  }

  /** @param {string} how */
  alignBy(how) {
    this.align.value = how
    const without = this.sessions.filter(
      session => how === 'marker' && !session.markers.value.length,
    )
    if (without.length)
      say(
        'No marker in ' +
          without.map(session => session.head.name).join(', ') +
          ', which begins with its run: a right click on its rows drops one.',
      )
  }

  /** Compares others. @param {string[]} ids the base first */
  compare([a, ...b]) {
    location.href = base + '/compare' + query({ a, b })
  }

  /** Names of profiles as lists of choices have room for them: what tells them apart stays. */
  get shortNames() {
    return shortNames(
      [...this.sessions.map(({ head }) => head), ...this.others.value].map(one => one.name),
      LETTERS,
    )
  }

  /** A choice of a profile. @param {string} value @param {string} name @param {boolean} [selected] */
  option(value, name, selected = false) {
    return html`<option value=${value} title=${name} .selected=${selected}>${this.shortNames.get(name)}</option>`
  }

  /** Chooses the profile at a place, or leaves it out where two others stay. @param {number} i */
  chooser(i) {
    const ids = this.sessions.map(session => session.id),
      { head } = this.sessions[i],
      label = i ? 'new' + (ids.length > 2 ? ' ' + i : '') : 'base'
    const choose = (/** @type {ChoiceEvent} */ event) =>
      this.compare(ids.map((id, k) => (k === i ? event.target.value : id)).filter(Boolean))
    return html`<label class="chip keep" title=${head.name}>${label} <select class="wide" aria-label=${label} @change=${choose}>${this.option(ids[i], head.name, true)}
      ${this.others.value.filter(one => !ids.includes(one.bucket)).map(one => this.option(one.bucket, one.name))}${ids.length > 2 ? html`<option value="">leave out</option>` : nothing}</select></label>`
  }

  /** Another profile beside those that are compared. */
  adder() {
    const ids = this.sessions.map(session => session.id),
      more = this.others.value.filter(one => !ids.includes(one.bucket))
    if (!more.length || ids.length >= MOST) return nothing
    return html`<select class="add" aria-label="Compare one more" title="Compare one more" @change=${(/** @type {ChoiceEvent} */ event) => this.compare([...ids, event.target.value])}><option value="" .selected=${true}>+</option>${more.map(one => this.option(one.bucket, one.name))}</select>`
  }

  header() {
    const ids = this.sessions.map(session => session.id)
    return html`<a class="brand" href=${base + '/'} title="All profiles">nprof</a>
      ${this.chooser(0)}<button class="quiet" aria-label="Exchange base and new" title="Exchange base and new" @click=${() => this.compare([ids[1], ids[0], ...ids.slice(2)])}>⇄</button>${ids.slice(1).map((_, i) => this.chooser(i + 1))}${this.adder()}
      <label class="chip" title="Align">align <select aria-label="Align" @change=${(/** @type {ChoiceEvent} */ event) => this.alignBy(event.target.value)}>${ALIGN.map(one => html`<option value=${one} .selected=${this.align.value === one}>by ${one}</option>`)}</select></label>
      <label class="chip" title="Rows by">rows <select aria-label="Rows by" @change=${(
        /** @type {ChoiceEvent} */ event,
      ) => {
        this.by.value = event.target.value
      }}>${BY.map(one => html`<option value=${one} .selected=${this.by.value === one}>by ${one}</option>`)}</select></label>
      <label class="chip" title="Zoom">zoom <select aria-label="Zoom" @change=${(
        /** @type {ChoiceEvent} */ event,
      ) => {
        this.zoom.value = event.target.value
      }}>${ZOOM.map(one => html`<option .selected=${this.zoom.value === one}>${one}</option>`)}</select></label>
      <span class="gap"></span>${this.sessions.map(({ id, head }) => html`<a href=${base + '/profile/' + id} title=${head.name}>${this.shortNames.get(head.name)}</a>`)}<button class="quiet" aria-label="Theme" @click=${nextTheme}>◐</button>`
  }

  /** What the answer says of the base and the one that is shown beside it. */
  get said() {
    return this.answer.value?.verdicts?.find(
      (/** @type {{profile: string}} */ one) => one.profile === this.chosen.id,
    )
  }

  /** What the verdict is of. */
  get judgedText() {
    const { judged } = this.said ?? {}
    return judged ? JUDGED[judged.of] + ' of ' + judgedDevice(judged) : 'Step time'
  }

  /** The verdict as `nprof diff` says it of the base and the one that is shown beside it. */
  sentence() {
    const answer = this.answer.value,
      what = this.sessions[0].head.name + ' against ' + this.chosen.head.name
    if (!answer) return 'Comparing ' + what + '…'
    return this.said?.sentence
      ? unbroken(this.said.sentence)
          .split(/(->)/)
          .map(one => (one === '->' ? html`<span class="whole">${one}</span>` : one))
      : 'No verdict: ' + (answer.error?.message ?? what + ' have nothing in common')
  }

  /** A text of the answer with the names of profiles for their ids. @param {string} text */
  named(text) {
    return this.sessions.reduce(
      (now, session) => now.replaceAll(session.id, session.head.name),
      text,
    )
  }

  /** The command that says the same of the base and the one that is shown beside it. @param {string} words */
  commandOf(words) {
    return words === 'flame'
      ? [this.sessions[0], this.chosen].map(session => 'nprof flame ' + session.id).join('; ')
      : 'nprof ' + words + ' ' + this.sessions[0].id + ' ' + this.chosen.id
  }

  /** A command for each profile. @param {string} words */
  eachCommand(words) {
    return this.sessions.map(session => 'nprof ' + words + ' ' + session.id).join('; ')
  }

  command() {
    const [base, ...others] = this.sessions
    return others.map(other => 'nprof diff ' + base.id + ' ' + other.id).join('; ')
  }

  /** The profile that tabs of two show beside the base. */
  get chosen() {
    return this.sessions[this.other.value]
  }

  /** Rows of a table that are of it. @param {Sheet} table */
  ofChosen({ columns, rows }) {
    const profile = columnAt(columns, 'profile')
    return rows.filter(row => row[profile] === this.chosen.id)
  }

  /** What nprof diff says of a name, where it was asked by names. @param {string} name */
  verdictOf(name) {
    return this.sessions[0].verdicts.value?.get(name)
  }

  /** What a profile is here: the base, or which of the others. @param {number} i */
  sideText(i) {
    return i ? 'new' + (this.sessions.length > 2 ? ' ' + i : '') : 'base'
  }

  /** The tabs stand at the left of the bar that each of them has. */
  tabs() {
    const names = Object.keys(TABS),
      step = (/** @type {KeyboardEvent} */ event) => {
        const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
        if (!by) return
        event.preventDefault()
        event.stopPropagation()
        this.tab.value = names[(names.indexOf(this.tab.value) + by + names.length) % names.length]
        const strip = document.querySelector('.diff [role=tab][aria-selected=true]')
        if (strip instanceof HTMLElement) strip.focus()
      }
    return html`<div class="tabs" role="tablist" aria-label="Comparison" @keydown=${step}>${names.map(
      name =>
        html`<button role="tab" class="quiet" aria-selected=${this.tab.value === name ? 'true' : 'false'} tabindex=${this.tab.value === name ? 0 : -1} @click=${() => {
          this.tab.value = name
        }}>${TABS[name].title}</button>`,
    )}</div>`
  }

  /** Which of several others the verdict and tabs of two are about. */
  others2() {
    if (this.sessions.length < 3) return nothing
    return html`<label class="chip keep" title="Beside the base">beside base <select class="wide" aria-label="Beside the base" @change=${(
      /** @type {ChoiceEvent} */ event,
    ) => {
      this.other.value = Number(event.target.value)
    }}>${this.sessions.slice(1).map(({ head }, i) => this.option(String(i + 1), head.name, this.other.value === i + 1))}</select></label>`
  }

  /**
   * What each tab can be taken along as.
   * @param {() => void} csv @param {string} command
   * @param {{columns: {name: string}[], rows: unknown[][]}} [table]
   */
  tools(csv, command, table) {
    return html`${table ? html`<button class="quiet" title="Copy the table as Markdown" @click=${() => copy(markdown(table.columns, table.rows), 'Markdown')}>Markdown</button>` : nothing}
      <button class="quiet" title="Download as CSV" @click=${csv}>CSV</button>
      <button class="quiet" title=${'Copy as command: ' + command} @click=${() => copy(command, 'command')}>cmd</button>`
  }

  /** What stands above a column: calls of steps are means of a step, as nprof diff says as well. @param {string} name */
  titleOf(name) {
    const side = /^calls_(a|b)$/.exec(name)?.[1]
    return side
      ? (this.answer.value?.per === 'step' ? 'calls a step, ' : 'calls, ') +
          (side === 'a' ? 'base' : 'new')
      : TITLES[name]
  }

  /**
   * The verdict stands beside the operator; which profile a row is of is said where there are
   * several.
   * @param {Sheet & {total: number}} table
   */
  shownRows(table) {
    const names = table.columns.map(column => column.name),
      profile = names.indexOf('profile'),
      verdict = names.indexOf('verdict'),
      renamed = names.indexOf('renamed')
    const order = names
      .map((_name, i) => i)
      .filter(
        i =>
          i !== verdict &&
          (i !== renamed || table.rows.some(row => row[i] !== null)) &&
          (i !== profile || this.sessions.length > 2),
      )
    if (verdict >= 0) order.splice(1, 0, verdict)
    return {
      columns: order.map(i => ({
        ...table.columns[i],
        title: this.titleOf(table.columns[i].name),
      })),
      rows: table.rows.map(row =>
        order.map(i => (i === profile ? this.named(String(row[i])) : row[i])),
      ),
      total: table.total,
    }
  }

  diff() {
    const answer = this.answer.value
    if (!answer?.rows)
      return html`<div class="bar">${this.tabs()}</div>${answer ? unknown(answer.error.message) : html`<p class="pad muted" aria-busy="true">comparing…</p>`}`
    const rows = this.shownRows(answer.rows),
      verdict = columnAt(rows.columns, 'verdict')
    const kept =
        this.changed.value && verdict >= 0
          ? rows.rows.filter(row => row[verdict] !== 'same')
          : rows.rows,
      shown = this.withCalls(rows.columns, kept)
    const at = (/** @type {string} */ name) => columnAt(shown.columns, name),
      [verdictAt, change, calls] = ['verdict', 'change', 'calls_a'].map(at)
    return html`<div class="bar">${this.tabs()}<span>${this.judgedText}: <b>${this.said?.text ?? answer.verdict}</b></span><span class="muted">${counted(rows.rows.length, 'row')}${rows.rows.length ? ': ' : ''}${countsOf(rows.rows.map(row => String(row[verdict] ?? '')))}</span><label class="chip keep"><input type="checkbox" .checked=${this.changed.value} @change=${(
      /** @type {FieldEvent} */ event,
    ) => {
      this.changed.value = event.target.checked
    }}> changed only</label><span class="gap"></span>
        ${
          answer.unmatched.length
            ? html`<button class="quiet muted" @click=${() => {
                this.tab.value = 'facts'
              }}>${counted(answer.unmatched.length, 'track')} without a counterpart</button>`
            : nothing
        }
        ${this.tools(() => saveTable('compare', rows), this.command(), { columns: rows.columns, rows: kept })}</div>
      <dl class="totals changes">${this.changes(answer.totals)}</dl>
      ${gridTemplate({
        label: 'Differences',
        columns: shown.columns,
        rows: sortRows(shown.columns, shown.rows, this.sort.value),
        total: rows.total,
        offset: 0,
        sort: this.sort.value,
        onSort: next => {
          this.sort.value = next
        },
        onRow:
          this.by.value === 'layer' ? null : row => this.showLatency(String(row[at('operator')])),
        cell: (row, c) =>
          c === verdictAt
            ? verdictSpan(cellText(row[c]))
            : c === calls
              ? callsSpan(cellNumber(row[c]), cellNumber(row[row.length - 1]))
              : c === change && row[c] !== null
                ? html`<span title=${exactChange(Number(row[c]))}>${changeText(Number(row[c]))}</span>`
                : null,
      })}
      <div class="limits">${answer.verdicts.map(one => this.limit(one))}</div>`
  }

  /** Shows how long the spans of a name are in each profile. @param {string} name */
  showLatency(name) {
    this.latency.name.value = name
    this.tab.value = 'latency'
  }

  /**
   * Calls of both in one column, as nprof diff prints them; those of the other stand behind the
   * columns.
   * @param {import('../widgets/grid.js').Column[]} columns @param {Sheet['rows']} rows
   */
  withCalls(columns, rows) {
    const b = columnAt(columns, 'calls_b')
    if (b < 0) return { columns, rows }
    return {
      columns: columns
        .filter((_, i) => i !== b)
        .map(column =>
          column.name === 'calls_a'
            ? { ...column, title: this.answer.value?.per === 'step' ? 'calls a step' : 'calls' }
            : column,
        ),
      rows: rows.map(row => [...row.filter((_, i) => i !== b), row[b]]),
    }
  }

  /** Whether another profile meets the limit of CI. @param {import('../base/answers.d.ts').Verdict} verdict */
  limit({ profile, fail_over: share, met, over, unjudged }) {
    if (!share) return nothing
    const command = 'nprof diff --fail-over ' + share + ' ' + this.sessions[0].id + ' ' + profile,
      count = Number(over)
    return html`<p title="Counted are the step, all work, communication, the rest and each operator"><code>nprof diff --fail-over ${share}</code>${this.sessions.length > 2 ? ' of ' + this.named(profile) : ''}: ${unjudged ? html`<b>? not judged</b>, so it fails: ${unjudged}` : html`<b class=${met ? '' : 'failed'}>${met ? '✓ met' : '✗ NOT met'}</b>, ${count ? counted(count, 'part') : 'nothing'} slower by more`}
      <button class="quiet" title=${'Copy as command: ' + command} @click=${() => copy(command, 'command')}>Copy as command</button></p>`
  }

  /** How the step of each device changed, one device a line. @param {Total[]} totals */
  changes(totals) {
    const keyOf = (/** @type {Total} */ total) => total.device + '\0' + total.profile
    return [...new Set(totals.map(keyOf))].map(key => {
      const own = totals.filter(total => keyOf(total) === key),
        [{ device, profile }] = own
      return html`<div><dt>${deviceText(device)}${this.sessions.length > 2 ? ' in ' + this.named(profile) : ''}</dt>${own.map(total => html`<dd title=${total.verdict === 'inconclusive' ? (this.said?.unjudged ?? 'The steps of a profile differ as much as that: record more of them') : nothing}>${PARTS[total.part] ?? total.part} ${total.a_ps === null || total.b_ps === null ? nothing : html`<span class="muted">${[total.a_ps, total.b_ps].map(ps => durationText(BigInt(Math.round(ps)))).join(' → ')}</span> `}${total.value === null ? html`${metricSpan(total)}<span class="muted">: ${total.reason}</span>` : html`<b title=${exactChange(Number(total.value))}>${changeText(Number(total.value))}</b> ${verdictSpan(total.verdict)}`}</dd>`)}</div>`
    })
  }
}

/** @param {number | null} calls */
const callsText = calls => (calls === null ? '–' : numberText(calls))

/** @param {number | null} a @param {number | null} b */
const callsSpan = (a, b) =>
  html`<span title=${(a ?? 'none') + ' in the base, ' + (b ?? 'none') + ' in the other'}>${callsText(a) === callsText(b) ? callsText(a) : callsText(a) + ' → ' + callsText(b)}</span>`

/** How many operators have which verdict. @param {string[]} verdicts */
const countsOf = verdicts =>
  [...new Set(verdicts)]
    .filter(Boolean)
    .map(one => verdicts.filter(other => other === one).length + ' ' + one)
    .join(', ')

/** What is still being read is waited for. @param {string} id */
async function headOf(id) {
  for (;;) {
    const head = await get(`p/${id}`)
    if (head.gen) return head
    if (head.profile.error) throw new Error(head.profile.name + ': ' + head.profile.error.text)
    await new Promise(resolve => setTimeout(resolve, 300))
  }
}

/** @returns {Promise<(app: HTMLElement) => void>} */
export async function comparePage() {
  const params = new URLSearchParams(location.search),
    ids = [params.get('a'), ...params.getAll('b')].filter(id => id !== null)
  if (ids.length < 2) return missingPage('Select two profiles to compare')
  try {
    const heads = await Promise.all(ids.slice(0, MOST).map(headOf))
    const sessions = await Promise.all(heads.map(openSession))
    document.title = 'nprof: compare'
    return app => {
      new ComparePage(sessions, app)
    }
  } catch (error) {
    return missingPage('These profiles cannot be compared', /** @type {Error} */ (error).message)
  }
}
