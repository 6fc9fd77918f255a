// SPDX-License-Identifier: Apache-2.0
// One open profile: what was asked of the server once, and what the whole page shares: the window, the one
// selection, the colour mode, the search, the rows of the tree. Widgets read and set these signals; none keeps
// a selection of its own.
import { get, getBytes } from './api.js'
import { isOneFile } from './packed.js'
import { batch, computed, signal } from '../lib/lit.js'
import { axesOf } from '../timeline/axis.js'
import { Colours } from '../timeline/colours.js'
import { Groups } from '../timeline/groups.js'
import { Model, clampWindow, titleOf, treeOf } from '../timeline/model.js'
import { Names } from '../timeline/names.js'
import { outliersOf } from '../timeline/outliers.js'
import { Rows, freshTree } from '../timeline/rows.js'
import { Tiles, ranges } from '../timeline/tiles.js'
import { conditionsOf, groupsText, partsText, readParts } from './parts.js'
import { fieldsOf, soughtOf } from './sought.js'
import { durationText, greatest, least, nsText, optionTime } from './time.js'
import { counted } from './values.js'
import { say } from './element.js'
import { stepsOf } from './steps.js'

/** @typedef {{t0: bigint, t1: bigint}} Window */
/**
 * @typedef {{label: number, track: number, t0: bigint, t1: bigint | null, count: number}} Seen what
 *   a picture knows of an event: its times to the pixel, and where one that lasts ends
 * @typedef {{kind: 'event', row: string, seen?: Seen}
 *   | {kind: 'area', t0: bigint, t1: bigint, tracks: number[], parts?: string}
 *   | {kind: 'step', step: string, t0: bigint, t1: bigint}} Selection
 */
/** Of an area: its tracks (none: all), and `parts` where only rows of some groups on them are meant (parts.js). @typedef {{tracks: number[], parts?: string}} Chosen */
/** Of which part of the run tables and charts are. @typedef {'whole' | 'window' | 'selection' | 'pinned'} Scope */
/** `versus`: the marker that it is compared with, where people chose one. @typedef {{id: string, t: bigint, name: string, color: number, range: bigint | null, versus?: string}} Marker */
/** A device was idle. @typedef {{t0: bigint, t1: bigint, track: number | null, cause: string}} Gap */
/** Where the steps begin that rows have, by the track that has them with all below it; null: it is unknown whose they are. @typedef {Map<number | null, bigint[]>} Starts */
/** @typedef {{row: string | null, start: bigint, end: bigint, kind: string}} Segment of the critical path */
/** @typedef {import('./answers.d.ts').Below} Below */
/** @template {string} Route @typedef {import('./answers.d.ts').To<Route>} To */
/** @typedef {import('./answers.d.ts').EventDetails} EventDetails */
/**
 * The first picture, which is under way before the session is there: answers of over, and of names
 * for it.
 * @typedef {{over: Promise<ArrayBuffer>, names: Promise<import('./answers.d.ts').FirstNames>}}
 *   Picture
 */

/** What may lie over the bars. @type {Record<string, string>} */
export const OVERLAYS = {
  gaps: 'idle gaps with their cause',
  arrows: 'arrows of the selected event',
  steps: 'starts of steps',
  hits: 'hits of the search',
  outliers: 'events above p99 and twice the median of their name',
  critical: 'critical path of the run',
}

/** Those that are asked for when somebody wants to see them. */
const ON_DEMAND = new Set(['outliers', 'critical'])

/** A run that is as many times as long as what its devices did opens there. */
const SMALL = 4n

/** The window that a profile opens with: from the first to the last work of devices, where that is a small part of the run. @param {Model} model @returns {Window} */
function homeOf(model) {
  const ends = [...model.tracks.values()].flatMap(({ works, rows, start, end }) =>
    works && rows && start !== null && end !== null ? [[BigInt(start), BigInt(end)]] : [],
  )
  const t0 = ends.map(([start]) => start).reduce(least, model.end),
    t1 = ends.map(([, end]) => end).reduce(greatest, model.start)
  return t0 < t1 && (t1 - t0) * SMALL <= model.end - model.start
    ? clampWindow(model, t0 - (t1 - t0) / 20n, t1 + (t1 - t0) / 20n)
    : clampWindow(model, model.start, model.end)
}

