/**
 * Incoming webhooks of an address that wants signatures. Senders repeat requests, also at once, and forge them: a key has one run
 * and one answer, and what is not signed, or was signed for another request or time, starts nothing.
 */
import { query } from '../../server/src/db/query.ts'
import { writeSecret } from '../../server/src/resources/automation_runs/secrets.ts'
import { signatureHeaders } from '../../server/src/resources/webhook_endpoints/signature.ts'
import { openDesk } from '../../server/test/automations/desk.ts'
import type { World } from '../../server/test/world.ts'
import type { Dice } from '../dice.ts'
import { prefixed, row, type Trial, type Violated } from '../row.ts'
import { inWorld } from '../worlds.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const other_secret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
/** Requests after which the clock moves to another minute, in which others are taken. */
const per_minute = 100

export const hooks = row({
  name: 'hooks',
  promise:
    'A key of an incoming webhook starts one run and gets one answer; a request without its signature starts nothing.',
  cycle: 'a request to an address that wants signatures: new, repeated, sent several times at once, or forged',
  cycles: { short: 120, long: 20_000 },
  unproven: ['Requests signed by GitHub, which signs neither id nor time.'],
  async run(trial) {
    let requests = 0
    for (const engine of trial.engines) {
      if (trial.isOver) break
      await inWorld(engine, {}, async (world) => {
        requests += await trySenders(trial, world, prefixed(trial, engine))
      })
    }
    return { cycles: requests, figures: { requests } }
  },
})

const countRuns = query((db) => db.selectFrom('automation_runs').select((select) => select.fn.countAll().as('count')))

async function trySenders(trial: Trial, world: World, violated: Violated): Promise<number> {
  const path = await openAddress(world)
  const answers = new Map<string, string>()
  const cycles = Math.ceil(trial.cycles / trial.engines.length)
  let requests = 0
  while (requests < cycles && !trial.isOver) {
    const dice = trial.dice.fork()
    const text = JSON.stringify({ title: `Request ${requests}` })
    const id = dice.chance(0.3) && answers.size > 0 ? dice.pick([...answers.keys()]) : `msg_${requests}`
    const timestamp = Math.floor(world.clock.now() / 1000)
    const headers = signatureHeaders({ id, timestamp, body: text }, [secret])
    const isForged = dice.chance(0.4)
    const sent = isForged ? forge(dice, { id, timestamp, body: text }, headers) : { headers, raw: text }
    const times = dice.chance(0.3) ? 3 : 1
    const replies = await Promise.all(
      Array.from({ length: times }, () => world.call('POST', path, { ...sent, key: null, idempotencyKey: null })),
    )
    trial.count(isForged ? 'forged' : answers.has(id) ? 'repeated' : 'new')
    for (const { status, text: answer } of replies) {
      if (isForged && status !== 401) violated(`a forged request was answered with ${status}`)
      if (isForged) continue
      if (status !== 202) violated(`a signed request was answered with ${status}: ${answer}`)
      if ((answers.get(id) ?? answer) !== answer) violated(`${id} was answered with ${answer} after ${answers.get(id)}`)
      if (!answers.has(id)) answers.set(id, answer)
    }
    if (Math.floor((requests + times) / per_minute) > Math.floor(requests / per_minute)) world.clock.advance(60_000)
    requests += times
  }
  const runs = Number((await world.services.store.reader('system').first(countRuns))?.count)
  if (runs !== answers.size) violated(`${answers.size} keys have ${runs} runs`)
  return requests
}

/** An address that wants signatures, as the path of its URL. */
async function openAddress(world: World): Promise<string> {
  const desk = await openDesk(world)
  await writeSecret(world.services, { organization: world.acme.id, mode: 'live', name: 'sender', value: secret })
  const flow = await desk.activate({
    schema_version: 3,
    settings: { max_runs_per_hour: 3600 },
    nodes: [
      { id: 'received', type: 'trigger.webhook', config: { secret: 'sender' } },
      { id: 'file', type: 'task.create', config: { set: { title: { $expr: 'request.body.title' } } } },
    ],
    edges: [{ source: 'received', target: 'file' }],
  })
  return new URL((await world.get(`/v1/automation_flows/${flow.id}/hook`)).body.url).pathname
}

interface Signed {
  readonly id: string
  readonly timestamp: number
  readonly body: string
}

type Headers = Readonly<Record<string, string>>

/** The request without its signature, or with one that belongs to another request, secret or time. */
function forge(dice: Dice, signed: Signed, headers: Headers): { readonly headers: Headers; readonly raw: string } {
  const raw = signed.body
  const { 'webhook-signature': signature = '', ...unsigned } = headers
  const late = { ...signed, timestamp: signed.timestamp + dice.pick([-1, 1]) * dice.int(302, 100_000) }
  return dice.pick([
    () => ({ headers: unsigned, raw }),
    () => ({ headers: { ...unsigned, 'webhook-signature': changed(dice, signature) }, raw }),
    () => ({ headers: signatureHeaders(signed, [other_secret]), raw }),
    () => ({ headers: signatureHeaders(late, [secret]), raw }),
    () => ({ headers: { ...headers, 'webhook-id': `${signed.id}x` }, raw }),
    () => ({ headers: { ...headers, 'webhook-timestamp': String(signed.timestamp - 1) }, raw }),
    () => ({ headers, raw: `${raw} ` }),
  ])()
}

/** The signature with another character in one place behind its version. */
function changed(dice: Dice, signature: string): string {
  const at = dice.int('v1,'.length, signature.length - 2)
  return `${signature.slice(0, at)}${signature[at] === 'A' ? 'B' : 'A'}${signature.slice(at + 1)}`
}
