// SPDX-License-Identifier: Apache-2.0
// Ranks of one job beside each other (test 54 of the list).
import assert from 'node:assert/strict'
import fs from 'node:fs'
import path from 'node:path'
import {
  AGAIN,
  ask,
  axeOf,
  fieldsOf,
  folder,
  halfOf,
  layout,
  made,
  nprof,
  openProfile,
  psOf,
  scopeTo,
  shot,
  suite,
  table,
  until,
  windowOf,
} from './harness.mjs'
import { looksOf } from './looks.mjs'

const SLOW = 3
const job = path.join(folder, 'job'),
  files = Array.from({ length: 8 }, (_, rank) =>
    path.join(job, `rank${String(rank).padStart(5, '0')}.json`),
  )
const view = suite(() => {
  made('job', 'tools/ranks.py', '--layers', '2', '--steps', '3', '--slow', SLOW + ':1.5', '-o')
  return [job]
}, 'job')

/** Steps as the profiler of a rank wrote them, us. */
function stepsOf(rank) {
  const { traceEvents } = JSON.parse(
    fs.readFileSync(path.join(job, `rank${String(rank).padStart(5, '0')}.json`), 'utf8'),
  )
  return traceEvents.filter(
    event => event.cat === 'user_annotation' && /^ProfilerStep#/.test(event.name),
  )
}

view.test('the slow rank of a job lies on top where the rest of the page comes late', async () => {
  const page = await openProfile(view.url + '/ranks', {
    before: page =>
      page.route('**/lib/rest.js', async route => {
        await new Promise(resolve => setTimeout(resolve, 1000))
        await route.continue()
      }),
  })
  const name = `GPU ${SLOW} › stream 7`
  await page.locator('.pinned-tree .row .name', { hasText: name }).first().waitFor()
})

view.test(
  'T54 the slow rank of a job stands on top; a click shows it beside the median rank',
  async () => {
    const page = await openProfile(view.url + '/ranks')
    const cells = page.getByRole('grid', { name: 'Ranks and steps' }),
      ranks = cells.getByRole('rowheader')
    await ranks.first().waitFor()
    assert.equal(await ranks.count(), 8)
    const written = Object.fromEntries(
      Array.from({ length: 8 }, (_, rank) =>
        stepsOf(rank).map(step => [`rank ${rank}, step ${step.name.split('#')[1]}`, step.dur]),
      ).flat(),
    )
    const shown = await cells
      .locator('.heat')
      .evaluateAll(all => all.map(one => one.getAttribute('aria-label').split(': ')))
    assert.deepEqual(shown.map(one => one[0]).sort(), Object.keys(written).sort())
    for (const [cell, text] of shown)
      assert.ok(
        Math.abs(Number(text.replace(' ms', '')) - written[cell] / 1000) <=
          halfOf(text.split(' ')[0]) + 1e-9,
        cell + ': ' + text + ', written ' + written[cell] + ' us',
      )
    for (const [cell, text] of shown) assert.match(text, /^\d\.\d\d ms$/, cell)
    assert.equal(await ranks.first().textContent(), 'rank ' + SLOW)
    assert.match(
      await page.locator('.widget-ranks .findings li').first().textContent(),
      new RegExp('rank ' + SLOW + ' compute'),
    )
    // The steps without the slow rank, by hand: its own time is 1.5 times that of the others.
    const printed = (await table('ranks', '--only', 'ranks', ...files)).map(row => [
      'rank ' + row.rank,
      (row.gain_share * 100).toFixed(1) + ' %',
    ])
    const gains = await cells
      .getByRole('row')
      .evaluateAll(all =>
        all.map(row => [
          row.querySelector('[role=rowheader]').textContent,
          /[−\d.]+ %$/.exec(row.querySelector('.heat-gain').textContent)[0],
        ]),
      )
    assert.deepEqual(
      gains.sort(),
      printed.map(([rank, share]) => [rank, (Number.parseFloat(share) ? '−' : '') + share]).sort(),
    )
    assert.ok(
      gains.every(([rank, share]) =>
        (rank === 'rank ' + SLOW ? /^−(2|3)\d\.\d %$/ : /^(0\.0|−[01]\.\d) %$/).test(share),
      ),
      gains.join(),
    )
    // As the page is opened the rank that is late lies beside the rank whose steps are in the middle.
    const onTop = async () =>
      (await page.locator('.pinned-tree .row .name').allTextContents()).map(name => name.trim())
    const sums = Array.from({ length: 8 }, (_, rank) => [
      rank,
      stepsOf(rank).reduce((sum, step) => sum + step.dur, 0),
    ]).sort((a, b) => a[1] - b[1])
    const streams = async () => (await onTop()).filter(name => name.endsWith('stream 7'))
    await until('two ranks', async () => (await streams()).length > 1)
    assert.deepEqual(
      await streams(),
      [SLOW, sums[3][0]].map(rank => `GPU ${rank} › stream 7`),
    )
    const old = await windowOf(page)
    await cells.locator('.heat').nth(1).click()
    const { t0, t1 } = await until('the step', async () => {
      const now = await windowOf(page)
      return now.t1 - now.t0 < old.t1 - old.t0 && now
    })
    const shownStep = await until('the fields of the step', async () => {
      const fields = await fieldsOf(page),
        ns = Number(/^([\d,.]+) ns/.exec(fields.duration ?? '')?.[1].replaceAll(',', ''))
      return ns === written[`rank ${SLOW}, step 1`] * 1000 && fields
    })
    assert.ok(t0 <= psOf(shownStep.start.replace(' ns', '')))
    const median = /with the median rank, rank (\d)/.exec(
      await page.locator('[data-say]').textContent(),
    )[1]
    assert.notEqual(median, String(SLOW))
    await until('both on top', async () => {
      const pinned = await onTop()
      return [SLOW, median].every(rank => pinned.includes('GPU ' + rank + ' › stream 7'))
    })
    await shot(page, 'ranks')
  },
)