export class Session {
  /**
   * @param {import('./answers.d.ts').Brief} head @param {Below['profile']} profile
   * @param {Below['meta']} meta @param {Picture} picture
   */
  constructor(head, profile, meta, picture) {
    this.id = profile.bucket
    this.head = head
    this.base = /** @type {const} */ (`p/${profile.bucket}/${profile.gen}`)
    this.profile = profile
    /** Fields that a search may name. */
    this.fields = fieldsOf(profile)
    this.model = new Model(meta)
    this.names = new Names(params => this.ask('names', params), meta.n_labels)
    const whole = clampWindow(this.model, this.model.start, this.model.end)
    this.tiles = new Tiles(this.base, whole)
    this.groups = new Groups(this)

    this.home = homeOf(this.model)
    this.window = signal(/** @type {Window} */ (this.home))
    this.selection = signal(/** @type {Selection | null} */ (null))
    /** The area or step that was selected last. An event is looked at within it and is no range of times of its own, so that it stays what scope Selection stands for. */
    this.area = signal(/** @type {Exclude<Selection, {kind: 'event'}> | null} */ (null))
    /** Details of the selected event, when they have come. */
    this.details = signal(/** @type {EventDetails | null} */ (null))
    /** Why they did not come. */
    this.lost = signal(/** @type {import('./api.js').ApiError | null} */ (null))
    this.hovered = signal(-1)
    /** Names that a search finds, and by label whether it has one of them; null: nothing is dimmed for it. */
    this.lit = signal(/** @type {Set<string> | null} */ (null))
    this.litLabels = computed(() => {
      const lit = this.lit.value
      this.names.version.value
      return lit && Uint8Array.from(this.names.labels, label => Number(lit.has(label?.[0] ?? '')))
    })
    this.colourMode = signal('work')
    this.grouping = signal('device')
    this.tree = signal(freshTree())
    /** Whether the page is that of a job, as its address was when it was opened, which named no
     * rows. */
    this.isJob = false
    this.query = signal('')
    /** The answer of the last search. */
    this.hits = signal(/** @type {import('./answers.d.ts').Found | null} */ (null))
    /** What people chose of it; auto: the selection, else the window where it is narrower than the run, else the run. */
    this.choice = signal(/** @type {'auto' | Scope} */ ('auto'))
    /** Times, tracks and groups of the scope Pinned, whatever is selected or zoomed to. */
    this.kept = signal(/** @type {(Window & Chosen) | null} */ (null))
    this.scope = computed(() => this.chosenScope())
    /** That of lists of places, such as steps: what people choose in them does not narrow them. */
    this.listed = computed(() =>
      this.choice.value === 'auto' ? /** @type {Scope} */ ('whole') : this.choice.value,
    )
    /** Whether people wait for tables of a part of a large profile. */
    this.patient = signal(false)
    /** What people chose in widgets and is not the preset, by "widget.setting": the address keeps it. */
    this.settings = signal(/** @type {Record<string, string>} */ ({}))
    /** Whether each overlay of the timeline is shown: yes or no. @type {Record<string, Setting>} */
    this.overlays = Object.fromEntries(
      Object.keys(OVERLAYS).map(key => [
        key,
        setting(this, 'overlays.' + key, ON_DEMAND.has(key) ? 'no' : 'yes'),
      ]),
    )
    /** Whether counters of one unit have one axis: own or common. */
    this.axis = setting(this, 'timeline.axis', 'own')
    this.axes = computed(() => {
      if (this.axis.value !== 'common') return axesOf(this.model, null)
      this.names.version.value // units come with the names
      return axesOf(this.model, this.names)
    })
    this.zero = signal({ key: 'start', t: 0n })
    this.markers = signal(/** @type {Marker[]} */ ([]))
    /** The set that the server keeps them as; empty: they were changed since. */
    this.markerSet = signal('')
    /** Segments of the critical path while it is shown over the timeline. */
    this.critical = signal(/** @type {Segment[]} */ ([]))
    /** What overlays on demand show; null: nobody asked for it. */
    this.outliers = signal(/** @type {import('../timeline/outliers.js').Hit[] | null} */ (null))
    this.criticalOfRun = signal(/** @type {Segment[] | null} */ (null))
    this.strip = signal(/** @type {Below['strip'] | null} */ (null))
    /** The longest first. */
    this.gaps = computed(() => readGaps(this.strip.value))
    /** By device and time: gaps of one do not overlap. */
    this.gapsByTrack = computed(() => byTrack(this.gaps.value))
    this.starts = computed(() => readStarts(this.strip.value))
    /** Why sums of the whole run are unknown, by the name of their column, when that was asked. */
    this.reasons = signal(/** @type {Record<string, string>} */ ({}))
    /** Whether the next drag in the timeline selects, whatever drags do else. */
    this.measuring = signal(false)
    this.pointer = signal(/** @type {bigint | null} */ (null))
    /** Rows that a widget outlines in the timeline, such as those of a line of code. */
    this.outlined = signal(
      /** @type {{row: string, track: number, start: string, duration: string | null}[]} */ ([]),
    )

    /** Steps by device and medians by name, asked for when they are to be seen; verdicts of names on the page that compares. */
    this.steps = signal(/** @type {import('./steps.js').Steps | null} */ (null))
    /** The one question of colours for them: where it fails, the page says so. @type {Promise<unknown> | undefined} */
    this.asked = undefined
    this.medians = signal(/** @type {Map<string, number> | null} */ (null))
    this.verdicts = signal(/** @type {Map<string, string> | null} */ (null))

    this.colours = computed(
      () => new Colours(this.names, this.colourMode.value, this.colourFacts()),
    )
    this.roots = computed(() =>
      treeOf(this.model, this.grouping.value, this.groups.of(this.grouping.value)),
    )
    this.rows = computed(() => new Rows(this.roots.value, this.tree.value))
    /** @type {{window: Window, selection: Selection | null}[]} */
    this.past = []
    /** Undo of what changes things that are kept: markers. @type {(() => void)[]} */
    this.undos = []
    /** @type {Promise<void>} */
    this.ready = this.start(picture)
  }

