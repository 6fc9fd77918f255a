// SPDX-License-Identifier: Apache-2.0
// What the bar of the timeline has: the scope that all tables and charts have, settings of the view (colours, rows, and
// what lies over the bars), annotations, and zoom.
import { html, nothing } from '../lib/lit.js'
import { css, say } from '../base/element.js'
import { OVERLAYS } from '../base/session.js'
import { stepTitle } from '../base/steps.js'
import { durationText, nsText } from '../base/time.js'
import { capital } from '../base/values.js'
import { MODES, legendOf } from '../timeline/colours.js'
import { KIND_NAMES } from '../timeline/palette.js'
import { GROUPINGS } from '../timeline/model.js'
import { changeTree } from '../timeline/tree.js'
import { SCOPES } from './frame.js'
import { menu } from './menu.js'
import { scopeNote } from './scoped.js'

/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').Scope} Scope */

const SCOPE = 'Scope of all widgets'

const PIN = html`<svg class="pin" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true"><path d="M4 1h4l-.5 4L9.5 7h-7l2-2zM6 7v4"/></svg>`

/** What stands in place of a choice. @type {Record<string, string>} */
const CHOICES = { auto: 'Selection, else window', ...SCOPES }

/** What the cross does, by what narrows the scope. @type {Record<string, string>} */
const WIDER = {
  pinned: 'Let the scope follow again',
  selection: 'Let go of the selection',
  window: 'Show the whole run',
}

/** @param {Session} session @param {'auto' | Scope} scope */
const nameOf = (session, scope) => {
  const area = session.area.value
  return scope === 'selection' && area?.kind === 'step'
    ? capital(stepTitle(area.step))
    : CHOICES[scope]
}

/** Of which part of the run all is, and whether that stays. @param {Session} session */
export const scopeText = session =>
  nameOf(session, session.scope.value).toLowerCase() +
  (session.choice.value === 'auto' ? '' : ', whatever is selected or zoomed to')

/** Of which part of the run tables and charts are; what narrows it has a cross. @param {Session} session */
export function chosenScope(session) {
  const scope = session.scope.value,
    { t0, t1 } = session.rangeOf(scope) ?? session.whole,
    { window, zero } = session,
    from = (/** @type {bigint} */ t) => nsText(t - zero.value.t)
  const button = {
    label: SCOPE,
    value: scope,
    look: 'chip-text',
    title: `${SCOPE}: ${scopeNote(session, session.chosenOf(scope)) || 'the whole run'}\nwindow ${from(window.value.t0)} – ${from(window.value.t1)} ns`,
    text: html`${nameOf(session, scope)} <b>${durationText(t1 - t0)}</b> ▾`,
  }
  const choice = session.choice.value,
    pinned = choice !== 'auto',
    offered = /** @type {('auto' | Scope)[]} */ (Object.keys(CHOICES)),
    wider = WIDER[pinned ? 'pinned' : scope]
  const items = offered
    .filter(one => one !== 'pinned' || choice === 'pinned')
    .map(one => ({
      text: nameOf(session, one),
      value: one,
      on: one === choice,
      run: () => {
        session.choice.value = one
      },
    }))
  return html`<span class=${'scope-chip' + (scope === 'whole' ? '' : ' narrow')}>${menu(button, [{ title: 'Scope', items }])}${
    wider
      ? html`<button class="quiet" title="Keep this scope, whatever is selected or zoomed to (v)" aria-label="Pin the scope" aria-pressed=${String(pinned)} @click=${() => session.togglePin()}>${PIN}</button><button class="quiet" title=${wider} aria-label=${wider} @click=${() => session.widenScope()}>✕</button>`
      : nothing
  }</span>`
}

/** Says by what bars are coloured now. @param {Session} session */
export function sayColours(session) {
  const mode = session.colourMode.value,
    legend = legendOf(session.names, mode)
  say('Colour by ' + mode + (legend && ': ' + legend))
}

