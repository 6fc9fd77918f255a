// SPDX-License-Identifier: Apache-2.0
// The page of one profile: its verdict on top, the dock of widgets below, the status line at the foot.
import { get } from '../base/api.js'
import { wantsNeff } from '../base/doubts.js'
import { copy, need, say } from '../base/element.js'
import { listen } from '../base/keys.js'
import { keepLink, shareLink } from '../base/link.js'
import { durationText, nsText } from '../base/time.js'
import { figureText } from '../base/units.js'
import { counted, devicesText, formatText } from '../base/values.js'
import { effect, html, nothing, render, signal } from '../lib/lit.js'
import { GROUPINGS, SPAN } from '../timeline/model.js'
import { LEGENDS, MODES } from '../timeline/colours.js'
import { Dock } from '../widgets/dock.js'
import { runSearch, strangers } from '../widgets/search.js'
import {
  BUILT_IN,
  fronts,
  isArea,
  keepLayout,
  keptLayouts,
  dropLayout,
  nameOf,
  only,
  ownArea,
  readLayout,
} from '../widgets/layouts.js'
import { laterFigures } from '../widgets/advice.js'
import { scopeChip } from '../widgets/frame.js'
import { followOutline } from '../widgets/outlined.js'
import { isEmptyReport } from '../widgets/reports.js'
import { WIDGETS } from '../widgets/registry.js'
import { scopeNote } from '../widgets/scoped.js'
import { timelines } from '../widgets/timeline.js'
import { commandsOf, goTo } from './commands.js'
import { addDialog, helpDialog, layoutDialog } from './dialogs.js'
import { lacking } from './lacking.js'
import { noticesOf } from './notices.js'
import { nextTheme } from './theme.js'
import { addToProfile, onDrop } from './upload.js'
import { verdict } from './verdict.js'

/** @typedef {import('../widgets/dock.js').Area} Area */

const SCOPE = 'Scope of all widgets'

export class ProfilePage {
  /** @param {import('../base/session.js').Session} session @param {HTMLElement} app as opening.js left it @param {import('../timeline/timeline.js').Timeline | null} timeline that of the first look */
  constructor(session, app, timeline) {
    this.session = session
    this.app = app
    this.layout = signal('Overview')
    /** What the user changed in the layout, as the address keeps it. */
    this.changed = signal('')
    /** The dock as it was restored last, and how the address says it; null: it is being restored. @type {{dock: string, changed: string} | null} */
    this.restored = null
    /** @type {import('../base/session.js').Selection | null} */
    this.fitted = null
    this.commandText = signal('')
    this.version = signal('')
    session.ready
      .then(() => get('server'))
      .then(
        server => {
          this.version.value = server.version
        },
        () => {},
      )
    /** Names of the layouts that are kept on the server. @type {import('../lib/lit.js').Signal<string[]>} */
    this.kept = signal([])
    session.ready.then(() => this.listLayouts())
    this.dock = new Dock(
      need('.dock', app),
      {
        session,
        later: laterFigures(session),
        open: id => this.open(id),
        timeline: () => this.timeline(),
        first: timeline,
      },
      WIDGETS,
      { changed: () => this.onDock(), add: () => this.addMenu() },
    )
    this.commands = commandsOf(this)
    runSearch(session, effect)
    followOutline(session)
    this.readAddress(new URLSearchParams(location.search))
    need('header', app).replaceChildren()
    effect(() => {
      render(this.header(), need('header', app))
    })
    const notices = noticesOf([session]),
      lacks = lacking(this)
    effect(() => {
      render(html`${notices()}${verdict(this)}${lacks}`, need('.verdict', app))
    })
    effect(() => {
      render(this.foot(), need('footer', app))
    })
    listen(() => this.commands)
    onDrop(app, files => addToProfile(files, session.id, wantsNeff(session.profile)))
    keepLink(
      session,
      () => this.more(),
      params => this.readAddress(params),
    )
  }