  /** @param {Picture} picture */
  async start({ over, names }) {
    await Promise.all([this.tiles.loadFirst(over), this.names.loadFirst(names)])
    this.ask('strip', { pixels: 1024 }).then(
      strip => {
        this.strip.value = strip
      },
      () => {},
    )
  }

  /** What colours need beyond labels; what is missing is asked for. @returns {import('../timeline/colours.js').More} */
  colourFacts() {
    const mode = this.colourMode.value,
      { model } = this,
      steps = this.steps.value,
      medians = this.medians.value
    if (mode === 'step') this.asked ??= stepsOf(this)
    if (mode === 'duration' && !medians) askMedians(this)
    /** @type {Map<number, {t0: number, t1: number, name: string}[]>} */
    const known = new Map()
    return {
      start: model.start,
      medians: medians ?? new Map(),
      verdicts: this.verdicts.value,
      steps: lane => {
        const list = known.get(lane) ?? stepsOfLane(model, lane, steps ?? new Map())
        known.set(lane, list)
        return list
      },
    }
  }

  /**
   * Asks a route below the profile. @template {keyof Below} Route
   * @param {Route} route @param {import('./api.js').Params} [params]
   * @param {import('./api.js').How} [how]
   */
  ask(route, params = {}, how = {}) {
    return /** @type {Promise<To<Route>>} */ (
      /** @type {Promise<unknown>} */ (get(`${this.base}/${route}`, params, how))
    )
  }

  /** @param {string} route @param {import('./api.js').Params} params @param {AbortSignal} [signal] */
  askBytes(route, params, signal) {
    return getBytes(this.base + '/' + route, params, signal)
  }

  get whole() {
    return clampWindow(this.model, this.model.start, this.model.end)
  }

  /** Moves the window. A discrete act is remembered, so that Back undoes it. @param {bigint} t0 @param {bigint} t1 @param {boolean} [discrete] */
  show(t0, t1, discrete = false) {
    const next = clampWindow(this.model, t0, t1)
    const old = this.window.value
    if (next.t0 === old.t0 && next.t1 === old.t1) return
    if (discrete) document.dispatchEvent(new CustomEvent('nprof-step'))
    this.window.value = next
  }

