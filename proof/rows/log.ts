/**
 * Event logs followed while many clients write: by lists, by streams that disconnect and resume, by webhook endpoints that
 * sometimes fail. On PostgreSQL two processes hold their transactions open at random. As a control, a consumer of a serial
 * column must miss events under the same schedule (`log/serial.ts`); otherwise the schedule proves nothing.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { readConfig } from '../../server/src/config.ts'
import { type OpenServices, startServer } from '../../server/src/main.ts'
import { assertSound, reading } from '../../server/test/durability/soundness.ts'
import { type Deployment, openDeployment } from '../deployment.ts'
import type { Dice } from '../dice.ts'
import { type Consumer, HookConsumer, ListConsumer, type Source, StreamConsumer } from '../log/consumers.ts'
import { hold_plants } from '../log/hold-plants.ts'
import { judgeArrivals, judgeConsumer, judgeLog } from '../log/judge.ts'
import { type Log, openLogs, readLog } from '../log/log.ts'
import { SerialControl } from '../log/serial.ts'
import { addTeamSlowly, LogWriter } from '../log/writers.ts'
import { planted } from '../plant.ts'
import { type EngineName, prefixed, reportFailure, row, type Trial, type Violated } from '../row.ts'

/** After this many writes the next round begins with an empty database. */
const round_writes = 5000
const writers_per_log = 5
/**
 * Consumers have this time after the last write, and again after each event that one of them receives, so that a slow machine
 * loses nothing. It is longer than an attempt that times out together with the wait before its repetition.
 */
const catch_up_ms = 120_000
const catch_up_with_faults_ms = 4000
/** From this many writes on the control must miss something. */
const control_writes_min = 100

const environment = {
  ATRIUM_WORKERS: 'true',
  ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
  ATRIUM_WEBHOOK_SCHEDULE_SECONDS: Array.from({ length: 40 }, () => 1).join(),
}

export const log = row({
  name: 'log',
  promise:
    'Consumers of the event log, by list, stream or webhook, get every event once and in commit order, however long other transactions stay open.',
  cycle: 'a write to one of three logs of two organizations, each followed by a list, three streams and a webhook',
  cycles: { short: 200, long: 40_000 },
  unproven: [
    'Transactions held open on SQLite while others commit: it has one writer, so the others wait. There a command holds its transaction open beside two processes, and the control would miss nothing.',
    'Consumers of servers that are killed: the row "kill" tries the log itself. A webhook may then arrive twice, as promised.',
    'Events at the end of their retention.',
  ],
  async run(trial) {
    for (const name of ['events', 'received', 'missed', 'doubled', 'disordered', 'missed by the control'])
      trial.count(name, 0)
    let cycles = 0
    for (const engine of trial.engines) {
      for (let left = Math.ceil(trial.cycles / 2); left > 0; left -= round_writes) {
        cycles += await tryRound(trial, engine, Math.min(left, round_writes))
        trial.say(`${engine}: ${Math.max(0, left - round_writes)} writes to go`)
      }
    }
    return { cycles }
  },
})

/** Everything that a round has open. */
interface Scene {
  readonly trial: Trial
  readonly deployment: Deployment
  readonly dice: Dice
  readonly services: OpenServices
  readonly logs: readonly Log[]
  readonly urls: readonly string[]
  readonly control: SerialControl | null
  readonly violated: Violated
}

/** Returns how many writes were sent. */
async function tryRound(trial: Trial, engine: EngineName, writes: number): Promise<number> {
  await using deployment = await openDeployment(engine, environment)
  // This process serves too, and its commands write beside the other servers.
  const own = await startServer(readConfig(deployment.installation.environment))
  const { services } = own
  const logs = await openLogs(services)
  const control = engine === 'postgres' ? await SerialControl.open(deployment.database.url) : null
  const dice = trial.dice.fork()
  const others = await Promise.all(serverEnvironments(engine, dice).map((more) => deployment.serve(more)))
  const urls = [...(engine === 'sqlite' ? [own] : []), ...others].map(({ url }) => url)
  const violated = prefixed(trial, engine)
  try {
    return await followAll({ trial, deployment, dice, services, logs, urls, control, violated }, writes)
  } finally {
    await control?.close()
    await own.close()
  }
}

/** On PostgreSQL two servers, which hold two in five transactions open for up to 20 ms. */
function serverEnvironments(engine: EngineName, dice: Dice): Record<string, string>[] {
  if (engine === 'sqlite') return [{}]
  const holding = () => ({ ...planted(hold_plants), PROOF_HOLD: `${dice.int(0, 2 ** 31)}:0.4:20` })
  return [holding(), holding()]
}

