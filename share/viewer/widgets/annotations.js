// SPDX-License-Identifier: Apache-2.0
// Annotations: the markers of the profile, what lies between two of them, and named sets on the server.
import { effect, html, nothing, signal } from '../lib/lit.js'
import { get, write } from '../base/api.js'
import { download, say } from '../base/element.js'
import { durationText, nsText } from '../base/time.js'
import { setting } from '../base/session.js'
import { bar, live, metricSpan, saveCsv } from './frame.js'
import { CSS } from '../timeline/colours.js'
import { ranges } from '../timeline/tiles.js'
import { css } from '../base/element.js'
import { counted, numberText } from '../base/values.js'
import { dataOf, pairsOf, readSet } from '../base/markers.js'
import { devicesCommand } from '../base/sqlcommand.js'

/** @typedef {import('../base/element.js').ChoiceEvent} ChoiceEvent */
/** @typedef {import('../base/element.js').FieldEvent} FieldEvent */
/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Marker} Marker */

/** The part of the run that an event is near a marker; how long a marker rests before anything is asked of it, in ms. */
const NEAR = 1000n,
  SETTLE = 120

/** Metrics between two markers. @type {[import('../base/answers.d.ts').Figure, string][]} */
const METRICS = [
  ['busy', 'busy'],
  ['compute', 'compute'],
  ['exposed', 'exposed'],
  ['mfu', 'MFU'],
  ['bytes', 'bytes'],
]

/** @type {import('./dock.js').Mount} */
export const annotations = (element, page) => {
  const { session } = page
  const sets = signal(/** @type {{name: string, rev: number}[]} */ ([])),
    name = setting(session, 'annotations.set', 'base')
  const stats = signal(/** @type {Record<string, Between>} */ ({}))
  /** By time, the edge of an event that is nearest; null: none is near; undefined: it is being asked. */
  const nearest = signal(/** @type {Record<string, Edge | null | undefined>} */ ({}))
  const list = () =>
    get(`p/${session.id}/annotations`).then(
      answer => {
        sets.value = answer.items
      },
      () => {},
    )
  list()
  document.addEventListener('nprof-kept', list)
  // A marker that is dragged moves often: what is at its place is asked when it rests.
  let timer = 0
  const stopStats = effect(() => {
    const markers = session.markers.value,
      all = pairsOf(markers)
    clearTimeout(timer)
    timer = window.setTimeout(() => {
      for (const pair of all) if (!(pair.key in stats.peek())) askPair(session, pair, stats)
      for (const { t } of markers)
        if (!(String(t) in nearest.peek())) askNearest(session, t, nearest)
    }, SETTLE)
  })
  const stop = live(
    element,
    () => html`
      ${bar({
        scoped: 'markers: each has its own time',
        left: html`<input class="set" aria-label="Name of the set" .value=${name.value} @input=${(
          /** @type {FieldEvent} */ event,
        ) => {
          name.value = event.target.value
        }}>
        <button class="quiet" ?disabled=${!session.markers.value.length || !name.value} @click=${() => keep(page, name.value, sets.value).then(list)}>Save as</button>
        <label class="chip" title="Load a set">Load <select aria-label="Load a set" @change=${(
          /** @type {ChoiceEvent} */ event,
        ) => {
          load(page, event.target.value)
          name.value = event.target.value
          event.target.value = ''
        }}><option value="">…</option>${sets.value.map(one => html`<option>${one.name}</option>`)}</select></label>
        <button class="quiet" ?disabled=${!session.markers.value.length} @click=${() => download('markers.json', JSON.stringify(dataOf(session.markers.value), null, 1), 'application/json')}>Export</button>`,
        command: pairsOf(session.markers.value)
          .map(pair => devicesCommand(session, pair))
          .join('\n'),
        csv: session.markers.value.length
          ? () =>
              saveCsv(
                'markers',
                ['name', 't_ps', 'range_end_ps'],
                session.markers.value.map(one => [one.name, one.t, one.range]),
              )
          : null,
      })}
      ${session.markers.value.length ? rows(page, stats.value, nearest.value) : html`<p class="pad muted">Right click on the timeline, or press m, to drop a marker.</p>`}`,
  )
  return () => {
    stop()
    stopStats()
    clearTimeout(timer)
    document.removeEventListener('nprof-kept', list)
  }
}