  /** Shows a span with a margin around it. @param {bigint} start @param {bigint} end @param {number} [margin] share of its length on both sides */
  showSpan(start, end, margin = 0.1) {
    const length = greatest(end - start, 100n)
    const around = BigInt(Math.round(Number(length) * margin))
    this.show(start - around, start + length + around, true)
  }

  /** Moves the window by a part of its length, or brings a time into it. @param {bigint} t */
  centre(t) {
    const { t0, t1 } = this.window.value
    const half = (t1 - t0) / 2n
    this.show(t - half, t + half, true)
  }

  /** Selects; an event is fetched with all its fields. @param {Selection | null} selection @param {{reveal?: boolean}} [how] */
  async select(selection, how = {}) {
    batch(() => {
      this.selection.value = selection
      this.lost.value = null
      if (selection?.kind === 'event') return
      this.area.value = selection
      this.details.value = null
    })
    if (selection?.kind === 'area')
      say(
        'selected ' +
          durationText(selection.t1 - selection.t0) +
          ' from ' +
          durationText(selection.t0 - this.zero.value.t) +
          ' on, of ' +
          this.chosenText(selection),
      )
    if (selection?.kind !== 'event') return
    const details = await this.ask('e', { row: selection.row }).catch(error => {
      if (this.selection.value !== selection) return
      this.lost.value = error
      this.details.value = null
    })
    if (!details || this.selection.value !== selection) return
    this.details.value = details
    say(
      'selected ' +
        this.names.called.value(details.name) +
        (details.duration === null ? '' : ', ' + durationText(BigInt(details.duration))) +
        ', on ' +
        this.model.nameOf(details.track),
    )
    if (how.reveal) this.reveal(details)
    if (details.rank_unknown) this.addTo(details, 'rank')
    if (details.overlaps_unknown) this.addTo(details, 'overlaps')
  }

  /** What a text asks for that people search. @param {string} text */
  sought(text) {
    return soughtOf(text, this.fields)
  }

  /**
   * Asks for what the answer of route e leaves out, for it takes long.
   * @param {EventDetails} details @param {'rank' | 'overlaps'} part
   */
  async addTo(details, part) {
    const answer = await this.ask(part, { row: details.row }).catch(() => null)
    const now = this.details.value
    if (answer && now?.row === details.row) this.details.value = { ...now, ...answer }
  }

  /** Of which group a row is, where rows are grouped by what parts lanes and it is known. @param {string} row */
  groupOf(row) {
    return this.groups.of(this.grouping.value)
      ? this.groups.ofRowNow(this.grouping.value, row)
      : undefined
  }

  /** What has the pictures of rows of the group of a row. @param {string} row */
  partOf(row) {
    return this.grouping.value + ':' + row.split('.')[0] + '@' + this.groupOf(row)
  }

  /** Brings an event into the window and its row into sight. @param {EventDetails} details */
  async reveal(details) {
    const start = BigInt(details.start),
      end = details.end === null ? start : BigInt(details.end)
    const { t0, t1 } = this.window.value
    if (start < t0 || end > t1) {
      if (end - start < t1 - t0) this.centre((start + end) / 2n)
      else this.showSpan(start, end)
    }
    const group = await this.groups
      .ofRowSoon(this.grouping.value, details.row)
      .catch(() => undefined)
    this.revealTrack(details.track, details.lane, group)
  }

  /** Brings the row of a track, of one of its lanes or groups, into sight. @param {number} track @param {number} [lane] @param {number} [group] */
  revealTrack(track, lane, group) {
    this.openTo(track, group)
    document.dispatchEvent(new CustomEvent('nprof-scroll', { detail: { lane, track, group } }))
  }

  /** Unfolds what hides a track, or its rows of a group. @param {number} track @param {number} [group] */
  openTo(track, group) {
    const heading =
        group === undefined ? undefined : this.roots.value.find(one => one.group === group),
      own = heading?.children.find(one => one.track?.track === track)
    const path = heading && own ? [heading, own] : this.model.pathOf(track)
    const hidden = path.filter(
      one => this.tree.value.hidden.includes(one.hash) || this.tree.value.open[one.hash] !== true,
    )
    if (!hidden.length) return
    const open = { ...this.tree.value.open }
    for (const one of path.slice(0, -1)) open[one.hash] = true
    const leaf = path[path.length - 1]
    if ((own?.lanes ?? this.model.lanesOf.get(track) ?? []).length > 1) open[leaf.hash] = true
    this.tree.value = {
      ...this.tree.value,
      open,
      hidden: this.tree.value.hidden.filter(hash => !path.some(one => one.hash === hash)),
    }
  }

