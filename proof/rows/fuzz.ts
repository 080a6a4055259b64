/**
 * Requests that nobody would write by hand: out of the document and against it, as raw bytes, and into the parsers one by
 * one, guided by what they reach. Both engines get the same, in servers whose event loops are watched.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { startPostgres } from '../../server/test/postgres.ts'
import { openReceiver } from '../../server/test/receiver.ts'
import { Document } from '../document.ts'
import { Engine } from '../fuzz/engine.ts'
import type { Hunted } from '../fuzz/hunted.ts'
import { Lane } from '../fuzz/lane.ts'
import { SlowClients } from '../fuzz/slow.ts'
import { turn_ms_max } from '../fuzz/stall.ts'
import { Tally } from '../fuzz/tally.ts'
import { Wire } from '../fuzz/wire.ts'
import { type Outcome, row, type Trial } from '../row.ts'

/** Clients at once; each has an organization to itself. */
const lanes_count = 8
/** Requests of a lane to each engine before it begins with another organization. */
const round_requests = 1000
/** The first round is a short one. */
const first_requests = 60
/** Of all requests one in so many goes out as raw bytes. */
const wire_share = 10
/** By so much the clock moves on between rounds, at most. */
const leap_ms = 6 * 3600 * 1000
/** Inputs of parsers: one for so many requests, and at least so many. */
const inputs_share = 4
const inputs_min = 10_000
/** From so many requests on the clock is believed, while servers wait no larger share of the time for a processor. */
const clock_cycles_min = 100_000
const waited_max = 0.02

export const fuzz = row({
  name: 'fuzz',
  promise:
    'Whatever is sent: never a 500, every answer as the document says and the same on both engines, nothing smuggled behind a request, and no event loop that stands still for 50 ms.',
  cycle: 'a request to one of two servers, each on an engine of its own; inputs of parsers come besides',
  cycles: { short: 3000, long: 1_000_000 },
  unproven: [
    'The first requests of a process, which load and compile what it needs: their stalls do not count.',
    'Short runs, and rounds in which others want the machine: there a turn of an event loop is judged by what it computed, not by the clock.',
    'That both engines log the same of requests and uses of keys: both are written some time behind them.',
    "The console's own endpoints and MCP over HTTP: requests are those of the document's operations.",
  ],
  async run(trial) {
    const postgres = await startPostgres()
    process.env.ATRIUM_TEST_POSTGRES_URL = postgres.url
    const receiver = await openReceiver()
    try {
      await using sqlite = await Engine.start('sqlite')
      await using other = await Engine.start('postgres')
      return await tryAll(trial, [sqlite, other], receiver.url)
    } finally {
      delete process.env.ATRIUM_TEST_POSTGRES_URL
      await receiver.close()
      await postgres.stop()
    }
  },
})

type Engines = readonly [Engine, Engine]

async function tryAll(trial: Trial, engines: Engines, receiver: string): Promise<Outcome> {
  const document = new Document()
  const tally = new Tally(trial)
  // Whatever else stood in a URL would be looked up in the machine's own network.
  const urls = [receiver, 'http://127.0.0.1:9/', 'https://10.0.0.1/', 'nothing', 'https://[::1]/']
  const { dice } = trial
  const lanes = Array.from({ length: lanes_count }, () => new Lane(engines, document, urls, dice.fork(), tally))
  const wire = new Wire(engines, document, dice.fork(), tally)
  const slow = engines.map(({ port }) => new SlowClients(port, tally))
  const over = new AbortController()
  const hunted = hunt(trial, tally, over.signal)
  try {
    for (let round = 0; tally.requests < trial.cycles && !tally.isOver; round++) {
      await begin(engines, lanes, wire)
      const most = round === 0 ? first_requests : round_requests
      const left = Math.min(Math.ceil((trial.cycles - tally.requests) / 2 / lanes_count), most)
      const own = Math.ceil((left * (wire_share - 1)) / wire_share)
      await Promise.all([wire.requests((left - own) * lanes_count), ...lanes.map((lane) => lane.requests(own))])
      await look(trial, engines, tally)
      const ms = dice.int(0, leap_ms)
      for (const engine of engines) await engine.ask('advance', ms)
      trial.say(`${tally.requests} requests`)
    }
    if (tally.isOver) over.abort()
    return { cycles: tally.requests, figures: { ...figuresOf(document, tally, slow), ...(await hunted) } }
  } finally {
    over.abort()
    for (const each of [...lanes, ...slow]) each.close()
  }
}

