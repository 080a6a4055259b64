/** Replies to mails, by a real SMTP client: which become comments, once, by whom, and what is refused how. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, it } from 'node:test'
import { createTransport } from 'nodemailer'
import { join, ownerOf, password, type Visitor } from '../../../test/console/visitor.ts'
import { onEveryEngine } from '../../../test/engines.ts'
import { fillInboxes } from '../../../test/inbox.ts'
import { MailServer } from '../../../test/mail-server.ts'
import { openWorld, type World } from '../../../test/world.ts'
import { StoreUnavailable } from '../../db/store.ts'
import { hour_ms } from '../../lib/units.ts'
import { mail_limits } from '../../mail/limits.ts'
import type { Receiver } from '../../mail/receiver.ts'
import { reply_marker } from '../../mail/reply-text.ts'
import { replyAddress } from '../../notifications/reply-address.ts'
import { mailWorker } from '../mail.ts'
import { receiveReplies } from './receive.ts'

const domain = 'reply.acme.example'
const ben_email = 'ben@acme.example'

onEveryEngine('a reply to a mail', (engine) => {
  let smtp: MailServer
  let world: World
  let owner: Visitor
  let ben: string
  let workspace: string
  let receiver: Receiver
  let messages = 0

  before(async () => {
    smtp = await MailServer.open()
    world = await openWorld(engine, {
      environment: {
        ATRIUM_SMTP_URL: smtp.url,
        ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
        ATRIUM_INBOUND_MAIL: `smtp://127.0.0.1:0?domain=${domain}`,
        ATRIUM_FILE_BYTES_MAX: '100000',
        ATRIUM_ORGANIZATION_FILE_BYTES_MAX: '250000',
      },
    })
    owner = await ownerOf(world)
    ben = (await (await join(owner, ben_email, 'member')).arrive()).user.id
    workspace = (await world.make('/v1/workspaces', { title: 'Bugs' })).id
    receiver = await receiveReplies(world.services, '127.0.0.1', 0)
    await sent()
  })
  after(async () => {
    await receiver.close()
    await world.close()
    await smtp.close()
  })

  async function sent() {
    await fillInboxes(world.services)
    const stop = new AbortController().signal
    while ((await mailWorker.run(world.services, mailWorker.batch_max, stop)) > 0);
    return smtp.take()
  }
  /** A task that is assigned to Ben, and the address in the mail about it. */
  async function told(fields: object = {}) {
    const task = await world.make('/v1/tasks', { workspace, title: 'It crashes', assignee: ben, ...fields })
    const [mail] = await sent()
    const address = mail?.headers.get('reply-to') ?? ''
    return { id: task.id as string, address, mail }
  }
  interface Sending {
    readonly to: string
    readonly text?: string
    readonly from?: string
    readonly headers?: Record<string, string>
    readonly messageId?: string
    readonly attachments?: readonly { filename?: string; content: Buffer; cid?: string }[]
    readonly html?: string
    readonly envelopeFrom?: string
  }
  /** The answer of SMTP: 250, or the code and text of the refusal. */
  async function send({ to, from = ben_email, messageId, envelopeFrom, ...mail }: Sending): Promise<string> {
    const transport = createTransport({ host: '127.0.0.1', port: receiver.port, ignoreTLS: true })
    const id = messageId ?? `<${++messages}.${engine}@mail.example>`
    try {
      await transport.sendMail({
        from,
        to,
        subject: 'Re: It crashes',
        messageId: id,
        text: 'Since Monday.',
        envelope: { from: envelopeFrom ?? from, to: [to] },
        ...(mail as object),
      })
      return '250'
    } catch (error) {
      return (error as { response?: string }).response ?? String(error)
    } finally {
      transport.close()
    }
  }
  const comments = async (task: string) =>
    (await world.get(`/v1/tasks/${task}/comments?limit=100`)).body.data as {
      id: string
      body: string
      author: object
      attachments: string[]
    }[]
  const bodies = async (task: string) => (await comments(task)).map(({ body }) => body)
  const unknown = '550 5.1.1 There is no such address.'

  it('becomes a comment of the person, with its event and audit entry, without quote and signature', async () => {
    const { id, address, mail } = await told()
    assert.match(address, /^[0-9a-z-]{48,64}@reply\.acme\.example$/)
    assert.ok(mail?.text.startsWith(reply_marker))
    await world.markWritten()
    const quote = `On Thu, Nov 26, 2026 at 2:03 PM Atrium <${address}> wrote:\n\n> ${reply_marker}\n> It crashes\n`
    assert.equal(await send({ to: address, text: `Since **Monday**.\n\nÜber alles 🐎\n\n${quote}\n-- \nBen` }), '250')
    await world.assertWritten({ events: ['workflow.comment.created'], audit: ['task_comments.create'] })
    const [comment] = await comments(id)
    assert.deepEqual(
      [comment?.body, comment?.author],
      ['Since **Monday**.\n\nÜber alles 🐎', { type: 'user', id: ben }],
    )
    const [event] = (await world.get('/v1/events?limit=1')).body.data
    assert.deepEqual(event.actor, { type: 'user', id: ben })
  })

  it('tells the others, those it mentions too, and not its writer', async () => {
    const cleo = (await (await join(owner, 'cleo@acme.example', 'member')).arrive()).user.id
    await sent()
    const { address } = await told()
    assert.equal(await send({ to: address, text: `Look at it, [@Cleo](atrium:${cleo}).` }), '250')
    const mails = await sent()
    const key = (await world.key({ owner: { type: 'user', id: cleo } })).secret
    const [entry] = (await world.get('/v1/notifications?limit=1', { key })).body.data
    assert.ok(mails.every(({ to }) => !to.includes(ben_email)))
    assert.deepEqual([entry?.kind, entry?.excerpt], ['mentioned', 'Look at it, @Cleo.'])
  })

  it('that is sent again, as after a lost answer, is one comment; also at the same time', async () => {
    const { id, address } = await told()
    const mail = { to: address, messageId: `<once.${engine}@mail.example>` }
    assert.equal(await send(mail), '250')
    assert.equal(await send(mail), '250')
    assert.equal(await send({ ...mail, text: 'Another text.' }), '250')
    assert.deepEqual(await bodies(id), ['Since Monday.'])
    const twice = { to: address, messageId: `<twice.${engine}@mail.example>`, text: 'Twice.' }
    assert.deepEqual(await Promise.all([send(twice), send(twice), send(twice)]), ['250', '250', '250'])
    assert.deepEqual(await bodies(id), ['Twice.', 'Since Monday.'])
    const other = await told()
    assert.equal(await send({ ...mail, to: other.address }), '250')
    assert.deepEqual(await bodies(other.id), ['Since Monday.'], 'the same mail about another task is another comment')
  })

  it('is accepted after the commit only: while the store is away the answer asks the sender to try again', async () => {
    const { id, address } = await told()
    const { store } = world.services
    const away = {
      ...world.services,
      store: Object.create(store, { write: { value: () => Promise.reject(new StoreUnavailable('away')) } }),
    }
    const other = await receiveReplies(away, '127.0.0.1', 0)
    const usual = receiver
    receiver = other
    try {
      assert.equal(await send({ to: address }), '451 4.3.0 Try again later.')
    } finally {
      receiver = usual
      await other.close()
    }
    assert.deepEqual(await bodies(id), [])
    assert.equal(await send({ to: address }), '250')
    assert.deepEqual(await bodies(id), ['Since Monday.'])
  })

  it('brings its attachments as files of the comment; logos of signatures are left out', async () => {
    const { id, address } = await told()
    const photo = Buffer.alloc(20_000, 'photo')
    const attachments = [
      { filename: '../../etc/passwd\r\nX: y', content: Buffer.from('log') },
      { filename: 'photo.txt', content: photo },
      { filename: 'logo.png', content: Buffer.from('tiny'), cid: 'logo@x' },
    ]
    const html = '<p>Since Monday.</p><img src="cid:logo@x">'
    assert.equal(await send({ to: address, attachments, html }), '250')
    const [comment] = await comments(id)
    const files = await Promise.all((comment?.attachments ?? []).map((each) => world.get(`/v1/files/${each}`)))
    assert.deepEqual(
      files.map(({ body }) => [body.bytes, body.creator]),
      [
        [3, { type: 'user', id: ben }],
        [20_000, { type: 'user', id: ben }],
      ],
    )
    for (const { body } of files) assert.doesNotMatch(body.name, /[/\\\p{Cc}]/u)
    assert.deepEqual(Buffer.from(await (await fetch(files[1]?.body.url)).arrayBuffer()), photo)
  })

  it('with an attachment over the limits of files is refused whole, and leaves no content', async () => {
    const { id, address } = await told()
    const file = (bytes: number) => ({ filename: 'x.txt', content: Buffer.alloc(bytes, String(bytes)) })
    assert.match(await send({ to: address, attachments: [file(100_001)] }), /^552 5\.3\.4 /)
    const three = [file(99_991), file(99_992), file(99_993)]
    assert.match(await send({ to: address, attachments: three }), /^550 5\.7\.1 The files of the organization have /)
    assert.deepEqual(await comments(id), [])
    const many = Array.from({ length: 51 }, () => file(1))
    assert.match(await send({ to: address, attachments: many }), /^552 5\.3\.4 /)
    assert.equal(await send({ to: address, attachments: [file(99_991)] }), '250')
  })

  it('of automatic programs, bounces and our own mails is refused, so that no mail goes round', async () => {
    const { id, address, mail } = await told()
    const automatic = '550 5.7.1 Automatic mail is not accepted.'
    const loops: readonly Record<string, string>[] = [
      { 'Auto-Submitted': 'auto-replied' },
      { 'Auto-Submitted': 'auto-generated; owner-email="x"' },
      { Precedence: 'bulk' },
      { Precedence: 'Junk' },
      { 'List-Id': '<list.acme.example>' },
      { 'X-Autoreply': 'yes' },
    ]
    for (const headers of loops) assert.equal(await send({ to: address, headers }), automatic, JSON.stringify(headers))
    assert.equal(await send({ to: address, messageId: mail?.headers.get('message-id') ?? '' }), automatic)
    assert.equal(await send({ to: address, envelopeFrom: '' }), '550 5.7.1 Mail without a sender is not accepted.')
    assert.equal(await send({ to: address, headers: { 'Auto-Submitted': 'no' } }), '250')
    assert.deepEqual(await bodies(id), ['Since Monday.'])
  })

  it('to a forged address, of a stranger, a foreign or former person, or about a deleted task gets the same answer', async () => {
    const { id, address } = await told()
    const forged = `${address.slice(0, 30)}${address[30] === '0' ? '1' : '0'}${address.slice(31)}`
    const { realms } = world.globex
    const foreign = replyAddress(world.services.sealer, domain, {
      realm: realms.live,
      notification: `ntf_${'0'.repeat(26)}`,
    })
    for (const to of [forged, `someone@${domain}`, address.replace(domain, 'evil.example'), foreign])
      assert.equal(await send({ to }), unknown, to)
    assert.equal(await send({ to: address, from: 'owner@acme.example' }), unknown, 'a forwarded mail')
    assert.deepEqual(await bodies(id), [])
    assert.equal(await send({ to: address.toUpperCase(), from: 'BEN@acme.example' }), '250', 'case does not matter')
    await owner.must('POST', 'step-up', { password })
    await owner.must('PATCH', `people/${ben}`, { status: 'inactive' })
    assert.equal(await send({ to: address }), unknown)
    await owner.must('PATCH', `people/${ben}`, { status: 'active' })
    await world.delete(`/v1/tasks/${id}`)
    assert.equal(await send({ to: address }), unknown)
  })

  it('about a task of an archived project says so', async () => {
    const project = (await world.make('/v1/projects', { workspace, name: 'Old' })).id
    const { address } = await told({ project })
    await world.make(`/v1/projects/${project}/archive`, {})
    assert.equal(await send({ to: address }), "550 5.7.1 The task's project is archived.")
  })

  it('may hold anything: its headers and text are text', async () => {
    const { id, address } = await told()
    const raw = (body: string, headers = '') =>
      `From: Ben <${ben_email}>\r\nTo: ${address}\r\nMessage-ID: <raw.${++messages}.${engine}@x>\r\n${headers}${body}`
    const sendRaw = async (text: string) => {
      const transport = createTransport({ host: '127.0.0.1', port: receiver.port, ignoreTLS: true })
      try {
        await transport.sendMail({ envelope: { from: ben_email, to: [address] }, raw: text })
        return '250'
      } catch (error) {
        return (error as { response?: string }).response ?? String(error)
      } finally {
        transport.close()
      }
    }
    const nested = Array.from(
      { length: 60 },
      (_, i) => `Content-Type: multipart/mixed; boundary=b${i}\r\n\r\n--b${i}\r\n`,
    )
    const table: readonly (readonly [raw: string, answer: RegExp])[] = [
      [raw('\r\n<script>alert(1)</script>\r\n'), /^250$/],
      [raw('\r\nHello\r\n', 'Subject: x\r\n\tBcc: eve@evil.example\r\nX-Task: other\r\n'), /^250$/],
      [raw('\r\n<b>Bold</b> words\r\n', 'Content-Type: text/html\r\n'), /^250$/],
      [raw('\r\n\u0000\u0007 bytes\r\n'), /^250$/],
      [raw(`\r\n${'<div>'.repeat(50_000)}deep\r\n`, 'Content-Type: text/html\r\n'), /^(250|550 )/],
      [raw(`\r\n${'<b '.repeat(100_000)}<p>x\r\n`, 'Content-Type: text/html\r\n'), /^(250|550 )/],
      [raw('\r\n=ZZ=\r\n', 'Content-Transfer-Encoding: quoted-printable\r\n'), /^(250|550 )/],
      [raw(nested.join('')), /^554 5\.6\.0 /],
      [raw('\r\nx\r\n', `X: ${'y'.repeat(300_000)}\r\n`), /^554 5\.6\.0 /],
      [raw(`\r\n${'long '.repeat(20_000)}\r\n`), /^552 5\.3\.4 /],
      [raw('\r\n\r\n'), /^550 5\.6\.0 The reply has no text\./],
      ['no header at all', /^550 5\.1\.1 /],
      [`From: ${ben_email}, eve@evil.example\r\n\r\nTwo\r\n`, /^(250|550 )/],
    ]
    for (const [text, answer] of table) assert.match(await sendRaw(text), answer, text.slice(-120))
    const all = await bodies(id)
    assert.ok(all.includes('<script>alert(1)</script>') && all.includes('Hello'), JSON.stringify(all))
    assert.ok(
      all.some((body) => body.includes('Bold words')),
      'a mail without plain text is read as text',
    )
    assert.ok(all.every((body) => !body.includes('\u0000')))
  })

  it('is bounded: in its size, in wrong recipients of a connection, in replies of a person', async () => {
    const { address } = await told()
    const talk = connect(receiver.port, '127.0.0.1')
    const say = async (line: string) => {
      talk.write(`${line}\r\n`)
      const [answer] = await once(talk, 'data')
      return String(answer)
    }
    await once(talk, 'data')
    assert.match(await say('EHLO x'), new RegExp(`SIZE ${mail_limits.inbound_bytes_max}`))
    assert.match(await say(`MAIL FROM:<${ben_email}> SIZE=${mail_limits.inbound_bytes_max + 1}`), /^552 /)
    assert.match(await say(`MAIL FROM:<${ben_email}>`), /^250 /)
    for (let i = 0; i < mail_limits.inbound_strangers_max; i++)
      assert.match(await say(`RCPT TO:<x${i}@${domain}>`), /^550 5\.1\.1 /)
    assert.match(await say(`RCPT TO:<${address}>`), /^421 4\.7\.0 /)
    talk.destroy()
    world.clock.advance(hour_ms)
    for (let i = 0; i < mail_limits.inbound_person_max; i++)
      assert.equal(await send({ to: address, text: `No. ${i}` }), '250')
    assert.equal(await send({ to: address }), '451 4.7.1 Too many replies. Try again later.')
    world.clock.advance(hour_ms)
    assert.equal(await send({ to: address }), '250')
  })
})
