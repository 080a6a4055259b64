/** Work reaches people: notices in the browser, a new password by mail, a talk about a bug from phone and desk, a day away. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { MailServer, type Received } from '../../server/test/mail-server.ts'
import { PushServer } from '../../server/test/push-server.ts'
import { checkPage, checkQuiet, forgetShifts } from './checks.ts'
import { openStage, password, type Stage, type StagePerson } from './stage.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true } as const
const day_seconds = 86_400

/** An image of one pixel. */
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

describe('work reaches people', () => {
  let stage: Stage
  let smtp: MailServer
  let service: PushServer
  let workspace: string
  let mara: StagePerson

  before(async () => {
    ;[smtp, service] = [await MailServer.open(), await PushServer.open()]
    stage = await openStage({
      environment: { ATRIUM_SMTP_URL: smtp.url, ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>' },
    })
    workspace = (await stage.atrium.workspaces.create({ title: 'Harbour' })).id
    mara = await stage.person('member')
  })
  after(async () => {
    await stage.close()
    await Promise.all([smtp.close(), service.close()])
  })

  const linkIn = ({ text }: Received) => /https?:\/\/\S+/.exec(text)?.[0] ?? ''

  it('two people discuss a bug with pictures, one at a desk, one with a phone', async () => {
    const desk = await stage.visit('/work')
    const hand = await stage.visit('/inbox', { person: mara, options: phone })
    const task = await stage.atrium.tasks.create({ workspace, title: 'The crane stops', assignee: mara.user })
    await hand.page.locator('.inbox-group', { hasText: task.key }).locator('.inbox-open').tap()
    await hand.page.getByRole('heading', { name: 'The crane stops (edit title)' }).waitFor()
    await comment(hand.page, 'It stops at half height.', 'crane.png', 'tap')
    await desk.page.goto(`${stage.url}/work/tasks/${task.key}`)
    const talk = desk.page.getByRole('list', { name: 'Comments' })
    await talk.getByText('It stops at half height.').waitFor()
    await talk.getByRole('img', { name: 'crane.png' }).waitFor()
    await comment(desk.page, 'The fuse is burnt.', 'fuse.png', 'click')
    const heard = hand.page.getByRole('list', { name: 'Comments' })
    await heard.getByText('The fuse is burnt.').waitFor()
    await heard.getByRole('img', { name: 'fuse.png' }).waitFor()
    const { data } = await stage.atrium.tasks.comments.list(task.id)
    assert.deepEqual(data.map(({ body }) => body.replace(/\(.*?\)/, '()')).toReversed(), [
      'It stops at half height.![crane.png]()',
      'The fuse is burnt.![fuse.png]()',
    ])
    // A comment takes its place before the name of its author is known.
    await forgetShifts(desk.page)
    await checkQuiet(desk)
    await hand.page.goto('about:blank')
  })

  /** Writes a comment with a picture, as a person does who picks it from the phone or takes it with the camera. */
  async function comment(page: Page, text: string, name: string, press: 'tap' | 'click'): Promise<void> {
    const form = page.locator('.text-writing', { has: page.getByRole('button', { name: 'Comment', exact: true }) })
    const box = form.getByRole('textbox', { name: 'Write a comment' })
    await box[press]()
    await page.keyboard.insertText(text)
    const buffer = Buffer.from(png, 'base64')
    await form.locator('input[type=file]').setInputFiles({ name, mimeType: 'image/png', buffer })
    await form.getByRole('img', { name }).waitFor()
    await form.getByRole('button', { name: 'Comment', exact: true })[press]()
  }

  it('a person who was away for a day reads a digest, whose link opens the task', async () => {
    const task = await stage.atrium.tasks.create({ workspace, title: 'Grease the winch', assignee: mara.user })
    await stage.atrium.tasks.comments.create(task.id, { workspace, body: 'The old grease is **hard**.' })
    await stage.atrium.tasks.update(task.id, { status: 'in_progress' })
    await smtp.next(/Grease the winch/)
    stage.later(day_seconds)
    const digest = await smtp.next(/^Your day in Atrium/)
    assert.deepEqual(digest.to, [mara.email])
    assert.match(digest.text, /Grease the winch/)
    assert.ok(digest.text.includes('The old grease is **hard**.'))
    assert.ok(digest.text.includes('The fuse is burnt.[fuse.png]'), 'a picture is its name in a mail')
    assert.match(digest.text, /changed the status from to do to in progress/)
    const link = digest.text.split(/\s/).find((word) => word.endsWith(`/work/tasks/${task.key}`)) ?? ''
    const { page } = await stage.visit(new URL(link).pathname, { person: mara, fresh: true })
    await page.getByRole('heading', { name: 'Grease the winch (edit title)' }).waitFor()
    await page.getByText('The old grease is hard.').waitFor()
  })

  it('a person chooses what comes by mail, and the hours without any', async () => {
    const nora = await stage.person('member', 'Nora', 'Holm')
    const watched = await stage.visit('/settings/notifications', { person: nora, fresh: true })
    const { page } = watched
    const select = async (kind: string, way: string) => {
      await page.getByRole('combobox', { name: `${kind}: mail` }).selectOption({ label: way })
    }
    await select('A comment on a task that you watch', 'At once')
    await select('A task is assigned to you', 'Never')
    const form = (text: string) => page.locator('form', { hasText: text })
    await form('You are mentioned').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Notifications saved').waitFor()
    const task = await stage.atrium.tasks.create({ workspace, title: 'Splice the rope', assignee: nora.user })
    await stage.atrium.tasks.comments.create(task.id, { workspace, body: 'The long one.' })
    const mail = await smtp.next(/Splice the rope/)
    assert.deepEqual([mail.to, mail.text.includes('The long one.')], [[nora.email], true])
    assert.equal(smtp.received.filter(({ to }) => to.includes(nora.email)).length, 1, 'nothing of the assignment')
    await page.getByRole('checkbox', { name: 'Nothing at certain hours' }).check()
    await page.getByLabel('From', { exact: true }).fill('21:30')
    await page.getByLabel('To', { exact: true }).fill('06:45')
    await form('Nothing at certain hours').getByRole('button', { name: 'Save' }).click()
    await page.getByText('Quiet hours saved').waitFor()
    await page.reload()
    await page.getByRole('checkbox', { name: 'Nothing at certain hours' }).waitFor()
    const times = ['From', 'To'].map((label) => page.getByLabel(label, { exact: true }).inputValue())
    assert.deepEqual(await Promise.all(times), ['21:30', '06:45'])
    await forgetShifts(page)
    await checkPage(watched, 'quiet-hours')
    await page.context().close()
  })

  it('a person ends a kind of mail by the link in it, without signing in', async () => {
    const otto = await stage.person('member', 'Otto', 'Berg')
    const assign = (title: string) => stage.atrium.tasks.create({ workspace, title, assignee: otto.user })
    const { page } = await stage.visit('/', { person: otto, fresh: true })
    await page.context().close()
    await assign('Tar the seams')
    const { headers } = await smtp.next(/Tar the seams/)
    const url = new URL(/<(.+)>/.exec(headers.get('list-unsubscribe') ?? '')?.[1] ?? '')
    const stranger = await stage.open()
    await stranger.page.goto(`${stage.url}${url.pathname}${url.search}`)
    await stranger.page.getByRole('button', { name: 'No more mail like this' }).click()
    await stranger.page.getByText('You get no more mail like this.').waitFor()
    assert.deepEqual([stranger.foreign, stranger.violations, stranger.errors], [[], [], []])
    await stranger.page.context().close()
    await assign('Silence')
    const settings = await stage.visit('/settings/notifications', { person: otto, fresh: true })
    const way = settings.page.getByRole('combobox', { name: 'A task is assigned to you: mail' })
    assert.equal(await way.locator('option:checked').textContent(), 'Never')
    await way.selectOption({ label: 'At once' })
    await settings.page.getByRole('button', { name: 'Save' }).first().click()
    await settings.page.getByText('Notifications saved').waitFor()
    await settings.page.context().close()
    await assign('Loud again')
    await smtp.next(/Loud again/)
    assert.equal(smtp.received.filter(({ headers: each }) => each.get('subject')?.includes('Silence')).length, 0)
  })

  it('a person turns notices on by a click, gets one per task, and opens the task by it', async () => {
    const watched = await stage.visit('/', { fresh: true, options: { serviceWorkers: 'allow' } })
    const { page } = watched
    const { endpoint, p256dh, auth } = service.subscribe('desk')
    // This Chromium has neither notices nor a push service: what they would answer.
    await page.addInitScript(
      (subscription) => {
        // A subscription outlives the page.
        const kept = 'subscription-of-the-test'
        let permission = localStorage.getItem(kept) ?? 'default'
        const unsubscribe = async () => {
          localStorage.removeItem(kept)
          return true
        }
        const current = { ...subscription, unsubscribe, toJSON: () => subscription }
        const requestPermission = async () => {
          permission = 'granted'
          return permission
        }
        const subscribe = async () => {
          localStorage.setItem(kept, permission)
          return current
        }
        const getSubscription = async () => (localStorage.getItem(kept) === null ? null : current)
        Object.defineProperty(Notification, 'permission', { get: () => permission })
        Object.assign(Notification, { requestPermission })
        Object.assign(PushManager.prototype, { subscribe, getSubscription })
      },
      { endpoint, keys: { p256dh, auth } },
    )
    await page.goto(`${stage.url}/settings/notifications`)
    const turnOn = page.getByRole('button', { name: 'Turn on in this browser' })
    await turnOn.waitFor()
    await checkPage(watched, 'notifications')
    await turnOn.click()
    await page.getByText('This browser', { exact: true }).waitFor()
    await page.getByRole('checkbox', { name: 'A comment on a task that you watch: in browsers' }).uncheck()
    const choices = page.locator('form', {
      has: page.getByRole('checkbox', { name: 'You are mentioned: in browsers' }),
    })
    await choices.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Notifications saved').waitFor()
    await forgetShifts(page)
    await checkPage(watched, 'notifications-on')

    const task = await stage.atrium.tasks.create({ workspace, title: 'Order rope', assignee: stage.owner.user })
    await stage.atrium.tasks.comments.create(task.id, { workspace, body: 'Not told.' })
    const shown = await service.next()
    assert.equal(shown.title, `${task.key} Order rope`)
    assert.deepEqual(await noticesOf(page, shown), [{ title: shown.title, body: shown.body, tag: shown.tag }])
    await page.getByRole('heading', { name: 'Order rope (edit title)' }).waitFor()

    // The session ends by itself. After the next sign-in the notices go on with the new one.
    await page.context().clearCookies()
    const keeping = page.waitForResponse((response) => response.url().endsWith('/keep'))
    await stage.signIn(page, stage.owner)
    assert.equal((await keeping).status(), 200)
    const later = await stage.atrium.tasks.create({ workspace, title: 'Order oil', assignee: stage.owner.user })
    assert.equal((await service.next()).title, `${later.key} Order oil`)
    await page.goto(`${stage.url}/settings/notifications`)
    await page.getByRole('button', { name: /^Turn off in/ }).click()
    await page.getByText('No browser shows notices').waitFor()
    await checkQuiet(watched)
    assert.deepEqual(service.take(), [])
  })

  it('a person confirms the address, forgets the password, and sets another one by the link of a mail', async () => {
    const watched = await stage.visit('/settings/security', { person: mara, fresh: true })
    const { page } = watched
    // Each of them got such a mail with the first password.
    smtp.take()
    await page.getByRole('button', { name: 'Send a confirmation mail' }).click()
    await page.goto(linkIn(await smtp.next(/^Confirm your address/)))
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor()
    await checkPage(watched, 'address-confirmed')

    const other = await stage.open()
    await other.page.goto(`${stage.url}/sign-in`)
    await other.page.getByRole('link', { name: 'Forgot your password?' }).click()
    await checkPage(other, 'forgot')
    await other.page.getByLabel('Email').fill(mara.email)
    await other.page.keyboard.press('Enter')
    await other.page.getByRole('heading', { name: 'Look into your mailbox' }).waitFor()
    const link = linkIn(await smtp.next(/^Set a new password/))
    await other.page.goto(link)
    await other.page.getByLabel('New password').fill(`${password} again`)
    await forgetShifts(other.page)
    await checkPage(other, 'new-password')
    await other.page.keyboard.press('Enter')
    await other.page.getByRole('navigation', { name: 'Main' }).waitFor()
    await smtp.next(/^Your password for Atrium was changed$/)

    await page.goto(link)
    await page.getByRole('heading', { name: 'This link is not valid' }).waitFor()
    await checkPage({ ...watched, errors: [] }, 'link-used')
  })

  /** Gives the service worker what its push service would, and clicks on the notice that it shows. */
  async function noticesOf(page: Page, notice: object): Promise<unknown> {
    const [worker] = page.context().serviceWorkers()
    assert.ok(worker !== undefined)
    await worker.evaluate(() => {
      const scope = globalThis as unknown as { registration: object; shown: Promise<object> }
      const { registration } = scope
      scope.shown = new Promise((resolve) => {
        const showNotification = async (title: string, options: object) => resolve({ title, ...options })
        Object.assign(registration, { showNotification })
      })
    })
    const client = await page.context().newCDPSession(page)
    const registered = new Promise<string>((resolve) =>
      client.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
        const [first] = registrations
        if (first !== undefined) resolve(first.registrationId)
      }),
    )
    await client.send('ServiceWorker.enable')
    const push = { origin: stage.url, registrationId: await registered, data: JSON.stringify(notice) }
    await client.send('ServiceWorker.deliverPushMessage', push)
    return await worker.evaluate(async () => {
      const scope = globalThis as unknown as {
        shown: Promise<{ title: string; body: string; tag: string; data: object }>
      }
      const { title, body, tag, data } = await scope.shown
      const event = new Event('notificationclick')
      // Focus needs the click of a person.
      const waitUntil = (job: Promise<unknown>) => void job.catch(() => {})
      globalThis.dispatchEvent(Object.assign(event, { notification: { data, close() {} }, waitUntil }))
      return [{ title, body, tag }]
    })
  }
})
