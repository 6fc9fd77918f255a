// SPDX-License-Identifier: Apache-2.0
// What the right panel says of a range of times: what devices did in it, in parts that add up to its length; of idle time,
// what the host did meanwhile, what ended it, and the other gaps of its cause. Of some tracks of devices it is what these did.
import { css } from '../base/element.js'
import { HOST, gapsOf } from '../base/find.js'
import { calledOf } from '../base/kernels.js'
import { durationText, nsText } from '../base/time.js'
import { columnAt, counted, numberText, percentText } from '../base/values.js'
import { html, nothing } from '../lib/lit.js'
import { SPAN } from '../timeline/model.js'
import { ranges } from '../timeline/tiles.js'
import { asked, waiting } from './frame.js'
import { isCounted, tooMany } from './scoped.js'

/** @typedef {import('./dock.js').Page} Page */
/** @typedef {import('../base/session.js').Session} Session */
/** @typedef {import('../base/session.js').Gap} Gap */
/** @typedef {import('../base/answers.d.ts').Sum} Sum */
/** @typedef {{name: string, look: string, time: bigint}} Part */
/** @typedef {import('../base/answers.d.ts').DeviceTotals} Totals */

/** Whose work a row is, as route s says it. */
const DEVICE = 'device work'

/** Frames of the host that took less of a gap do not explain it. */
const LEAST = 0.1

/** Names and gaps that are listed. */
const MOST = 5

/** The area that is selected, and the gaps that it consists of. @param {Session} session */
function chosen(session) {
  const area = session.selection.value
  return area?.kind === 'area' ? { area, idle: gapsOf(session, area) } : null
}

/** Tracks that are of no device. @param {Session} session */
const hostTracks = ({ model }) =>
  ranges(
    [...model.tracks.values()]
      .filter(one => one.origin === 'decoder' && !model.deviceOf(one.track))
      .map(one => one.track),
  )

/** Asks what ran in the selected area: of idle time, on the host alone, by the frames that are the user's own. @param {Session} session */
export function askedMeanwhile(session) {
  const names = asked(session, () => {
    const now = chosen(session)
    if (!now) return null
    const { t0, t1, tracks, parts } = now.area
    const of = parts
      ? { parts }
      : {
          tracks: now.idle.length ? hostTracks(session) : tracks.join(',') || null,
        }
    return {
      route: 's',
      params: { t0, t1, ...of, by: now.idle.length ? 'place' : 'name', n: 1000 },
    }
  })
  // Of several threads each has the whole length of the gap, so that their times add up to more than it.
  const threads = asked(session, () => {
    const now = chosen(session)
    return now?.idle.length
      ? {
          route: 's',
          params: {
            t0: now.area.t0,
            t1: now.area.t1,
            tracks: hostTracks(session),
            by: 'track',
            n: 1000,
          },
        }
      : null
  })
  const devices = asked(session, () => {
    const now = chosen(session)
    return now && !now.idle.length && !ofTracks(session, now.area) && isCounted(session)
      ? { route: 'window', params: { t0: now.area.t0, t1: now.area.t1 } }
      : null
  })
  const ends = asked(session, () => {
    const now = chosen(session)
    return now?.idle.length
      ? {
          route: 'gaps',
          params: {
            cause: longestOf(now.idle).cause,
            sort: '-duration_ns',
            n: 500,
          },
        }
      : null
  })
  const all = [names, threads, devices, ends]
  return {
    names: names.answer,
    threads: threads.answer,
    devices: devices.answer,
    ends: ends.answer,
    dispose: () => all.forEach(one => one.dispose()),
  }
}

/** @typedef {ReturnType<typeof askedMeanwhile>} Meanwhile */

/** Tracks with spans. @param {Session} session @param {number[]} tracks */
const withSpans = ({ model }, tracks) =>
  tracks.filter(one => model.lanesOf.get(one)?.some(lane => lane.type === SPAN))

/** Whether an area is of groups, or of some tracks of devices and not of all: what devices did in it is no answer then. @param {Session} session @param {{tracks: number[], parts?: string}} area */
function ofTracks(session, { tracks, parts }) {
  const { model } = session,
    own = (/** @type {number} */ one) =>
      model.deviceOf(one) !== null && model.tracks.get(one)?.origin === 'decoder',
    some = withSpans(session, tracks).filter(own).length
  return (
    Boolean(parts) ||
    (some > 0 && some < withSpans(session, [...model.tracks.keys()]).filter(own).length)
  )
}

/** @param {Gap[]} gaps */
const longestOf = gaps =>
  gaps.reduce((most, gap) => (gap.t1 - gap.t0 > most.t1 - most.t0 ? gap : most))