  /** Shows an overlay, or hides it. @param {string} key */
  toggleOverlay(key) {
    const shown = this.overlays[key]
    shown.value = shown.value === 'yes' ? 'no' : 'yes'
    say((shown.value === 'yes' ? 'shown: ' : 'hidden: ') + OVERLAYS[key])
  }

  /** One axis for all counters of a unit, or one for each. */
  toggleAxis() {
    this.axis.value = this.axis.value === 'common' ? 'own' : 'common'
    say(
      this.axis.value === 'common'
        ? 'counters of one unit have one axis'
        : 'each counter has an axis of its own',
    )
  }

  /** Asks for what overlays show that are on, once. */
  wantOverlays() {
    const { outliers, critical } = this.overlays
    if (outliers.value === 'yes' && this.outliers.peek() === null) {
      this.outliers.value = []
      outliersOf(this).then(
        ({ hits, more }) => {
          this.outliers.value = hits
          say(
            (more ? 'the first ' : '') +
              counted(hits.length, 'event') +
              ' above p99 and twice the median of their name',
          )
        },
        error => say(error.message),
      )
    }
    if (critical.value === 'yes' && this.criticalOfRun.peek() === null) {
      this.criticalOfRun.value = []
      this.ask('critical', { t0: this.model.start, t1: this.model.end }).then(
        answer => {
          this.criticalOfRun.value = segmentsOf(answer)
          if (answer.unknown) say('critical path unknown: ' + answer.unknown)
        },
        error => say(error.message),
      )
    }
  }

  /** @returns {Scope} */
  chosenScope() {
    if (this.choice.value !== 'auto') return this.choice.value
    if (isOneFile) return 'whole' // of a part it has no answer
    if (this.area.value) return 'selection'
    const { t0, t1 } = this.window.value,
      home = this.home
    return t0 > home.t0 || t1 < home.t1 ? 'window' : 'whole'
  }

  /** Keeps the scope as it is, whatever is selected or zoomed to; or lets it follow again. */
  togglePin() {
    if (this.choice.value !== 'auto') this.choice.value = 'auto'
    else {
      const scope = this.scope.value,
        range = this.rangeOf(scope)
      batch(() => {
        this.kept.value = range && { ...range, ...this.chosenOf(scope) }
        this.choice.value = range ? 'pinned' : 'whole'
      })
    }
  }

  /** Looks at the whole run: nothing is selected, pinned or zoomed to. */
  lookAtWhole() {
    this.choice.value = 'auto'
    if (this.selection.value || this.area.value) this.select(null)
    this.show(this.whole.t0, this.whole.t1, true)
  }

  /** Takes away what narrows the scope: the pin, the selection, or the zoom. */
  widenScope() {
    if (this.choice.value !== 'auto') this.choice.value = 'auto'
    else if (this.area.value) this.select(null)
    else this.show(this.whole.t0, this.whole.t1, true)
  }

  /** The times that a scope stands for; null: the whole run. @param {Scope} scope @returns {Window | null} */
  rangeOf(scope) {
    if (scope === 'window') return this.window.value
    if (scope === 'pinned') return this.kept.value
    const area = this.area.value
    return scope === 'selection' && area ? { t0: area.t0, t1: area.t1 } : null
  }

  /** When what is selected was: an area, a step, or an event that has an end. @returns {Window | null} */
  selectedTimes() {
    const selection = this.selection.value,
      details = this.details.value
    if (selection && 't0' in selection) return { t0: selection.t0, t1: selection.t1 }
    return details && details.end !== null
      ? { t0: BigInt(details.start), t1: BigInt(details.end) }
      : null
  }

  /** Tracks of the selection, and of which groups its rows are, where it names some. @param {Scope} scope @returns {Chosen} */
  chosenOf(scope) {
    const area = this.area.value
    if (scope === 'pinned' && this.kept.value) return this.kept.value
    return scope === 'selection' && area?.kind === 'area'
      ? { tracks: area.tracks, parts: area.parts }
      : { tracks: [] }
  }

