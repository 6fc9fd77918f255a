// SPDX-License-Identifier: Apache-2.0
// Code: the source that was stored with the profile, events, self time and share by line. A click on an event shows its
// line, or another of the stack that led there; a click on lines outlines their events.
import { computed, effect, html, nothing, render, signal } from '../lib/lit.js'
import { copy, make } from '../base/element.js'
import { chosenPlace, placesOf } from '../base/places.js'
import { durationText } from '../base/time.js'
import { setting } from '../base/session.js'
import { linesQuery, sqlCommand } from '../base/sqlcommand.js'
import { counted, exactPercent, numberText, percentText } from '../base/values.js'
import { asked, bar, live, saveCsv, scopeOf, scopeParams, unknown, waiting } from './frame.js'
import { basics, codemirror } from './editor.js'
import { outlineLines } from './outlined.js'
import { scopeNote } from './scoped.js'
import { keptTexts } from './texts.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('./dock.js').Page} Page */

const NEEDS = 'needs lines of code: no row of the file names one'

/** @type {import('./dock.js').Mount} */
export const code = (element, page) => {
  const head = make('div', 'code-head'),
    body = make('div', 'code-body')
  element.append(head, body)
  const { session } = page,
    kept = setting(session, 'code.file', ''),
    place = chosenPlace(session)
  const index = {
    get value() {
      return kept.value ? Number(kept.value) : null
    },
    set value(next) {
      kept.value = next === null ? '' : String(next)
    },
  }
  const files = asked(session, () => ({ route: 'sources', params: scopeParams(session) }))
  const texts = asked(session, () =>
    index.value === null
      ? null
      : { route: 'source', params: { index: index.value, ...scopeParams(session) } },
  )
  /** Texts that were dropped for files of which none was stored, by the number of the file. */
  const dropped = signal(/** @type {Map<number, import('./texts.js').Dropped>} */ (new Map()))
  /** The text of the file with what the scope spent in its lines, or why there is none; null while it is asked for, undefined where no file is. */
  const text = computed(() => {
    if (place.value?.chosen && place.value.index === null)
      return { error: { status: 404, message: '' }, path: place.value.file }
    if (index.value === null) return undefined
    const { state, data, error } = texts.answer.value,
      file = files.answer.value.data?.files.find(one => one.index === index.value)
    if (state === 'failed' && dropped.value.has(index.value)) return dropped.value.get(index.value)
    return state === 'failed' && error
      ? { error, path: file?.path }
      : data?.index === index.value
        ? data
        : null
  })
  const askKept = () => {
    keptTexts(session, files.answer.value.data?.files ?? []).then(found => {
      dropped.value = found
    })
  }
  const stopKept = effect(askKept)
  document.addEventListener('nprof-text', askKept)
  const state = { index, text, answer: texts.answer, place, dropped }
  const wanted = effect(() => {
    const list = files.answer.value.data?.files ?? [],
      now = place.value
    if (now && list.some(file => file.index === now.index)) index.value = now.index
    else if (!kept.peek() && list.length)
      index.value = (list.find(file => file.present) ?? list[0]).index
  })
  const fade = effect(() => {
    for (const age of ['past', 'other'])
      body.classList.toggle(age, scopeOf(session, texts.answer.value) === age)
  })
  const stopHead = live(head, () => headTemplate(page, files.answer.value, state))
  const editor = mountEditor(body, page, text, place)
  return () => {
    stopHead()
    stopKept()
    document.removeEventListener('nprof-text', askKept)
    wanted()
    fade()
    files.dispose()
    texts.dispose()
    editor()
  }
}

/** Lines that the selected event names, where they are several. @param {Page} page @param {ReturnType<typeof chosenPlace>} place */
function chooser({ session }, place) {
  const places = placesOf(session),
    at = place.value?.at
  return places.length < 2
    ? nothing
    : html`<label class="chip" title="Lines that the selected event names: its own and those of its stack">Place <select class="wide" aria-label="Place" @change=${(/** @type {ChoiceEvent} */ event) => place.choose(Number(event.target.value))}>
    ${places.map((one, i) => html`<option value=${i} .selected=${i === at}>${one.text}</option>`)}</select></label>`
}

/**
 * A text with what the scope spent in its lines, or one that was dropped.
 * @typedef {{isDropped?: undefined, error?: undefined} & import('../base/answers.d.ts').Source |
 *   {error?: undefined} & Dropped} Source
 */
/** @typedef {import('./texts.js').Dropped} Dropped */
/**
 * Why a text is not there.
 * @typedef {{error: {status: number, message: string}, path?: string, index?: undefined, lines?:
 *   undefined, isDropped?: undefined}} Lacking
 */
/**
 * null: it is asked for; undefined: no file is.
 * @typedef {Source | Lacking | null | undefined} Text
 */

/** @template T @typedef {import('./frame.js').Answer<T>} Answer */

