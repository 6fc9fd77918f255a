// SPDX-License-Identifier: Apache-2.0
// Dialogs of the profile page: help, add a widget, layouts, what is known of the profile, what to compare it with.
import { html, nothing, render } from '../lib/lit.js'
import { get } from '../base/api.js'
import { download, make, say } from '../base/element.js'
import { durationText, nsText } from '../base/time.js'
import { figureText } from '../base/units.js'
import { counted, devicesText, formatText, numberText } from '../base/values.js'
import { PATTERNS } from '../timeline/swatches.js'
import { themeNow } from '../timeline/theme.js'
import { OFFERED, builtIn, readLayout } from '../widgets/layouts.js'
import { WIDGETS } from '../widgets/registry.js'
import { base } from '../base/packed.js'

/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./profile.js').ProfilePage} ProfilePage */

/** Shows a modal dialog; it goes away when it is closed. @param {string} label @param {(close: () => void) => unknown} template */
export function dialog(label, template) {
  const box = /** @type {HTMLDialogElement} */ (make('dialog'))
  box.setAttribute('aria-label', label)
  document.body.append(box)
  const close = () => box.close()
  const draw = () =>
    render(
      html`<button class="close quiet" aria-label="Close" @click=${close}>×</button><h2>${label}</h2>${template(close)}`,
      box,
    )
  draw()
  box.addEventListener('close', () => box.remove())
  box.addEventListener('click', event => {
    if (event.target === box) close()
  })
  box.showModal()
  return { box, draw, close }
}

/** @type {Record<string, string>} */
const NAMES = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
  Escape: 'Esc',
}

/** @param {string} key */
const keyText = key =>
  key
    .split('+')
    .map(part => NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part))
    .join(' + ') || '+'

/** @type {[string, string][]} */
const MOUSE = [
  ['Drag on the rows', 'zoom to it'],
  ['Shift + drag', 'select an area'],
  ['Drag on the ruler, middle drag, Space + drag', 'pan'],
  ['Wheel', 'scroll the rows'],
  ['Shift + wheel', 'pan'],
  ['Ctrl + wheel', 'zoom at the pointer'],
  ['Click', 'all fields of an event'],
  ['Double click', 'fit the event'],
  ['Ctrl + click', 'event and its line of code'],
  ['Right click', 'marker (Shift + right click: menu of the browser)'],
  ['Drag a marker', 'it snaps to edges; with Alt it is free'],
]

/** A pattern of the timeline, as it is drawn there. @param {import('../timeline/swatches.js').Swatch} draw */
function swatch(draw) {
  const canvas = Object.assign(document.createElement('canvas'), { width: 44, height: 16 }),
    context = canvas.getContext('2d')
  if (context) draw(context, canvas.width, canvas.height, themeNow())
  return canvas
}

/** @param {import('../base/keys.js').Command[]} commands */
export function helpDialog(commands) {
  const groups = [...new Set(commands.map(one => one.group))]
  dialog(
    'Keys and mouse',
    () => html`<div class="help">
    ${groups.map(group => html`<section><h3>${group}</h3><dl>${commands.filter(one => one.group === group && one.keys.length).map(one => html`<dt>${one.keys.map(key => html`<kbd>${key === '+' ? '+' : keyText(key)}</kbd> `)}</dt><dd>${one.title}</dd>`)}</dl></section>`)}
    <section><h3>Mouse</h3><dl>${MOUSE.map(([how, what]) => html`<dt>${how}</dt><dd>${what}</dd>`)}</dl></section>
    <section class="patterns"><h3>Patterns</h3><dl>${PATTERNS.map(([draw, what]) => html`<dt>${swatch(draw)}</dt><dd>${what}</dd>`)}</dl></section></div>`,
  )
}

/** Tables of which rows are sentences with gaps to fill, which widgets, banners and reports do. */
const TEMPLATES = ['summary', 'findings', 'verdict', 'abilities']

/** @param {ProfilePage} page */
export function addDialog(page) {
  const there = new Set(page.dock.places().map(place => place.name))
  const tables = page.session.profile.tables.filter(one => !TEMPLATES.includes(one.name))
  dialog(
    'Add a widget',
    close => html`<div class="picker"><ul>${[...WIDGETS.values()].map(
      one =>
        html`<li><button class="pick" @click=${() => {
          close()
          page.open(one.id)
        }}><b>${one.title}</b>${there.has(one.id) ? ' ✓' : ''}<span class="muted">${one.help}</span></button></li>`,
    )}</ul>
    <h3>Tables of this profile</h3><ul class="tables">${tables.map(
      one =>
        html`<li><button class="pick" @click=${() => {
          close()
          page.open('table:' + one.name)
        }}>${one.title || one.name} <span class="muted">${numberText(one.rows)} rows</span></button></li>`,
    )}</ul></div>`,
  )
}