view.test(
  'a line of the page of a job has the parts of a mean step, how long others wait, and a link to the rank',
  async () => {
    const page = await openProfile(view.url + '/ranks'),
      lines = page.getByRole('grid', { name: 'Ranks and steps' }).getByRole('row')
    await lines.first().waitFor()
    const steps = await table('rank_steps', '--only', 'rank_steps', ...files),
      ranks = await table('ranks', '--only', 'ranks', ...files)
    const near = (text, ps) => {
      const [, digits, unit] = /([\d.]+)\u00a0?\s*(ps|ns|us|ms)/.exec(text),
        scale = { ps: 1, ns: 1e3, us: 1e6, ms: 1e9 }[unit]
      assert.ok(
        Math.abs(Number(digits) * scale - ps) <= halfOf(digits) * scale + 1,
        text + ', ' + ps,
      )
    }
    for (const line of await lines.all()) {
      const rank = Number(/\d+/.exec(await line.getByRole('rowheader').textContent())[0]),
        own = steps.filter(one => Number(one.rank) === rank),
        mean = of => own.reduce((sum, one) => sum + of(one), 0) / own.length
      const [bar] = await line
          .locator('[aria-label*="a mean step"]')
          .evaluateAll(all => all.map(one => one.getAttribute('aria-label'))),
        part = name => new RegExp(name + ' ([\\d.]+\\s*\\w+)').exec(bar)[1]
      near(
        part('Compute'),
        mean(one => Number(one.compute_ps)),
      )
      near(
        part('Communication alone'),
        mean(one => Number(one.exposed_ps) - Number(one.copy_ps)),
      )
      near(
        part('Idle'),
        mean(one => Number(one.idle_ps)),
      )
      near(
        await line.locator('.heat-waited').evaluate(one => one.lastChild.textContent),
        Number(ranks.find(one => Number(one.rank) === rank).waited_ps),
      )
    }
    // The link alone leads to the rank, also from another page.
    const other = await openProfile(
      new URL(await lines.first().locator('a').getAttribute('href'), view.url).href,
    )
    const pinned = await other.locator('.pinned-tree .row .name').allTextContents()
    assert.ok(
      pinned.some(name => name.trim() === 'GPU ' + SLOW + ' › stream 7'),
      pinned.join(),
    )
    assert.equal(await other.getByRole('tab', { name: 'Ranks', exact: true }).count(), 1)
    await other.getByRole('button', { name: 'Show ranks' }).click()
    await other.getByRole('grid', { name: 'Ranks and steps' }).waitFor()
    assert.deepEqual([...(await looksOf(page)), ...(await axeOf(page, '.widget-ranks'))], [])
  },
)

