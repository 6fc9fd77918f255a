// SPDX-License-Identifier: Apache-2.0
// A trace of a million events: no zoom loses one of them (test 28 of the list).
import assert from 'node:assert/strict'
import { ask, openProfile, put, suite, until, windowOf } from './harness.mjs'

const EVENTS = 1_000_000,
  THREADS = 4,
  TILE = 2048n

/** Starts and ends of the events of each thread, in half ns: no edge of a tile falls on one. */
const threads = Array.from({ length: THREADS }, () => ({ starts: [], ends: [] }))

/** Bursts of short events, and long ones between them; every thread has other ones, the same at each run. */
function writeLarge() {
  const parts = []
  let seed = 12345
  const random = below => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % below
  for (let thread = 0; thread < THREADS; thread++) {
    const { starts, ends } = threads[thread]
    for (let i = 0, t = 1; i < EVENTS / THREADS; i++) {
      const duration = i % 1000 === 0 ? 100000 + 2 * random(50000) : 2 * (1 + random(400))
      starts.push(t)
      ends.push(t + duration)
      parts.push(
        `{"ph":"X","pid":1,"tid":${thread + 1},"ts":${(t / 2000).toFixed(4)},"dur":${(duration / 2000).toFixed(4)},"name":"op ${i % 50}"}`,
      )
      t += duration + 2 * random(300)
    }
  }
  return put('large.json', '{"traceEvents":[' + parts.join(',\n') + ']}')
}

const view = suite(() => [writeLarge()], 'large')

/** How many values of a sorted list are below a number. */
function below(list, value) {
  let low = 0,
    high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle] < value) low = middle + 1
    else high = middle
  }
  return low
}

/** Events of a thread that touch a range of times, in ps from the start of the file. */
const touching = ({ starts, ends }, t0, t1) =>
  below(starts, Number(t1) / 500) - below(ends, Number(t0) / 500)

/** Counts of the rectangles of each lane, as docs/formats/view-api.md 2.1 lays a picture out. @param {Buffer} bytes */
function countsOf(bytes) {
  const lanes = bytes.readUInt32LE(8),
    rects = bytes.readUInt32LE(12),
    counts = 40 + lanes * 16 + 4 * rects * 4
  return Array.from({ length: lanes }, (_, i) => {
    const at = 40 + i * 16,
      from = bytes.readUInt32LE(at + 4),
      n = bytes.readUInt32LE(at + 8)
    let sum = 0
    for (let k = from; k < from + n; k++) sum += bytes.readUInt32LE(counts + 4 * k)
    return { lane: bytes.readUInt32LE(at), sum }
  })
}

/** Answers with pictures as they come to a page: rows that each says of a lane in a tile. */
function picturesOf(page) {
  const pictures = new Map()
  page.on('response', async answer => {
    const asked = /\/v\?(.*)/.exec(answer.url()),
      query = new URLSearchParams(asked?.[1])
    if (!asked || !answer.ok()) return
    const bytes = await answer.body().catch(() => null) // the page may have let go of it
    for (const { lane, sum } of bytes ? countsOf(bytes) : [])
      pictures.set(query.get('l') + '/' + query.get('i') + '/' + lane, sum)
  })
  return pictures
}

const nsOf = ps => (Number(ps) / 1000).toFixed(3)

/** The tiles of a window: a pixel of theirs is at most one of the screen. */
function tilesOf({ t0, t1 }, pixels) {
  const level = ((t1 - t0) / BigInt(pixels)).toString(2).length - 1,
    size = TILE << BigInt(level),
    tiles = []
  for (let tile = t0 < 0n ? -1n : t0 / size; tile * size < t1; tile++)
    tiles.push({ key: level + '/' + tile, t0: tile * size, t1: (tile + 1n) * size })
  return tiles
}

/** Where the profile lies, and its lanes of spans, each with the events of its thread. */
async function spansOf() {
  const profile = 'p/' + view.url.split('/').pop(),
    base = view.server.base + '/api/v1/' + profile,
    gen = await until(
      'the file to be read',
      async () => (await (await fetch(base)).json()).gen,
      60000,
    ),
    meta = await (await fetch(base + '/' + gen + '/meta')).json()
  const lanes = meta.lanes
    .filter(lane => lane.type === 'span')
    .map(({ lane, track, rows }) => ({
      lane,
      rows,
      thread:
        threads[Number(/\d+/.exec(meta.tracks.find(one => one.track === track).label)[0]) - 1],
    }))
  return { profile: profile + '/' + gen, start: BigInt(meta.start), end: BigInt(meta.end), lanes }
}

