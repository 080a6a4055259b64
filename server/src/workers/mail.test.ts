/** Mail: what is sent to whom, when, once, through a real SMTP server. */
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { join, ownerOf, type Visitor } from '../../test/console/visitor.ts'
import { onEveryEngine } from '../../test/engines.ts'
import { fillInboxes } from '../../test/inbox.ts'
import { MailServer } from '../../test/mail-server.ts'
import { openWorld, type World } from '../../test/world.ts'
import { query } from '../db/query.ts'
import type { MailRow } from '../db/schema.ts'
import { seconds } from '../lib/clock.ts'
import { day_ms, hour_ms, minute_ms } from '../lib/units.ts'
import { mail_limits } from '../mail/limits.ts'
import type { Mailer } from '../mail/smtp.ts'
import { rebuildInbox } from '../notifications/follow.ts'
import { type Preferences, preferencesOf, storePreferences } from '../notifications/preferences.ts'
import { mailWorker } from './mail.ts'

const allMails = query<MailRow, { realm: number }>((db, p) =>
  db.selectFrom('mails').selectAll().where('realm', '=', p('realm')).orderBy('id'),
)
onEveryEngine('mail', (engine) => {
  let smtp: MailServer
  let world: World
  let owner: Visitor
  let benUser: string
  let ownerUser: string
  let workspace: string

  before(async () => {
    smtp = await MailServer.open()
    world = await openWorld(engine, {
      environment: {
        ATRIUM_SMTP_URL: smtp.url,
        ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
      },
    })
    owner = await ownerOf(world)
    const ben = await join(owner, 'ben@acme.example', 'member')
    benUser = (await ben.must('GET', 'session')).user.id
    ownerUser = (await owner.must('GET', 'session')).user.id
    workspace = (await world.make('/v1/workspaces', { title: 'Bugs' })).id
    await send()
    smtp.take()
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })

  const run = () => mailWorker.run(world.services, mailWorker.batch_max, new AbortController().signal)
  /** Writes entries, and sends what is due. */
  async function send(): Promise<void> {
    await fillInboxes(world.services)
    while ((await run()) > 0);
  }
  const chosen = () => preferencesOf(world.services.store.reader('system'), world.acme.id, benUser)
  const choose = async (choice: Partial<Preferences>) => {
    const who = { organization: world.acme.id, user: benUser, now: world.clock.now() }
    const next = { ...(await chosen()), ...choice }
    await world.services.store.write('system', async (tx) => storePreferences(tx, who, next))
  }
  const mails = () => world.services.store.reader('system').all(allMails, { realm: world.acme.realms.live })
  const task = (fields: object = {}) =>
    world.make('/v1/tasks', { workspace, title: 'It crashes', assignee: benUser, ...fields })

  it('an invitation is sent with its link, which is not stored in the clear', async () => {
    const { url, mailed } = await owner.must('POST', 'invitations', { email: 'cleo@acme.example', role: 'member' })
    assert.equal(mailed, true)
    assert.ok((await mails()).every(({ content }) => !content.includes('invite#')))
    await send()
    const [mail, ...others] = smtp.take()
    assert.deepEqual([mail?.to, others], [['cleo@acme.example'], []])
    const link = new RegExp(`${world.server.url}/invite#([0-9A-Za-z]{43})`).exec(mail?.text ?? '')?.[0]
    assert.ok(link !== undefined && link !== url, 'the inviter does not see the link of the mail')
    assert.equal((await mails()).at(-1)?.content, '{}')
  })

  it('an assignment is sent at once, once, to the address with which the person signs in', async () => {
    const { key, id } = await task()
    await send()
    await send()
    const [mail, ...others] = smtp.take()
    assert.deepEqual([mail?.to, others], [['ben@acme.example'], []])
    assert.equal(mail?.headers.get('subject'), `${key} It crashes`)
    assert.ok(mail?.text.includes(`${world.server.url}/work/tasks/${key}`))
    assert.equal(mail?.headers.get('from'), 'Atrium <atrium@acme.example>')
    assert.equal(mail?.headers.get('auto-submitted'), 'auto-generated')
    const [row] = (await mails()).filter(({ kind }) => kind === 'notice')
    assert.equal(mail?.headers.get('message-id'), `<${row?.id}.${world.acme.realms.live}@acme.example>`)
    assert.equal(mail?.headers.get('references'), `<${id}.${world.acme.id}@acme.example>`)
    await world.services.store.write('system', (tx) => rebuildInbox(tx, world.acme.realms.live))
    await send()
    assert.deepEqual(smtp.take(), [], 'a rebuild sends nothing again')
  })

  it('what was read before is not sent, nor what the person wants never; test data sends nothing', async () => {
    const { id } = await task({ title: 'Read at once' })
    await fillInboxes(world.services)
    const key = (await world.key({ owner: { type: 'user', id: benUser } })).secret
    await world.make('/v1/notifications/read_all', { subject: id }, { key })
    await send()
    assert.deepEqual(smtp.take(), [])
    await choose({ mail: { assigned: 'never' } })
    await task()
    const other = (await world.make('/v1/workspaces', { title: 'Trial' }, { key: world.acme.testKey })).id
    await world.make('/v1/tasks', { workspace: other, title: 'x', assignee: benUser }, { key: world.acme.testKey })
    await send()
    assert.deepEqual(smtp.take(), [])
    await choose({ mail: { assigned: 'at_once' } })
  })

  it('texts of people cannot add header fields or recipients', async () => {
    const title = 'Hello\r\nBcc: eve@evil.example\r\n\r\n<script>alert(1)</script>'
    const { body, status } = await world.post('/v1/tasks', { workspace, title, assignee: benUser })
    assert.equal(status, 200, JSON.stringify(body))
    await send()
    const [mail, ...others] = smtp.take()
    assert.deepEqual([mail?.to, others], [['ben@acme.example'], []])
    assert.equal(mail?.headers.get('bcc'), undefined)
    assert.match(mail?.headers.get('content-type') ?? '', /^text\/plain/)
    assert.ok(mail?.headers.get('subject')?.includes('Bcc: eve@evil.example'))
  })

  it('quiet hours hold a mail back until they are over', async () => {
    const noon = Math.ceil(world.clock.now() / day_ms) * day_ms + 12 * hour_ms
    world.clock.set(noon)
    await choose({ time_zone: 'UTC', quiet_from: 11 * 60, quiet_to: 14 * 60 })
    await task({ title: 'Quiet' })
    await send()
    assert.deepEqual(smtp.take(), [])
    world.clock.set(noon + 2 * hour_ms - 1)
    await send()
    assert.deepEqual(smtp.take(), [])
    world.clock.set(noon + 2 * hour_ms)
    await send()
    assert.equal(smtp.take().length, 1)
    await choose({ quiet_from: null, quiet_to: null })
  })

  it('the digest of a day comes at eight with what is unread, grouped by task', async () => {
    const day = Math.ceil(world.clock.now() / day_ms) * day_ms
    world.clock.set(day + 9 * hour_ms)
    const { id, key } = await task({ title: 'Two comments' })
    await send()
    smtp.take()
    for (const body of ['First.', 'Second.']) await world.make(`/v1/tasks/${id}/comments`, { workspace, body })
    await send()
    assert.deepEqual(smtp.take(), [])
    world.clock.set(day + day_ms + 8 * hour_ms)
    await send()
    const [mail, ...others] = smtp.take()
    assert.deepEqual([mail?.to, others], [['ben@acme.example'], []])
    assert.equal(mail?.text.split(`${key} Two comments`).length, 2)
    assert.ok(mail?.text.includes('First.') && mail.text.includes('Second.'))
    world.clock.set(day + 2 * day_ms + 8 * hour_ms)
    await send()
    assert.deepEqual(smtp.take(), [], 'a day without news has no digest')
  })

  it('an event from before a digest whose entry is written after it is in the next one', async () => {
    const { id } = await task({ title: 'At the last moment' })
    await send()
    const eight = Math.ceil(world.clock.now() / day_ms) * day_ms + 8 * hour_ms
    for (const [happened, told] of [
      [eight - 1, eight + 1],
      [eight + day_ms, eight + day_ms],
    ] as const) {
      world.clock.set(happened)
      await world.make(`/v1/tasks/${id}/comments`, { workspace, body: `It happened at ${happened}` })
      world.clock.set(told)
      await send()
      smtp.take()
      world.clock.set(Math.floor(told / day_ms) * day_ms + day_ms + 8 * hour_ms)
      await send()
      const [digest, ...others] = smtp.take()
      assert.deepEqual(others, [])
      assert.match(digest?.text ?? '', new RegExp(`It happened at ${happened}`))
    }
  })

  it('a refused mail is tried again after growing waits, and is dead in the end; a permanent refusal at once', async () => {
    smtp.refusal = { code: 451, message: 'try later' }
    await task({ title: 'Later' })
    await send()
    const newest = async () => (await mails()).filter(({ kind }) => kind === 'notice').at(-1) as MailRow
    let mail = await newest()
    assert.deepEqual([mail.status, mail.attempts, mail.due_at - world.clock.now()], ['due', 1, minute_ms])
    while (mail.status === 'due') {
      world.clock.set(mail.due_at)
      await send()
      mail = await newest()
    }
    assert.deepEqual([mail.status, mail.attempts], ['dead', mail_limits.mail_attempts_max])
    assert.match(mail.error ?? '', /try later/)
    smtp.refusal = { code: 550, message: 'no such mailbox' }
    await task({ title: 'Never' })
    await send()
    mail = await newest()
    assert.deepEqual([mail.status, mail.attempts], ['dead', 1])
    smtp.refusal = null
    assert.deepEqual(smtp.take(), [])
  })

  it('a mail whose process ended is sent once more with the same Message-ID, and not a third time', async () => {
    await task({ title: 'Killed' })
    await fillInboxes(world.services)
    const mailer = world.services.mailer as Mailer
    /** Sends, and ends before it can record that. */
    const killed = async () => {
      const once: Mailer['send'] = async (mail) => {
        await mailer.send(mail)
        throw new Error('killed')
      }
      const mortal = { ...world.services, mailer: { ...mailer, send: once } }
      await assert.rejects(mailWorker.run(mortal, 1, new AbortController().signal), /killed/)
      const sent = smtp.take()
      await send()
      assert.deepEqual(smtp.take(), [], 'the lease still holds')
      world.clock.advance(mail_limits.mail_lease_ms)
      return sent.map(({ headers }) => headers.get('message-id'))
    }
    const first = await killed()
    const second = await killed()
    assert.deepEqual([first.length, second], [1, first])
    await send()
    assert.deepEqual(smtp.take(), [])
    const row = (await mails()).filter(({ kind }) => kind === 'notice').at(-1)
    assert.deepEqual([row?.status, row?.uncertain], ['dead', 2])
  })

  it('the link in a mail ends its kind without signing in; a changed link is not there', async () => {
    await task({ title: 'Enough' })
    await send()
    const [mail] = smtp.take()
    const url = new URL(/<(.+)>/.exec(mail?.headers.get('list-unsubscribe') ?? '')?.[1] ?? '')
    assert.equal(mail?.headers.get('list-unsubscribe-post'), 'List-Unsubscribe=One-Click')
    const ask = (method: string, search: string) => fetch(`${world.server.url}/mail/unsubscribe${search}`, { method })
    assert.equal((await ask('GET', url.search)).status, 200)
    assert.equal((await chosen()).mail.assigned, 'at_once', 'opening it changes nothing')
    const other = new URLSearchParams(url.search)
    other.set('user', ownerUser)
    assert.equal((await ask('POST', `?${other}`)).status, 404)
    assert.equal((await ask('POST', url.search)).status, 200)
    assert.equal((await chosen()).mail.assigned, 'never')
    await task({ title: 'Silence', due_at: seconds(world.clock.now() + day_ms) })
    await send()
    assert.deepEqual(smtp.take(), [])
  })
})