view.test(
  'the heat map of ranks is saved as CSV: a line for each rank and step, with the exact time',
  async () => {
    const page = await openProfile(view.url + '/ranks'),
      ranks = page.locator('.widget-ranks')
    await ranks
      .getByRole('grid', { name: 'Ranks and steps' })
      .getByRole('gridcell')
      .first()
      .waitFor()
    const saved = page.waitForEvent('download')
    await ranks.locator('.bar').getByRole('button', { name: 'CSV', exact: true }).click()
    const file = await saved,
      [head, ...lines] = fs
        .readFileSync(await file.path(), 'utf8')
        .trim()
        .split('\n')
        .map(line => line.split(','))
    assert.equal(file.suggestedFilename(), 'ranks-step.csv')
    assert.deepEqual(head, ['rank', 'device', 'file', 'step', 'value', 'unit', 'reason'])
    const written = Array.from({ length: 8 }, (_, rank) =>
      stepsOf(rank).map(step => [
        'rank ' + rank,
        step.name.split('#')[1],
        String(Math.round(step.dur * 1e6)),
      ]),
    ).flat()
    assert.deepEqual(lines.map(line => [line[0], line[3], line[4]]).sort(), written.sort())
    assert.ok(lines.every(line => line[5] === 'ps'))
  },
)

view.test('a step of a rank that could not be asked for says so', async () => {
  const page = await openProfile(view.url + '/ranks'),
    cell = page.locator('.widget-ranks .heat').nth(1)
  await cell.waitFor()
  await page.route(/\/steps\?/, route =>
    route.fulfill({ status: 500, json: { error: { text: 'the disk is gone', mend: 'mount it' } } }),
  )
  await cell.click()
  await page.locator('#said', { hasText: 'The disk is gone. Mount it.' }).waitFor()
})

view.test('the heat map of the window has the steps that are in it', async () => {
  const page = await openProfile(view.url + '/ranks'),
    ranks = page.locator('.widget-ranks'),
    cells = ranks.getByRole('grid', { name: 'Ranks and steps' })
  await cells.getByRole('gridcell').first().waitFor()
  await cells.locator('.heat').nth(1).click() // shows and selects a step
  await scopeTo(ranks, 'selection')
  await until('the address', () => page.evaluate(() => /[?&]p=/.test(location.search)))
  const { t0, t1 } = await page.evaluate(() =>
    Object.fromEntries(
      /[?&]p=([\d.]+)\.\.([\d.]+)@/
        .exec(decodeURIComponent(location.search))
        .slice(1)
        .map((text, i) => ['t' + i, text]),
    ),
  )
  const said = JSON.parse(
    await nprof(
      'report',
      '-q',
      '--full',
      '--top',
      '0',
      '--only',
      'rank_steps',
      '--clip',
      '--from',
      t0 + 'ns',
      '--to',
      t1 + 'ns',
      '--format',
      'json',
      ...files,
    ),
  ).tables[0]
  const at = name => said.columns.indexOf(name),
    textOf = ps => (ps >= 1e9 ? (ps / 1e9).toPrecision(3) + ' ms' : 'less')
  const wanted = said.rows
    .map(
      row =>
        `rank ${row[at('rank')]}, step ${row[at('step')]}: ${textOf(Number(row[at('duration_ps')]))}`,
    )
    .sort()
  const shown = async () =>
    (
      await cells
        .locator('.heat')
        .evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
    )
      .filter(text => !/unknown/.test(text))
      .map(text => text.replace(/[\d.]+ [nup]s$/, 'less'))
      .sort()
  // A step of the slow rank, and what of the steps of others lies in it.
  assert.ok(
    wanted.some(text => /less$/.test(text)) &&
      wanted.filter(text => / ms$/.test(text)).length === 8,
    wanted.join('\n'),
  )
  await until('its cells', async () => String(await shown()) === String(wanted)).catch(async () =>
    assert.deepEqual(await shown(), wanted),
  )
  await shot(page, 'ranks-window')
})

