/** Files of tasks and expenses: attached once whatever the network does, looked through by keyboard, receipts from a phone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage } from './checks.ts'
import { openStage, type Stage } from './stage.ts'

/** An image of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('files', () => {
  let stage: Stage
  let workspace: string
  before(async () => {
    stage = await openStage()
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
  })
  after(() => stage.close())

  const upload = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
    stage.atrium.files.create({ workspace, name, content })
  const tiles = (page: Page, label: string) =>
    page.getByRole('list', { name: label, exact: true }).getByRole('listitem')
  const namesOf = async (ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => stage.atrium.files.retrieve(id)))).map(({ name }) => name).sort()

  /** Gives files to the page as a browser does when they are dropped or pasted. */
  const give = (page: Page, kind: 'drop' | 'paste', names: readonly string[]) =>
    page.evaluate(
      ([kind, names, base64]) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
        const data = new DataTransfer()
        for (const name of names) data.items.add(new File([bytes, name], name, { type: 'image/png' }))
        const event =
          kind === 'drop'
            ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
            : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
        const target = kind === 'drop' ? document.querySelector('.attachments') : document.body
        target?.dispatchEvent(event)
      },
      [kind, names, png] as const,
    )

  it('that are dropped and pasted without a connection are attached once when it is back', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Paint the hull' })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    await page.getByRole('button', { name: 'Add files' }).waitFor()
    // The server has the file, but its answer is lost.
    let lost = 0
    await page.route('**/v1/files?*', async (route) => {
      if (lost++ > 0) return await route.fallback()
      await route.fetch()
      await route.abort()
    })
    await give(page, 'drop', ['first.png'])
    await tiles(page, 'Files').first().waitFor()
    assert.ok(lost >= 2)
    await page.context().setOffline(true)
    await give(page, 'drop', ['second.png', 'unwanted.png'])
    await give(page, 'paste', ['third.png'])
    await page.getByRole('progressbar', { name: 'Uploading third.png' }).waitFor()
    await page.getByRole('button', { name: 'Cancel unwanted.png' }).click()
    await page.context().setOffline(false)
    await tiles(page, 'Files').nth(2).waitFor()
    await page.getByRole('progressbar').first().waitFor({ state: 'detached' })
    const { attachments } = await stage.atrium.tasks.retrieve(task.id)
    assert.deepEqual(await namesOf(attachments), ['first.png', 'second.png', 'third.png'])
    assert.equal((await stage.atrium.files.list({ workspace })).data.length, 3)
    watched.errors.length = 0
    await page.evaluate('window.__shifts.length = 0')
    await checkPage(watched, 'files-task')
    // The tile goes at once, the write follows.
    const written = page.waitForResponse((response) => response.request().method() === 'PATCH')
    await page.getByRole('button', { name: 'Remove second.png' }).click()
    await tiles(page, 'Files').nth(2).waitFor({ state: 'detached' })
    await written
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).attachments.length, 2)
  })

  it('are looked through by keyboard: an image, a text, and one that is not shown', async () => {
    const image = await upload(
      'mast.png',
      Uint8Array.from(atob(png), (char) => char.charCodeAt(0)),
    )
    const text = await upload('notes.html', '<script>document.title = "run"</script>')
    const other = await upload('data.bin', Uint8Array.from([0, 1, 2, 255]))
    const attachments = [image.id, text.id, other.id]
    const task = await stage.atrium.tasks.create({ workspace, title: 'Rig the mast', attachments })
    const watched = await stage.visit(`/work/tasks/${task.key}`)
    const { page } = watched
    const first = tiles(page, 'Files')
      .first()
      .getByRole('button', { name: /^mast\.png/ })
    await first.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('img', { name: 'mast.png' }).waitFor()
    await page.waitForFunction(() => document.querySelector<HTMLImageElement>('[role=dialog] img')?.naturalWidth === 1)
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('<script>document.title = "run"</script>').waitFor()
    await page.keyboard.press('ArrowRight')
    await dialog.getByText('This kind of file is not shown here.').waitFor()
    await page.keyboard.press('ArrowRight')
    const download = page.waitForEvent('download')
    await dialog.getByRole('link', { name: 'Download' }).click()
    assert.equal((await download).suggestedFilename(), 'data.bin')
    await page.keyboard.press('ArrowLeft')
    await dialog.getByText('2 of 3').waitFor()
    await checkPage(watched, 'files-viewer')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    assert.ok(await first.evaluate((button) => button === document.activeElement))
  })

  it('are receipts of an expense, taken with the camera of a phone', async () => {
    const expense = await stage.atrium.expenses.create({
      ...{ workspace, category: 'Travel', expense_date: '2026-08-03', currency: 'EUR', gross_amount_minor: 100 },
    })
    const watched = await stage.visit(`/money/expenses/${expense.id}`)
    const { page } = watched
    await page.setViewportSize({ width: 390, height: 844 })
    await page.getByRole('button', { name: 'Take a picture' }).waitFor()
    const camera = page.locator('input[capture=environment]')
    assert.equal(await camera.getAttribute('accept'), 'image/*')
    const buffer = Buffer.from(png, 'base64')
    await camera.setInputFiles({ name: 'receipt.png', mimeType: 'image/png', buffer })
    await tiles(page, 'Receipts').first().waitFor()
    await page.getByRole('progressbar').first().waitFor({ state: 'detached' })
    assert.deepEqual(await namesOf((await stage.atrium.expenses.retrieve(expense.id)).receipts), ['receipt.png'])
    await page.evaluate('window.__shifts.length = 0')
    await checkPage(watched, 'files-receipt')
  })
})