  /** The session has read its part of the address already. @param {URLSearchParams} params */
  readAddress(params) {
    this.setLayout(nameOf(params), ownArea(params))
  }

  /** What the address keeps beside the session. @returns {Record<string, string>} */
  more() {
    return { l: this.layout.value === 'Overview' ? '' : this.layout.value, w: this.changed.value }
  }

  /** Shows a layout: a built-in one, one of the server, or one of an address. @param {string} name @param {Area | null} [area] */
  async setLayout(name, area = null) {
    const found =
      area ??
      BUILT_IN[name] ??
      (await readLayout(name).then(
        item => item.data,
        () => null,
      ))
    const usable = isArea(found) ? only(found, id => WIDGETS.has(id.split(':')[0])) : null
    if (!usable) return say('There is no layout ' + name + '.')
    this.restored = null
    this.dock.restore(area ? usable : fronts(usable, id => isEmptyReport(this, id)))
    this.took(name, this.dock.save(), area ? JSON.stringify(area) : '')
  }

  /** Shows a layout such that Back leads to the one before. @param {string} name */
  chooseLayout(name) {
    document.dispatchEvent(new CustomEvent('nprof-step'))
    return this.setLayout(name)
  }

  /** The dock as it is now is the layout `name`, which the address tells by `changed`. @param {string} name @param {Area | null} area @param {string} changed */
  took(name, area, changed) {
    this.restored = { dock: JSON.stringify(area), changed }
    this.layout.value = name
    this.changed.value = changed
  }

  /** The dock tells of what it restored, too: that is no change. */
  onDock() {
    if (!this.restored) return
    const now = JSON.stringify(this.dock.save())
    this.changed.value = now === this.restored.dock ? this.restored.changed : now
  }

  /** @param {string} id */
  open(id) {
    this.dock.open(id)
  }

  timeline() {
    const place = this.dock.places().find(one => one.name === 'timeline')
    return (place && timelines.get(place.node)) ?? null
  }

  /** @returns {number | null} */
  firstLane() {
    const timeline = this.timeline()
    const rows = this.session.rows.value.rows.filter(
      row => row.node.lanes.length > 0 && row.strips.length > 0,
    )
    const row =
      rows.find(one => one.node.hash === timeline?.focus) ??
      rows.find(one => one.node.lanes[0].type === SPAN) ??
      rows[0]
    return row?.strips[0].lane.lane ?? null
  }

  moveCurrent(/** @type {'split-left' | 'split-right' | 'split-top' | 'split-bottom'} */ mode) {
    const name = this.current()
    if (name) this.dock.move(name, mode)
  }

  resizeCurrent(/** @type {number} */ factor, /** @type {'horizontal' | 'vertical'} */ way) {
    const name = this.current()
    if (name) this.dock.resize(name, factor, way)
  }

  closeCurrent() {
    const name = this.current()
    if (name) this.dock.close(name)
  }

  /** The widget that has the focus, else the last that was opened. */
  current() {
    const focused = this.dock
      .places()
      .find(place => place.name === this.dock.front && place.isVisible)
    return (
      focused ??
      this.dock
        .places()
        .filter(place => place.isVisible && place.name !== 'timeline')
        .pop()
    )?.name
  }

  toggleBottom() {
    const area = this.dock.save()
    if (this.hiddenBottom) {
      this.dock.restore(this.hiddenBottom)
      this.hiddenBottom = null
    } else if (area) {
      this.hiddenBottom = /** @type {Area | null} */ (area)
      const rest = only(area, id => id === 'timeline' || id === 'details')
      if (rest) this.dock.restore(rest)
    }
  }

  /** @type {Area | null} */
  hiddenBottom = null

  /** @param {string} text */
  focusSearch(text) {
    const field = /** @type {HTMLInputElement} */ (need('.search', this.app))
    field.focus()
    if (text) field.value = text
    else field.select()
    this.commandText.value = field.value
  }

  help() {
    helpDialog(this.commands)
  }

