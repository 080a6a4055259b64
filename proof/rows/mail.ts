/**
 * Mail about texts that strangers wrote, over a real SMTP server: titles, comments, names and addresses that try to become
 * header fields, recipients or parts; servers that refuse. Every mail is one mail to one person. Replies to them, and links to new
 * passwords, that are forged, repeated or too late.
 */
import { day_ms } from '../../server/src/lib/units.ts'
import type { Receiver } from '../../server/src/mail/receiver.ts'
import { reply_marker } from '../../server/src/mail/reply-text.ts'
import { mailWorker } from '../../server/src/workers/mail.ts'
import { passwordResetsWorker } from '../../server/src/workers/password-resets.ts'
import { receiveReplies } from '../../server/src/workers/replies/receive.ts'
import { join, ownerOf, Visitor } from '../../server/test/console/visitor.ts'
import { fillInboxes } from '../../server/test/inbox.ts'
import { MailServer, type Received } from '../../server/test/mail-server.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { faultOfMail, hostileAddress, hostileText } from '../mail/hostile.ts'
import { tryReply } from '../mail/replies.ts'
import { tryReset } from '../mail/resets.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { captureLog, inWorld } from '../worlds.ts'

/** A worker that never ends would send the same mail again and again. */
const runs_max = 60
const never = new AbortController().signal

export const mailRow = row({
  name: 'mail',
  promise:
    'Whatever people write, a mail about it goes to one person, with the fields that the server wrote, once; an act never starts a loop of mails. A reply becomes one comment of its person, and no other mail does. A link to a new password works once, in its hour.',
  cycle:
    'a hostile title, comment, name or address, and the mails about it; one in seven while the mail server refuses; one in seven a reply, one in seven a link to a new password',
  cycles: { short: 21, long: 4_000 },
  unproven: ['How other mail servers and mail programs read what was sent.'],
  async run(trial) {
    for (const engine of trial.engines) {
      if (trial.isOver) break
      const smtp = await MailServer.open()
      try {
        const environment = {
          ATRIUM_SMTP_URL: smtp.url,
          ATRIUM_MAIL_FROM: 'Atrium <atrium@acme.example>',
          ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=reply.acme.example',
        }
        await inWorld(engine, { environment }, async (world) => {
          const receiver = await receiveReplies(world.services, '127.0.0.1', 0)
          try {
            const scene = await openScene(trial, prefixed(trial, engine), { world, smtp, receiver })
            const cycles = Math.ceil(trial.cycles / trial.engines.length)
            for (let i = 0; i < cycles && !trial.isOver; i++) await attempts[i % attempts.length]?.(scene)
          } finally {
            await receiver.close()
          }
        })
      } finally {
        await smtp.close()
      }
    }
    return { cycles: trial.cycles }
  },
})

interface Scene {
  readonly trial: Trial
  readonly violated: Violated
  readonly world: World
  readonly smtp: MailServer
  readonly receiver: Receiver
  readonly dice: Dice
  readonly owner: Visitor
  readonly ben: string
  readonly workspace: string
  /** Message-IDs of all mails that were accepted. */
  readonly accepted: Set<string>
}

type Servers = Pick<Scene, 'world' | 'smtp' | 'receiver'>

async function openScene(trial: Trial, violated: Violated, servers: Servers): Promise<Scene> {
  const { world, smtp } = servers
  // Mails that a server refuses are logged.
  captureLog(world)
  const owner = await ownerOf(world)
  const visitor = await join(owner, 'ben@acme.example', 'member')
  const ben = (await visitor.arrive()).user.id
  const workspace = (await world.make('/v1/workspaces', { title: 'Mail' })).id
  const dice = trial.dice.fork()
  const scene = { trial, violated, ...servers, dice, owner, ben, workspace, accepted: new Set<string>() }
  await deliver(scene)
  smtp.take()
  return scene
}

/** Writes the entries and runs the worker until nothing is due. Returns whether it came to an end. */
async function deliver({ world, violated }: Scene): Promise<boolean> {
  await fillInboxes(world.services)
  for (let runs = 0; runs < runs_max; runs++) {
    if ((await mailWorker.run(world.services, mailWorker.batch_max, never)) === 0) return true
  }
  violated('mails are sent without an end')
  return false
}

/** Takes what came, and judges each mail. */
function judge(
  { trial, smtp, violated, accepted }: Scene,
  about: string,
  to: string,
  count: number,
): readonly Received[] {
  const mails = smtp.take()
  trial.count('mails', mails.length)
  if (mails.length !== count) violated(`${about}: ${mails.length} mails instead of ${count}`)
  for (const mail of mails) {
    const fault = faultOfMail(mail, to)
    if (fault !== null) violated(`${about}: a mail ${fault}`)
    const id = String(mail.headers.get('message-id'))
    if (accepted.has(id)) violated(`${about}: a mail came twice`)
    accepted.add(id)
  }
  return mails
}

const attempts: readonly ((scene: Scene) => Promise<void>)[] = [
  tryTask,
  tryComment,
  tryInvitation,
  tryName,
  tryRefusals,
  tryReplies,
  tryResets,
]

async function tryTask(scene: Scene): Promise<void> {
  const { world, workspace, ben, dice } = scene
  const title = hostileText(dice)
  const reply = await world.post('/v1/tasks', { workspace, title, assignee: ben })
  await deliver(scene)
  const about = `the title ${JSON.stringify(title)}`
  const [mail] = judge(scene, about, 'ben@acme.example', reply.status === 200 ? 1 : 0)
  const told = mail?.text.replace(`${reply_marker}\r\n\r\n`, '') ?? ''
  if (mail !== undefined && !told.startsWith(reply.body.key)) scene.violated(`${about}: ${mail.text.slice(0, 100)}`)
}

