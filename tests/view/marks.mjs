// SPDX-License-Identifier: Apache-2.0
// Markers and search (tests 32-38 of the list).
import assert from 'node:assert/strict'
import {
  SYNTHETIC,
  ask,
  colourAt,
  commandsOf,
  csvOf,
  drag,
  drawn,
  halfOf,
  inShell,
  openProfile,
  openTab,
  pointOf,
  printedBy,
  psOf,
  spansOf,
  suite,
  table,
  until,
  windowOf,
} from './harness.mjs'

const view = suite([SYNTHETIC])

/** Drops a marker by a right click at a time. */
async function mark(page, t) {
  const { x, y } = await pointOf(page, 'XLA Ops', t, 1)
  await page.mouse.click(x, y, { button: 'right' })
}

/** Shows the markers, when there are so many. */
async function annotations(page, count) {
  await page.getByRole('button', { name: /^Annotations/ }).click()
  const grid = page.getByRole('grid', { name: 'Markers' })
  await until(count + ' markers', async () => (await grid.locator('tbody tr').count()) === count)
  return grid
}

const timesOf = grid => grid.locator('tbody tr td:nth-child(3)').allTextContents()

view.test('T32 a right click drops a marker; its time stays while zooming', async () => {
  const page = await openProfile(view.url)
  await mark(page, 15000000000n)
  const grid = await annotations(page, 1)
  const [time] = await timesOf(grid)
  const { t0, t1 } = await windowOf(page)
  const pixel = (t1 - t0) / 500n
  const away = psOf(time.trim().replace(' ns', '')) - 15000000000n
  assert.ok(away < pixel && away > -pixel)
  // Its line is drawn where its time lies, in each window.
  const line = async () => {
    const { x, y } = await pointOf(page, 'XLA Ops', psOf(time.trim().replace(' ns', '')), 1)
    await page.mouse.move(5, 5)
    const colours = await Promise.all(
      [-1, 0, 1].map(by => colourAt(page.locator('.timeline .over'), { x: x + by, y })),
    )
    return colours.some(colour => Number(colour.split(',')[3]) > 200)
  }
  for (const [key, factor] of [
    ['w', 0.7],
    ['w', 0.7],
    ['s', 1 / 0.7],
    ['s', 1 / 0.7],
  ]) {
    const old = await windowOf(page)
    await page.keyboard.press(key)
    await until('the zoom', async () => {
      const now = await windowOf(page)
      return Math.abs(Number(now.t1 - now.t0) / Number(old.t1 - old.t0) / factor - 1) < 1e-6
    })
    await drawn(page)
    assert.deepEqual(await timesOf(grid), [time])
    await until('the line of the marker', line)
  }
})

view.test('a marker tells the event that is nearest, and a click on it leads there', async () => {
  const page = await openProfile(view.url),
    edge = 9187787123n // where step 1 begins
  await ask(page, '@' + nsOf(edge - 5000000n) + '..' + nsOf(edge + 5000000n))
  await mark(page, edge + 40000n)
  const cell = (await annotations(page, 1)).locator('tbody td').nth(3),
    t = psOf(
      (await timesOf(page.getByRole('grid', { name: 'Markers' })))[0].trim().replace(' ns', ''),
    )
  const near = (await spansOf(SYNTHETIC))
    .flatMap(span => [span.start, span.end])
    .reduce((best, time) => {
      const [a, b] = [time - t, best - t].map(away => (away < 0n ? -away : away))
      return a < b ? time : best
    })
  const own = (await spansOf(SYNTHETIC))
    .filter(span => span.start === near || span.end === near)
    .map(span => span.name)
  await until('its name', async () =>
    own.includes(
      await cell
        .locator('a')
        .textContent()
        .catch(() => ''),
    ),
  )
  const name = await cell.locator('a').textContent()
  await cell.locator('a').click()
  await page
    .locator('.widget-details .event-name', { hasText: name })
    .waitFor({ state: 'attached' })
})

