/**
 * Event logs that are followed while many write: by lists, by streams that are hung up and resumed, by webhook endpoints that
 * fail now and then. On PostgreSQL two processes hold their transactions open at random; a consumer of a serial column must
 * miss events under the same schedule (`log/serial.ts`), or the schedule would prove nothing.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readConfig } from '../../server/src/config.ts'
import { type OpenServices, startServer } from '../../server/src/main.ts'
import { assertSound, reading } from '../../server/test/durability/soundness.ts'
import type { Dice } from '../dice.ts'
import { type Consumer, HookConsumer, ListConsumer, type Source, StreamConsumer } from '../log/consumers.ts'
import { hold_plants } from '../log/hold-plants.ts'
import { type Counts, judgeArrivals, judgeConsumer, judgeLog } from '../log/judge.ts'
import { type Log, openLogs, readLog } from '../log/log.ts'
import { SerialControl } from '../log/serial.ts'
import { addTeamSlowly, LogWriter } from '../log/writers.ts'
import { told } from '../mixed.ts'
import { openPlace, type Place } from '../place.ts'
import { planted } from '../plant.ts'
import { type EngineName, row, type Trial } from '../row.ts'

/** Writes to a database: the next round begins with an empty one. */
const round_writes = 5000
const writers_of_a_log = 5
/** How long consumers may take for what is left when the writers have stopped. */
const patience_ms = 60_000
const patience_with_faults_ms = 4000
/** So many writes and more must let the control miss something. */
const control_writes_min = 100

const environment = {
  ATRIUM_WORKERS: 'true',
  ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
  ATRIUM_WEBHOOK_SCHEDULE_SECONDS: Array.from({ length: 40 }, () => 1).join(),
}

export const log = row({
  name: 'log',
  promise:
    'Whoever follows the event log, by list, stream or webhook, gets every event once and in the order of the commits, however long others keep theirs open.',
  cycle:
    'a write to one of three logs of two organizations, each of them followed by a list, three streams and a webhook',
  cycles: { short: 200, long: 40_000 },
  unproven: [
    'Transactions that are held open on SQLite while others go on: it has one writer, so the others wait. There a command holds its transaction open beside two processes, and the control would miss nothing.',
    'Consumers of servers that are killed: the row "kill" tries the log itself; a webhook may then come twice, as promised.',
    'Events at the end of their retention.',
  ],
  async run(trial) {
    const tally = new Tally()
    for (const engine of ['sqlite', 'postgres'] as const) {
      if (trial.fault !== null && engine !== (broken_engine[trial.fault] ?? 'sqlite')) continue
      for (let left = Math.ceil(trial.cycles / 2); left > 0; left -= round_writes) {
        await round(trial, tally, engine, Math.min(left, round_writes))
        trial.say(`${engine}: ${Math.max(0, left - round_writes)} writes to go`)
      }
    }
    return { cycles: tally.writes, figures: tally.figures() }
  },
})

/** The engine that a planted fault is about, where that is not SQLite. */
const broken_engine: Readonly<Record<string, EngineName>> = { numbers_in_blocks: 'postgres' }

class Tally {
  writes = 0
  private readonly counts: Record<string, number> = {
    events: 0,
    told: 0,
    missed: 0,
    doubled: 0,
    disordered: 0,
    'missed by the control': 0,
  }

  add(more: Readonly<Record<string, number>> | Counts): void {
    for (const [name, count] of Object.entries(more)) this.counts[name] = (this.counts[name] ?? 0) + count
  }

  figures() {
    return this.counts
  }
}

/** All that a round has open. */
interface Scene {
  readonly trial: Trial
  readonly place: Place
  readonly dice: Dice
  readonly services: OpenServices
  readonly logs: readonly Log[]
  readonly urls: readonly string[]
  readonly control: SerialControl | null
  violated(text: string): void
}

async function round(trial: Trial, tally: Tally, engine: EngineName, writes: number): Promise<void> {
  await using place = await openPlace(engine, environment)
  // This process serves too, and its commands write beside the others.
  const own = await startServer(readConfig(place.installation.environment))
  const { services } = own
  const logs = await openLogs(services)
  const control = engine === 'postgres' ? await SerialControl.open(place.database.url) : null
  const dice = trial.dice.fork()
  const others = await Promise.all(holders(engine, dice).map((more) => place.serve(more)))
  const urls = [...(engine === 'sqlite' ? [own] : []), ...others].map(({ url }) => url)
  const violated = (text: string) => trial.violated(`${engine}: ${text}`)
  try {
    await followed(tally, { trial, place, dice, services, logs, urls, control, violated }, writes)
  } finally {
    await control?.close()
    await own.close()
  }
}

/** The environments of the other processes: on PostgreSQL two in five transactions stay open for up to 20 ms. */
function holders(engine: EngineName, dice: Dice): Record<string, string>[] {
  if (engine === 'sqlite') return [{}]
  const held = () => ({ ...planted(hold_plants), PROOF_HOLD: `${dice.int(0, 2 ** 31)}:0.4:20` })
  return [held(), held()]
}