async function followAll(scene: Scene, writes: number): Promise<number> {
  const { logs, dice, control } = scene
  const consumers: Consumer[] = []
  for (const each of logs) consumers.push(...(await openConsumers(scene, each)))
  const clients = logs.flatMap((each) =>
    Array.from({ length: writers_per_log }, () => ({
      log: each,
      writer: new LogWriter(each, dice.fork(), anyUrl(scene)),
    })),
  )
  const followers = control === null ? consumers : [...consumers, control]
  const writing = async () => {
    try {
      await writeAll(scene, clients, writes)
      await catchUp(scene, consumers)
    } finally {
      for (const follower of followers) follower.end()
    }
  }
  await Promise.all([writing(), ...followers.map((follower) => follower.follow())])
  await judge(scene, consumers, clients)
  for (const consumer of consumers) if (consumer instanceof HookConsumer) await consumer.close()
  return clients.reduce((sum, { writer }) => sum + writer.sent.length, 0)
}

function anyUrl({ urls, dice }: Scene): () => string {
  const own = dice.fork()
  return () => own.pick(urls)
}

async function openConsumers(scene: Scene, of: Log): Promise<Consumer[]> {
  const source = (): Source => ({ log: of, dice: scene.dice.fork(), url: anyUrl(scene), violated: scene.violated })
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

/** Clients write to all logs, and commands write beside the servers. */
async function writeAll(scene: Scene, clients: readonly LogClient[], writes: number): Promise<void> {
  const { services, logs, dice } = scene
  let left = writes
  const writing = clients.map(async ({ writer }) => {
    while (left-- > 0) await writer.write()
  })
  const commands = async () => {
    const own = dice.fork()
    const { engine } = scene.deployment
    if (engine === 'sqlite' && scene.trial.fault === null) await addTeamByCommand(scene, logs[0] as Log)
    while (left > 0) {
      await addTeamSlowly(services, own.pick(logs).organization, own.int(0, 15))
      await sleep(own.int(10, 100))
    }
  }
  await Promise.all([...writing, commands()])
}

async function addTeamByCommand({ deployment }: Scene, { organization }: Log): Promise<void> {
  const { PATH = '' } = process.env
  const env = { PATH, ...planted(), ...deployment.installation.environment }
  const args = ['team', 'add', '--organization', organization, '--name', 'By command', '--json']
  await promisify(execFile)(join(import.meta.dirname, '../../bin/atrium'), args, { env })
}

/** Waits until every consumer has the whole log, or none has received anything for too long. The log no longer grows. */
async function catchUp({ trial, deployment, logs }: Scene, consumers: readonly Consumer[]): Promise<void> {
  const { url } = deployment.database
  const entries = await reading(url, (reader) => Promise.all(logs.map((each) => readLog(reader, each))))
  let until = performance.now() + (trial.fault === null ? catch_up_ms : catch_up_with_faults_ms)
  let received = 0
  const isBehind = ({ name, type, from, got }: Consumer) => {
    const own = entries[logs.findIndex((each) => name.includes(each.name))] ?? []
    return got.length < own.filter((each) => each.sequence > from && (type === undefined || each.type === type)).length
  }
  while (consumers.some(isBehind) && performance.now() < until) {
    await sleep(100)
    const now = consumers.reduce((sum, { got }) => sum + got.length, 0)
    if (now > received && trial.fault === null) until = performance.now() + catch_up_ms
    received = now
  }
}

async function judge(scene: Scene, consumers: readonly Consumer[], clients: readonly LogClient[]): Promise<void> {
  const { trial, deployment, logs, violated, control } = scene
  const add = (counts: object) => {
    for (const [name, count] of Object.entries(counts)) trial.count(name, count)
  }
  await reading(deployment.database.url, async (reader) => {
    for (const each of logs) {
      const entries = await readLog(reader, each)
      add({ events: entries.length })
      const sent = clients.filter((client) => client.log === each).flatMap(({ writer }) => writer.sent)
      judgeLog(violated, each.name, entries, sent)
      for (const consumer of consumers.filter(({ name }) => name.includes(each.name))) {
        add({ received: consumer.got.length })
        add(judgeConsumer(violated, entries, consumer))
        if (consumer instanceof HookConsumer) add(judgeArrivals(violated, consumer))
      }
      await reportFailure(violated, 'logs', () => assertSound(reader, each.organization))
    }
  })
  if (control === null) return
  const missed = await control.missed()
  add({ 'missed by the control': missed })
  const sent = clients.reduce((all, { writer }) => all + writer.sent.length, 0)
  if (missed === 0 && sent >= control_writes_min) violated('the control missed nothing: this schedule proves nothing')
}