const nsOf = ps => (Number(ps) / 1000).toFixed(3)

view.test('T33 a dragged marker snaps to an edge; with Alt it is free', async () => {
  const page = await openProfile(view.url),
    edge = 9187787123n // where step 1 begins
  await mark(page, 8000000000n)
  const grid = await annotations(page, 1),
    timeOf = async () => psOf((await timesOf(grid))[0].trim().replace(' ns', ''))
  // Drags the marker; gives where it lies when the page says that it moved.
  const move = async (to, how) => {
    const from = await timeOf()
    await drag(page, await pointOf(page, 'Steps', from), to, how)
    return until('the end of the move', async () => {
      const now = /^Marker 1 moved to (\S+) ns$/.exec(
          await page.locator('[data-say]').textContent(),
        ),
        time = await timeOf()
      return now && time !== from && psOf(now[1]) === time && time
    })
  }
  const at = await pointOf(page, 'Steps', edge),
    { t0, t1 } = await windowOf(page),
    box = await page.locator('.timeline .over').boundingBox()
  const pixel = (t1 - t0) / BigInt(Math.floor(box.width)),
    near = (time, x, most = 2n) => {
      const away = time - edge - BigInt(x) * pixel
      assert.ok(away < most * pixel && away > -most * pixel, away + ' ps away')
    }
  assert.equal(await move({ x: at.x + 4, y: at.y }), edge)
  near(await move({ x: at.x + 45, y: at.y }), 45, 10n) // a row in sight may have an edge within 8 pixels of there
  const free = await move({ x: at.x + 4, y: at.y }, { keys: ['Alt'] })
  near(free, 4)
  assert.notEqual(free, edge)
})

view.test(
  'T34 all markers are listed, renamed and deleted, and each of that is undone',
  async () => {
    const page = await openProfile(view.url)
    await mark(page, 8000000000n)
    await mark(page, 12000000000n)
    const grid = await annotations(page, 2),
      times = await timesOf(grid),
      named = () => grid.locator('input.rename').evaluateAll(all => all.map(one => one.value))
    assert.deepEqual(await named(), ['Marker 1', 'Marker 2'])
    await grid.getByLabel('Name of Marker 1').fill('begin')
    await grid.getByLabel('Name of Marker 1').press('Enter')
    await grid.getByRole('button', { name: 'Delete Marker 2' }).click()
    await until('one marker', async () => String(await named()) === 'begin')
    assert.deepEqual(await timesOf(grid), [times[0]])
    await page.locator('.timeline .over').focus()
    for (const wanted of ['begin,Marker 2', 'Marker 1,Marker 2', 'Marker 1', '']) {
      await page.keyboard.press('Control+z')
      await until('undone to ' + wanted, async () => String(await named()) === wanted)
      assert.deepEqual(await timesOf(grid), times.slice(0, wanted ? wanted.split(',').length : 0))
    }
  },
)

view.test(
  'a region is made of each step, and of each hit of the search; each is undone',
  async () => {
    const page = await openProfile(view.url),
      saidOf = text =>
        until(text, async () => (await page.locator('[data-say]').textContent()) === text)
    // Steps of both devices are at the same times in this file.
    const steps = [
      ...new Map(
        (await table('steps', SYNTHETIC)).map(one => [
          one.step + ' ' + one.start_ps + ' ' + one.duration_ps,
          one,
        ]),
      ).values(),
    ]
    await openTab(page, 'Steps')
    await page.locator('.widget-steps').getByRole('button', { name: 'Mark' }).click()
    await saidOf(steps.length + ' steps marked')
    const saved = async () =>
      JSON.parse(
        new URL(
          await page.waitForURL(url => url.searchParams.has('m')).then(() => page.url()),
        ).searchParams.get('m'),
      )
        .markers.map(one => [one.name, one.t, one.range])
        .sort()
    assert.deepEqual(
      await saved(),
      steps
        .map(one => [
          'step ' + one.step,
          String(one.start_ps),
          String(BigInt(one.start_ps) + BigInt(one.duration_ps)),
        ])
        .sort(),
    )
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('Control+z')
    await saidOf('undone: ' + steps.length + ' steps marked')
    await ask(page, 'name=all-reduce.2 kind=span')
    await page.locator('.hits', { hasText: /^\d/ }).click()
    const hits = (await spansOf(SYNTHETIC)).filter(span => span.name === 'all-reduce.2')
    await page.locator('.widget-search').getByRole('button', { name: 'Mark' }).click()
    await saidOf(hits.length + ' hits marked')
    await until('the address', async () => (await saved()).length === hits.length)
    assert.deepEqual(
      await saved(),
      hits.map(span => [span.name, String(span.start), String(span.end)]).sort(),
    )
  },
)