  /** Groups that an area is of. @param {Chosen} chosen */
  groupsOf({ parts }) {
    return parts ? this.groups.of(readParts(parts)?.by ?? '') : null
  }

  /** Such as "3 tracks", or "step 1 on 3 tracks". @param {Chosen} chosen */
  chosenText(chosen) {
    const tracks = chosen.tracks.length ? counted(chosen.tracks.length, 'track') : 'all tracks'
    return chosen.parts ? groupsText(chosen.parts, this.groupsOf(chosen)) + ' on ' + tracks : tracks
  }

  /** The area of an event: its track, and its group where rows are grouped. @param {EventDetails} event */
  selectAreaOf(event) {
    const group = this.groupOf(event.row)
    this.select({
      kind: 'area',
      t0: BigInt(event.start),
      t1: BigInt(event.end ?? event.start),
      tracks: [event.track],
      ...(group === undefined
        ? {}
        : { parts: partsText(this.grouping.value, [[group, event.track]]) }),
    })
  }

  /** The command line that asks for the same: sums are cut at the edges of a range as the page cuts them; rows are whole. @param {string} command "report" or such @param {Scope} [scope] */
  commandFor(command, scope = 'whole') {
    return this.commandBetween(command, this.rangeOf(scope), this.chosenOf(scope))
  }

  /** Analyzers that made rows of the profile. */
  get rowAnalyzers() {
    return [
      ...new Set(
        [...this.model.tracks.values()]
          .map(track => track.origin)
          .filter(origin => origin && origin !== 'decoder'),
      ),
    ]
  }

  /** The command that prints rows: those that analyzers made come with them. */
  get rowsCommand() {
    return ['run', ...this.rowAnalyzers.map(one => '-a ' + shellText(one)), '-s csv -o -'].join(' ')
  }

  /** The same of a range; empty: of which groups rows are is being asked for. @param {string} command @param {Window | null} range @param {Chosen} [chosen] */
  commandBetween(command, range, chosen = { tracks: [] }) {
    const rows = conditionsOf(this.model, chosen, this.groupsOf(chosen))
    if (!rows) return ''
    const inputs = this.head.inputs.map(input => shellText(input.path || input.label)).join(' ')
    return [
      'nprof',
      command,
      range
        ? (/^(report|gate|diff|flame|sql)/.test(command) ? '--clip ' : '') +
          '--from ' +
          optionTime(range.t0) +
          ' --to ' +
          optionTime(range.t1)
        : '',
      rows
        .map(conditions => conditions.map(one => '--where ' + shellText(one)).join(' '))
        .join(' --or '),
      inputs,
    ]
      .filter(Boolean)
      .join(' ')
  }

  /** @param {Marker[]} markers @param {string} what the act, for the undo @param {string} [set] that they are of */
  setMarkers(markers, what, set = '') {
    const old = this.markers.value,
      oldSet = this.markerSet.value
    this.undos.push(() => {
      batch(() => {
        this.markers.value = old
        this.markerSet.value = oldSet
      })
      say('undone: ' + what)
    })
    batch(() => {
      this.markers.value = markers
      this.markerSet.value = set
    })
    say(what)
  }

  /** Makes a region of each span, such as of steps, layers or hits. @param {{name: string, t0: bigint, t1: bigint}[]} spans @param {string} what one of them is */
  addRegions(spans, what) {
    const regions = spans.map(({ name, t0, t1 }, i) => ({
      id: what + i + t0.toString(36),
      t: t0,
      name,
      color: i % 8,
      range: t1,
    }))
    this.setMarkers(
      [...this.markers.value, ...regions].sort((a, b) => (a.t < b.t ? -1 : 1)),
      counted(regions.length, what) + ' marked',
    )
  }

  /** @param {bigint} t @param {bigint | null} range */
  addMarker(t, range) {
    const number =
      this.markers.value.reduce(
        (most, marker) => Math.max(most, Number(/^Marker (\d+)$/.exec(marker.name)?.[1] ?? 0)),
        0,
      ) + 1
    const marker = {
      id: t.toString(36) + number,
      t,
      name: 'Marker ' + number,
      color: (number - 1) % 8,
      range,
    }
    this.setMarkers(
      [...this.markers.value, marker].sort((a, b) => (a.t < b.t ? -1 : 1)),
      'marker ' + number + ' at ' + nsText(t - this.zero.value.t) + ' ns',
    )
    return marker
  }
}