async function followed(tally: Tally, scene: Scene, writes: number): Promise<void> {
  const { logs, dice, control } = scene
  const consumers: Consumer[] = []
  for (const each of logs) consumers.push(...(await openConsumers(scene, each)))
  const writers = logs.flatMap((each) => Array.from({ length: writers_of_a_log }, () => each))
  const clients = writers.map((each) => ({ log: each, writer: new LogWriter(each, dice.fork(), anyOf(scene)) }))
  const followers = control === null ? consumers : [...consumers, control]
  const writing = async () => {
    try {
      await written(scene, clients, writes)
      await drained(scene, consumers)
    } finally {
      for (const follower of followers) follower.end()
    }
  }
  await Promise.all([writing(), ...followers.map((follower) => follower.follow())])
  await judge(tally, scene, consumers, clients)
  for (const consumer of consumers) if (consumer instanceof HookConsumer) await consumer.close()
}

function anyOf({ urls, dice }: Scene): () => string {
  const own = dice.fork()
  return () => own.pick(urls)
}

async function openConsumers(scene: Scene, of: Log): Promise<Consumer[]> {
  const source = (): Source => ({
    log: of,
    dice: scene.dice.fork(),
    url: anyOf(scene),
    violated: scene.violated,
  })
  const streams = [new StreamConsumer(source()), new StreamConsumer(source())]
  streams.push(new StreamConsumer(source(), 'workflow.task.created'))
  const hook = await HookConsumer.open(source())
  await Promise.all(streams.map((stream) => stream.begin()))
  return [new ListConsumer(source()), ...streams, hook]
}

interface LogClient {
  readonly log: Log
  readonly writer: LogWriter
}

/** Clients of all logs, and commands beside the servers, until so much has been written. */
async function written(scene: Scene, clients: readonly LogClient[], writes: number): Promise<void> {
  const { services, logs, dice } = scene
  let left = writes
  const writing = clients.map(async ({ writer }) => {
    while (left-- > 0) await writer.write()
  })
  const commands = async () => {
    const own = dice.fork()
    if (scene.place.engine === 'sqlite' && scene.trial.fault === null) await addTeamByCommand(scene, logs[0] as Log)
    while (left > 0) {
      await addTeamSlowly(services, own.pick(logs).organization, own.int(0, 15))
      await sleep(own.int(10, 100))
    }
  }
  await Promise.all([...writing, commands()])
}

async function addTeamByCommand({ place }: Scene, { organization }: Log): Promise<void> {
  const { PATH = '' } = process.env
  const env = { PATH, ...planted(), ...place.installation.environment }
  const given = ['team', 'add', '--organization', organization, '--name', 'By command', '--json']
  await promisify(execFile)(join(import.meta.dirname, '../../bin/atrium'), given, { env })
}

/** Waits until everybody has what is in the log, or has had the time to. */
async function drained({ trial, place, logs }: Scene, consumers: readonly Consumer[]): Promise<void> {
  const whole = await reading(place.database.url, (reader) => Promise.all(logs.map((each) => readLog(reader, each))))
  const ends = new Map(logs.map((each, i) => [each.name, whole[i] ?? []]))
  const until = performance.now() + (trial.fault === null ? patience_ms : patience_with_faults_ms)
  const isBehind = (consumer: Consumer) => {
    const entries = [...ends].find(([name]) => consumer.name.includes(name))?.[1] ?? []
    const { type } = consumer
    const wanted = entries.filter((each) => each.sequence > consumer.from && (type === undefined || each.type === type))
    return consumer.got.length < wanted.length
  }
  while (consumers.some(isBehind) && performance.now() < until) await sleep(100)
}

async function judge(
  tally: Tally,
  scene: Scene,
  consumers: readonly Consumer[],
  clients: readonly LogClient[],
): Promise<void> {
  const { place, logs, violated, control } = scene
  await reading(place.database.url, async (reader) => {
    for (const each of logs) {
      const entries = await readLog(reader, each)
      tally.add({ events: entries.length })
      const sent = clients.filter((client) => client.log === each).flatMap(({ writer }) => writer.sent)
      tally.writes += sent.length
      judgeLog(violated, each.name, entries, sent)
      for (const consumer of consumers.filter(({ name }) => name.includes(each.name))) {
        tally.add({ told: consumer.got.length })
        tally.add(judgeConsumer(violated, entries, consumer))
        if (consumer instanceof HookConsumer) tally.add(judgeArrivals(violated, consumer))
      }
      await told(violated, 'the logs', () => assertSound(reader, each.organization))
    }
  })
  if (control === null) return
  const missed = await control.missed()
  tally.add({ 'missed by the control': missed })
  const sent = clients.reduce((all, { writer }) => all + writer.sent.length, 0)
  if (missed === 0 && sent >= control_writes_min) violated('the control missed nothing: this schedule proves nothing')
}