view.test('T35 a named set is there in another browser', async () => {
  const page = await openProfile(view.url)
  await mark(page, 8000000000n)
  await mark(page, 12000000000n)
  let grid = await annotations(page, 2)
  await grid.getByLabel('Name of Marker 2').fill('end of warm-up')
  await grid.getByLabel('Name of Marker 2').press('Enter')
  const times = await timesOf(grid)
  await page.getByLabel('Name of the set').fill('base')
  await page.getByRole('button', { name: 'Save as' }).click()
  await until('the save', async () =>
    /saved 2 markers/.test(await page.locator('[data-say]').textContent()),
  )
  const other = await openProfile(view.url, {})
  await openTab(other, 'Annotations')
  await other.getByLabel('Load a set').selectOption('base')
  grid = other.getByRole('grid', { name: 'Markers' })
  await until('both markers', async () => (await grid.locator('tbody tr').count()) === 2)
  assert.deepEqual(await timesOf(grid), times)
  assert.deepEqual(
    await grid.locator('input.rename').evaluateAll(all => all.map(one => one.value)),
    ['Marker 1', 'end of warm-up'],
  )
})

view.test(
  'T36 Diff vs: the distance is exact, and the metrics between are those of report --clip',
  async () => {
    const page = await openProfile(view.url)
    for (const t of [6000000000n, 8000000000n, 12000000000n]) await mark(page, t)
    const grid = await annotations(page, 3)
    const times = (await timesOf(grid)).map(text => psOf(text.trim().replace(' ns', '')))
    await grid.getByLabel('Diff of Marker 3 vs').selectOption({ label: 'Marker 1' })
    const row = grid.locator('tbody tr').nth(2),
      column = name =>
        grid
          .locator('thead th')
          .allTextContents()
          .then(all => all.map(text => text.trim()).indexOf(name))
    const cell = async name => row.locator('td').nth(await column(name))
    await until('the numbers', async () => /\d/.test(await (await cell('busy')).textContent()))
    assert.equal(
      psOf((await (await cell('Δt')).textContent()).trim().replace(' ns', '')),
      times[2] - times[0],
    )
    assert.equal(
      Number(await (await cell('events')).textContent()),
      (await spansOf(SYNTHETIC)).filter(span => span.start <= times[2] && span.end >= times[0])
        .length,
    )
    const devices = await table(
        'devices',
        '--clip',
        '--from',
        times[0] + 'ps',
        '--to',
        times[2] + 'ps',
        SYNTHETIC,
      ),
      sum = key => devices.reduce((all, one) => all + BigInt(one[key]), 0n)
    for (const key of ['busy', 'compute', 'exposed']) {
      const [shown, unit] = (await (await cell(key)).textContent()).trim().split(' '),
        ps = { us: 1e6, ms: 1e9 }[unit]
      assert.ok(
        Math.abs(Number(shown) * ps - Number(sum(key + '_ps'))) <= ps * halfOf(shown),
        key + ' ' + shown + ' ' + unit,
      )
    }
    // The widget's command prints what lies between each pair.
    const printed = await printedBy(page.locator('.widget-annotations'))
    assert.equal(printed.length, 2)
    const [said] = printed[1]
    for (const key of ['busy', 'compute', 'exposed'])
      assert.equal(BigInt(said[key + '_ps']), sum(key + '_ps'))
    assert.equal(said.events, Number(await (await cell('events')).textContent()))
    const weighted =
      devices.reduce((all, one) => all + one.mfu * Number(one.span_ps), 0) / Number(sum('span_ps'))
    assert.ok(
      Math.abs(Number.parseFloat(await (await cell('MFU')).textContent()) - 100 * weighted) <= 0.05,
    )
    const work = await table(
        'mfu',
        '--clip',
        '--from',
        times[0] + 'ps',
        '--to',
        times[2] + 'ps',
        SYNTHETIC,
      ),
      total = work
        .filter(one => one.operator === '(total)' && one.step === null)
        .reduce((all, one) => all + one.bytes, 0)
    const [gib, unit] = (await (await cell('bytes')).textContent()).trim().split(' ')
    assert.ok(
      unit === 'GiB' &&
        Math.abs(Number(gib) * 2 ** 30 - total) <= 2 ** 30 * halfOf(gib) &&
        total > 0,
      gib + ' ' + unit,
    )
    assert.ok(Math.abs(said.mfu - weighted) < 1e-9 && said.bytes === total)
  },
)