/**
 * What lies between two markers, as far as it has come.
 * @typedef {{asking?: boolean} & Partial<import('../base/answers.d.ts').Totals>} Between
 */
/**
 * @param {import('../base/session.js').Session} session
 * @param {{key: string, t0: bigint, t1: bigint}} pair
 * @param {import('../lib/lit.js').Signal<Record<string, Between>>} stats
 */
async function askPair(session, pair, stats) {
  stats.value = { ...stats.peek(), [pair.key]: { asking: true } }
  const range = { t0: pair.t0, t1: pair.t1 },
    none = () => ({ totals: null })
  const { totals } = await session.ask('s', { ...range, n: 1 }).catch(none)
  if (totals) stats.value = { ...stats.peek(), [pair.key]: { events: totals.events, asking: true } }
  const more = await session.ask('window', range).catch(none)
  stats.value = { ...stats.peek(), [pair.key]: { ...totals, ...more.totals } }
}

/** @typedef {{t: string, row: string, what: string, name: string}} Edge of an event */
/** @param {import('../base/session.js').Session} session @param {bigint} t @param {import('../lib/lit.js').Signal<Record<string, Edge | null | undefined>>} nearest */
async function askNearest(session, t, nearest) {
  const { t0, t1 } = session.whole,
    note = (/** @type {Edge | null | undefined} */ edge) => {
      nearest.value = { ...nearest.peek(), [String(t)]: edge }
    }
  note(undefined)
  const {
    edges: [edge],
  } = await session
    .ask('edges', { tracks: ranges([...session.model.tracks.keys()]), t, within: (t1 - t0) / NEAR })
    .catch(() => ({ edges: /** @type {import('./frame.js').Below['edges']['edges']} */ ([]) }))
  note(
    edge
      ? {
          ...edge,
          name: (await session.ask('e', { row: edge.row }).catch(() => ({ name: '' }))).name,
        }
      : null,
  )
}

/** @param {Page} page @param {Marker} marker @param {Edge | null | undefined} edge */
function nearestCell({ session }, marker, edge) {
  if (!edge) return html`<span class="muted">${edge === null ? 'none near' : 'asking…'}</span>`
  const away = marker.t - BigInt(edge.t)
  return html`<a href="#" title=${'The ' + edge.what + ' of it'} @click=${(
    /** @type {Event} */ event,
  ) => {
    event.preventDefault()
    session.select({ kind: 'event', row: edge.row }, { reveal: true })
  }}>${edge.name || 'no name'}</a> <span class="muted">${edge.what} ${away < 0n ? '−' : '+'} ${durationText(away < 0n ? -away : away)}</span>`
}

/**
 * @param {Page} page @param {Record<string, Between>} stats
 * @param {Record<string, Edge | null | undefined>} nearest by time
 */