/** Gives every client a new organization on both engines; they are founded in the same order. */
async function begin(engines: Engines, lanes: readonly Lane[], wire: Wire): Promise<void> {
  for (const client of [...lanes, wire]) {
    const [one, other] = await Promise.all([engines[0].ask('found'), engines[1].ask('found')])
    client.move(one, other)
  }
}

/**
 * What the servers have seen of themselves. In the first round they load what they need, which stops nobody later. Turns
 * are judged by what they computed, and by the clock too in long runs, as long as nobody else wants the machine.
 */
async function look(trial: Trial, engines: Engines, tally: Tally): Promise<void> {
  const isFirst = tally.rounds.all++ === 0
  const seen = await Promise.all(engines.map((engine) => engine.ask('seen')))
  const isQuiet = trial.cycles >= clock_cycles_min && seen.every(({ waited }) => waited < waited_max)
  if (isQuiet) tally.rounds.quiet++
  for (const [i, { turns, longest, logged }] of seen.entries()) {
    const { name } = engines[i] as Engine
    for (const text of logged) tally.violated(`${name} logged ${text.slice(0, 40)}`, `${name} logged ${text}`)
    if (isFirst) continue
    tally.turn(name, longest)
    for (const { ms, cpu_ms, garbage_ms } of turns) {
      if (cpu_ms <= turn_ms_max && !isQuiet) continue
      const garbage = `collected garbage for ${garbage_ms} ms`
      const what = `a turn of the event loop on ${name} took ${ms} ms, computed for ${cpu_ms} ms of them and ${garbage}`
      tally.violated(`${name} turn`, what)
    }
  }
}

function figuresOf(document: Document, tally: Tally, slow: readonly SlowClients[]): Record<string, number | string> {
  const statuses = [...tally.statuses].sort(([a], [b]) => a - b)
  return {
    ...Object.fromEntries(statuses.map(([status, count]) => [`status ${status}`, count])),
    'operations granted': `${tally.accepted.size} of ${document.operations.length}`,
    ...Object.fromEntries(
      [...tally.longest].flatMap(([engine, { ms, cpu_ms }]) => [
        [`longest turn on ${engine}, computed (ms)`, cpu_ms],
        [`by the clock (ms), ${engine}`, ms],
      ]),
    ),
    'rounds judged by the clock': `${tally.rounds.quiet} of ${tally.rounds.all}`,
    'slow clients ended': slow.reduce((sum, { ended }) => sum + ended, 0),
  }
}

/** The parsers, in a process of their own meanwhile, until they are through or nobody wants to know any more. */
async function hunt(trial: Trial, tally: Tally, over: AbortSignal): Promise<Record<string, number>> {
  const program = join(import.meta.dirname, '../fuzz/hunted.ts')
  const inputs = Math.max(inputs_min, Math.ceil(trial.cycles / inputs_share))
  const given = [String(trial.dice.int(0, 2 ** 31 - 1)), String(inputs), trial.fault ?? '']
  const child = fork(program, given, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  over.addEventListener('abort', () => child.kill())
  let hunted: Hunted | null = null
  child.once('message', (said: Hunted) => {
    hunted = said
    for (const { parser, what, input } of said.finds) {
      tally.violated(`${parser} ${what}`, `the parser of ${parser} ${what} when it reads ${JSON.stringify(input)}`)
    }
  })
  await once(child, 'exit')
  if (over.aborted) return {}
  if (hunted === null) throw new Error('the hunt in the parsers ended without a result')
  const { inputs: tried, kept, reached } = hunted as Hunted
  return {
    'inputs of parsers': tried,
    'inputs that reached something new': kept,
    'characters of parsers reached': reached,
  }
}