/** What people choose in a widget; the address keeps it. @typedef {{value: string, peek: () => string}} Setting */
/** @param {Session} session @param {string} name "widget.setting" @param {string} preset what the address leaves out @returns {Setting} */
export function setting(session, name, preset) {
  const now = computed(() => session.settings.value[name] ?? preset)
  return {
    get value() {
      return now.value
    },
    set value(next) {
      if (next === now.peek()) return
      const { [name]: _old, ...rest } = session.settings.peek()
      session.settings.value = next === preset ? rest : { ...rest, [name]: next }
    },
    peek: () => now.peek(),
  }
}

/**
 * Segments of an answer of route critical.
 * @param {Below['critical'] | null} answer @returns {Segment[]}
 */
export const segmentsOf = answer =>
  (answer?.segments ?? []).map(one => ({
    ...one,
    start: BigInt(one.start),
    end: BigInt(one.end),
  }))

/** A word of a command line for a shell. @param {string} text */
export const shellText = text =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'"

/** @param {Below['strip'] | null} strip @returns {Gap[]} */
function readGaps(strip) {
  const gaps = (strip?.gaps ?? []).map(([t0, t1, cause, track]) => ({
    t0: BigInt(t0),
    t1: BigInt(t1),
    track,
    cause: cause || 'unknown',
  }))
  return gaps.sort((a, b) => Number(b.t1 - b.t0 - (a.t1 - a.t0)))
}

/** @param {Gap[]} gaps */
function byTrack(gaps) {
  /** @type {Map<number | null, Gap[]>} */
  const all = new Map()
  for (const gap of gaps) {
    if (!all.has(gap.track)) all.set(gap.track, [])
    all.get(gap.track)?.push(gap)
  }
  for (const list of all.values()) list.sort((a, b) => (a.t0 < b.t0 ? -1 : 1))
  return all
}

/** @param {Below['strip'] | null} strip @returns {Starts} */
function readStarts(strip) {
  /** @type {Starts} */
  const starts = new Map()
  for (const [t0, , , track] of strip?.steps ?? []) {
    if (!starts.has(track)) starts.set(track, [])
    starts.get(track)?.push(BigInt(t0))
  }
  return starts
}

/** @param {Model} model @param {number} lane @param {Map<string, {t0: number, t1: number, name: string}[]>} steps by device @returns {{t0: number, t1: number, name: string}[]} */
function stepsOfLane(model, lane, steps) {
  const track = model.lanes.get(lane)?.track
  const above = track === undefined ? [] : model.pathOf(track).reverse()
  for (const one of above) {
    const own = steps.get(titleOf(one))
    if (own) return own
  }
  return []
}

/** @param {Session} session */
async function askMedians(session) {
  session.medians.value = new Map()
  const { rows } = await session.ask('s', {
    by: 'name',
    n: 1000,
    percentiles: 1,
    tracks: ranges([...session.model.tracks.keys()]),
  })
  session.medians.value = new Map(
    rows.filter(row => row.median !== null).map(row => [row.name ?? '', Number(row.median)]),
  )
}

/**
 * Opens a profile whose reading is done; index.html names all that is asked here.
 * @param {import('./answers.d.ts').Head} head
 */
export async function openSession(head) {
  const base = /** @type {const} */ (`p/${head.profile.bucket}/${head.gen}`)
  const over = getBytes(base + '/over', {}),
    names = /** @type {Picture['names']} */ (
      /** @type {Promise<unknown>} */ (get(`${base}/names`, { of: 'over' }))
    )
  for (const one of [over, names]) one.catch(() => {}) // who waits for them says so
  const [profile, meta] = await Promise.all([
    get(`${base}/profile`),
    get(`${base}/meta`, { lanes: 'columns' }),
  ])
  const session = new Session(head.profile, profile, meta, { over, names })
  const start = profile.zeros.find(zero => zero.key === 'start')
  if (start) session.zero.value = { key: 'start', t: BigInt(start.t) }
  return session
}
