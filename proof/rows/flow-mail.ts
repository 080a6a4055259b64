/**
 * Mail to flows. Mail servers send some mails again, some at once; programs, lists and other flows write too; and a flow takes few
 * mails an hour, so some have to wait with their senders. A mail of a person starts one run with its subject, and nothing else
 * starts one.
 */
import { query } from '../../server/src/db/query.ts'
import { receiveReplies } from '../../server/src/workers/replies/receive.ts'
import { openDesk } from '../../server/test/automations/desk.ts'
import { type SentMail, sendMail } from '../../server/test/send-mail.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'

const minute_ms = 60_000
const hour_ms = 60 * minute_ms
const runs_per_hour = 5

export const flowMail = row({
  name: 'flow_mail',
  promise: 'A mail to a flow starts one run, however often it arrives; mail of programs, lists and flows starts none.',
  cycle: 'a mail: new, again, several times at once, by a program, or to a wrong address',
  cycles: { short: 60, long: 10_000 },
  unproven: [
    'Programs that do not say so in any header.',
    'Whether the sender that a mail names wrote it: the mail server in front judges that.',
  ],
  async run(trial) {
    let mails = 0
    for (const engine of trial.engines) {
      if (trial.isOver) break
      const environment = {
        ATRIUM_SMTP_URL: 'smtp://127.0.0.1:9',
        ATRIUM_MAIL_FROM: 'atrium@acme.example',
        ATRIUM_INBOUND_MAIL: 'smtp://127.0.0.1:0?domain=in.acme.example',
      }
      await inWorld(engine, { environment }, async (world) => {
        mails += await tryMails(trial, world, prefixed(trial, engine))
      })
    }
    return { cycles: mails, figures: { mails } }
  },
})

const readMails = query<{ mail: string | null; status: string }, Record<string, never>>((db) =>
  db
    .selectFrom('automation_runs as run')
    .leftJoin('automation_mails as mail', (join) =>
      join.onRef('mail.realm', '=', 'run.realm').onRef('mail.run', '=', 'run.id'),
    )
    .select(['mail.mail', 'run.status'])
    .$castTo<{ mail: string | null; status: string }>(),
)

interface Post {
  readonly to: string
  /** In a minute of its own, so that no count of senders refuses it. */
  readonly send: (mail: SentMail) => Promise<string>
  readonly violated: Violated
}

async function tryMails(trial: Trial, world: World, violated: Violated): Promise<number> {
  const to = await openMailbox(world)
  const receiver = await receiveReplies(world.services, '127.0.0.1', 0)
  const accepted: SentMail[] = []
  const cycles = Math.ceil(trial.cycles / trial.engines.length)
  let mails = 0
  try {
    const send = async (mail: SentMail) => {
      world.clock.advance(minute_ms)
      return await sendMail(receiver.port, mail)
    }
    const post: Post = { to, send, violated }
    for (; mails < cycles && !trial.isOver; mails++) {
      const dice = trial.dice.fork()
      const kind = dice.pick(['new', 'new', 'again', 'unwanted'] as const)
      if (kind === 'again' && accepted.length > 0) await sendAgain(trial, dice, post, dice.pick(accepted))
      else if (kind === 'unwanted') await sendUnwanted(trial, dice, post, mails)
      else accepted.push(await sendNew(trial, dice, post, world, mails))
    }
  } finally {
    await receiver.close()
  }
  await compare(world, accepted, violated)
  return mails
}