view.test(
  'two markers shade what lies between them and say how long it is; of more, those that Diff vs compares do, by the link, too',
  async () => {
    const page = await openProfile(view.url, {}),
      listen = one =>
        one.evaluate(() => {
          const { clearRect, fillText } = CanvasRenderingContext2D.prototype
          globalThis.texts = []
          CanvasRenderingContext2D.prototype.clearRect = function (...box) {
            if (this.canvas.className === 'over') globalThis.texts = []
            return clearRect.apply(this, box)
          }
          CanvasRenderingContext2D.prototype.fillText = function (...text) {
            if (this.canvas.className === 'over') globalThis.texts.push(text[0])
            return fillText.apply(this, text)
          }
        })
    await listen(page)
    /** Whether it is shaded at each of these times, and what the overlay says but for the names of markers. */
    const seen = async (one, ...times) => {
      await one.mouse.move(5, 5)
      await one.evaluate(() => document.dispatchEvent(new Event('nprof-theme'))) // draws it again
      await drawn(one)
      const shaded = []
      for (const t of times) {
        const { x, y } = await pointOf(one, 'XLA Ops', t, 1)
        shaded.push(
          Number((await colourAt(one.locator('.timeline .over'), { x, y })).split(',')[3]) > 0,
        )
      }
      return [
        shaded.join(),
        (await one.evaluate(() => globalThis.texts)).filter(text => !/^Marker/.test(text)).join(),
      ].join(' ')
    }
    const between = [7000000000n, 10000000000n, 14000000000n, 20000000000n]
    await mark(page, 8000000000n)
    assert.equal(await seen(page, ...between), 'false,false,false,false ')
    await mark(page, 12000000000n)
    const grid = await annotations(page, 2),
      lengthOf = async (a, b) => {
        const times = (await timesOf(grid)).map(text => psOf(text.trim().replace(' ns', ''))),
          ns = Number(times[b] - times[a]) / 1000
        return (ns / 1e6).toPrecision(3) + ' ms'
      }
    await until(
      'the region',
      async () =>
        (await seen(page, ...between)) === 'false,true,false,false ' + (await lengthOf(0, 1)),
    )
    // A third one leaves open which two are meant, until people say so.
    await mark(page, 16000000000n)
    await until('none', async () => (await seen(page, ...between)) === 'false,false,false,false ')
    await grid.getByLabel('Diff of Marker 3 vs').selectOption({ label: 'Marker 1' })
    const wanted = 'false,true,true,false ' + (await lengthOf(0, 2))
    await until('the compared ones', async () => (await seen(page, ...between)) === wanted)
    await page.waitForURL(/versus/)
    const other = await openProfile(page.url(), {})
    await listen(other)
    await until('the same there', async () => (await seen(other, ...between)) === wanted)
    await page.keyboard.press('Escape')
    await page.locator('.timeline .over').focus()
    await page.keyboard.press('Control+z')
    await until(
      'none again',
      async () => (await seen(page, ...between)) === 'false,false,false,false ',
    )
  },
)

