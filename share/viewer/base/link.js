// SPDX-License-Identifier: Apache-2.0
// The address is the whole state of the page: it is read once and written whenever something changes.
import { write } from './api.js'
import { say } from './element.js'
import { batch, effect } from '../lib/lit.js'
import { dataOf, markersOf, readSet } from './markers.js'
import { base, isOneFile, pageOfProfile } from './packed.js'
import { readParts, tracksOfParts } from './parts.js'
import { withRest } from './rest.js'
import { stepTitle } from './steps.js'
import { readNs, nsText } from './time.js'
import { freshTree } from '../timeline/rows.js'

/** @typedef {import('./session.js').Session} Session */

const LONGEST = 1900

/** @param {import('../timeline/rows.js').TreeState} tree */
function treeText(tree) {
  return [
    ...(tree.only ? ['r:' + tree.only] : []),
    ...tree.pinned.map(hash => 'p:' + hash),
    ...tree.hidden.map(hash => 'h:' + hash),
    ...Object.entries(tree.open).map(([hash, open]) => (open ? 'x:' : 'f:') + hash),
    ...Object.entries(tree.heights).map(([hash, height]) => height + ':' + hash),
    ...tree.order.map(hash => 'o:' + hash),
    ...Object.entries(tree.colours).map(([hash, colour]) => 'c' + colour + ':' + hash),
  ].join(',')
}

/** @param {string} text @param {string} filter */
function readTree(text, filter) {
  const tree = { ...freshTree(), filter }
  for (const part of text.split(',')) {
    const [what, hash] = part.split(':')
    if (what === 'r' && (hash === 'devices' || hash === 'host')) tree.only = hash
    if (!/^[0-9a-f]{8}$/.test(hash ?? '')) continue
    if (what === 'p') tree.pinned.push(hash)
    else if (what === 'h') tree.hidden.push(hash)
    else if (what === 'x' || what === 'f') tree.open[hash] = what === 'x'
    else if (what === '2' || what === '4') tree.heights[hash] = Number(what)
    else if (what === 'o') tree.order.push(hash)
    else if (/^c\d+$/.test(what)) tree.colours[hash] = Number(what.slice(1)) % 24
  }
  return tree
}

/** @param {string} text */
function readWindow(text) {
  const [t0, t1] = text.split('..').map(readNs)
  return t0 !== null && t0 !== undefined && t1 !== null && t1 !== undefined && t0 < t1
    ? { t0, t1 }
    : null
}

/** @param {string} text "6000..6600@3.4", or "6000..6600@step:1@3,4": rows of a group */
function readArea(text) {
  const at = text.includes('@') ? text.indexOf('@') : text.length,
    tracks = text.slice(at + 1)
  const range = readWindow(text.slice(0, at))
  if (range && readParts(tracks))
    return {
      kind: /** @type {const} */ ('area'),
      ...range,
      tracks: tracksOfParts(tracks),
      parts: tracks,
    }
  return (
    range && {
      kind: /** @type {const} */ ('area'),
      ...range,
      tracks: tracks.split('.').filter(Boolean).map(Number),
    }
  )
}

/** @param {{t0: bigint, t1: bigint} & import('./session.js').Chosen} area */
const areaText = ({ t0, t1, tracks, parts }) =>
  nsText(t0, '') + '..' + nsText(t1, '') + '@' + (parts ?? tracks.join('.'))

/** @param {string} text "6000..6600@3": the step 3 */
function readStep(text) {
  const at = text.indexOf('@'),
    range = at < 0 ? null : readWindow(text.slice(0, at))
  return range && { kind: /** @type {const} */ ('step'), ...range, step: text.slice(at + 1) }
}

/** Sets what people made, which an address has for those who open it: Back undoes none of that. @param {Session} session @param {URLSearchParams} params */
export function readMade(session, params) {
  session.settings.value = Object.fromEntries(new URLSearchParams(params.get('o') ?? ''))
  readMarkers(session, params.get('m') ?? '')
}

/** Markers of an address: the name of a set that the server keeps, or what people did not save, as JSON. @param {Session} session @param {string} text */
function readMarkers(session, text) {
  if (text.startsWith('{')) {
    try {
      session.markers.value = markersOf(JSON.parse(text))
    } catch {
      say('The address has markers that nobody can read.')
    }
  } else if (text) {
    readSet(session, text).then(
      markers =>
        batch(() => {
          session.markers.value = markers
          session.markerSet.value = text
        }),
      () => say('There is no set of markers ' + text + '.'),
    )
  }
}

/** @param {Session} session */
function markersText({ markers, markerSet }) {
  if (!markers.value.length) return ''
  const set = markerSet.value
  return set && !set.startsWith('{') ? set : JSON.stringify(dataOf(markers.value))
}

/** What the ruler calls 0: one of the profile's own zeros, a marker by its time, a step by its name. @param {Session} session @param {string} key @param {ReturnType<typeof readStep>} chosen the step that is selected, of the device where it was */
function readZero(session, key, chosen) {
  const zero = session.profile.zeros.find(one => one.key === key),
    [, kind, of] = /^(marker|step):(.*)$/.exec(key) ?? []
  if (zero) session.zero.value = { key, t: BigInt(zero.t) }
  if (kind === 'marker') session.zero.value = { key, t: readNs(of) ?? 0n }
  if (kind !== 'step') return
  if (chosen?.step === of) return void (session.zero.value = { key, t: chosen.t0 })
  withRest(async rest => {
    const step = (await rest.mainSteps(session)).find(one => one.name === of)
    if (step) session.zero.value = { key, t: session.model.start + BigInt(step.t0) }
    else say('The profile has no ' + stepTitle(of) + ' to be 0 of the ruler.')
  })
}