view.test('all findings of a job are in sight', async () => {
  for (const viewport of [
    { width: 1440, height: 900 },
    { width: 1024, height: 700 },
  ]) {
    const page = await openProfile(view.url, { viewport, ...AGAIN })
    const told = await page.locator('.advice:has(.because)').count()
    assert.ok(told > 1)
    for (const more of await page.locator('.more-advice summary').all()) await more.click()
    await page.getByRole('button', { name: /^\d+ more break the same rules$/ }).click()
    await until(
      'the widget',
      async () => (await page.locator('.widget-findings .findings li').count()) === told,
    )
    assert.deepEqual(await looksOf(page), [])
  }
})

view.test('T54 a click on a rank shows it beside the representative of its role', async () => {
  const page = await openProfile(view.url + '/ranks')
  const ranks = page.getByRole('grid', { name: 'Ranks and steps' }).getByRole('rowheader')
  await ranks.first().click()
  const said = page.locator('[data-say]').filter({ hasText: 'representative of its role' })
  await said.waitFor({ state: 'attached' })
  const stands = /^rank 3, with the representative of its role, rank (\d)$/.exec(
    await said.textContent(),
  )[1]
  const pinned = (await page.locator('.pinned-tree .row .name').allTextContents()).map(name =>
    name.trim(),
  )
  for (const rank of [SLOW, stands])
    assert.ok(pinned.includes('GPU ' + rank + ' › stream 7'), pinned.join())
  await ranks
    .filter({ hasText: new RegExp('^rank ' + stands + '$') })
    .locator('a')
    .press('Enter')
  await page
    .locator('[data-say]')
    .filter({ hasText: 'rank ' + stands + ', the representative of its role' })
    .waitFor({ state: 'attached' })
})

view.test('T54 by keyboard, and by the time that a rank was busy', async () => {
  const page = await openProfile(view.url)
  await layout(page, 'Ranks')
  await page.getByLabel('Metric', { exact: true }).selectOption('busy')
  const cell = page.locator('.heat[aria-label^="rank 5, step 2"]')
  await cell.focus()
  await page.keyboard.press('Enter')
  await page
    .locator('[data-say]')
    .filter({ hasText: 'rank 5, step 2' })
    .waitFor({ state: 'attached' })
  assert.match(await page.locator('.widget-details h2').textContent(), /^Step 2/)
})

view.test(
  'bars of steps mark the rank that ends last, by the clock that all ranks have',
  async () => {
    const ends = [0, 1, 2].map(step => {
      // us, of ranks on one host
      const own = Array.from({ length: 8 }, (_, rank) => {
        const one = stepsOf(rank).find(event => event.name === 'ProfilerStep#' + step)
        return { rank, end: Math.round((Number(one.ts) + Number(one.dur)) * 1e3) }
      }).sort((a, b) => b.end - a.end)
      return {
        step,
        rank: own[0].rank,
        apart: ((own[0].end - own[7].end) / 1e3).toPrecision(3) + ' us',
      }
    })
    const page = await openProfile(view.url)
    await layout(page, 'Steps')
    const marked = page.locator('.widget-steps .bar-group:has(.late)')
    await marked.first().waitFor()
    const labels = await marked.evaluateAll(all => all.map(one => one.getAttribute('aria-label')))
    assert.equal(labels.length, 3)
    for (const { step, rank, apart } of ends)
      assert.ok(
        labels.some(
          label =>
            label.startsWith('Step ProfilerStep#' + step + ' of rank0000' + rank + '.json ') &&
            label.includes(', ends last, ' + apart + ' after the first'),
        ),
        labels.join('\n'),
      )
    assert.match(
      await page.locator('.widget-steps .skew').textContent(),
      /^▲ Most in step \d: rank \d ends last, [\d.]+ us after the first; they begin within [\d.]+ us\.$/,
    )
    await shot(page, 'steps-ranks')
  },
)

