/**
 * Posts of automations to chats. The URL of a chat comes from an administrator and may be hostile, its text from anyone: no post
 * reaches an internal address, no journal shows the URL, and the chat gets the text without markup, under one key however often it
 * has to be tried.
 */
import { query } from '../../server/src/db/query.ts'
import { writeSecret } from '../../server/src/resources/automation_runs/secrets.ts'
import { startByHand } from '../../server/src/resources/automation_runs/start-by-hand.ts'
import { drainRuns } from '../../server/src/workers/automations/runs.ts'
import { type Desk, openDesk } from '../../server/test/automations/desk.ts'
import { answer, openReceiver, type Receiver } from '../../server/test/receiver.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { innerAddress, targetsOf } from '../targets.ts'
import { inWorld } from '../worlds.ts'

const path = '/services/T0/very-secret-path'

export const chats = row({
  name: 'chats',
  promise:
    'A post to a chat reaches no internal address and shows its URL nowhere; its text has no markup, and all attempts have one key.',
  cycle: 'a run that posts: to an internal address in some notation, or a hostile text to a chat that fails at times',
  cycles: { short: 60, long: 5_000 },
  unproven: ['What programs other than Slack read into a text, such as `@channel` of Mattermost.'],
  async run(trial) {
    let posts = 0
    for (const engine of trial.engines) {
      if (trial.isOver) break
      const receiver = await openReceiver()
      try {
        await inWorld(engine, {}, async (world) => {
          posts += await tryPosts(trial, world, receiver, prefixed(trial, engine))
        })
      } finally {
        await receiver.close()
      }
    }
    return { cycles: posts, figures: { posts } }
  },
})

interface Chat {
  readonly world: World
  readonly desk: Desk
  readonly receiver: Receiver
  readonly flow: string
  readonly violated: Violated
}

async function tryPosts(trial: Trial, world: World, receiver: Receiver, violated: Violated): Promise<number> {
  const desk = await openDesk(world)
  const chat = { world, desk, receiver, flow: await openFlow(world, desk), violated }
  const cycles = Math.ceil(trial.cycles / trial.engines.length)
  let posts = 0
  for (; posts < cycles && !trial.isOver; posts++) {
    const dice = trial.dice.fork()
    const isInner = dice.chance(0.5)
    trial.count(isInner ? 'internal' : 'text')
    if (isInner) await postInside(dice, chat)
    else await postText(dice, chat, posts)
    world.clock.advance(60_000)
  }
  await findUrls(chat)
  return posts
}

async function openFlow(world: World, desk: Desk): Promise<string> {
  await keep(world, 'https://chat.dev/services/T0')
  const retry = { max_attempts: 3, initial_seconds: 1, jitter: 'none' }
  const { id } = await desk.activate({
    schema_version: 2,
    settings: { max_runs_per_hour: 3600, pause_after_failures: 100 },
    nodes: [
      { id: 'by_hand', type: 'trigger.manual', config: {} },
      { id: 'post', type: 'chat.post', retry, config: { secret: 'chat', text: { $expr: 'task.title' } } },
      { id: 'said', type: 'task.label', config: { add: ['said'] } },
    ],
    edges: [
      { source: 'by_hand', target: 'post' },
      { source: 'post', target: 'said' },
    ],
  })
  return id
}

async function keep({ services, acme }: World, value: string): Promise<void> {
  await writeSecret(services, { organization: acme.id, mode: 'live', name: 'chat', value })
}

/** Runs the flow to its end, waiting for its attempts, and returns the run as the API shows it. */
async function carryOut({ world, desk, flow }: Chat) {
  const { id } = await startByHand(world.services, flow, desk.task)
  for (;;) {
    await drainRuns(world.services)
    const run = (await world.get(`/v1/automation_runs/${id}?workspace=${desk.workspace}`)).body
    if (run.ended_at !== null) return run
    world.clock.advance(1_000)
  }
}

async function postInside(dice: Dice, chat: Chat): Promise<void> {
  const { world, receiver, violated } = chat
  const before = receiver.events.length
  let address = innerAddress(dice)
  // The world allows the network of its receivers.
  while (address.startsWith('127.')) address = innerAddress(dice)
  // A secret is ASCII, so it cannot hold the other notations.
  const target = dice.pick(targetsOf(dice, address).filter((each) => /^[!-~]+$/.test(each)))
  await keep(world, `${target.replace(/\/$/, '')}${path}`)
  const { status, failure } = await carryOut(chat)
  if (status !== 'failed' || failure.code !== 'url_refused')
    violated(`a post to ${target} ended as ${failure?.code ?? status}`)
  if (receiver.events.length !== before) violated(`a post to ${target} was sent`)
}

const pieces = [
  '<!channel>',
  '<https://evil.example|Log in>',
  '&lt;',
  '&',
  '>',
  '<@U0>',
  '{{ task.id }}',
  '“Ä” 🚢',
  '*',
]

async function postText(dice: Dice, chat: Chat, number: number): Promise<void> {
  const { world, desk, receiver, violated } = chat
  const title = `Text ${number} ${Array.from({ length: dice.int(1, 4) }, () => dice.pick(pieces)).join(' ')}`
  await world.call('PATCH', `/v1/tasks/${desk.task}`, { body: { title } })
  await keep(world, `${receiver.url}${path}`)
  const failures = dice.int(0, 2)
  const before = receiver.events.length
  receiver.respond = (received, response) => {
    const isLast = receiver.events.length - before > failures
    answer(isLast ? 200 : 503, {}, isLast ? 'ok' : path)(received, response)
  }
  const run = await carryOut(chat)
  const sent = receiver.events.slice(before)
  if (run.status !== 'succeeded') violated(`a text ended as ${run.failure?.code ?? run.status}`)
  if (sent.length !== failures + 1) violated(`a text was posted ${sent.length} times after ${failures} failures`)
  const plain = title.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  for (const { headers, event } of sent) {
    if (event.text !== plain) violated(`“${title}” was posted as “${event.text}”`)
    if (headers['idempotency-key'] !== `${run.id}:1`) violated(`an attempt has the key ${headers['idempotency-key']}`)
  }
}

const tables = ['automation_runs', 'automation_steps', 'automation_attempts', 'events', 'audit_entries'] as const

/** The path of the URL stands in no table but that of the secrets, which are sealed. */
async function findUrls({ world, violated }: Chat): Promise<void> {
  const reader = world.services.store.reader('system')
  for (const table of tables) {
    const all = query<object>((db) => db.selectFrom(table as 'events').selectAll())
    if (JSON.stringify(await reader.all(all)).includes('very-secret-path'))
      violated(`${table} shows the URL of the chat`)
  }
}
