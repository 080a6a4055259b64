/** Files of tasks and expenses: attached once whatever the network does, looked through by keyboard, receipts from a phone. */
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { checkPage } from './checks.ts'
import { stageOf } from './stage.ts'

/** An image of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

/** A PDF of this many pages, each with its number. */
function pdfOf(pages: number): string {
  const numbers = Array.from({ length: pages }, (_, i) => i)
  const parts = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [${numbers.map((i) => `${2 * i + 4} 0 R`).join(' ')}] >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ...numbers.flatMap((i) => {
      const text = `BT /F1 72 Tf 20 40 Td (${i + 1}) Tj ET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents ${2 * i + 5} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
      ]
    }),
  ]
  const starts: number[] = []
  let file = '%PDF-1.7\n'
  for (const [i, part] of parts.entries()) {
    starts.push(file.length)
    file += `${i + 1} 0 obj\n${part}\nendobj\n`
  }
  const entries = starts.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size ${parts.length + 1} /Root 1 0 R >>\nstartxref\n${file.length}\n%%EOF\n`
  return `${file}xref\n0 ${parts.length + 1}\n0000000000 65535 f \n${entries}${trailer}`
}

describe('files', () => {
  const stage = stageOf()
  let workspace: string
  before(async () => {
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
  })

  const upload = (name: string, content: string | Uint8Array<ArrayBuffer>) =>
    stage.atrium.files.create({ workspace, name, content })
  const tiles = (page: Page, label: string) =>
    page.getByRole('list', { name: label, exact: true }).getByRole('listitem')
  const namesOf = async (ids: readonly string[]) =>
    (await Promise.all(ids.map((id) => stage.atrium.files.retrieve(id)))).map(({ name }) => name).sort()

  /** Gives files to the page as a browser does when they are dropped or pasted. */
  const give = (page: Page, kind: 'drop' | 'paste', names: readonly string[], on = '.attachments') =>
    page.evaluate(
      ([kind, names, base64, on]) => {
        const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0))
        const data = new DataTransfer()
        for (const name of names) data.items.add(new File([bytes, name], name, { type: 'image/png' }))
        const event =
          kind === 'drop'
            ? new DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })
            : new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
        const target = kind === 'drop' ? document.querySelector(on) : document.body
        target?.dispatchEvent(event)
      },
      [kind, names, png, on] as const,
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

  it('that are dropped beside the list go to their task, and leave the page as it is elsewhere', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Tar the deck' })
    const { page } = await stage.visit(`/work/tasks/${task.key}`)
    await page.getByRole('button', { name: 'Add files' }).waitFor()
    await give(page, 'drop', ['beside.png'], '.task-title')
    await tiles(page, 'Files').getByText('beside.png').waitFor()
    const refused = await page
      .locator('nav')
      .first()
      .evaluate((nav) => {
        const dataTransfer = new DataTransfer()
        dataTransfer.items.add(new File(['stray'], 'stray.txt'))
        const send = (type: string) =>
          !nav.dispatchEvent(new DragEvent(type, { dataTransfer, bubbles: true, cancelable: true }))
        return [send('dragover'), send('drop')]
      })
    assert.deepEqual(refused, [true, true])
    assert.equal((await stage.atrium.tasks.retrieve(task.id)).attachments.length, 1)
  })

  it('over the limit of a list are counted, and the others are added', async () => {
    const receipts = await Promise.all(Array.from({ length: 18 }, (_, i) => upload(`${i}.txt`, String(i))))
    const { id } = await stage.atrium.expenses.create({
      ...{ workspace, category: 'Paint', expense_date: '2026-11-02', currency: 'EUR', gross_amount_minor: 4200 },
      receipts: receipts.map((each) => each.id),
    })
    const { page } = await stage.visit(`/money/expenses/${id}`)
    await tiles(page, 'Receipts').nth(17).waitFor()
    await give(page, 'drop', ['a.png', 'b.png', 'c.png', 'd.png'])
    await page.getByText('2 files were not added: at most 20 fit here.').waitFor()
    await tiles(page, 'Receipts').nth(19).waitFor()
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

  it('are read where they are: a PDF page by page, a video; a damaged PDF says that it cannot be shown', async () => {
    const pdf = await upload('offer.pdf', pdfOf(30))
    const watched = await stage.visit('/')
    const { page } = watched
    const film = await page.evaluate(async () => {
      const canvas = Object.assign(document.createElement('canvas'), { width: 32, height: 32 })
      const recorder = new MediaRecorder(canvas.captureStream(30), { mimeType: 'video/webm' })
      const parts: Blob[] = []
      recorder.ondataavailable = ({ data }) => void parts.push(data)
      const ended = new Promise((resolve) => recorder.addEventListener('stop', resolve))
      recorder.start()
      for (let i = 0; i < 20; i++) {
        canvas.getContext('2d')?.fillRect(i, 0, 1, 32)
        await new Promise((resolve) => requestAnimationFrame(resolve))
      }
      recorder.stop()
      await ended
      return [...new Uint8Array(await new Blob(parts).arrayBuffer())]
    })
    const video = await upload('crane.webm', Uint8Array.from(film))
    const damaged = await upload('damaged.pdf', `%PDF-1.7\n${'x'.repeat(500)}`)
    const attachments = [pdf.id, video.id, damaged.id]
    const task = await stage.atrium.tasks.create({ workspace, title: 'Order the crane', attachments })
    await page.goto(`${stage.url}/work/tasks/${task.key}`)
    await tiles(page, 'Files')
      .first()
      .getByRole('button', { name: /^offer\.pdf/ })
      .click()
    const dialog = page.getByRole('dialog')
    const shown = (number: number) => dialog.locator(`canvas[aria-label="Page ${number} of 30"]`)
    await shown(1).and(page.locator('[data-drawn]')).waitFor()
    /** The share of a page that is painted. */
    const ink = (number: number) =>
      shown(number).evaluate((element) => {
        const { width, height } = element as HTMLCanvasElement
        const { data } = (element as HTMLCanvasElement).getContext('2d')?.getImageData(0, 0, width, height) ?? {
          data: [],
        }
        let dark = 0
        for (let i = 0; i < data.length; i += 4) if ((data[i] ?? 255) < 128 && (data[i + 3] ?? 0) > 128) dark++
        return dark / (width * height)
      })
    assert.ok((await ink(1)) > 0.005, `${await ink(1)}`)
    assert.equal(await shown(30).getAttribute('data-drawn'), null)
    await shown(30).scrollIntoViewIfNeeded()
    await shown(30).and(page.locator('[data-drawn]')).waitFor()
    assert.ok((await ink(30)) > 0.005)
    await shown(1).and(page.locator(':not([data-drawn])')).waitFor()
    await page.evaluate('window.__shifts.length = 0')
    await checkPage(watched, 'files-pdf')
    await dialog.getByRole('button', { name: 'Next' }).click()
    await page.waitForFunction(() => (document.querySelector('video')?.readyState ?? 0) >= 1)
    await dialog.getByRole('button', { name: 'Next' }).click()
    await dialog.getByText('This browser cannot show the file. Download it.').waitFor()
    assert.deepEqual([watched.foreign, watched.violations], [[], []])
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
