/**
 * Clients that change and read the same objects at once, over HTTP; on PostgreSQL through two processes. What they saw is
 * a history, and a checker of our own (`isolation/checker.ts`) looks for what no order of the operations, one after the
 * other, can explain.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { call, type Reply } from '../../server/test/call.ts'
import type { ServerProcess } from '../../server/test/durability/processes.ts'
import type { Dice } from '../dice.ts'
import { Board, type Send } from '../isolation/board.ts'
import { check } from '../isolation/checker.ts'
import { Client } from '../isolation/clients.ts'
import { History } from '../isolation/history.ts'
import { openPlace, type Place } from '../place.ts'
import { type EngineName, row, type Trial } from '../row.ts'

/** Operations of a history: each begins with objects of its own. A fault is found sooner in short ones. */
const round_operations = 3000
const round_operations_of_faults = 500
/** The part of the operations that PostgreSQL gets. */
const postgres_share = 0.3
/** One round in so many has two processes on SQLite, which wait for each other's commits. */
const second_process_rounds = 8
/** The engine that a planted fault is about, where that is not SQLite. */
const broken_engine: Readonly<Record<string, EngineName>> = { unlocked: 'postgres' }
/** How often a client repeats what is under way, or cannot be done at the moment. */
const repeats_max = 100

export const isolation = row({
  name: 'isolation',
  promise:
    'Of what many do at once every answer fits into one order, in keeping with time: no update lost, nothing seen that was not committed, and of a change of many objects all or nothing.',
  cycle: 'an operation: a request of one of 8 to 32 clients that work on the same objects',
  cycles: { short: 1200, long: 1_000_000 },
  unproven: [
    'Two pages of one list, or an answer with `expand`: each part is of a moment of its own.',
    'Task counts, which may be a minute old by their contract.',
    'Clients of several machines: one clock orders what they see.',
  ],
  async run(trial) {
    const tally = new Tally()
    const onPostgres = Math.floor(trial.cycles * postgres_share)
    if (trial.fault !== null) await onEngine(trial, tally, broken_engine[trial.fault] ?? 'sqlite', trial.cycles)
    else {
      await onEngine(trial, tally, 'sqlite', trial.cycles - onPostgres)
      await onEngine(trial, tally, 'postgres', onPostgres)
    }
    return { cycles: tally.operations, figures: tally.figures() }
  },
})

class Tally {
  operations = 0
  findings = 0
  private readonly counts: Record<string, number> = {}

  count(name: string, more: number): void {
    this.counts[name] = (this.counts[name] ?? 0) + more
  }

  figures() {
    return this.counts
  }
}

async function onEngine(trial: Trial, tally: Tally, engine: EngineName, operations: number): Promise<void> {
  await using place = await openPlace(engine)
  const dice = trial.dice.fork()
  const servers = [await place.serve()]
  const each = trial.fault === null ? round_operations : round_operations_of_faults
  const rounds = Math.ceil(operations / each)
  for (let round = 0; round < rounds; round++) {
    if (trial.fault !== null && tally.findings > 0) return
    const isShared = engine === 'postgres' || round % second_process_rounds === 1
    if (isShared && servers.length === 1) servers.push(await place.serve())
    const used = isShared ? servers : servers.slice(0, 1)
    const wanted = Math.min(each, operations - round * each)
    await oneRound(trial, tally, { place, servers: used, dice: dice.fork(), wanted })
    if (round % 10 === 9) trial.say(`${engine}: round ${round + 1} of ${rounds}`)
  }
}

interface Round {
  readonly place: Place
  readonly servers: readonly ServerProcess[]
  readonly dice: Dice
  readonly wanted: number
}

async function oneRound(trial: Trial, tally: Tally, round: Round): Promise<void> {
  const { place, servers, dice, wanted } = round
  const history = new History()
  let sent = 0
  const send: Send = async (what) => {
    sent++
    return await untilFinal(() => dice.pick(servers).url, place.installation.key, what)
  }
  const clients = dice.int(8, 32)
  const board = await Board.open(history, send, clients, dice.int(8, 32))
  const violated = (text: string): void => {
    tally.findings++
    trial.violated(`${place.engine}: ${text}`)
  }
  const acting = Array.from({ length: clients }, async (_, number) => {
    const client = new Client(number, board, dice.fork(), send, violated)
    while (sent < wanted) await client.act()
  })
  await Promise.all(acting)
  const { operations } = history
  for (const { kind, text } of check(operations)) violated(`${kind}: ${text}`)
  tally.operations += sent
  tally.count(`${place.engine} operations`, sent)
  tally.count('writes', operations.filter(({ writes }) => writes.length > 0).length)
  tally.count('of several objects', operations.filter(({ writes }) => writes.length > 1).length)
  tally.count('refused', operations.filter(({ refused }) => refused !== undefined).length)
  tally.count('objects read', sum(operations.map(({ reads }) => reads.length)))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((all, each) => all + each, 0)
}

/** One request, with one key, until it has an answer that is final; so what it did is never in doubt. */
async function untilFinal(url: () => string, key: string, what: Parameters<Send>[0]): Promise<Reply> {
  const { method, path, ...options } = what
  const idempotencyKey = randomUUID()
  for (let repeats = 1; ; repeats++) {
    const reply = await call(url(), method, path, { key, idempotencyKey, ...options })
    const isPassing = reply.status === 503 || reply.body?.error?.code === 'idempotency_in_progress'
    if (!isPassing || repeats === repeats_max) return reply
    await sleep(20)
  }
}