  /** Code beside the timeline, at the line of the selected event. */
  showSource() {
    if (!this.session.details.value) return say('Select an event first.')
    if (!this.session.details.value.source)
      return say('The file names no line of code of this event.')
    this.open('code')
    document.dispatchEvent(new CustomEvent('nprof-code', { detail: { scroll: true } }))
  }

  addMenu() {
    addDialog(this)
  }

  layoutMenu() {
    layoutDialog(this, { keepLayout, dropLayout })
  }

  /** The layouts that are kept on the server, which the header lists from now on. */
  async listLayouts() {
    const kept = await keptLayouts().catch(() => [])
    this.kept.value = kept.map(item => item.name)
    return kept
  }

  /** @param {string} text */
  submit(text) {
    if (text.startsWith('>')) {
      const wanted = text.slice(1).trim().toLowerCase()
      const found = this.matching(wanted)[0]
      if (found) found.run()
      this.clearSearch()
    } else if (text.startsWith('@')) {
      goTo(this, text.slice(1))
      this.clearSearch()
    } else if (text.startsWith(':')) {
      this.runSql(text.slice(1).trim())
      this.clearSearch()
    } else {
      this.session.query.value = text
      document.dispatchEvent(new CustomEvent('nprof-hit', { detail: 1 }))
    }
  }

  /** Asks in SQL where people search; without a text the editor is shown. @param {string} text */
  runSql(text) {
    if (text) this.session.settings.value = { ...this.session.settings.value, 'sql.text': text }
    this.open('sql')
    if (text) document.dispatchEvent(new CustomEvent('nprof-sql'))
  }

  clearSearch() {
    const field = /** @type {HTMLInputElement} */ (need('.search', this.app))
    field.value = this.session.query.value
    this.commandText.value = ''
    field.blur()
  }

  /** @param {string} text */
  matching(text) {
    return this.commands
      .filter(one => one.title.toLowerCase().includes(text) || one.id.includes(text))
      .slice(0, 12)
  }

  header() {
    const { session } = this,
      head = session.head,
      text = this.commandText.value
    const facts = [
      formatText(head),
      durationText(session.model.length),
      ...(head.devices?.length ? [devicesText(head.devices)] : []),
    ]
    const hits = session.hits.value
    return html`<a class="brand" href="/" title="All profiles">nprof</a>
      <span class="profile-name" title=${head.inputs.map((/** @type {any} */ input) => input.label).join(', ')}>${head.name}</span>
      <span class="muted facts" title=${facts.join(' · ')}>${facts.map((fact, i) => html`<span>${i ? ' · ' : ''}${fact}</span>`)}</span>
      <form class="search-box" role="search" @submit=${(/** @type {Event} */ event) => {
        event.preventDefault()
        this.submit(/** @type {HTMLInputElement} */ (need('.search', this.app)).value)
      }}>
        <input class="search" type="search" autocomplete="off" spellcheck="false" aria-label="Search the whole profile" placeholder="/ search · > command · @ time" title="Words, fields such as category=kernel dur>1ms; > runs a command, @ goes to a time, : asks SQL"
          .value=${text || session.query.value} @input=${(/** @type {any} */ event) => {
            this.commandText.value = event.target.value
            if (!event.target.value) session.query.value = ''
          }}
          @keydown=${(/** @type {KeyboardEvent} */ event) => {
            if (event.key === 'Escape') this.clearSearch()
            if (event.key === 'Enter' && event.shiftKey) {
              event.preventDefault()
              document.dispatchEvent(new CustomEvent('nprof-hit', { detail: -1 }))
            }
          }}>
        ${hits ? html`<button type="button" class="quiet hits" @click=${() => this.open('search')}>${hits.error ? 'wrong text' : strangers(hits).length ? 'no field ' + strangers(hits)[0] : (hits.exact ? '' : '≥ ') + counted(hits.total, 'hit')}</button>` : nothing}
        ${text.startsWith('>') ? this.commandList(text.slice(1).trim().toLowerCase()) : nothing}
      </form>
      ${select('Colour', Object.keys(MODES), session.colourMode, LEGENDS)}
      ${select('Group', GROUPINGS, session.grouping)}
      ${scopeChip(session, SCOPE, SCOPE + ': ' + (scopeNote(session, session.chosenOf(session.scope.value)) || 'the whole run'))}
      <label class="chip" title=${'Layout: ' + this.layout.value}>Layout <select aria-label="Layout" @change=${(
        /** @type {any} */ event,
      ) => {
        const name = event.target.value
        if (name === '…') {
          event.target.value = this.layout.value
          this.layoutMenu()
        } else this.chooseLayout(name)
      }}>
        ${[...new Set([...Object.keys(BUILT_IN), ...this.kept.value, this.layout.value])].map(name => html`<option .selected=${this.layout.value === name}>${name}</option>`)}<option>…</option></select></label>
      <button class="quiet" title="Copy the link to what is seen (y)" @click=${async () => copy(await shareLink(session, this.more()), 'link')}>Link</button>
      <button class="quiet" title="Add a widget (+)" aria-label="Add a widget" @click=${() => this.addMenu()}>+</button>
      <button class="quiet" title="Light, dark, or as the system says (t)" aria-label="Theme" @click=${() => say('theme: ' + nextTheme())}>◐</button>
      <button class="quiet" title="Keys and help (?)" aria-label="Help" @click=${() => this.help()}>?</button>`
  }