/** A mail of a person, some several times at once. A flow at its limit keeps it waiting until the next hour. */
async function sendNew(trial: Trial, dice: Dice, post: Post, world: World, number: number): Promise<SentMail> {
  const mail: SentMail = {
    to: dice.chance(0.3) ? post.to.toUpperCase() : post.to,
    from: `person${number}@navy.example`,
    subject: `Mail ${number} ${dice.pick(['<b>&', '"quoted"', '{{ mail.text }}', 'Ä 🚢'])}`,
    ...(dice.chance(0.8) ? { messageId: `<${number}@navy.example>` } : raw(post.to, number)),
  }
  const times = dice.chance(0.4) ? 3 : 1
  trial.count(times === 1 ? 'sent once' : 'sent at once')
  let answers = await Promise.all(Array.from({ length: times }, () => post.send(mail)))
  if (answers.some((answer) => answer.startsWith('451 '))) {
    trial.count('waited for the next hour')
    world.clock.advance(hour_ms)
    answers = [await post.send(mail)]
  }
  for (const answer of answers) if (answer !== '250') post.violated(`a mail was answered with ${answer}`)
  return mail
}

/** A mail without a Message-ID. */
function raw(to: string, number: number): Pick<SentMail, 'raw' | 'subject'> {
  const subject = `Mail ${number} without an id`
  return { subject, raw: `From: person${number}@navy.example\r\nTo: ${to}\r\nSubject: ${subject}\r\n\r\nText\r\n` }
}

async function sendAgain(trial: Trial, dice: Dice, { send, violated }: Post, mail: SentMail): Promise<void> {
  trial.count('sent again')
  const isChanged = dice.chance(0.3) && mail.raw === undefined
  const answer = await send(isChanged ? { ...mail, text: 'With a footer of a mail server.' } : mail)
  if (answer !== '250') violated(`a mail that arrived again was answered with ${answer}`)
}

async function sendUnwanted(trial: Trial, dice: Dice, { to, send, violated }: Post, number: number): Promise<void> {
  const kind = dice.pick(['program', 'list', 'flow', 'bounce', 'wrong address'] as const)
  trial.count(`unwanted: ${kind}`)
  const wrong = `${to.slice(0, 44)}${to[44] === '0' ? '1' : '0'}${to.slice(45)}`
  const how: Readonly<Record<typeof kind, Partial<SentMail>>> = {
    program: { headers: { 'Auto-Submitted': dice.pick(['auto-generated', 'auto-replied']) } },
    list: { headers: { 'List-Id': '<all.navy.example>' } },
    flow: { from: to },
    bounce: { envelopeFrom: '' },
    'wrong address': { to: wrong },
  }
  const answer = await send({ to, subject: `Unwanted ${number}`, messageId: `<u${number}@navy.example>`, ...how[kind] })
  if (!answer.startsWith('550 ')) violated(`${kind}: answered with ${answer} instead of 550`)
}

/** Every accepted mail has one run with its subject, and no other run was not skipped. */
async function compare(world: World, accepted: readonly SentMail[], violated: Violated): Promise<void> {
  const rows = await world.services.store.reader('system').all(readMails, {})
  const kept = rows.filter(({ status }) => status !== 'skipped').map(({ mail }) => subjectOf(mail))
  const sent = accepted.map(({ subject = '' }) => subject)
  if (JSON.stringify(kept.toSorted()) === JSON.stringify(sent.toSorted())) return
  const surplus = kept.filter((subject) => !sent.includes(subject)).slice(0, 3)
  violated(`${sent.length} mails were accepted, and ${kept.length} runs exist; not sent: ${JSON.stringify(surplus)}`)
}

function subjectOf(mail: string | null): string {
  return mail === null ? 'no mail' : (JSON.parse(mail) as { readonly subject: string }).subject
}

/** Activates a flow that mail starts. Returns its address. */
async function openMailbox(world: World): Promise<string> {
  const desk = await openDesk(world)
  const flow = await desk.activate({
    schema_version: 6,
    settings: { max_runs_per_hour: runs_per_hour },
    nodes: [
      { id: 'received', type: 'trigger.mail', config: {} },
      { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'mail.subject' } } } },
    ],
    edges: [{ source: 'received', target: 'file' }],
  })
  return (await world.get(`/v1/automation_flows/${flow.id}/mailbox`)).body.address
}
