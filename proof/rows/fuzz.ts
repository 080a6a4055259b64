/**
 * Generated requests: valid and invalid by the OpenAPI document, raw bytes, and inputs for single parsers guided by code
 * coverage. Both engines get the same requests, and the event loops of their servers are watched.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { openReceiver } from '../../server/test/receiver.ts'
import { Document } from '../document.ts'
import { Engine } from '../fuzz/engine.ts'
import type { Hunted } from '../fuzz/hunted.ts'
import { Lane } from '../fuzz/lane.ts'
import { SlowClients } from '../fuzz/slow.ts'
import { turn_ms_max } from '../fuzz/stall.ts'
import { Tally } from '../fuzz/tally.ts'
import { Wire } from '../fuzz/wire.ts'
import { ensurePostgres } from '../postgres.ts'
import { type Outcome, row, type Trial } from '../row.ts'

/** Concurrent clients, each with its own organization. */
const lanes_count = 8
/** Requests of a lane to each engine before it changes to a new organization. */
const round_requests = 1000
/** The first round is shorter. */
const first_requests = 60
/** One request in this many is sent as raw bytes. */
const wire_share = 10
/** The clock advances by at most this much between rounds. */
const leap_ms = 6 * 3600 * 1000
/** One parser input for this many requests, and at least `inputs_min`. */
const inputs_share = 4
const inputs_min = 10_000
/** Turns of event loops are judged by wall time from this many requests on, while servers wait at most this share for a CPU. */
const clock_cycles_min = 100_000
const waited_max = 0.02

export const fuzz = row({
  name: 'fuzz',
  promise:
    'For any request there is no 500, every answer is as documented and equal on both engines, no request is smuggled behind another, and no event loop blocks for 50 ms.',
  cycle: 'a request to one of two servers, one per engine; parser inputs are tried besides',
  cycles: { short: 3000, long: 1_000_000 },
  unproven: [
    'The first requests of a process, which load and compile code: their stalls do not count.',
    'Wall time of event loop turns in short runs and on a busy machine: there turns are judged by their CPU time.',
    'That both engines log the same requests and uses of keys, which are written later.',
    "The console's own endpoints and MCP over HTTP: only the document's operations are requested.",
  ],
  async run(trial) {
    await using _ = await ensurePostgres('postgres')
    const receiver = await openReceiver()
    try {
      await using sqlite = await Engine.start('sqlite')
      await using other = await Engine.start('postgres')
      return await tryAll(trial, [sqlite, other], receiver.url)
    } finally {
      await receiver.close()
    }
  },
})

type Engines = readonly [Engine, Engine]

async function tryAll(trial: Trial, engines: Engines, receiver: string): Promise<Outcome> {
  const document = new Document()
  const tally = new Tally(trial)
  // Other host names would be looked up in the machine's network.
  const urls = [receiver, 'http://127.0.0.1:9/', 'https://10.0.0.1/', 'nothing', 'https://[::1]/']
  const { dice } = trial
  const lanes = Array.from({ length: lanes_count }, () => new Lane(engines, document, urls, dice.fork(), tally))
  const wire = new Wire(engines, document, dice.fork(), tally)
  const slow = engines.map(({ port }) => new SlowClients(port, tally))
  const over = new AbortController()
  const hunted = hunt(trial, tally, over.signal)
  try {
    for (let round = 0; tally.requests < trial.cycles && !trial.isOver; round++) {
      await moveToNewOrganizations(engines, [...lanes, wire])
      const most = round === 0 ? first_requests : round_requests
      const left = Math.min(Math.ceil((trial.cycles - tally.requests) / 2 / lanes_count), most)
      const own = Math.ceil((left * (wire_share - 1)) / wire_share)
      await Promise.all([wire.requests((left - own) * lanes_count), ...lanes.map((lane) => lane.requests(own))])
      await judgeServers(trial, engines, tally)
      const ms = dice.int(0, leap_ms)
      for (const engine of engines) await engine.ask('advance', ms)
      trial.say(`${tally.requests} requests`)
    }
    if (trial.isOver) over.abort()
    return { cycles: tally.requests, figures: { ...figuresOf(document, tally, slow), ...(await hunted) } }
  } finally {
    over.abort()
    for (const each of [...lanes, ...slow]) each.close()
  }
}

/** Gives every client a new organization on both engines, created in the same order. */
async function moveToNewOrganizations(engines: Engines, clients: readonly (Lane | Wire)[]): Promise<void> {
  for (const client of clients) {
    const [one, other] = await Promise.all([engines[0].ask('found'), engines[1].ask('found')])
    client.move(one, other)
  }
}

/**
 * Judges what the servers measured of themselves: log lines, and event loop turns except in the first round, which loads code.
 * Turns are judged by CPU time; in long runs on a quiet machine also by wall time.
 */
async function judgeServers(trial: Trial, engines: Engines, tally: Tally): Promise<void> {
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
      const what = `an event loop turn on ${name} took ${ms} ms: ${cpu_ms} ms CPU, ${garbage_ms} ms garbage collection`
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

/** Fuzzes the parsers in a child process, until done or aborted. */
async function hunt(trial: Trial, tally: Tally, over: AbortSignal): Promise<Record<string, number>> {
  const program = join(import.meta.dirname, '../fuzz/hunted.ts')
  const inputs = Math.max(inputs_min, Math.ceil(trial.cycles / inputs_share))
  const args = [String(trial.dice.int(0, 2 ** 31 - 1)), String(inputs), trial.fault ?? '']
  const child = fork(program, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  over.addEventListener('abort', () => child.kill())
  let hunted: Hunted | null = null
  child.once('message', (result: Hunted) => {
    hunted = result
    for (const { parser, what, input } of result.finds) {
      tally.violated(`${parser} ${what}`, `the parser of ${parser} ${what} when it reads ${JSON.stringify(input)}`)
    }
  })
  await once(child, 'exit')
  if (over.aborted) return {}
  if (hunted === null) throw new Error('the parser fuzzing ended without a result')
  const { inputs: tried, kept, reached } = hunted as Hunted
  return {
    'inputs of parsers': tried,
    'inputs that reached something new': kept,
    'characters of parsers reached': reached,
  }
}