view.test('T28 from the whole run to 1 us no picture loses one of a million events', async () => {
  const { lanes } = await spansOf()
  assert.equal(
    lanes.reduce((sum, one) => sum + one.rows, 0),
    EVENTS,
  )
  let pictures
  const page = await openProfile(view.url, {
    before: one => {
      pictures = picturesOf(one)
    },
  })
  const pixels = await page.locator('.timeline .bars').evaluate(canvas => canvas.width)
  const whole = await windowOf(page),
    middle = (whole.t0 + whole.t1) / 2n,
    closer = (Number(whole.t1 - whole.t0) / 1e6) ** (1 / 20)
  for (let step = 0, length = Number(whole.t1 - whole.t0); step <= 20; step++, length /= closer) {
    if (step)
      await ask(
        page,
        '@' +
          nsOf(middle - BigInt(Math.round(length / 2))) +
          '..' +
          nsOf(middle + BigInt(Math.round(length / 2))),
      )
    const seen = await windowOf(page)
    for (const tile of tilesOf(seen, pixels)) {
      for (const { lane, thread } of lanes) {
        const key = tile.key + '/' + lane,
          { sum } = await until(
            'the picture ' + tile.key + ' of lane ' + lane,
            async () => pictures.has(key) && { sum: pictures.get(key) },
          )
        assert.equal(
          sum,
          touching(thread, tile.t0, tile.t1),
          'step ' + step + ', tile ' + tile.key + ', lane ' + lane,
        )
      }
    }
    if (step === 20) assert.ok(seen.t1 - seen.t0 < 1100000n, String(seen.t1 - seen.t0))
  }
})

/** How long the events of a thread last within a range of times, ps. */
function busyIn({ starts, ends }, t0, t1) {
  let sum = 0
  for (let i = below(ends, Number(t0) / 500); i < starts.length && starts[i] * 500 < t1; i++)
    sum += Math.min(ends[i] * 500, Number(t1)) - Math.max(starts[i] * 500, Number(t0))
  return sum
}

/** Runs in the page, with its own modules: how busy the columns of lanes are in windows, in ps. */
async function columnsOf({ profile, lanes, windows, width }) {
  const room = document.querySelector('script[type=module]').src.replace(/lib\/[^/]*$/, ''),
    { fillColumns } = await import(room + 'timeline/paint.js'),
    { Columns, FULL } = await import(room + 'timeline/density.js'),
    { TILE, Tiles, levelOf, tilesOf } = await import(room + 'timeline/tiles.js')
  const columns = new Columns(width),
    found = []
  for (const [a, b] of windows) {
    const [t0, t1] = [BigInt(a), BigInt(b)],
      level = levelOf(t1 - t0, width),
      size = TILE << BigInt(level),
      source = new Tiles(profile, { t0, t1 })
    for (const tile of tilesOf(level, t0, t1))
      await source.fetch(level, tile, lanes, new AbortController().signal)
    const scene = {
      t0,
      t1,
      scale: 1,
      source,
      tiles: tilesOf(level, t0, t1).map(tile => ({
        from: Number(tile * size - t0),
        to: Number((tile + 1n) * size - t0),
        pictures: source.standIns(level, tile),
      })),
      colours: { known: [new Uint8Array(1 << 16), new Uint8Array(1 << 16)] },
      dimmed: -1,
      lit: null,
      drawn: 0,
    }
    for (const lane of lanes) {
      const placed = { lane: { id: lane, lane, type: 0, works: false }, y: 0, h: 18, colour: 0 }
      fillColumns(scene, placed, columns, width)
      const shares = columns.busy.map((share, x) => (columns.look[x] & FULL ? 1 : share))
      found.push(shares.reduce((sum, one) => sum + one, 0) * (Number(t1 - t0) / width))
    }
  }
  return found
}

// To a hundredth of the window: ends of bars are whole pixels.
view.test(
  'columns of a lane are as busy as its events, whether a pixel has hundreds of them or a part of one',
  async () => {
    const { profile, start, end, lanes } = await spansOf(),
      length = end - start,
      middle = start + length / 3n
    const windows = Array.from({ length: 9 }, (_, i) => {
      const half = length / 3n / 4n ** BigInt(i)
      return [middle - half, middle + half]
    })
    const page = await openProfile(view.url),
      found = await page.evaluate(columnsOf, {
        profile,
        lanes: lanes.map(one => one.lane),
        windows: windows.map(range => range.map(String)),
        width: 1100,
      })
    windows.forEach(([t0, t1], i) =>
      lanes.forEach(({ lane, thread }, k) => {
        const wanted = busyIn(thread, t0, t1),
          drawn = found[i * lanes.length + k]
        assert.ok(
          Math.abs(drawn - wanted) < 0.01 * Number(t1 - t0),
          `${t1 - t0} ps, lane ${lane}: ${drawn} is not ${wanted}`,
        )
      }),
    )
  },
)
