/** Replies that strangers and programs send: forged addresses, other writers, loops, fields in fields, the same mail again. */
import { createTransport } from 'nodemailer'
import { mail_limits } from '../../server/src/mail/limits.ts'
import type { Receiver } from '../../server/src/mail/receiver.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import type { Violated } from '../row.ts'
import { hostileText } from './hostile.ts'

interface Scene {
  readonly world: World
  readonly dice: Dice
  readonly violated: Violated
  readonly receiver: Receiver
  /** The task, and the address in the mail about it. */
  readonly task: string
  readonly address: string
}

interface Sending {
  readonly to: string
  readonly from: string
  readonly text: string
  readonly messageId: string
  readonly headers?: Readonly<Record<string, string>>
}

const own_address = 'ben@acme.example'

/** Replies one to a task in one way, and judges which comments it has. */
export async function tryReply(scene: Scene): Promise<void> {
  const attempt = scene.dice.pick([tryForged, tryOther, tryAutomatic, tryHostile, tryTwice])
  await attempt(scene)
}

/** Whether the server accepted the mail. */
async function isAccepted({ receiver }: Scene, { to, from, ...mail }: Sending): Promise<boolean> {
  const transport = createTransport({ host: '127.0.0.1', port: receiver.port, ignoreTLS: true })
  try {
    await transport.sendMail({
      ...mail,
      from: { name: '', address: from },
      to,
      envelope: { from: own_address, to: [to] },
    })
    return true
  } catch {
    return false
  } finally {
    transport.close()
  }
}

const newId = ({ dice }: Scene) => `<${dice.int(0, 2 ** 30)}.${dice.int(0, 2 ** 30)}@mail.example>`

async function bodiesOf({ world, task }: Scene): Promise<string[]> {
  const { body } = await world.get(`/v1/tasks/${task}/comments?limit=100`)
  return body.data.map(({ body: text }: { body: string }) => text)
}

async function expectNone(scene: Scene, sending: Sending, what: string): Promise<void> {
  const isIn = await isAccepted(scene, sending)
  const bodies = await bodiesOf(scene)
  if (isIn || bodies.length > 0) scene.violated(`${what} is accepted: ${JSON.stringify(bodies)}`)
}

/** One character of the local part differs, in its realm, entry or signature. */
async function tryForged(scene: Scene): Promise<void> {
  const { address, dice } = scene
  const at = dice.int(0, address.indexOf('@') - 1)
  const char = dice.pick([...'0123456789abcdefghjkmnpqrstvwxyz'].filter((each) => each !== address[at]))
  const to =
    address[at] === '-'
      ? `${address.slice(0, at)}0${address.slice(at)}`
      : address.slice(0, at) + char + address.slice(at + 1)
  await expectNone(
    scene,
    { to, from: own_address, text: 'Forged.', messageId: newId(scene) },
    `the forged address ${to}`,
  )
}

/** Another person has the mail, as after it was forwarded. */
async function tryOther(scene: Scene): Promise<void> {
  const from = scene.dice.pick([
    'owner@acme.example',
    'eve@evil.example',
    'ben@acme.example.evil.example',
    'xben@acme.example',
  ])
  await expectNone(scene, { to: scene.address, from, text: 'Mine.', messageId: newId(scene) }, `a reply from ${from}`)
}

/** Programs answer programs: an absence, a list, a bounce, our own mail that comes back. */
async function tryAutomatic(scene: Scene): Promise<void> {
  const fields = scene.dice.pick<Readonly<Record<string, string>>>([
    { 'Auto-Submitted': 'auto-replied' },
    { 'Auto-Submitted': 'auto-generated' },
    { Precedence: 'bulk' },
    { Precedence: 'auto_reply' },
    { 'List-Id': '<all.acme.example>' },
    { 'X-Autoreply': 'yes' },
  ])
  const sending = { to: scene.address, from: own_address, text: 'I am away.', messageId: newId(scene), headers: fields }
  await expectNone(scene, sending, `a mail with ${JSON.stringify(fields)}`)
}

/** What the person writes, and no part of the header, is the comment. */
async function tryHostile(scene: Scene): Promise<void> {
  const { dice, address, violated } = scene
  const text = `Reply ${dice.int(0, 2 ** 30)} ${hostileText(dice).replaceAll(/[^ -~]/g, '')}`.trim()
  const headers = { Subject: hostileText(dice), 'X-Comment': hostileText(dice).replaceAll(/[^ -~]/g, '') }
  const isIn = await isAccepted(scene, { to: address, from: own_address, text, messageId: newId(scene), headers })
  const bodies = await bodiesOf(scene)
  if (isIn ? bodies.length !== 1 || !bodies[0]?.startsWith(text.slice(0, 14)) : bodies.length > 0)
    violated(`the reply ${JSON.stringify(text)} makes ${JSON.stringify(bodies)}`)
}

/** A mail server repeats what it had no answer to, also at the same moment. */
async function tryTwice(scene: Scene): Promise<void> {
  const sending = { to: scene.address, from: own_address, text: 'Once.', messageId: newId(scene) }
  const count = scene.dice.int(2, Math.min(4, mail_limits.inbound_mails_max))
  await Promise.all(Array.from({ length: count }, () => isAccepted(scene, sending)))
  await isAccepted(scene, sending)
  const bodies = await bodiesOf(scene)
  if (bodies.length !== 1) scene.violated(`a mail that came ${count + 1} times makes ${bodies.length} comments`)
}