view.test('T37 the checkbox zooms to the pair', async () => {
  const page = await openProfile(view.url)
  for (const t of [8000000000n, 12000000000n]) await mark(page, t)
  const grid = await annotations(page, 2)
  const times = (await timesOf(grid)).map(text => psOf(text.trim().replace(' ns', '')))
  await grid.getByLabel('Zoom to Marker 2').check()
  await until('the zoom', async () => {
    const { t0, t1 } = await windowOf(page)
    return t0 === times[0] && t1 === times[1]
  })
})

view.test(
  'T38 the search finds what csv counts, also outside of the window; hits are pages of Details',
  async () => {
    const page = await openProfile(view.url)
    const count = (await csvOf(SYNTHETIC, ['kind', 'name'], '-a', 'fusion')).filter(
      row => row.kind === 'span' && row.name === 'fusion.21',
    ).length
    for (const key of ['w', 'w', 'w', 'w']) await page.keyboard.press(key)
    await page.keyboard.press('/')
    await page.keyboard.type('name=fusion.21 kind=span')
    await page.keyboard.press('Enter')
    await page.locator('.event-name', { hasText: 'fusion.21' }).waitFor()
    const total = Number((await page.locator('.hits').textContent()).match(/\d+/)[0])
    assert.ok(count > 4, String(count))
    assert.equal(total, count)
    const first = Number.parseInt(await page.locator('.pages').textContent(), 10)
    const isPage = number => async () =>
      (await page.locator('.pages').textContent()) === number + ' of ' + total
    for (let i = 1; i < total; i++) {
      await page.getByRole('button', { name: 'Next hit' }).click()
      await until('page ' + i, isPage(((first - 1 + i) % total) + 1))
    }
    await page.getByRole('button', { name: 'Previous hit' }).click()
    await until('the page before', isPage(((first - 3 + total) % total) + 1))
    await page.locator('.hits').click()
    await page.locator('.chips .chip').nth(1).waitFor()
    // The command prints the hits; one that the command line has no words for has none.
    const command = page.locator('.widget-search').getByTitle(/^Copy as command/),
      [line] = await commandsOf(page.locator('.widget-search'))
    const printed = await inShell(line.replace('-s csv', '-q -s csv:columns=kind+name'))
    assert.equal(printed.split('\n').filter(one => one === 'span,fusion.21').length, count)
    await page.locator('.widget-search').getByLabel('Search', { exact: true }).fill('self>0ns')
    await page.keyboard.press('Enter')
    await until('no command', async () => (await command.count()) === 0)
    await page
      .locator('.widget-search')
      .getByLabel('Search', { exact: true })
      .fill('name=fusion.21 kind=span')
    await page.keyboard.press('Enter')
    await command.waitFor()
    assert.equal(await page.locator('.chips .chip').count(), 2)
    await page.getByRole('button', { name: 'Remove span' }).click()
    await until('one chip', async () => (await page.locator('.chips .chip').count()) === 1)
  },
)