/** @param {Session} session */
const colours = session =>
  Object.keys(MODES).map(mode => ({
    text: mode,
    value: mode,
    title: legendOf(session.names, mode),
    on: mode === session.colourMode.value,
    run: () => {
      session.colourMode.value = mode
      sayColours(session)
    },
  }))

/** Which rows there are, and what they are below. @type {[string, string][]} */
const ROWS_OF = [
  ['', 'all rows'],
  ['devices', 'devices'],
  ['host', 'host (CPU)'],
]

/** Why gaps are not drawn that tables have. @param {Session} session */
function gapsNote(session) {
  const short = (session.strip.value?.short_gaps ?? []).reduce((sum, [ps]) => sum + BigInt(ps), 0n)
  if (!short) return ''
  return (
    (session.gaps.value.length ? '; not drawn: ' : ': none is drawn, ') +
    durationText(short) +
    ' in gaps shorter than gap= of analyzer device'
  )
}

/** What lies over the bars. @param {Session} session */
const overlays = session =>
  Object.entries(OVERLAYS).map(([key, text]) => ({
    text: text + (key === 'gaps' ? gapsNote(session) : ''),
    value: key,
    on: session.overlays[key].value === 'yes',
    run: () => session.toggleOverlay(key),
  }))

/** What the colours of now mean. @param {string} mode @param {string} legend */
const meaning = (mode, legend) =>
  html`<div class="meaning">${
    mode === 'work'
      ? KIND_NAMES.map(
          ([kind, name]) =>
            html`<span><span class="swatch" ${css({ background: `var(--${kind})` })}></span>${name}</span>`,
        )
      : html`<span>${legend || 'one colour for each ' + mode}</span>`
  }</div>`

/** @param {Session} session */
function view(session) {
  const by = session.grouping.value,
    colour = session.colourMode.value,
    legend = legendOf(session.names, colour),
    { only } = session.tree.value
  return menu(
    {
      label: 'View settings',
      text: html`View settings <span class="muted">${colour}</span>`,
      title:
        'Edit view settings: colours (Instruction Grouping), rows, and what lies over the bars\ncoloured by ' +
        colour +
        (legend && ': ' + legend),
    },
    [
      { title: 'Colour by (Instruction Grouping)', items: colours(session) },
      {
        title: 'Group by',
        items: GROUPINGS.map(one => ({
          text: one,
          value: one,
          on: one === by,
          run: () => {
            session.grouping.value = one
          },
        })),
      },
      {
        title: 'Rows of',
        items: ROWS_OF.map(([value, text]) => ({
          text,
          value: 'of ' + value,
          on: only === value,
          run: () => changeTree(session, { only: value }),
        })),
      },
      { title: 'Over the bars', items: overlays(session) },
      {
        title: 'Counters',
        items: [
          {
            text: 'One axis for all of a unit',
            on: session.axis.value === 'common',
            run: () => session.toggleAxis(),
          },
        ],
      },
      { title: 'What colours mean', items: [], note: meaning(colour, legend) },
    ],
  )
}

/** @param {import('./dock.js').Page} page @param {import('../timeline/timeline.js').Timeline} timeline */
export function tools({ session, open }, timeline) {
  const zoom = (/** @type {number} */ factor) => () => timeline.zoom(timeline.anchor, factor),
    marked = session.markers.value.length,
    { t0, t1 } = session.window.value,
    isWhole = t0 === session.whole.t0 && t1 === session.whole.t1
  return html`${view(session)}<button class="quiet" title="Markers, and what lies between two of them; a right click on the timeline drops one" @click=${() => open('annotations')}>Annotations${marked ? html` <span class="muted">${marked}</span>` : nothing}</button>
    <button class="quiet" title="Zoom out (s)" aria-label="Zoom out" @click=${zoom(1 / 0.7)}>−</button>
    <button class="quiet" title="Zoom in (w)" aria-label="Zoom in" @click=${zoom(0.7)}>+</button>
    <button class=${'quiet' + (isWhole ? ' nothing-to-do' : '')} title="Show the whole run (0)" @click=${() => session.show(session.whole.t0, session.whole.t1, true)}>Fit</button>`
}
