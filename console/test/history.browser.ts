/** The panel beside the board, the browser's history, and scroll positions. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import type { Project, Task } from '../../sdk/typescript/src/index.ts'
import { checkAxe, checkQuiet, settled } from './checks.ts'
import { stageOf } from './stage.ts'

/** Enough for the list and the first column to scroll. */
const many = 60

describe('the panel and the history', () => {
  const stage = stageOf()
  let project: Project
  const tasks: Task[] = []
  before(async () => {
    const workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    project = await stage.atrium.projects.create({ workspace, name: 'Seat map' })
    const column = (await stage.atrium.columns.create({ workspace, project: project.id, name: 'To do' })).id
    await stage.atrium.columns.create({ workspace, project: project.id, name: 'Done' })
    for (let number = 1; number <= many; number++) {
      const title = `Deck ${String(number).padStart(2, '0')}`
      tasks.push(await stage.atrium.tasks.create({ workspace, project: project.id, column, title }))
    }
  })

  const board = () => `/work/projects/${project.id}`
  const cards = (page: Page) => page.getByRole('list', { name: 'Tasks in To do' })
  const card = (page: Page, title: string) => cards(page).getByRole('link', { name: title })
  const panel = (page: Page, title: string) => page.getByRole('dialog', { name: title })
  const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent ?? '')
  const topOf = (page: Page, part: string) =>
    page
      .locator(part)
      .first()
      .evaluate((element) => element.scrollTop)

  /** Scrolls, and waits until the page knows of it. */
  const scrollTo = (page: Page, part: string, top: number) =>
    page
      .locator(part)
      .first()
      .evaluate(async (element, top) => {
        const scrolled = new Promise((resolve) => element.addEventListener('scroll', resolve, { once: true }))
        element.scrollTo(0, top)
        await scrolled
      }, top)

  it('shows a task beside the board, which stays usable by mouse', async () => {
    const watched = await stage.visit(board())
    const { page } = watched
    await card(page, 'Deck 02').click()
    await panel(page, 'Deck 02').getByText(`2 of ${many}`).waitFor()
    assert.equal(await focused(page), 'Deck 02')
    const [cardBox, panelBox] = [await card(page, 'Deck 03').boundingBox(), await panel(page, 'Deck 02').boundingBox()]
    assert.ok(cardBox && panelBox && cardBox.x + cardBox.width <= panelBox.x, 'the panel covers the card')
    const messages = await page.locator('.toaster').boundingBox()
    assert.ok(messages && messages.x + messages.width <= panelBox.x, 'messages cover the panel')
    await card(page, 'Deck 03').click()
    await panel(page, 'Deck 03').waitFor()
    await page.getByRole('button', { name: 'Next task' }).click()
    await panel(page, 'Deck 04').getByText(`4 of ${many}`).waitFor()
    assert.match(page.url(), new RegExp(`task=${tasks[3]?.key}`))
    await checkQuiet(watched)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
      await settled(page)
      await checkAxe(page, `the panel beside the board in ${colorScheme}`)
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null })
    const edge = page.getByRole('separator', { name: 'Width of the panel' })
    const width = Number(await edge.getAttribute('aria-valuenow'))
    await edge.focus()
    await page.keyboard.press('ArrowLeft')
    assert.equal(Number(await edge.getAttribute('aria-valuenow')), width + 24)
    await panel(page, 'Deck 04').getByRole('button', { name: 'Close' }).click()
    await panel(page, 'Deck 04').waitFor({ state: 'hidden' })
    assert.doesNotMatch(page.url(), /task=/)
  })

  it('j and k go on from the card that had the focus last, also while a button has it, and stay at the end of the lane', async () => {
    const { page } = await stage.visit(board())
    await card(page, 'Deck 02').focus()
    await page.getByRole('button', { name: 'New task' }).focus()
    await page.keyboard.press('j')
    assert.equal(await focused(page), 'Deck 03')
    await page.locator('#main').focus()
    await page.keyboard.press('k')
    assert.equal(await focused(page), 'Deck 02')
    await page.getByRole('button', { name: 'New task' }).focus()
    for (const _ of [1, 2, 3]) await page.keyboard.press('k')
    assert.equal(await focused(page), 'Deck 01')
  })

  it('works by keyboard: Enter moves into the panel, j and k step, F6 leaves it, Escape closes it', async () => {
    const { page } = await stage.visit(board())
    await card(page, 'Deck 01').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForFunction(() => document.activeElement?.getAttribute('role') === 'dialog')
    await page.keyboard.press('j')
    await panel(page, 'Deck 03').waitFor()
    await page.keyboard.press('k')
    await panel(page, 'Deck 02').waitFor()
    await page.keyboard.press('F6')
    assert.equal(await focused(page), 'Deck 02')
    await page.keyboard.press('F6')
    await page.keyboard.press('j')
    await panel(page, 'Deck 03').waitFor()
    await page.keyboard.press('Escape')
    await panel(page, 'Deck 03').waitFor({ state: 'hidden' })
    assert.equal(await focused(page), 'Deck 03')
  })

  it('fills a phone, where Back closes it and touch opens it', async () => {
    const { page } = await stage.visit(board())
    await page.setViewportSize({ width: 390, height: 844 })
    await card(page, 'Deck 01').click()
    await panel(page, 'Deck 01').waitFor()
    await settled(page)
    const box = await panel(page, 'Deck 01').boundingBox()
    assert.deepEqual([box?.x, box?.width], [0, 390])
    await checkAxe(page, 'the panel on a phone')
    await page.getByRole('button', { name: 'Next task' }).click()
    await panel(page, 'Deck 02').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await panel(page, 'Deck 02').waitFor({ state: 'hidden' })
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('steps back and forward through panel and tab, and leaves no entry of a closed panel', async () => {
    const { page } = await stage.visit('/work')
    await page.getByRole('link', { name: 'Seat map' }).first().click()
    await card(page, 'Deck 01').click()
    await panel(page, 'Deck 01').waitFor()
    await page.getByRole('tab', { name: 'Time' }).click()
    await page.waitForURL(/part=time/)
    await page.goBack()
    await page.getByRole('tab', { name: 'Comments', selected: true }).waitFor()
    await page.goBack()
    await panel(page, 'Deck 01').waitFor({ state: 'hidden' })
    await page.goForward()
    await panel(page, 'Deck 01').waitFor()
    await page.reload()
    await panel(page, 'Deck 01').waitFor()
    await page.getByRole('tab', { name: 'Time' }).click()
    await page.waitForURL(/part=time/)
    await card(page, 'Deck 02').click()
    await panel(page, 'Deck 02').waitFor()
    await page.keyboard.press('Escape')
    await panel(page, 'Deck 02').waitFor({ state: 'hidden' })
    assert.equal(new URL(page.url()).search, '')
    await page.goBack()
    await page.waitForURL(/\/work$/)
  })

  it('restores how far a board and a list were scrolled', async () => {
    const { page } = await stage.visit(board())
    await card(page, 'Deck 01').waitFor()
    await scrollTo(page, '.board-cards', 900)
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await page.getByText(`${many} tasks`).waitFor()
    await scrollTo(page, '.task-list', 700)
    await page.goBack()
    await page.waitForFunction(() => document.querySelector('.board-cards')?.scrollTop === 900)
    await page.goForward()
    await page.waitForFunction(() => document.querySelector('.task-list')?.scrollTop === 700)
    await page.reload()
    await page.waitForFunction(() => document.querySelector('.task-list')?.scrollTop === 700)
    await page.getByRole('link', { name: 'Projects', exact: true }).click()
    await page.getByRole('heading', { name: 'Work', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Tasks', exact: true }).click()
    await page.getByText(`${many} tasks`).waitFor()
    assert.equal(await topOf(page, '.task-list'), 0)
  })
})
