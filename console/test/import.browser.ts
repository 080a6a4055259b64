/** Exports of other programs become tasks: a board of Trello by keyboard, stopped and resumed, and a CSV file with words of its own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage, forgetShifts, settled } from './checks.ts'
import { stageOf } from './stage.ts'

const board = join(import.meta.dirname, '../../server/test/cli/fixtures/trello-board.json')

/** What the first comment of an import meets: it waits until it may pass, or its answer is lost. */
async function onFirstComment(
  page: Page,
  meet: (send: () => Promise<void>) => Promise<'continue' | 'abort'>,
): Promise<void> {
  let isFirst = true
  await page.route(/\/v1\/tasks\/[^/]+\/comments(\/import)?$/, async (route) => {
    if (!isFirst || route.request().method() !== 'POST') return await route.continue()
    isFirst = false
    const then = await meet(async () => void (await route.fetch()))
    await (then === 'abort' ? route.abort() : route.continue())
  })
}

describe('an import in the browser', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Bakery' })).id
  })

  const tasks = async () => await stage.atrium.tasks.list({ workspace, limit: 100 }).toArray({ max: 1000 })
  const projects = async () => (await stage.atrium.projects.list({ workspace })).data
  const rows = (page: Page, name: string) => page.getByRole('table', { name }).getByRole('row')

  it('brings a board of Trello by keyboard, is stopped, loses an answer and a page, and doubles nothing', async () => {
    const watched = await stage.visit('/')
    const { page } = watched
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('trello')
    await page.getByRole('option', { name: /Import/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Import', exact: true }).waitFor()
    await settled(page)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose file' }).press('Enter')
    await (await choosing).setFiles(board)

    // 1. The preview names what there is; nothing is written yet.
    await page.getByRole('button', { name: 'Import 4 tasks' }).waitFor()
    const lists = (await rows(page, 'Statuses of the file').allInnerTexts()).slice(1)
    assert.deepEqual(
      lists.map((text) => text.trim().split(/\s/)[0]),
      ['Ideas', 'Doing', 'Tasting', 'Done'],
    )
    assert.equal(await page.getByLabel('Status of Doing').inputValue(), 'in_progress')
    await page.getByLabel('Status of Tasting').selectOption('in_review')
    await page.getByText('The card is archived. “Import archived cards” includes it.').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'import-preview')
    assert.deepEqual([await tasks(), await projects()], [[], []])

    // 2. It is stopped while the first comment is on its way, whose answer is lost.
    await onFirstComment(page, async (send) => {
      await page.getByRole('button', { name: 'Stop' }).press('Enter')
      await page.getByRole('button', { name: 'Stopping…' }).waitFor()
      await send()
      return 'abort'
    })
    await page.getByRole('button', { name: 'Import 4 tasks' }).press('Enter')
    await page.getByText('The import is not finished').waitFor()
    await page.reload()

    // 3. Another page goes on where it stopped.
    await page.getByRole('button', { name: 'Resume' }).press('Enter')
    await page.getByText('The import is finished').waitFor()
    const found = await tasks()
    assert.deepEqual(found.map(({ title, status }) => [title, status]).toSorted(), [
      ['Buy the oven', 'in_progress'],
      ['Find a name', 'done'],
      ['Sign the lease', 'done'],
      ['Try the sourdough', 'in_review'],
    ])
    const oven = found.find(({ title }) => title === 'Buy the oven')
    const { data: comments } = await stage.atrium.tasks.comments.list(oven?.id ?? '')
    assert.deepEqual(
      comments.map(({ body, created }) => [body.split('\n').at(-1), new Date(created * 1000).toISOString()]).toSorted(),
      [
        ['Electric, then.', '2026-03-08T09:00:00.000Z'],
        ['The gas pipe ends next door.', '2026-03-07T16:30:00.000Z'],
      ],
    )
    assert.deepEqual(
      (await projects()).map(({ name }) => name),
      ['Launch the bakery'],
    )

    // 4. The report, which a reload keeps, names what was left out.
    await page.reload()
    await page.getByText('The import is finished').waitFor()
    assert.match(await page.getByText('Comments', { exact: true }).locator('..').innerText(), /\b2\b/)
    const left = (await rows(page, 'Left out').allInnerTexts()).slice(1).map((text) =>
      text
        .split('\t')
        .slice(0, 2)
        .map((cell) => cell.trim()),
    )
    assert.deepEqual(left, [
      ['4', 'Row left out'],
      ['5', 'Row left out'],
      ['1', 'Value left out'],
      ['1', 'Value left out'],
      ['2', 'Value left out'],
    ])
    // The lost answer, which the browser logs.
    watched.errors.length = 0
    await forgetShifts(page)
    await checkPage(watched, 'import-report')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download report' }).click()
    const report = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\r\n')
    assert.match(report[0] ?? '', /Row,Outcome,Column,Task,Title or reason$/)
    assert.equal(report.filter((line) => /^\d+,Created,/.test(line)).length, 4)
    assert.equal(report.filter((line) => line.includes('Row left out')).length, 2)
    await page.getByRole('link', { name: 'Open Launch the bakery' }).click()
    await page.getByRole('heading', { name: 'Launch the bakery' }).waitFor()

    // 5. The same file again finds its tasks.
    await stage.visit('/work/import')
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.getByLabel('File to import').setInputFiles(board)
    await page.getByText('Its tasks are in Launch the bakery.').waitFor()
    await page.getByRole('button', { name: 'Import 4 tasks' }).click()
    await page.getByText('The import is finished').waitFor()
    assert.match(await page.getByText('Already there').locator('..').innerText(), /\b4\b/)
    assert.deepEqual([(await tasks()).length, (await projects()).length], [4, 1])
    await page.getByRole('button', { name: 'Import another file' }).click()
  })

  it('puts the columns of a CSV file where a person chooses, and leaves out what it cannot place', async () => {
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Winter' })
    await stage.atrium.columns.create({ workspace, project, name: 'Baking', status: 'in_progress' })
    const { page } = await stage.visit('/work/import', { person: await stage.person('member') })
    const text =
      'Task;State;Tags;Due;Weight\nBread;In the oven;"rye,new";3/4/2026;1,5\nCake;Done;;24/12/2026;\n;Done;;;\n'
    const file = { name: 'list.csv', mimeType: 'text/csv', buffer: Buffer.from(text) }
    await page.getByLabel('File to import').setInputFiles(file)
    await page.getByText('State is an unknown status: "In the oven"; choose its status under Statuses.').waitFor()
    await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Winter' })
    await page.getByLabel('Status of In the oven').selectOption('in_progress')
    await page.getByLabel('Column of In the oven').selectOption('Baking')
    await page.getByText('Due can mean two days; choose the order of dates.').waitFor()
    await page.getByLabel('Order of dates').selectOption('dmy')
    await page.getByRole('button', { name: 'Time zone' }).or(page.getByLabel('Time zone')).first().click()
    await page.keyboard.type('UTC')
    await page.keyboard.press('Enter')
    assert.equal(await page.getByLabel('Keep times of creation and authors').isDisabled(), true)
    await page.getByLabel('Weight becomes').selectOption({ label: 'New field: number' })
    await page.getByRole('button', { name: 'Import 2 tasks' }).click()
    await page.getByRole('link', { name: 'Open Winter' }).waitFor()
    const found = (await tasks()).filter((task) => task.project === project)
    const { data: columns } = await stage.atrium.columns.list({ project })
    const nameOf = (id: string | null) => columns.find((column) => column.id === id)?.name
    assert.deepEqual(
      found
        .map(({ title, status, column, labels, due_at, custom_fields: { weight } }) => [
          ...[title, status, nameOf(column), labels.toSorted().join(), weight],
          new Date((due_at ?? 0) * 1000).toISOString().slice(0, 10),
        ])
        .toSorted(),
      [
        ['Bread', 'in_progress', 'Baking', 'new,rye', 1.5, '2026-04-03'],
        ['Cake', 'done', 'Done', '', undefined, '2026-12-24'],
      ],
    )
    await page.getByText('title is empty.').waitFor()
    await page.getByRole('button', { name: 'Import another file' }).click()
    await page.getByLabel('File to import').setInputFiles({ ...file, buffer: Buffer.from('Task\n"Bread\n') })
    await page.getByText('“list.csv” is damaged at line 2: a quote opens there and is never closed.').waitFor()
  })

  it('finds tasks by their keys in a newer file, also in one that the browser gave a number', async () => {
    const { id: project } = await stage.atrium.projects.create({ workspace, name: 'Summer' })
    const { page } = await stage.visit('/work/import')
    const give = async (name: string, text: string) => {
      await page.getByLabel('File to import').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })
      await page.getByLabel('Project', { exact: true }).selectOption({ label: 'Summer' })
      // What is left out comes before values, with the key by which a person finds the row.
      return page.getByRole('table', { name: 'What would be left out' }).getByRole('row').nth(1)
    }
    const head = 'ID,Title,Assignee,Due,Oven'
    const lines = ['B-1,Rolls,Nina Unknown,,big', 'B-2,Tart,,31/02/2026,small']
    const first = await give('bread.csv', [head, ...lines].join('\n'))
    await first.getByText('Due is not a day of the calendar: "31/02/2026".').waitFor()
    await first.getByText('B-2', { exact: true }).waitFor()
    await page.getByText('1 column is left out').waitFor()
    await page.getByText('Oven. Choose under Columns what they become.').waitFor()
    await page.getByRole('button', { name: 'Import 1 task' }).click()
    await page.getByText('The import is finished').waitFor()
    await page.getByRole('button', { name: 'Import another file' }).click()
    await give('bread (1).csv', [head, ...lines].join('\n').replace('31/02', '28/02'))
    await page.getByRole('button', { name: 'Import 2 tasks' }).click()
    await page.getByText('The import is finished').waitFor()
    const found = (await tasks()).filter((task) => task.project === project)
    assert.deepEqual(found.map(({ title }) => title).toSorted(), ['Rolls', 'Tart'])
  })
})