/** A person gets one mail for each comment on an own task. */
async function tryComment(scene: Scene): Promise<void> {
  const { world, workspace, ben, dice } = scene
  const task = await world.make('/v1/tasks', { workspace, title: 'Discussed', assignee: ben })
  await deliver(scene)
  scene.smtp.take()
  const body = hostileText(dice)
  const reply = await world.post(`/v1/tasks/${task.id}/comments`, { workspace, body: `${body} @[Ben](${ben})` })
  await deliver(scene)
  // Comments come with the digest of the day.
  world.clock.advance(day_ms)
  await deliver(scene)
  const mails = scene.smtp.take()
  if (reply.status === 200 && mails.length > 2) scene.violated(`one comment: ${mails.length} mails`)
  for (const mail of mails) {
    const fault = faultOfMail(mail, 'ben@acme.example')
    if (fault !== null) scene.violated(`the comment ${JSON.stringify(body)}: a mail ${fault}`)
  }
  // The session of the owner ends with the days.
  await scene.owner.signIn('owner@acme.example', 'a horse that reads')
}

async function tryInvitation(scene: Scene): Promise<void> {
  const { owner, dice } = scene
  const email = hostileAddress(dice)
  await owner.must('POST', 'step-up', { password: 'a horse that reads' })
  const reply = await owner.post('invitations', { email, role: 'member', first_name: 'Eve' })
  await deliver(scene)
  // The mail server of the trial refuses some forms that RFC 5321 allows.
  const isSent = scene.smtp.received.length > 0
  judge(scene, `the address ${JSON.stringify(email)}`, email, reply.status === 200 && isSent ? 1 : 0)
  if (reply.status === 200) await owner.must('DELETE', `invitations/${reply.body.invitation.id}`)
}

/** The name of the organization is in the subject of an invitation. */
async function tryName(scene: Scene): Promise<void> {
  const { owner, dice } = scene
  const name = hostileText(dice)
  await owner.patch('organization', { name })
  await owner.must('POST', 'step-up', { password: 'a horse that reads' })
  const email = `cleo${dice.int(0, 2 ** 30)}@acme.example`
  const reply = await owner.post('invitations', { email, role: 'member' })
  await deliver(scene)
  judge(scene, `the organization ${JSON.stringify(name)}`, email, reply.status === 200 ? 1 : 0)
  if (reply.status === 200) await owner.must('DELETE', `invitations/${reply.body.invitation.id}`)
}

/** The server refuses for a while: the mail arrives once, later, with the Message-ID it had. */
async function tryRefusals(scene: Scene): Promise<void> {
  const { world, workspace, ben, smtp, dice } = scene
  const isFinal = dice.chance(0.3)
  smtp.refusal = { code: isFinal ? 550 : 451, message: 'Not now\r\n250 OK' }
  await world.make('/v1/tasks', { workspace, title: `Refused ${dice.int(0, 2 ** 30)}`, assignee: ben })
  await deliver(scene)
  judge(scene, 'a refused mail', 'ben@acme.example', 0)
  smtp.refusal = null
  world.clock.advance(3_600_000)
  await deliver(scene)
  judge(scene, `a mail refused with ${isFinal ? 550 : 451}`, 'ben@acme.example', isFinal ? 0 : 1)
}

async function tryReplies(scene: Scene): Promise<void> {
  const { world, workspace, ben, smtp } = scene
  const { id: task } = await world.make('/v1/tasks', { workspace, title: 'Answered', assignee: ben })
  await deliver(scene)
  const address = smtp.take()[0]?.headers.get('reply-to') ?? ''
  await tryReply({ ...scene, task, address })
  await deliver(scene)
  const told = smtp.take().filter(({ to }) => to.includes('ben@acme.example'))
  if (told.length > 0) scene.violated('an own reply comes back as a mail')
}

/** A person who has joined by the link of a mailed invitation, which proves the address. */
async function tryResets(scene: Scene): Promise<void> {
  const { world, owner, smtp, dice } = scene
  const email = `dora${dice.int(0, 2 ** 30)}@acme.example`
  await owner.signIn('owner@acme.example', 'a horse that reads')
  await owner.must('POST', 'step-up', { password: 'a horse that reads' })
  await owner.must('POST', 'invitations', { email, role: 'member' })
  const tokenOf = async (page: string) => {
    while ((await passwordResetsWorker.run(world.services, passwordResetsWorker.batch_max, never)) > 0);
    await deliver(scene)
    const texts = smtp.take().map(({ text }) => text)
    return new RegExp(`/${page}#([0-9A-Za-z]{43})`).exec(texts.join('\n'))?.[1] ?? ''
  }
  const visitor = new Visitor(world.server.url)
  await visitor.arrive()
  await visitor.must('POST', 'set-up', { token: await tokenOf('invite'), password: 'a horse that reads' })
  await deliver(scene)
  smtp.take()
  const ask = async () => {
    world.clock.advance(15 * 60_000)
    await visitor.arrive()
    await visitor.must('POST', 'password/forgot', { email })
    const token = await tokenOf('reset-password')
    if (token === '') scene.violated('no link to a new password came')
    return token
  }
  await tryReset({ world, dice, violated: scene.violated, email, ask })
  await deliver(scene)
  smtp.take()
  await owner.signIn('owner@acme.example', 'a horse that reads')
}
