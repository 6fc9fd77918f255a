// SPDX-License-Identifier: Apache-2.0
// The page of one profile: its verdict on top, the dock of widgets below.
import { get, sentences, write } from '../base/api.js'
import { wantsNeff } from '../base/doubts.js'
import { copy, need, say } from '../base/element.js'
import { runSearch, strangers } from '../base/hits.js'
import { listen } from '../base/keys.js'
import { keepLink, shareLink } from '../base/link.js'
import { base, isOneFile, packedRows } from '../base/packed.js'
import { withRest } from '../base/rest.js'
import { fieldsHint } from '../base/sought.js'
import { durationText } from '../base/time.js'
import { counted, devicesText, formatText } from '../base/values.js'
import { effect, html, nothing, render, signal, untracked } from '../lib/lit.js'
import { SPAN } from '../timeline/model.js'
import { Dock } from '../widgets/dock.js'
import { asked } from '../widgets/frame.js'
import {
  HIGH,
  STANDARD,
  THIRD,
  bottomOf,
  builtIn,
  fronts,
  heighten,
  isArea,
  keepLayout,
  keptLayouts,
  dropLayout,
  nameOf,
  only,
  ownArea,
  readLayout,
  turned,
  withTab,
} from '../widgets/layouts.js'
import { laterFigures } from '../widgets/advice.js'
import { followOutline } from '../widgets/outlined.js'
import { WIDGETS } from '../widgets/registry.js'
import { isEmptyReport, tablesThere } from '../widgets/subjects.js'
import { timelines } from '../widgets/timeline.js'
import { commandsOf } from './commands.js'
import { lacking } from './lacking.js'
import { actions, layouts, narrow } from './more.js'
import { noticesOf } from './notices.js'
import { onDrop } from './drop.js'
import { verdict } from './verdict.js'

/** @typedef {import('../widgets/dock.js').Area} Area */

/** Whether there is a widget of this id; a page that is one file has nobody who would run SQL. @param {string} id */
const isThere = id => WIDGETS.has(id.split(':')[0]) && !(isOneFile && id === 'sql')

/** What a page that is one file has with it. */
const fileNote = isOneFile
  ? html`<p class="sub">This page is one file with the whole run${packedRows.kept < packedRows.all ? ': finer pictures, tables of a part, and what can be told of its ' + counted(packedRows.all, 'row') + ' are left out' : ': tables of a part are left out'}.</p>`
  : nothing

/** Status of an answer that needs a place of the store which is not what was written. */
const DAMAGED = 422

export class ProfilePage {
  /** @param {import('../base/session.js').Session} session @param {HTMLElement} app as opening.js left it @param {import('../timeline/timeline.js').Timeline | null} timeline that of the first look */
  constructor(session, app, timeline) {
    this.session = session
    this.app = app
    this.layout = signal(STANDARD)
    /** What the user changed in the layout, as the address keeps it. */
    this.changed = signal('')
    /** The dock as it was restored last, and how the address says it; null: it is being restored. @type {{dock: string, changed: string} | null} */
    this.restored = null
    /** @type {import('../base/session.js').Selection | null} */
    this.fitted = null
    /** What is typed and not searched for yet. */
    this.typed = signal('')
    /** Whether the box has the focus and lists what can be asked. */
    this.asking = signal(false)
    /** The option below the box that Enter takes; -1: none. */
    this.option = signal(-1)
    /** What the box asks and lists, from its first focus on. @type {import('../lib/lit.js').Signal<typeof import('./ask.js') | null>} */
    this.ask = signal(null)
    /** Names that what is typed finds, while it is typed. */
    this.found = asked(session, () =>
      this.asking.value ? (this.ask.value?.namesQuestion(this, this.sought()) ?? null) : null,
    ).answer
    effect(() => {
      session.lit.value =
        (this.asking.value && this.ask.value?.litNames(this, this.sought())) || null
    })
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
    runSearch(session)
    followOutline(session)
    this.readAddress(new URLSearchParams(location.search))
    let was = narrow.value
    effect(() => {
      if (narrow.value === was) return
      was = narrow.value
      untracked(() => this.turn())
    })
    need('header', app).replaceChildren()
    effect(() => {
      render(this.header(), need('header', app))
    })
    const notices = noticesOf([session]),
      lacks = lacking(this)
    effect(() => {
      render(
        html`${notices()}${this.failed()}${verdict(this)}${lacks}${fileNote}`,
        need('.verdict', app),
      )
    })
    listen(() => this.commands)
    document.addEventListener('nprof-source', () => this.showSource())
    if (!isOneFile) onDrop(app, files => this.takeFiles(files))
    keepLink(
      session,
      () => this.more(),
      params => this.readAddress(params),
    )
  }