view.test(
  'T38 a search by another field than the name has the rows of csv, all hits are ticks of the strip, and one that has no hit says 0',
  async () => {
    const page = await openProfile(view.url),
      rows = (
        await csvOf(
          SYNTHETIC,
          ['kind', 'category', 'duration_ns', 'thread', 'step'],
          '-a',
          'fusion',
        )
      ).filter(row => row.kind === 'span')
    const categories = [...new Set(rows.map(row => row.category))].filter(Boolean)
    assert.ok(categories.length > 2, categories.join())
    const count = async (text, wanted) => {
      await ask(page, text)
      await until(
        text,
        async () =>
          /^\d/.test(
            await page
              .locator('.hits')
              .textContent()
              .catch(() => ''),
          ) &&
          Number.parseInt((await page.locator('.hits').textContent()).replaceAll(',', ''), 10) ===
            wanted,
      ).catch(async error => {
        throw new Error(
          error.message + ': ' + wanted + ' in csv, ' + (await page.locator('.hits').textContent()),
        )
      })
    }
    for (const category of categories)
      await count(
        'category="' + category + '" kind=span',
        rows.filter(row => row.category === category).length,
      )
    await count(
      'dur>500us kind=span',
      rows.filter(row => psOf(row.duration_ns) > 500000000n).length,
    )
    await count(
      'track="XLA Ops" dur<=100us kind=span',
      rows.filter(row => row.thread === 'XLA Ops' && psOf(row.duration_ns) <= 100000000n).length,
    )
    await count('category=nothing', 0)
    // Where hits are the strip changes, and nowhere else.
    const strip = page.locator('canvas.overview'),
      foot = () =>
        strip.evaluate(canvas => {
          const { data } = canvas
            .getContext('2d')
            .getImageData(0, canvas.height - 3, canvas.width, 1)
          return Array.from({ length: canvas.width }, (_, x) => data.slice(4 * x, 4 * x + 4).join())
        })
    const hits = (await spansOf(SYNTHETIC)).filter(
      span => span.name === 'all-reduce.2' && span.thread === 'XLA Ops',
    )
    assert.ok(hits.length > 2)
    const { t0, t1 } = await windowOf(page),
      old = await foot(),
      wide = old.length,
      near = (x, hit) =>
        x >= (Number(hit.start - t0) / Number(t1 - t0)) * wide - 3 &&
        x <= (Number(hit.end - t0) / Number(t1 - t0)) * wide + 3
    await ask(page, 'name=all-reduce.2 track="XLA Ops" kind=span')
    const changed = await until('ticks', async () => {
      const all = (await foot()).flatMap((colour, x) => (colour === old[x] ? [] : [x]))
      return all.length && all
    })
    for (const hit of hits)
      assert.ok(
        changed.some(x => near(x, hit)),
        'no tick of ' + hit.start,
      )
    assert.ok(
      changed.every(x => hits.some(hit => near(x, hit))),
      changed.join(),
    )
  },
)

view.test(
  'a pinned event stays beside the one that is selected next, by its link, too',
  async () => {
    const page = await openProfile(view.url),
      [first, second] = (await spansOf(SYNTHETIC)).filter(
        span =>
          span.name === 'fusion.15' &&
          span.thread === 'XLA Ops' &&
          span.process === '/device:TPU:0',
      ),
      pins = page.getByRole('table', { name: 'Pinned events' })
    await ask(page, '@' + nsOf(first.start - 100000000n) + '..' + nsOf(second.end + 100000000n))
    const click = async span => {
      const { x, y } = await pointOf(page, 'XLA Ops', (span.start + span.end) / 2n, 1)
      await page.mouse.click(x, y)
      await until(
        'its fields',
        async () =>
          psOf(
            (await page.locator('.widget-details dd').first().textContent()).replace(' ns', ''),
          ) === span.start,
      )
    }
    await click(first)
    await page.locator('.widget-details').getByRole('button', { name: 'Pin', exact: true }).click()
    await click(second)
    const row = name =>
      pins
        .locator('tr', { has: page.getByRole('rowheader', { name, exact: true }) })
        .locator('td')
        .allTextContents()
    const both = [first, second].map(span => span.duration)
    await until(
      'both',
      async () =>
        String((await row('duration')).map(text => psOf(text.replace(' ns', '')))) === String(both),
    )
    await page.waitForURL(
      url =>
        url.searchParams.get('o') &&
        url.searchParams.get('e') &&
        !url.searchParams.get('o').endsWith('=' + url.searchParams.get('e')),
    )
    await page.reload()
    await until(
      'both again',
      async () =>
        String((await row('duration')).map(text => psOf(text.replace(' ns', '')))) === String(both),
    )
    await pins.getByRole('button', { name: 'Unpin fusion.15' }).click()
    await until('none', async () => (await pins.count()) === 0)
  },
)