function rows(page, stats, nearest) {
  const { session } = page,
    markers = session.markers.value,
    all = pairsOf(markers),
    zero = session.zero.value.t
  return html`<div class="grid-box"><table class="grid" role="grid" aria-label="Markers"><thead><tr>${['zoom', 'name', 'time', 'nearest event', 'Diff vs', 'Δt', ...METRICS.map(one => one[1]), 'events', ''].map(head => html`<th scope="col">${head || html`<span class="sr-only">delete</span>`}</th>`)}</tr></thead>
    <tbody>${markers.map(marker => {
      const pair = all.find(one => one.id === marker.id),
        sums = pair ? (stats[pair.key] ?? { asking: true }) : null,
        edge = nearest[String(marker.t)]
      return html`<tr data-marker=${marker.id} aria-busy=${sums?.asking || edge === undefined ? 'true' : nothing}><td><input type="checkbox" aria-label=${'Zoom to ' + marker.name} ?disabled=${!pair} @change=${(
        /** @type {FieldEvent} */ event,
      ) => {
        if (event.target.checked && pair) session.show(pair.t0, pair.t1, true)
      }}></td>
        <td><span class="swatch" ${css({ background: CSS[marker.color] })}></span><input class="rename" aria-label=${'Name of ' + marker.name} .value=${marker.name} @change=${(/** @type {FieldEvent} */ event) => rename(page, marker, event.target.value)}></td>
        <td class="number"><a href="#" @click=${(/** @type {Event} */ event) => {
          event.preventDefault()
          session.centre(marker.t)
        }}>${nsText(marker.t - zero)} ns</a></td>
        <td>${nearestCell(page, marker, edge)}</td>
        <td><select aria-label=${'Diff of ' + marker.name + ' vs'} title="The timeline shades what lies between both" @change=${(/** @type {ChoiceEvent} */ event) => compare(page, marker, event.target.value)}><option value="">${marker.range === null ? 'previous' : 'its end'}</option>${markers.filter(one => one !== marker).map(one => html`<option value=${one.id} .selected=${marker.versus === one.id}>${one.name}</option>`)}</select></td>
        <td class="number" title=${pair ? nsText(pair.delta) + ' ns' : nothing}>${pair ? nsText(pair.delta) + ' ns' : ''}</td>
        ${METRICS.map(([key]) => html`<td class="number">${sums?.[key] ? metricSpan(sums[key]) : ''}</td>`)}
        <td class="number">${sums?.events === undefined ? '' : numberText(sums.events)}</td>
        <td><button class="quiet" aria-label=${'Delete ' + marker.name} @click=${() =>
          session.setMarkers(
            markers.filter(one => one !== marker),
            marker.name + ' deleted',
          )}>×</button></td></tr>`
    })}</tbody></table></div>
    <p class="pad muted">${counted(markers.length, 'marker')}${markers.length > 1 ? ' over ' + durationText(markers[markers.length - 1].t - markers[0].t) : ''}. Ctrl+Z undoes.</p>`
}

/** @param {Page} page @param {Marker} marker @param {string} id of another; empty: what it is compared with where nobody chose */
function compare({ session }, marker, id) {
  const markers = session.markers.value,
    other = markers.find(one => one.id === id)
  session.setMarkers(
    markers.map(one => (one === marker ? { ...one, versus: other?.id } : one)),
    marker.name +
      ' is compared with ' +
      (other?.name ?? (marker.range === null ? 'the marker before it' : 'its end')),
  )
}

/** @param {Page} page @param {Marker} marker @param {string} text */
function rename(page, marker, text) {
  const { session } = page
  session.setMarkers(
    session.markers.value.map(one => (one === marker ? { ...one, name: text } : one)),
    marker.name + ' is now ' + text,
  )
}

/** @param {Page} page @param {string} name @param {{name: string, rev: number}[]} sets */
async function keep(page, name, sets) {
  const rev = sets.find(one => one.name === name)?.rev ?? null
  try {
    await write('PUT', `p/${page.session.id}/annotations/${encodeURIComponent(name)}`, {
      rev,
      data: dataOf(page.session.markers.value),
    })
    page.session.markerSet.value = name
    say('saved ' + counted(page.session.markers.value.length, 'marker') + ' as ' + name)
  } catch (error) {
    say('not saved: ' + /** @type {Error} */ (error).message)
  }
}

/** @param {Page} page @param {string} name */
async function load(page, name) {
  if (!name) return
  page.session.setMarkers(await readSet(page.session, name), 'loaded ' + name, name)
}