/**
 * @param {Page} page @param {Answer<import('./frame.js').Below['sources']>} answer
 * @param {{index: {value: number | null}, text: {value: Text}, answer: {value:
 *   Answer<import('./frame.js').Below['source']>}, place: ReturnType<typeof chosenPlace>, dropped:
 *   {value: Map<number, Dropped>}}} state
 */
function headTemplate(page, answer, state) {
  const files = answer.data?.files ?? []
  const chosen = files.find(file => file.index === state.index.value),
    text = state.text.value
  const path = chosen ? String(chosen.index) : ''
  return html`${bar({
    left: files.length
      ? html`<label class="chip" title="File">File <select class="wide" aria-label="File" @change=${(
          /** @type {ChoiceEvent} */ event,
        ) => {
          state.place.choose(null)
          state.index.value = Number(event.target.value)
        }}>${files.map(file => html`<option value=${file.index} .selected=${String(file.index) === path}>${file.path}${file.present ? '' : state.dropped.value.has(file.index) ? ' (dropped here)' : ' (not stored)'}</option>`)}</select></label>${chooser(page, state.place)}`
      : nothing,
    csv:
      text?.lines?.length && scopeOf(page.session, state.answer.value) !== 'other'
        ? () =>
            saveCsv(
              'lines',
              ['file', 'line', 'events', 'self_ps', 'share'],
              text.lines.map(one => [text.path, one.line, one.events, one.self, one.share]),
            )
        : null,
    command: commandOf(page.session, chosen?.path),
    note: [
      scopeOf(page.session, answer) === 'other'
        ? 'asking…'
        : chosen
          ? counted(chosen.events, 'event') + ', self ' + durationText(BigInt(chosen.self))
          : '',
      text?.isDropped ? 'time by line unknown: view --source DIR stores it' : '',
      scopeNote(page.session, page.session.chosenOf(page.session.scope.value)),
    ]
      .filter(Boolean)
      .join(' · '),
  })}${answer.state === 'failed' || (answer.data && !files.length) ? unknown(NEEDS) : waiting(answer)}`
}

/** The command that prints what was spent in the lines of a file. @param {import('../base/session.js').Session} session @param {string | undefined} path */
function commandOf(session, path) {
  const scope = session.scope.value,
    chosen = session.chosenOf(scope),
    query = path === undefined ? '' : linesQuery(session, session.rangeOf(scope), chosen, path)
  return query && sqlCommand(session, query, chosen.tracks.length > 0)
}

/** Where the folder is that has a file. @param {string} path as rows name it */
const folderOf = path =>
  /^(\/|[A-Za-z]:)/.test(path)
    ? 'a folder that has the file by the end of its path, ' + path
    : 'the folder that has ' + path + ', such as site-packages of a package'

/**
 * A text that is not here, with the command that stores it.
 * @param {Page} page @param {Lacking} source
 */
function missing(page, { error, path }) {
  if (error.status !== 404) return unknown(error.message)
  const command = page.session.commandFor('view --force --source DIR')
  return html`${unknown('source not given: the profile keeps no text of this file')}<p class="pad">Store it with the profile, where DIR is ${path ? folderOf(path) : 'the folder that has the sources'}, or drop the file on this page:<br><code class="command">${command}</code>
    <button class="quiet" @click=${() => copy(command, 'command')}>Copy</button></p>`
}

/**
 * @param {HTMLElement} body @param {Page} page @param {{value: Text, peek: () => Text}} text
 * @param {ReturnType<typeof chosenPlace>} place
 */
function mountEditor(body, page, text, place) {
  /** @type {Editor | null} */
  let editor = null
  let path = ''
  const stop = effect(() => {
    const source = text.value
    if (source === null) body.setAttribute('aria-busy', 'true')
    if (!source) return
    // Another scope has other numbers beside the same text, which stays where it was scrolled to.
    const top = source.path === path ? editor?.view.scrollDOM.scrollTop : undefined
    path = source.path ?? ''
    editor?.view.destroy()
    editor = null
    render(source.error ? missing(page, source) : nothing, body)
    if (source.error) return body.removeAttribute('aria-busy')
    codemirror().then(cm => {
      body.removeAttribute('aria-busy')
      if (text.value === source && !editor) editor = makeView(cm, body, page, source)
      if (top === undefined) editor?.show(costliest(source), true, false)
      follow(top === undefined)
      if (editor && top !== undefined) editor.view.scrollDOM.scrollTop = top
    })
  })
  /** @param {boolean} scroll */
  const follow = scroll => {
    const now = place.value
    if (editor && now?.line && now.index === text.peek()?.index) editor.show(now.line, scroll)
  }
  const onCode = () => follow(true)
  document.addEventListener('nprof-code', onCode)
  const stopFollow = effect(() => follow(place.value?.chosen ?? false))
  return () => {
    stop()
    stopFollow()
    editor?.view.destroy()
    document.removeEventListener('nprof-code', onCode)
  }
}