/** Rows of pixels of the canvas in which a line stands at a time, by the rows' names: whether each row has one. */
async function rowsWithLine(page, t) {
  const { t0, t1 } = await windowOf(page),
    boxes = await page.locator('.tree .row').evaluateAll(all =>
      all.map(one => ({
        name: one.querySelector('.name').textContent.trim(),
        y: one.getBoundingClientRect().top,
      })),
    )
  const has = await page.locator('.timeline .bars').evaluate(
    (canvas, { at, ys }) => {
      // The first pixels of a row have no bar; lines of steps are blue, those of the ruler grey.
      const top = canvas.getBoundingClientRect().top,
        x = Math.round(at * canvas.width)
      return ys.map(y => {
        const { data } = canvas.getContext('2d').getImageData(x - 1, Math.round(y - top), 3, 1)
        return [0, 4, 8].some(i => data[i + 3] > 100 && data[i + 2] - data[i] > 60)
      })
    },
    { at: Number(t - t0) / Number(t1 - t0), ys: boxes.map(box => box.y) },
  )
  return boxes.map((box, i) => ({ ...box, has: has[i] }))
}

view.test('where the steps of a rank begin is drawn in its own rows alone', async () => {
  const page = await openProfile(view.url, { viewport: { width: 1440, height: 1600 } })
  const starts = (await table('steps', '--only', 'steps', ...files)).map(row => ({
    rank: Number(/\d+/.exec(row.input)[0]),
    t: BigInt(row.start_ps),
  }))
  assert.equal(starts.length, 24)
  // The first steps of all ranks, which begin at different times.
  const first = starts.filter(one => one.t < 200000000n)
  assert.equal(first.length, 8)
  await ask(page, '@0..200000')
  await until('lines', async () => (await rowsWithLine(page, first[0].t)).some(row => row.has))
  for (const { rank, t } of first) {
    let of
    const rows = (await rowsWithLine(page, t)).map(row => ({
      ...row,
      rank: Number((of = /rank(\d+)/.exec(row.name)?.[1] ?? of)),
    }))
    assert.ok(rows.length > 8 && rows.some(row => row.rank === rank))
    for (const row of rows)
      assert.equal(
        row.has,
        row.rank === rank,
        'the step of rank ' + rank + ' in ' + row.name + ' of ' + row.rank,
      )
  }
})

for (const [width, height] of [
  [1440, 900],
  [1024, 700],
]) {
  view.test(
    'who was late, and the ranks beside each other, lead the page of a job, in sight without scrolling: ' +
      width +
      ' x ' +
      height,
    async () => {
      const page = await openProfile(view.url, { viewport: { width, height } })
      await layout(page, 'Ranks')
      const ranks = page.locator('.widget-ranks'),
        box = async part => {
          const one = ranks.locator(part).first()
          await one.waitFor()
          return one.boundingBox()
        }
      const late = await box('.findings li'),
        heat = await box('.heat'),
        sight = await box('.scrolled')
      for (const one of [late, heat])
        assert.ok(
          one.y >= sight.y && one.y + one.height <= sight.y + sight.height,
          JSON.stringify({ one, sight }),
        )
      const { tables } = JSON.parse(
          await nprof('report', '-q', '--only', 'summary', '--format', 'json', ...files),
        ),
        [{ columns, rows }] = tables,
        lineOf = label => rows.find(one => one[columns.indexOf('label')] === label)
      const cell = (label, column) => lineOf(label)[columns.indexOf(column)],
        told = cell('late', 'text')
          .replace('{name}', cell('late', 'name'))
          .replace('{other}', cell('late', 'other')),
        flat = text => text.replace(/\s+/g, ' ').trim()
      assert.equal(flat(await page.locator('.verdict h1').textContent()), told)
      const below = (await page.locator('.verdict .sub').allTextContents()).map(flat)
      assert.deepEqual(below, [
        cell('job', 'text'),
        cell('verdict', 'device') + ', the slowest: ' + cell('verdict', 'text'),
      ])
      await shot(page, 'stragglers-' + width)
    },
  )
}