  /** Files that were dropped: texts of sources that the profile lacks, else profiles. @param {File[]} files */
  takeFiles(files) {
    const { session } = this
    withRest(async ({ addToProfile, takeSources }) => {
      const others = await takeSources(session, files)
      if (others.length < files.length) this.open('code')
      if (others.length) addToProfile(others, session.id, wantsNeff(session.profile))
    })
  }

  /** What is typed, else what was searched for. */
  sought() {
    return this.typed.value || this.session.query.value
  }

  /** The session has read its part of the address already. @param {URLSearchParams} params */
  readAddress(params) {
    this.setLayout(nameOf(params), ownArea(params))
  }

  /** What the address keeps beside the session. @returns {Record<string, string>} */
  more() {
    return { l: this.layout.value === STANDARD ? '' : this.layout.value, w: this.changed.value }
  }

  /** Shows a layout: a built-in one, one of the server, or one of an address. @param {string} name @param {Area | null} [area] */
  async setLayout(name, area = null) {
    const found =
      area ??
      builtIn(name) ??
      (await readLayout(name).then(
        item => item.data,
        () => null,
      ))
    const there = isArea(found) ? only(found, isThere) : null
    if (!there) return say('There is no layout ' + name + '.')
    const usable = turned(there)
    this.restored = null
    this.dock.restore(area ? usable : fronts(this.forJob(usable), id => isEmptyReport(this, id)))
    this.took(name, this.dock.save(), area ? JSON.stringify(area) : '')
  }

  /** Has the frame fit a window that became narrow, as by zooming to 200 %, or wide: as the address
   * would open in it. */
  turn() {
    return this.setLayout(
      this.layout.value,
      ownArea(new URLSearchParams({ w: this.changed.value })),
    )
  }