/** The line of the selected event has a colour of its own. @param {import('./editor.js').CodeMirror} cm */
function hereOf(cm) {
  const to = /** @type {import('@codemirror/state').StateEffectType<number>} */ (
    cm.StateEffect.define()
  )
  const field = cm.StateField.define({
    create: () => cm.Decoration.none,
    update: (marks, change) =>
      change.effects.reduce(
        (now, effect) =>
          effect.is(to)
            ? cm.Decoration.set([cm.Decoration.line({ class: 'cm-here' }).range(effect.value)])
            : now,
        marks,
      ),
    provide: self => cm.EditorView.decorations.from(self),
  })
  return { field, to }
}

/** @typedef {import('../base/answers.d.ts').SourceLine} Line */

/** What was spent in a line: heads of the columns, and their texts. */
const COSTS = ['events', 'self', 'share']

/** @param {Line} line */
const textsOf = ({ events, self, share }) => [
  numberText(events),
  durationText(BigInt(self)),
  share === null ? 'unknown' : percentText(share),
]

/** @param {string[]} texts */
function costs(texts) {
  const cell = make('span', 'costs')
  cell.append(...texts.map(text => Object.assign(make('span'), { textContent: text })))
  return cell
}

/** Columns are as wide as the longest of their texts. @param {Line[]} lines */
const widthsOf = lines =>
  lines
    .map(textsOf)
    .concat([COSTS])
    .reduce((most, texts) => most.map((one, i) => Math.max(one, texts[i].length)), [0, 0, 0])
    .map(one => one + 'ch')
    .join(' ')

/**
 * The line with most self time: what is looked for in a file that is opened.
 * @param {{lines: Line[]}} source
 */
const costliest = ({ lines }) =>
  lines.reduce((most, one) => (BigInt(one.self) > BigInt(most.self) ? one : most), {
    line: 0,
    self: '0',
  }).line

/** mark: the line is that of the selected event. @typedef {{view: import('@codemirror/view').EditorView, show: (line: number, scroll: boolean, mark?: boolean) => void}} Editor */

/**
 * @param {import('./editor.js').CodeMirror} cm @param {HTMLElement} body @param {Page} page
 * @param {Source} source @returns {Editor}
 */
function makeView(cm, body, page, source) {
  const here = hereOf(cm)
  const lines = new Map(source.lines.map(one => [one.line, one]))
  class Cost extends cm.GutterMarker {
    /** @param {Line | null} one */
    constructor(one) {
      super()
      this.one = one
    }

    toDOM() {
      if (!this.one) return costs(['', '', '']) // so that the columns stay where no line in sight has any
      const { events, share } = this.one,
        cell = costs(textsOf(this.one))
      cell.title =
        counted(events, 'event') +
        ', ' +
        (share === null
          ? 'share unknown: no line of this file has self time'
          : exactPercent(share) + ' of the self time of this file')
      return cell
    }
  }
  const panel = () => {
    const dom = costs(COSTS)
    dom.classList.add('cm-cost-head')
    dom.title =
      'Of each line: events that name it, their self time, and its share of that of the file'
    return { dom, top: true }
  }
  const costsOfLines = cm.gutter({
    class: 'cm-cost',
    lineMarker: (one, block) => {
      const found = lines.get(one.state.doc.lineAt(block.from).number)
      return found ? new Cost(found) : null
    },
    initialSpacer: () => new Cost(null),
  })
  const view = new cm.EditorView({
    parent: body,
    state: cm.EditorState.create({
      doc: source.text,
      extensions: [
        ...basics(cm),
        here.field,
        cm.EditorState.readOnly.of(true),
        cm.EditorView.editable.of(false),
        cm.EditorView.contentAttributes.of({
          'aria-label': 'Source of ' + source.path,
          tabindex: '0',
        }),
        ...(source.isDropped ? [] : [cm.showPanel.of(panel), costsOfLines]),
        cm.search(),
        cm.keymap.of(cm.searchKeymap),
        /\.(py|pyi)$/.test(source.path) ? cm.python() : cm.cpp(),
        cm.lineNumbers(),
      ],
    }),
  })
  view.dom.style.setProperty('--costs', widthsOf(source.lines))
  view.dom.addEventListener('mouseup', () => pickLines(page, view, source))
  view.dom.addEventListener('keydown', event => {
    if (event.key === 'Enter') pickLines(page, view, source)
  })
  return {
    view,
    show: (number, scroll, mark = true) => {
      if (number < 1 || number > view.state.doc.lines) return
      const { from } = view.state.doc.line(number)
      view.dispatch({
        selection: { anchor: from },
        effects: [
          ...(mark ? [here.to.of(from)] : []),
          ...(scroll ? [cm.EditorView.scrollIntoView(from, { y: 'center' })] : []),
        ],
      })
    },
  }
}

/**
 * Outlines the events of the chosen lines.
 * @param {Page} page @param {import('@codemirror/view').EditorView} view
 * @param {{index: number}} source
 */
function pickLines(page, view, source) {
  const { from, to } = view.state.selection.main
  const a = view.state.doc.lineAt(from).number,
    b = view.state.doc.lineAt(to).number
  outlineLines(page.session, source.index, a === b ? String(a) : a + '-' + b)
}