  /** @param {string} text */
  commandList(text) {
    return html`<ul class="command-list" role="listbox" aria-label="Commands">${this.matching(
      text,
    ).map(
      one =>
        html`<li role="option" aria-selected="false" @mousedown=${(/** @type {Event} */ event) => {
          event.preventDefault()
          one.run()
          this.clearSearch()
        }}>${one.title} <kbd>${one.keys[0] ?? ''}</kbd></li>`,
    )}</ul>`
  }

  foot() {
    const { session } = this,
      { t0, t1 } = session.window.value,
      zero = session.zero.value.t,
      version = this.version.value
    const error = session.tiles.error.value
    return html`<span>${counted(session.model.rows, 'row')}${withoutRows(session)}</span>
      <span class="figures window-text">window ${nsText(t0 - zero)} – ${nsText(t1 - zero)} ns · ${durationText(t1 - t0)}</span>
      <span class="muted">${session.tiles.pending.value ? 'asking…' : session.tiles.lastMs.value ? answerText(session.tiles.lastMs.value) : ''}</span>
      ${version ? html`<span class="muted server">server ${version}</span>` : nothing}
      ${error ? html`<span class="failed" role="alert">${error.message} <button class="quiet" @click=${() => location.reload()}>Retry</button></span>` : nothing}
      <span class="gap"></span><span class="said muted" id="status"></span>`
  }
}

/** Tracks that the file names, and that have no rows, are not shown. @param {import('../base/session.js').Session} session */
function withoutRows({ model }) {
  const { empty } = model
  return empty.length
    ? html`<span class="muted" title=${'Not shown: ' + empty.map(track => model.nameOf(track.track)).join(', ')}> · ${counted(empty.length, 'track')} without rows</span>`
    : nothing
}

/** How long the last answers took. @param {number} ms */
const answerText = ms => figureText(ms * 1e6, 'ns') + '/answer'

/** @param {string} label @param {string[]} choices @param {import('../lib/lit.js').Signal<string>} chosen @param {Record<string, string>} [legends] what a choice means */
const select = (label, choices, chosen, legends) =>
  html`<label class="chip" title=${legends?.[chosen.value] ?? label + ' by'}>${label} <select aria-label=${label + ' by'} @change=${(
    /** @type {any} */ event,
  ) => {
    chosen.value = event.target.value
    if (legends?.[chosen.value]) say(label + ' by ' + chosen.value + ': ' + legends[chosen.value])
  }}>${choices.map(one => html`<option .selected=${chosen.value === one}>${one}</option>`)}</select></label>`