/** What else is known of a profile: its rows and inputs, the window to the nanosecond, tracks that are not shown, and the server. @param {ProfilePage} page */
export function aboutDialog(page) {
  const { session } = page,
    { head, model, window, zero, tiles } = session,
    from = (/** @type {bigint} */ t) => nsText(t - zero.value.t)
  /** @type {[string, unknown][]} */
  const facts = [
    ['rows', counted(model.rows, 'row')],
    ['inputs', head.inputs.map(input => input.label).join(', ')],
    ['window', from(window.value.t0) + ' – ' + from(window.value.t1) + ' ns'],
    [
      'not shown',
      model.empty.length
        ? counted(model.empty.length, 'track') +
          ' without rows: ' +
          model.empty.map(track => model.nameOf(track.track)).join(', ')
        : 'nothing',
    ],
    ['an answer takes', figureText(tiles.lastMs.value * 1e6, 'ns')],
    ['server', page.version.value],
  ]
  dialog(
    'About this profile',
    () =>
      html`<dl class="fields">${facts.map(([key, value]) => html`<dt>${key}</dt><dd>${value}</dd>`)}</dl>`,
  )
}

/** Other profiles of the server, to compare with this one. @param {ProfilePage} page */
export async function compareDialog(page) {
  const { id } = page.session,
    { profiles } = await get('profiles'),
    others = profiles.filter(one => one.bucket !== id && one.status === 'ready')
  /** @param {import('../base/answers.d.ts').Brief} one */
  const beside = one =>
    [formatText(one), devicesText(one.devices), durationText(BigInt(one.length))]
      .filter(Boolean)
      .join(' · ')
  dialog(
    'Compare with',
    () =>
      html`<ul class="picker">${others.map(
        one =>
          html`<li><a class="pick" href=${base + '/compare?a=' + id + '&b=' + one.bucket}><b>${one.name}</b><span class="muted">${beside(one)}</span></a></li>`,
      )}</ul>${others.length ? nothing : html`<p class="muted">There is no other profile here: drop its file on this page.</p>`}`,
  )
}

/** @param {ProfilePage} page @param {{keepLayout: typeof import('../widgets/layouts.js').keepLayout, dropLayout: typeof import('../widgets/layouts.js').dropLayout}} server */
export async function layoutDialog(page, server) {
  /** @type {{name: string, rev: number}[]} */
  let kept = await page.listLayouts()
  let name = builtIn(page.layout.value) ? '' : page.layout.value
  const again = async () => {
    kept = await page.listLayouts()
    shown.draw()
  }
  const save = async () => {
    const area = page.dock.save()
    if (!area || !name) return
    await server.keepLayout(name, area)
    page.took(name, area, '')
    say('saved layout ' + name)
    await again()
  }
  const rename = async (
    /** @type {{name: string, rev: number}} */ item,
    /** @type {string} */ to,
  ) => {
    const { data } = await readLayout(item.name)
    await server.keepLayout(to, data)
    await server.dropLayout(item.name, item.rev)
    await again()
  }
  const shown = dialog(
    'Layouts',
    close => html`
    <form class="acts" @submit=${(/** @type {Event} */ event) => {
      event.preventDefault()
      save()
    }}><input aria-label="Name of the layout" placeholder="name" .value=${name} @input=${(
      /** @type {FieldEvent} */ event,
    ) => {
      name = event.target.value
    }}>
      <button>Save as</button><button type="button" @click=${() => download('layout.json', JSON.stringify(page.dock.save(), null, 1), 'application/json')}>Export</button></form>
    <h3>Kept, for all profiles</h3><ul class="picker kept">${kept.map(
      item => html`<li><input aria-label=${'Rename ' + item.name} .value=${item.name} @change=${(/** @type {FieldEvent} */ event) => rename(item, event.target.value)}>
      <button @click=${() => {
        close()
        page.chooseLayout(item.name)
      }}>Load</button><button @click=${() => server.dropLayout(item.name, item.rev).then(again)}>Delete</button></li>`,
    )}</ul>${kept.length ? nothing : html`<p class="muted">None yet.</p>`}
    <h3>Built-in</h3><ul class="picker tables">${OFFERED.flatMap(([, names]) => names).map(
      one =>
        html`<li><button class="pick" @click=${() => {
          close()
          page.chooseLayout(one)
        }}>${one}</button></li>`,
    )}</ul>`,
  )
}
