/** Links for guests in real browsers: made by an owner, opened on a phone without an account, commented by, revoked. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { BrowserContextOptions, Page, Response } from 'playwright-core'
import { canvasOf, canvasOpened, chooseTool, dragOnCanvas, elementsOf, makeBoard } from './canvas.ts'
import { checkAxe, settled, withoutStatus } from './checks.ts'
import { stageOf } from './stage.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true } as const

/** Excalidraw's own interface. */
const editor = ['.excalidraw']

describe('a link for guests', () => {
  const stage = stageOf()

  const drawRectangle = async (page: Page) => {
    const { width, height } = await canvasOf(page)
    const [left, top] = [width / 2 - 60, height / 2 - 40]
    await chooseTool(page, 'rectangle')
    await dragOnCanvas(page, [left, top], [left + 120, top + 80])
  }
  const notSideways = async (page: Page) => {
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    assert.ok(width <= phone.viewport.width, `the page is ${width} px wide`)
  }
  it('an owner makes it, a person without an account draws by it on a phone, and the owner revokes it', async () => {
    const board = await makeBoard(stage, 'Plan of the pier')
    const own = await stage.visit(`/boards/${board}/draw?panel=members`)
    await canvasOpened(own.page)
    const links = own.page.getByRole('region', { name: 'Links for guests' })
    await links.getByRole('button', { name: 'Create link for guests' }).click()
    const dialog = own.page.getByRole('dialog', { name: 'Create link for guests' })
    await dialog.getByLabel('Name').fill('Workshop in May')
    await dialog.getByLabel('Guests').selectOption({ label: 'Can draw' })
    await dialog.getByLabel('End').selectOption({ label: 'In one day' })
    await checkAxe(own.page, 'the form of a link', editor)
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const made = own.page.getByRole('dialog', { name: 'Link for guests: Workshop in May' })
    const url = ((await made.locator('code').textContent()) ?? '').replace(stage.server.url, stage.url)
    assert.match(url, /\/b#atr_at_live_[0-9A-Za-z]{36}$/)
    await made.getByRole('button', { name: 'Done' }).click()
    await links.getByText('Never used', { exact: false }).waitFor()
    assert.doesNotMatch(await own.page.content(), /atr_at_live_/)
    await checkAxe(own.page, 'the links of a board', editor)

    const guest = await stage.open(phone)
    const requests: string[] = []
    guest.page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await guest.page.goto(url)
    await guest.page.getByRole('heading', { name: 'Plan of the pier' }).waitFor()
    await settled(guest.page)
    await checkAxe(guest.page, 'the entrance for guests')
    await guest.page.getByLabel('Your name').fill('Kim Lee')
    await guest.page.getByRole('button', { name: 'Open the whiteboard' }).click()
    await canvasOpened(guest.page)
    await notSideways(guest.page)
    await checkAxe(guest.page, 'the board of a guest', editor)
    assert.deepEqual(await guest.page.context().cookies(), [])
    for (const role of ['navigation', 'search'] as const) assert.equal(await guest.page.getByRole(role).count(), 0)

    await drawRectangle(guest.page)
    await guest.page.getByText('Saved', { exact: true }).waitFor()
    await own.page.getByText('Kim Lee (guest)').first().waitFor({ state: 'attached' })
    assert.deepEqual(
      (await elementsOf(stage, board)).map(({ type }) => type),
      ['rectangle'],
    )
    // What the owner draws reaches the guest without names of members.
    await stage.atrium.boards.items.create(board, { items: [{ type: 'text', text: 'Hello guest' }] })
    await guest.page.getByRole('list', { name: 'On this board' }).getByText('Member', { exact: true }).waitFor()
    await guest.page.reload()
    await canvasOpened(guest.page)
    assert.equal(await guest.page.getByLabel('Your name').count(), 0)

    await links.getByRole('button', { name: 'Revoke' }).click()
    await own.page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    await checkAxe(guest.page, 'an ended link')
    assert.equal(await guest.page.locator('.excalidraw').count(), 0)
    assert.equal((await elementsOf(stage, board)).length, 2)
    await own.page
      .getByRole('list', { name: 'Links for guests' })
      .getByText('Workshop in May')
      .waitFor({ state: 'detached' })
    await guest.page.reload()
    await guest.page.getByRole('heading', { name: 'This link does not work' }).waitFor()
    // The guest's page asks for nothing of the organization.
    const allowed = /^(GET \/(b|assets\/.*|[\w.-]+)|GET \/app\/api\/session|POST \/app\/api\/board-guests(\/\w+)*)$/
    assert.deepEqual([...new Set(requests.filter((each) => !allowed.test(each)))], [])
    guest.errors.splice(0, guest.errors.length, ...withoutStatus(guest.errors, 404))
    assert.deepEqual([guest.foreign, guest.violations, guest.errors], [[], [], []])
    assert.deepEqual([own.foreign, own.violations, own.errors], [[], [], []])
  })

  it('by a link for looking, a task on the board is “A task”, and there are no tools', async () => {
    const { id: workspace } = await stage.atrium.workspaces.create({ title: 'Harbour' })
    const task = await stage.atrium.tasks.create({ workspace, title: 'Paint the secret pier' })
    const board = await makeBoard(stage, 'Plan of the pier')
    await stage.atrium.boards.items.create(board, {
      items: [{ type: 'card', linked_task: task.id, position: { x: 0, y: 0 } }],
    })
    const { secret } = await stage.atrium.boards.links.create(board, { name: 'Visitors', role: 'viewer' })
    const guest = await stage.open(phone)
    await guest.page.goto(`${stage.url}/b#${secret}`)
    await guest.page.getByLabel('Your name').fill('Kim')
    await guest.page.keyboard.press('Enter')
    await guest.page.locator('.live-card').getByText('A task').waitFor()
    await guest.page.getByText('You can look at this board').waitFor()
    assert.doesNotMatch(await guest.page.content(), /secret pier/)
    assert.equal(await guest.page.locator('[data-testid="toolbar-rectangle"]').count(), 0)
    assert.deepEqual([guest.foreign, guest.violations, guest.errors], [[], [], []])
  })

  it('a commenter pins a comment on a phone, corrects it and deletes a reply; the member sees it live and hears of it in the inbox, and the guest reads the answer', async () => {
    const board = await makeBoard(stage, 'Plan of the quay')
    const own = await stage.visit(`/boards/${board}/draw?panel=members`)
    await canvasOpened(own.page)
    await own.page.getByRole('button', { name: 'Create link for guests' }).click()
    const dialog = own.page.getByRole('dialog', { name: 'Create link for guests' })
    await dialog.getByLabel('Name').fill('Harbour office')
    await dialog.getByLabel('Guests').selectOption({ label: 'Can comment' })
    await dialog.getByRole('button', { name: 'Create', exact: true }).click()
    const made = own.page.getByRole('dialog', { name: 'Link for guests: Harbour office' })
    const url = ((await made.locator('code').textContent()) ?? '').replace(stage.server.url, stage.url)
    await made.getByRole('button', { name: 'Done' }).click()
    await own.page.getByRole('button', { name: 'Comments', exact: true }).click()

    const guest = await enter(url, 'Kim Lee')
    const { page } = guest
    assert.equal(await page.locator('[data-testid="toolbar-rectangle"]').count(), 0)
    await page.getByRole('button', { name: 'Add comment' }).click()
    await page.getByRole('button', { name: 'Place the comment here' }).click({ position: { x: 120, y: 90 } })
    await page.getByLabel('Write a comment').fill('Is this the odl quay?')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    await page.getByLabel('Write a reply').waitFor()
    await notSideways(page)
    await checkAxe(page, 'the comments of a guest', editor)
    await page.getByRole('button', { name: 'Comment actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByRole('textbox', { name: 'Comment', exact: true }).fill('Is this the old quay?')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Is this the old quay?').waitFor()
    await page.getByLabel('Write a reply').fill('Or the new one?')
    await page.getByRole('button', { name: 'Reply', exact: true }).click()
    await page.getByRole('button', { name: 'Comment actions' }).nth(1).click()
    await page.getByRole('menuitem', { name: 'Delete comment' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await page.getByText('Or the new one?').waitFor({ state: 'detached' })

    const panel = own.page.getByRole('complementary', { name: 'Comments' })
    await panel.getByText('Kim Lee (guest)').waitFor()
    await own.page.getByRole('button', { name: 'Comment of Kim Lee (guest): Is this the old quay?' }).click()
    await panel.getByLabel('Write a reply').fill('It is.')
    await panel.getByRole('button', { name: 'Reply', exact: true }).click()
    await page.getByText('It is.', { exact: true }).waitFor()
    assert.equal(await page.getByRole('list', { name: 'Comments' }).getByText('Member', { exact: true }).count(), 1)
    await own.page.goto(`${stage.url}/inbox`)
    const entry = own.page.getByRole('listitem').filter({ hasText: 'Kim Lee (guest) commented' })
    await entry.getByText('Is this the old quay?').first().waitFor()
    assert.deepEqual([guest.foreign, guest.violations, guest.errors], [[], [], []])
    assert.deepEqual([own.foreign, own.violations, own.errors], [[], [], []])
  })

  it('a guest who draws drops an image, which the member sees, also if the element comes long before it', async () => {
    const board = await makeBoard(stage, 'Plan of the mole')
    const own = await stage.visit(`/boards/${board}/draw`)
    await canvasOpened(own.page)
    const { secret } = await stage.atrium.boards.links.create(board, { name: 'Photos', role: 'editor' })
    const guest = await enter(`${stage.url}/b#${secret}`, 'Kim', {})
    const stored = guest.page.waitForResponse((response) => response.url().endsWith('/board-guests/images/store'))
    const isRead = (response: Response) => response.url().includes(`/boards/${board}/images?`)
    const early = own.page.waitForResponse(isRead)
    await guest.page.route('**/board-guests/images/store', async (route) => {
      await early
      await route.continue()
    })
    await dropPicture(guest.page)
    assert.equal((await (await early).json()).data_url, null)
    const seen = own.page.waitForResponse(
      async (response) => isRead(response) && (await response.json()).data_url !== null,
    )
    assert.equal((await stored).status(), 200)
    assert.match((await (await seen).json()).data_url, /^data:image\/png;base64,/)
    assert.deepEqual(
      (await elementsOf(stage, board)).map(({ type }) => type),
      ['image'],
    )
    assert.deepEqual([guest.foreign, guest.violations, guest.errors], [[], [], []])
    assert.deepEqual([own.foreign, own.violations, own.errors], [[], [], []])
  })

  /** A browser without an account that has opened a link with a name. */
  const enter = async (url: string, name: string, options: BrowserContextOptions = phone) => {
    const guest = await stage.open(options)
    await guest.page.goto(url)
    await guest.page.getByLabel('Your name').fill(name)
    await guest.page.keyboard.press('Enter')
    await canvasOpened(guest.page)
    return guest
  }
})

/** Drops a picture of 40 by 30 pixels in the middle of the canvas. */
async function dropPicture(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const surface = document.querySelector('.excalidraw canvas.interactive') as HTMLCanvasElement
    const picture = Object.assign(document.createElement('canvas'), { width: 40, height: 30 })
    picture.getContext('2d')?.fillRect(5, 5, 30, 20)
    const blob = await new Promise<Blob | null>((resolve) => picture.toBlob(resolve, 'image/png'))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([blob as Blob], 'pier.png', { type: 'image/png' }))
    const { left, top, width, height } = surface.getBoundingClientRect()
    const at = { clientX: left + width / 2, clientY: top + height / 2, bubbles: true, cancelable: true }
    surface.dispatchEvent(new DragEvent('drop', { ...at, dataTransfer }))
  })
}