  /** A job has a tab of its ranks in each layout. @param {Area} area */
  forJob(area) {
    return tablesThere(this, ['ranks']).length ? withTab(area, 'ranks') : area
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

  /** Shows a widget, when what shows it has come. @param {string} id */
  open(id) {
    const show = () => this.dock.open(id)
    return WIDGETS.get(id.split(':')[0])?.isLater ? withRest(show) : show()
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

  /** The tabs below the lanes: none, a third of the height, most of it. */
  nextBottom() {
    const area = this.dock.save()
    if (this.hiddenBottom) {
      this.dock.restore(heighten(this.hiddenBottom, THIRD))
      this.hiddenBottom = null
    } else if (area && bottomOf(area) < (THIRD + HIGH) / 2) this.dock.restore(heighten(area, HIGH))
    else if (area) {
      this.hiddenBottom = area
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
    this.typing(field.value)
  }

  /** @param {string} text */
  typing(text) {
    this.typed.value = text
    this.asking.value = true
    this.option.value = this.ask.value?.presetOf(text) ?? -1
    if (!this.ask.value) this.loadAsk()
  }

  about() {
    withRest(({ aboutDialog }) => aboutDialog(this))
  }

  compare() {
    withRest(({ compareDialog }) => compareDialog(this))
  }

  help() {
    withRest(({ helpDialog }) => helpDialog(this.commands))
  }

  /** Code beside the timeline, at the line of the selected event. */
  showSource() {
    if (!this.session.details.value) return say('Select an event first.')
    if (!this.session.details.value.source)
      return say('The file names no line of code of this event.')
    withRest(() => {
      this.open('code')
      document.dispatchEvent(new CustomEvent('nprof-code'))
    })
  }

  addMenu() {
    withRest(({ addDialog }) => addDialog(this))
  }

  layoutMenu() {
    withRest(({ layoutDialog }) => layoutDialog(this, { keepLayout, dropLayout }))
  }

  /** The layouts that are kept on the server, which the header lists from now on. */
  async listLayouts() {
    const kept = await keptLayouts().catch(() => [])
    this.kept.value = kept.map(item => item.name)
    return kept
  }

  /** What the box asks and lists comes when it is first used. */
  loadAsk() {
    return withRest(({ ask }) => {
      if (this.ask.value) return
      this.ask.value = ask
      this.option.value = ask.presetOf(this.typed.value)
    })
  }

  /** @param {string} text */
  submit(text) {
    withRest(({ ask }) => ask.submit(this, text))
  }

  /** Searches the whole profile, and shows the first hit. @param {string} text */
  find(text) {
    this.session.query.value = text
    this.typed.value = ''
    this.asking.value = false
    this.option.value = -1
    document.dispatchEvent(new CustomEvent('nprof-hit', { detail: 1 }))
  }

  /** Asks in SQL where people search; without a text the editor is shown. @param {string} text */
  runSql(text) {
    if (text) this.session.settings.value = { ...this.session.settings.value, 'sql.text': text }
    withRest(() => {
      this.open('sql')
      if (text) document.dispatchEvent(new CustomEvent('nprof-sql'))
    })
  }

  clearSearch() {
    const field = /** @type {HTMLInputElement} */ (need('.search', this.app))
    field.value = this.session.query.value
    this.typed.value = ''
    field.blur()
  }

  /**
   * Closes the suggestions and clears what was typed; where none are open, clears the search itself
   * with its marks. Returns whether there was anything to clear.
   */
  leaveSearch() {
    const { query } = this.session,
      isOpen = this.asking.value
    if (!isOpen && !query.value) return false
    if (!isOpen) query.value = ''
    this.clearSearch()
    return true
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
      text = this.typed.value || session.query.value,
      ask = this.asking.value ? this.ask.value : null,
      options = ask ? ask.optionsOf(this, text) : []
    const facts = [
      formatText(head),
      durationText(session.model.length),
      ...(head.devices?.length ? [devicesText(head.devices)] : []),
    ]
    const hits = session.hits.value
    return html`${isOneFile ? html`<span class="brand">nprof</span>` : html`<a class="brand" href=${base + '/'} title="All profiles">nprof</a>`}
      <span class="profile-name" title=${head.inputs.map(input => input.label).join(', ')}>${head.name}</span>
      <span class="muted facts" title=${facts.join(' · ')}>${facts.map((fact, i) => html`<span>${i ? ' · ' : ''}${fact}</span>`)}</span>
      <form class="search-box" role="search" aria-busy=${this.asking.value && !this.ask.value ? 'true' : nothing} @submit=${(
        /** @type {Event} */ event,
      ) => {
        event.preventDefault()
        this.submit(/** @type {HTMLInputElement} */ (need('.search', this.app)).value)
      }}>
        <input class="search" type="search" autocomplete="off" spellcheck="false" aria-label="Search the whole profile" placeholder="Find or ask; field = value" title=${'Words, or fields: ' + fieldsHint(session.fields) + '; > runs a command, @ goes to a time, : asks SQL (/)'}
          role="combobox" aria-expanded=${String(options.length > 0)} aria-controls="asks" aria-activedescendant=${options[this.option.value] ? 'ask-' + this.option.value : nothing}
          .value=${text} @input=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
            const { value } = event.target // before what is drawn anew puts the search of now there
            if (!value) session.query.value = ''
            this.typing(value)
          }}
          @focus=${(/** @type {Event & {target: HTMLInputElement}} */ event) => {
            if (!this.asking.value) this.typing(event.target.value)
          }}
          @blur=${() => {
            this.asking.value = false
          }}
          @keydown=${(/** @type {KeyboardEvent} */ event) => {
            const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
            if (by && options.length) {
              event.preventDefault()
              this.option.value = Math.min(Math.max(this.option.value + by, 0), options.length - 1)
            }
            if (event.key === 'Escape') {
              event.preventDefault() // browsers empty such a field
              if (!this.leaveSearch()) this.clearSearch()
            }
            if (event.key === 'Enter' && event.shiftKey) {
              event.preventDefault()
              document.dispatchEvent(new CustomEvent('nprof-hit', { detail: -1 }))
            }
          }}>
        ${hits ? html`<button type="button" class="quiet hits" @click=${() => this.open('search')}>${hits.error ? 'wrong text' : strangers(hits).length ? 'no field ' + strangers(hits)[0] : (hits.exact ? '' : '≥ ') + counted(hits.total, 'hit')}</button>` : nothing}
        ${ask && (options.length || ask.isSearch(text)) ? ask.optionList(this, options, this.option.value, text) : nothing}
      </form>
      ${layouts(this)}
      ${actions(this)}`
  }

  /** Copies the link to what is seen. */
  async share() {
    return copy(await shareLink(this.session, this.more()), 'link')
  }

  /** Saves the page as one file, which needs no server. */
  saveFile() {
    const link = document.createElement('a')
    link.href = base + '/api/v1/' + this.session.base + '/page'
    link.download = this.session.head.name + '.html'
    say('The page is made as one file…')
    link.click()
  }

  /** Makes the store anew from its source; the page of a profile that is being read takes the place of this one. */
  async readAgain() {
    await write('POST', 'profiles/' + this.session.id + '/again', {
      keep_going: false,
      force: true,
    }).then(
      () => location.reload(),
      error => say(sentences(error)),
    )
  }

  /** What the data side could not answer. */
  failed() {
    const error = /** @type {import('../base/api.js').ApiError | null} */ (
      this.session.tiles.error.value
    )
    return error
      ? html`<p class="banner failed" role="alert">${sentences(error)} ${error.status === DAMAGED ? html`<button @click=${() => this.readAgain()}>Read it again</button>` : html`<button @click=${() => location.reload()}>Retry</button>`}</p>`
      : nothing
  }
}