view.test(
  'T38 D13 the box says how a field is searched, by fields that the profile has; FIELD: VALUE, as other tools have it, is one',
  async () => {
    const page = await openProfile(view.url),
      box = page.getByLabel('Search the whole profile'),
      list = page.locator('.command-list'),
      hits = async text => {
        await box.fill('')
        await page.locator('.hits').waitFor({ state: 'detached' })
        await ask(page, text)
        return until('hits of ' + text, async () => {
          const said = (await page.locator('.hits').textContent()).trim()
          return (await box.inputValue()) === text && /^\d/.test(said) && said
        })
      }
    assert.match(await box.getAttribute('placeholder'), /field = value/)
    await box.click()
    const hint = await list.getByText(/^Fields: field = value/).textContent()
    // Of the known fields this profile has an operator and a line of source, and no engine and no opcode.
    assert.ok(/name ~ part/.test(hint) && /source = /.test(hint), hint)
    assert.ok(!/engine|opcode/.test(hint), hint)
    const named = await hits('name~fusion.15')
    for (const text of ['name:fusion.15', 'name: fusion.15', 'name ~ fusion.15'])
      assert.equal(await hits(text), named, text)
    assert.equal(await hits('kind = span name: fusion.15'), await hits('kind=span name~fusion.15'))
    assert.notEqual(named, '0 hits')
    await box.fill('name: fusion.15')
    await list.getByText('as name~fusion.15', { exact: true }).waitFor()
    // A word that is no field is a text, as is a name with two colons.
    assert.equal(await hits('name::fusion'), '0 hits')
    assert.equal(await hits('nothing:fusion.15'), '0 hits')
    await box.click()
    await list.getByText(/^Fields: field = value/).waitFor()
  },
)

view.test('T38 a wrong text says where it is wrong', async () => {
  const page = await openProfile(view.url),
    [first, second] = (await spansOf(SYNTHETIC)).filter(
      span =>
        span.name === 'fusion.15' && span.thread === 'XLA Ops' && span.process === '/device:TPU:0',
    )
  await ask(page, '@' + nsOf(first.start - 100000000n) + '..' + nsOf(second.end + 100000000n))
  const details = async span => {
    const { x, y } = await pointOf(page, 'XLA Ops', (span.start + span.end) / 2n, 1)
    await page.mouse.click(x, y)
    await until(
      'its fields',
      async () =>
        psOf(
          (await page.locator('.widget-details dd').first().textContent()).replace(' ns', ''),
        ) === span.start,
    )
  }
  await details(first)
  await page.keyboard.press('/')
  await page.keyboard.type('dur>soon')
  await page.keyboard.press('Enter')
  await page.locator('.hits', { hasText: 'wrong text' }).click()
  await page.locator('.widget-search .failed').waitFor()
  assert.match(await page.locator('.widget-search .failed').textContent(), /character \d/)
  await details(second) // goes on where a search was refused
  // A field that no row has is no search without hits.
  await ask(page, 'process=x')
  await page.locator('.hits', { hasText: 'no field process' }).waitFor()
  assert.match(
    await page.locator('.widget-search .unknown').textContent(),
    /no row of this profile has a field process\. Rows have name, category, .*\bhlo_category\b/,
  )
  await ask(page, 'hlo_category="nothing of this kind" args.x=3')
  await page.locator('.hits', { hasText: 'no field args.x' }).waitFor()
  // An attribute that the decoder did not declare is a field, too.
  await ask(page, 'step_num>=0')
  await until('its hits', async () =>
    /^\d+ hits?$/.test((await page.locator('.hits').textContent()).trim()),
  )
  await ask(page, 'hlo_category="nothing of this kind"')
  await page.locator('.hits', { hasText: '0 hits' }).waitFor()
  assert.equal(await page.locator('.widget-search .unknown').count(), 0)
})