/** Sets which part of the run people chose: its name, or times and tracks that are kept. @param {Session} session @param {string} text */
function readScope(session, text) {
  const area = readArea(text)
  session.kept.value = area
  session.choice.value = area
    ? 'pinned'
    : text === 'whole' || text === 'window' || text === 'selection'
      ? text
      : 'auto'
}

/** @param {Session} session */
const scopeText = ({ choice, kept }) =>
  choice.value === 'auto'
    ? ''
    : choice.value === 'pinned' && kept.value
      ? areaText(kept.value)
      : choice.value

/** Sets what an address says; what it does not say keeps its preset. @param {Session} session @param {URLSearchParams} params */
export function readLink(session, params) {
  const range = readWindow(params.get('t') ?? '')
  session.window.value = session.home
  if (range) session.show(range.t0, range.t1)
  session.tree.value = readTree(params.get('tr') ?? '', params.get('f') ?? '')
  session.colourMode.value = params.get('c') ?? 'work'
  session.grouping.value = params.get('g') ?? 'device'
  session.query.value = params.get('q') ?? ''
  readScope(session, params.get('s') ?? '')
  const row = params.get('e') ?? '',
    area = readArea(params.get('a') ?? ''),
    step = readStep(params.get('p') ?? '')
  readZero(session, params.get('z') ?? '', step)
  if (/^\d+\.\d+$/.test(row)) {
    session.area.value = area ?? step
    session.select({ kind: 'event', row }).catch(() => {})
  } else if (area) session.select(area)
  else if (step) session.select(step)
  else if (session.selection.value) session.select(null)
}

/** @param {Session} session @param {Record<string, string>} more what the page adds: layout, widgets */
export function linkOf(session, more) {
  const { t0, t1 } = session.window.value,
    home = session.home,
    selection = session.selection.value,
    area = session.area.value
  /** @type {[string, string][]} */
  const parts = []
  if (t0 !== home.t0 || t1 !== home.t1) parts.push(['t', nsText(t0, '') + '..' + nsText(t1, '')])
  if (session.zero.value.key !== 'start') parts.push(['z', session.zero.value.key])
  if (selection?.kind === 'event') parts.push(['e', selection.row])
  if (area?.kind === 'area') parts.push(['a', areaText(area)])
  if (area?.kind === 'step')
    parts.push(['p', nsText(area.t0, '') + '..' + nsText(area.t1, '') + '@' + area.step])
  parts.push(
    ['m', markersText(session)],
    ['o', new URLSearchParams(session.settings.value).toString()],
  )
  parts.push(['tr', treeText(session.tree.value)], ['f', session.tree.value.filter])
  if (session.colourMode.value !== 'work') parts.push(['c', session.colourMode.value])
  if (session.grouping.value !== 'device') parts.push(['g', session.grouping.value])
  parts.push(['q', session.query.value])
  parts.push(['s', scopeText(session)])
  parts.push(...Object.entries(more))
  const text = parts
    .filter(([, value]) => value !== '')
    .map(
      ([key, value]) =>
        key +
        '=' +
        encodeURIComponent(value).replace(
          /%(2C|3A|3D|40|2F|20)/g,
          found =>
            ({ '%2C': ',', '%3A': ':', '%3D': '=', '%40': '@', '%2F': '/', '%20': '+' })[found] ??
            found,
        ),
    )
    .join('&')
  return pageOfProfile(session.id) + (text ? '?' + text : '')
}

/**
 * Keeps the address true: panning replaces it after a while, a discrete act makes a new entry, and Back reads it.
 * @param {Session} session @param {() => Record<string, string>} more @param {(params: URLSearchParams) => void} restored
 */
export function keepLink(session, more, restored) {
  let timer = 0,
    own = false
  const put = () => {
    clearTimeout(timer)
    const link = linkOf(session, more())
    if (link !== location.pathname + location.search) history.replaceState(null, '', link)
  }
  const onStep = () => {
    put()
    history.pushState(null, '', location.href)
  }
  const onBack = () => {
    own = true
    const params = new URLSearchParams(location.search)
    readLink(session, params)
    restored(params)
    own = false
    timer = window.setTimeout(put, 250)
  }
  const stop = effect(() => {
    linkOf(session, more())
    if (own) return
    clearTimeout(timer)
    timer = window.setTimeout(put, 250)
  })
  document.addEventListener('nprof-step', onStep)
  window.addEventListener('popstate', onBack)
  return () => {
    stop()
    clearTimeout(timer)
    document.removeEventListener('nprof-step', onStep)
    window.removeEventListener('popstate', onBack)
  }
}

/** The address for others: short where it is too long for mail. @param {Session} session @param {Record<string, string>} more */
export async function shareLink(session, more) {
  const link = linkOf(session, more)
  if (isOneFile) return new URL(link, location.href).href
  if (link.length <= LONGEST) return location.origin + link
  const { id } = await write('POST', 'links', {
    bucket: session.id,
    state: link.slice(link.indexOf('?') + 1),
  })
  return location.origin + base + '/v/' + id
}
