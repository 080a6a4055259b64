/** What reaches a guest outside of the application: mail at once, digests, replies by mail, and notices of browsers. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { day_ms } from '../../src/lib/units.ts'
import { mail_limits } from '../../src/mail/limits.ts'
import type { Receiver } from '../../src/mail/receiver.ts'
import { mailWorker } from '../../src/workers/mail.ts'
import { pushWorker } from '../../src/workers/push.ts'
import { receiveReplies } from '../../src/workers/replies/receive.ts'
import { join, ownerOf, password, type Visitor } from '../console/visitor.ts'
import { onEveryEngine } from '../engines.ts'
import { admit } from '../guest.ts'
import { fillInboxes } from '../inbox.ts'
import { MailServer } from '../mail-server.ts'
import { PushServer } from '../push-server.ts'
import { openWorld, type World } from '../world.ts'

const address = 'guest@client.example'

onEveryEngine('a guest', (engine) => {
  let smtp: MailServer
  let service: PushServer
  let world: World
  let receiver: Receiver
  let owner: Visitor
  let guest: Visitor
  let user: string
  let token: string
  let workspace: string
  let project: string
  let secret: string
  let messages = 0

  before(async () => {
    smtp = await MailServer.open()
    service = await PushServer.open()
    world = await openWorld(engine, {
      environment: {
        ATRIUM_SMTP_URL: smtp.url,
        ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
        ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=reply.acme.example',
      },
    })
    receiver = await receiveReplies(world.services, '127.0.0.1', 0)
    owner = await ownerOf(world)
    workspace = (await world.make('/v1/workspaces', { title: 'Site' })).id
    project = (await world.make('/v1/projects', { workspace, name: 'Shared' })).id
    secret = (await world.make('/v1/projects', { workspace, name: 'Secret' })).id
    guest = await join(owner, address, 'guest', [project])
    user = (await guest.arrive()).user.id
    await guest.must('POST', 'push-subscriptions', service.subscribe('phone'))
  })
  after(async () => {
    await receiver.close()
    await world.close()
    await service.close()
    await smtp.close()
  })
  beforeEach(async () => {
    // Days pass in some tests, and sessions end with them.
    await owner.signIn('owner@acme.example', password)
    await guest.signIn(address, password)
    token = await guest.token()
    await admit(owner, user, [project])
    await sent()
  })

  const make = (fields: object) => world.make('/v1/tasks', { workspace, ...fields })
  const mention = () => `[@guest](atrium:${user})`
  const inbox = async () => (await world.get('/v1/notifications?limit=100', { key: token })).body.data
  const unread = async () => (await world.get('/v1/notifications/count', { key: token })).body.unread
  /** Runs the workers until nothing is due, and returns what the guest got: subjects of mails, titles of notices, all their words. */
  async function sent() {
    await fillInboxes(world.services)
    const stop = new AbortController().signal
    for (const worker of [mailWorker, pushWorker])
      while ((await worker.run(world.services, worker.batch_max, stop)) > 0);
    const [mails, notices] = [smtp.take(), service.take()]
    return {
      mails: mails.map(({ headers }) => headers.get('subject')),
      notices: notices.map(({ title }) => title),
      words: mails.map(({ text }) => text).join('\n') + JSON.stringify(notices),
      replyTo: mails[0]?.headers.get('reply-to') ?? '',
      notice: notices[0],
    }
  }
  const nothing = { mails: [], notices: [] }
  const shown = ({ mails, notices }: Awaited<ReturnType<typeof sent>>) => ({ mails, notices })
  /** The answer of SMTP to a reply of the guest. */
  async function reply(to: string): Promise<string> {
    const transport = createTransport({ host: '127.0.0.1', port: receiver.port, ignoreTLS: true })
    const envelope = { from: address, to: [to] }
    try {
      const messageId = `<${++messages}.${engine}@mail.example>`
      await transport.sendMail({ from: address, to, subject: 'Re:', messageId, text: 'Since Monday.', envelope })
      return '250'
    } catch (error) {
      return (error as { response?: string }).response ?? String(error)
    } finally {
      transport.close()
    }
  }

  it('hears of a task of the project by mail and browser, with what the own inbox shows and no more', async () => {
    const { key } = await make({ project, title: 'It crashes', description: `${mention()}, look at this` })
    const got = await sent()
    assert.deepEqual(shown(got), { mails: [`${key} It crashes`], notices: [`${key} It crashes`] })
    const [entry] = await inbox()
    assert.deepEqual([entry.kind, entry.key, entry.title], ['mentioned', key, 'It crashes'])
    const { title, body, path, tag } = got.notice ?? {}
    assert.deepEqual(
      { title, body, path, tag },
      {
        title: `${entry.key} ${entry.title}`,
        body: 'A colleague mentioned you.',
        path: `/work/tasks/${key}?organization=${world.acme.id}`,
        tag: got.notice?.topic,
      },
    )
  })

  it('who is mentioned in, assigned or watching what is elsewhere hears nothing, by no way, also when the project comes later', async () => {
    const { id } = await make({ project: secret, title: 'Sesame', description: `${mention()} Sesame` })
    await make({ title: 'Sesame in no project', assignee: user })
    await world.make(`/v1/tasks/${id}/comments`, { workspace, body: `Sesame ${mention()}` })
    const board = (await world.make('/v1/boards', { name: 'Sesame', project: secret })).id
    await world.make(`/v1/boards/${board}/members`, { user, role: 'commenter' })
    await world.make(`/v1/boards/${board}/comments`, { body: `Sesame ${mention()}`, position: { x: 0, y: 0 } })
    const before = (await inbox()).length
    assert.deepEqual(shown(await sent()), nothing)
    world.clock.advance(day_ms)
    const digest = await sent()
    assert.deepEqual([digest.words.includes('Sesame'), digest.words.includes(secret)], [false, false])
    await guest.signIn(address, password)
    token = await guest.token()
    assert.equal((await inbox()).length, before)
    await owner.signIn('owner@acme.example', password)
    await admit(owner, user, [project, secret])
    assert.deepEqual(shown(await sent()), nothing)
    assert.equal((await inbox()).length, before)
  })

  it('gets nothing about what was written before its project was taken away and not sent yet', async () => {
    await admit(owner, user, [project, secret])
    const { id } = await make({ project: secret, title: 'Sesame', description: `Sesame ${mention()}` })
    await fillInboxes(world.services)
    const before = await unread()
    assert.equal((await inbox())[0].title, 'Sesame')
    await admit(owner, user, [project])
    assert.deepEqual(shown(await sent()), nothing)
    assert.equal(await unread(), before - 1)
    assert.equal(JSON.stringify(await inbox()).includes(id), false)
  })

  it('gets a digest of what the guest sees now: entries elsewhere take no place in it and are not counted', async () => {
    await world.make('/v1/notifications/read_all', {}, { key: token })
    const { id: seen } = await make({ project, title: 'Discussed', assignee: user })
    await admit(owner, user, [project, secret])
    const { id: hidden } = await make({ project: secret, title: 'Sesame', assignee: user })
    await sent()
    await world.make(`/v1/tasks/${seen}/comments`, { workspace, body: 'A remark' })
    for (let i = 0; i < mail_limits.mail_digest_entries_max; i++)
      await world.make(`/v1/tasks/${hidden}/comments`, { workspace, body: `Sesame ${i}` })
    await fillInboxes(world.services)
    await admit(owner, user, [project])
    world.clock.advance(day_ms)
    const { mails, words } = await sent()
    assert.deepEqual(mails, ['Your day in Atrium: 1 subject'])
    assert.match(words, /Discussed[\s\S]*A remark/)
    assert.doesNotMatch(words, /Sesame|more:/)
  })

  it('comments by mail on tasks of the projects; an address of a task elsewhere is answered like one that leads nowhere', async () => {
    await admit(owner, user, [project, secret])
    const { id } = await make({ project: secret, title: 'Sesame', assignee: user })
    const { replyTo } = await sent()
    const bodies = async () =>
      (await world.get(`/v1/tasks/${id}/comments`)).body.data.map(({ body }: { body: string }) => body)
    assert.equal(await reply(replyTo), '250')
    const { data } = (await world.get(`/v1/tasks/${id}/comments`)).body
    assert.deepEqual(
      data.map(({ author }: { author: object }) => author),
      [{ type: 'user', id: user }],
    )
    const nowhere = await reply(replyTo.replace(/^./, (char) => (char === '0' ? '1' : '0')))
    assert.match(nowhere, /^550 /)
    await admit(owner, user, [project])
    assert.equal(await reply(replyTo), nowhere)
    await admit(owner, user, [project, secret])
    await world.patch(`/v1/tasks/${id}`, { project: null })
    assert.equal(await reply(replyTo), nowhere)
    assert.deepEqual(await bodies(), ['Since Monday.'])
    await world.patch(`/v1/tasks/${id}`, { project })
    assert.equal(await reply(replyTo), '250')
    assert.equal((await bodies()).length, 2)
  })

  it('who stops being a member of the organization gets nothing more, and answers nothing', async () => {
    const ben = await join(owner, `ben-${engine}@client.example`, 'guest', [project])
    const person = (await ben.arrive()).user.id
    await ben.must('POST', 'push-subscriptions', service.subscribe('desk'))
    await sent()
    await make({ project, title: 'Last', assignee: person })
    await fillInboxes(world.services)
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${person}`, { status: 'inactive' })
    assert.deepEqual(shown(await sent()), nothing)
  })
})