/**
 * An answer that is of the area, not of the one before.
 * @template {{t0: string, t1: string}} Data @param {import('./frame.js').Answer<Data>} answer
 * @param {{t0: bigint, t1: bigint}} area
 */
const of = ({ data }, area) =>
  data?.t0 === String(area.t0) && data?.t1 === String(area.t1) ? data : null

/**
 * What devices did in an area, in parts that add up to its length once for each device; none where that is not known.
 * @param {Totals} totals @param {bigint} length
 * @returns {Part[]}
 */
export function partsOfArea({ together, busy, compute, exposed, idle }, length) {
  const values = [busy, compute, exposed, idle].map(one => one?.value ?? null)
  if (values.includes(null)) return []
  const all = length * BigInt(together.count),
    [work, product, alone, gaps] = values.map(value => BigInt(value ?? 0))
  return [
    { name: 'Compute', look: 'compute', time: product },
    {
      name: 'Communication and copies alone',
      look: 'communication',
      time: alone,
    },
    { name: 'Other work', look: 'control', time: work - product - alone },
    { name: 'Idle', look: 'idle', time: gaps },
    {
      name: 'Before the first and after the last work',
      look: 'idle other',
      time: all - work - gaps,
    },
  ].filter(part => part.time > 0n)
}

/** @param {Totals} totals @param {bigint} length */
function areaParts(totals, length) {
  const { count, what } = totals.together ?? { count: 0, what: '' }
  return partBar(
    'What ' + (count === 1 ? 'the ' + what : counted(count, what)) + ' did',
    partsOfArea(totals, length),
    length * BigInt(count),
  )
}

/** Kinds of the work of devices. @type {Record<string, {name: string, look: string}>} */
const OF_DEVICES = {
  compute: { name: 'Compute', look: 'compute' },
  communication: { name: 'Communication', look: 'communication' },
  copies: { name: 'Copies', look: 'copy' },
  control: { name: 'Control and setup', look: 'control' },
}

/** @typedef {{of: string, self_inside: string, kinds?: Record<string, string>}} Shared whose work rows of route s are */

/** @param {Shared} shared @returns {Part[]} */
const partsOfWork = ({ of, self_inside: self, kinds = {} }) =>
  of === HOST
    ? [{ name: 'Work of the host', look: 'control', time: BigInt(self) }]
    : Object.entries(kinds).map(([kind, time]) => ({ ...OF_DEVICES[kind], time: BigInt(time) }))

/**
 * What some tracks did in an area, in parts that add up to its length once for each of them; none where rows of a track overlap, as
 * these have more time than there is.
 * @param {Shared[]} shared of route s @param {number} tracks @param {bigint} length
 * @returns {Part[]}
 */
export function partsOfTracks(shared, tracks, length) {
  const all = length * BigInt(tracks),
    parts = shared.flatMap(partsOfWork),
    busy = parts.reduce((sum, one) => sum + one.time, 0n)
  if (busy > all) return []
  return [...parts, { name: 'Nothing on them', look: 'idle other', time: all - busy }].filter(
    part => part.time > 0n,
  )
}

/** @param {Session} session @param {{tracks: number[], parts?: string}} area @param {{shared: Shared[]}} names @param {bigint} length */
function tracksParts(session, { tracks, parts }, names, length) {
  const spans = withSpans(session, tracks)
  if (parts || !spans.length) return nothing
  return partBar(
    'What ' + (spans.length === 1 ? 'the track' : counted(spans.length, 'track')) + ' did',
    partsOfTracks(names.shared, spans.length, length),
    length * BigInt(spans.length),
  )
}

/** @param {string} title @param {Part[]} parts @param {bigint} all what they add up to */
function partBar(title, parts, all) {
  if (!parts.length) return nothing
  const share = (/** @type {bigint} */ time) => percentText(Number(time) / Number(all))
  return html`<h3>${title}</h3>
    <div class="part-bar" role="img" aria-label="What the area is made of">${parts.map(one => html`<span class=${'part ' + one.look} title=${one.name + ': ' + nsText(one.time) + ' ns'} ${css({ 'flex-grow': Number(one.time) })}></span>`)}</div>
    <dl class="fields area-parts">${parts.map(one => html`<dt><i class=${'part ' + one.look}></i>${one.name}</dt><dd>${durationText(one.time)} <span class="muted">${share(one.time)}</span></dd>`)}</dl>`
}

/** @param {Session} session @param {Sum[]} sums @param {string} title @param {string} none */
const sumList = (session, sums, title, none) => {
  const called = calledOf(
    sums.map(one => one.name ?? ''),
    session.names.called.value,
  )
  return html`<h3>${title}</h3>${
    sums.length
      ? html`<dl class="fields sums">${sums.map(one => html`<dt>${durationText(BigInt(one.share_self ?? 0))}</dt><dd><span title=${one.name}>${called.get(one.name ?? '') || 'no name'}</span> <span class="muted">${counted(one.count, 'time')}</span></dd>`)}</dl>`
      : html`<p class="muted">${none}</p>`
  }`
}

/** Names with most work of their own first: what waits, marks a moment or is around work, as the profiler is, is none.
 * @param {{rows: Sum[]}} data @param {string} of whose work @param {bigint} [least] */
const mostOf = (data, of, least = 1n) =>
  data.rows
    .filter(row => row.share_of === of && BigInt(row.share_self ?? 0) >= least)
    .sort((a, b) => (BigInt(a.share_self ?? 0) < BigInt(b.share_self ?? 0) ? 1 : -1))
    .slice(0, MOST)

/** Threads of the host that worked in an area. @param {{rows: Sum[]} | null} data of route s by track */
const threadsOf = data =>
  data?.rows.filter(row => row.share_of === HOST && BigInt(row.share_self ?? 0) > 0n).length ?? 0

/**
 * What ended a gap, as table gaps has it.
 * @param {import('../base/answers.d.ts').Sheet | null} data @param {Gap} gap
 */
function endedBy(data, gap) {
  const at = (/** @type {string} */ name) => columnAt(data?.columns ?? [], name)
  const row = data?.rows.find(
    one =>
      one[at('start_ns')] === String(gap.t0) && one[at('duration_ns')] === String(gap.t1 - gap.t0),
  )
  return row?.[at('ended_by')] ?? null
}

/** @param {Page} page @param {Gap} gap */
function others({ session, open }, gap) {
  const alike = session.gaps.value.filter(one => one.cause === gap.cause && one !== gap)
  const show = (/** @type {Gap} */ { t0, t1 }) => {
    session.select({ kind: 'area', t0, t1, tracks: [] })
    session.showSpan(t0, t1, 0.6)
  }
  const all = () => {
    session.settings.value = { ...session.settings.value, 'gaps.cause': gap.cause }
    open('gaps')
  }
  return html`<h3>Others like it</h3>${
    alike.length
      ? html`<dl class="fields sums">${alike.slice(0, MOST).map(one => html`<dt>${durationText(one.t1 - one.t0)}</dt><dd><button class="as-link" @click=${() => show(one)}>at ${durationText(one.t0 - session.zero.value.t)}</button></dd>`)}</dl>${alike.length > MOST ? html`<p><button class="as-link" @click=${all}>${numberText(alike.length - MOST)} more of this cause</button></p>` : nothing}`
      : html`<p class="muted">No other gap of this cause has a row of its own.</p>`
  }`
}

/** @param {Page} page @param {Meanwhile} meanwhile */
export function meanwhileTemplate(page, meanwhile) {
  const { session } = page,
    now = chosen(session)
  if (!now) return nothing
  const { area, idle } = now,
    length = area.t1 - area.t0,
    names = of(meanwhile.names.value, area),
    without = meanwhile.names.value.error ? waiting(meanwhile.names.value) : nothing
  if (!idle.length) {
    const devices = of(meanwhile.devices.value, area)
    const parts = ofTracks(session, area)
      ? names && tracksParts(session, area, names, length)
      : devices && areaParts(devices.totals, length)
    return html`<div class="meanwhile">${without === nothing ? parts || (ofTracks(session, area) ? nothing : tooMany(session)) : without}
      ${names ? sumList(session, mostOf(names, DEVICE), 'Most time of devices', 'No work of a device lies in it.') : nothing}
      ${names ? sumList(session, mostOf(names, HOST), 'Most time of the host', 'No work of the host lies in it.') : nothing}</div>`
  }
  const gap = longestOf(idle),
    end = endedBy(meanwhile.ends.value.data, gap),
    threads = threadsOf(of(meanwhile.threads.value, area)),
    who = threads > 1 ? numberText(threads) + ' threads of the host' : 'the host',
    least = BigInt(Math.ceil(Number(length) * LEAST))
  return html`<div class="meanwhile">${without}
    ${names ? sumList(session, mostOf(names, HOST, least), 'What ' + who + ' did meanwhile' + (threads > 1 ? ', added up' : ''), 'No frame of the host took a tenth of it.') : nothing}
    ${end ? html`<h3>Ended by</h3><p title=${end}>${session.names.called.value(String(end))}</p>` : nothing}
    ${others(page, gap)}</div>`
}
