/**
 * One seed: processes of the product over one database, clients, receivers, and everything that can go wrong, for half a
 * minute of simulated time; then nothing goes wrong any more, and within a bounded time all that was promised must be true.
 */
import type { EgressRequest } from '../../server/src/lib/egress.ts'
import { Dice } from '../dice.ts'
import { Books } from './books.ts'
import { Client } from './clients.ts'
import { Core, type Outside } from './core.ts'
import { openFor } from './database.ts'
import { Follower } from './follower.ts'
import { Administrator, greedy, Writer } from './habits.ts'
import { epoch_ms, event_graph, Files, found, hosts, type Installed, clock_graph, newFolder } from './installation.ts'
import { judge } from './judgement.ts'
import { Ledger } from './ledger.ts'
import { Misfortune } from './misfortune.ts'
import { Network } from './network.ts'
import { openReceivers } from './receivers.ts'
import { replaceTimeAndChance, runOn } from './runtime.ts'
import { type Life, Timeline } from './timeline.ts'
import { Trace } from './trace.ts'
import { Machine, type World } from './world.ts'

/** After nothing goes wrong any more all must be done within this time. */
const settled_within_ms = 150_000
const look_ms = 1000
/** The longest lease there is, and a little. */
const lease_max_ms = 61_000

export interface Simulated {
  readonly seed: number
  /** The trace as a hash. */
  readonly trace: string
  readonly violations: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

interface Stage {
  readonly dice: Dice
  readonly timeline: Timeline
  readonly network: Network
  readonly outside: Outside
  readonly books: Books
}

export class Simulator {
  private readonly files = new Files(newFolder())
  private installed: Installed | null = null
  private timeline: Timeline | null = null
  private readonly cores = new WeakMap<Life, Core>()
  private violations: string[] = []

  constructor() {
    openFor(() => (this.timeline?.life ? (this.cores.get(this.timeline.life) ?? null) : null))
    replaceTimeAndChance()
  }

  /** Time, chance and a network of their own for a seed; the clocks of its processes show `from_ms` at first. */
  private open(seed: number, from_ms: number): Stage {
    const dice = new Dice(seed)
    const timeline = new Timeline(dice.fork(), new Trace())
    const network = new Network(timeline, dice.fork())
    const books = new Books()
    this.timeline = timeline
    this.violations = []
    runOn({ timeline, dice: dice.fork(), wall: () => Math.floor(from_ms + timeline.now) })
    const outside: Outside = {
      timeline,
      config: this.files.config,
      epoch_ms: from_ms,
      born: (core) => void this.cores.set(core.life, core),
      send: (core: Core, request: EgressRequest) => network.send(core, request),
      logged: (core, level, message, fields) => this.logged(core, level, message, fields),
      charged: (key, now, answer, replayed) => books.note(key, now, answer, replayed),
    }
    return { dice, timeline, network, outside, books }
  }

  private logged(core: Core, level: string, message: string, fields: object = {}): void {
    this.timeline?.trace.add(`${level} ${message} ${JSON.stringify(fields)}`)
    if (level === 'error' && core.life.alive) this.violations.push(`${message}: ${JSON.stringify(fields).slice(0, 600)}`)
  }

  /** Makes what every seed begins with. */
  async install(): Promise<void> {
    const { timeline, network, outside, dice } = this.open(1, epoch_ms)
    const violated = (text: string): void => {
      throw new Error(text)
    }
    const machine = new Machine(outside, 'template', 0)
    await timeline.run(1000, () => machine.core.isUp)
    let made: Installed | null = null
    void machine.core.perform('found', found).then(async (founded) => {
      const installed = { ...founded, workspace: '', project: '', flows: { event: '', clock: '' }, last: { id: '', sequence: 0 } }
      const world: World = { timeline, network, dice, installed, machines: [machine], violated }
      openReceivers(world)
      made = await furnish(world)
    })
    const ledger = new Ledger(this.files.database)
    await timeline.run(60_000, () => made !== null && ledger.undone().length === 0)
    ledger.close()
    await this.perform(machine.core.stop())
    this.installed = made
    if (made === null) throw new Error(`nothing was installed: ${this.violations.join()}`)
    this.files.keepTemplate()
  }

  async simulate(seed: number): Promise<Simulated> {
    const { installed } = this
    if (installed === null) throw new Error('nothing is installed')
    this.files.begin()
    const from_ms = epoch_ms + 3_600_000 + 280_000 + new Dice(seed).int(0, 15_000)
    const { dice, timeline, network, outside, books } = this.open(seed, from_ms)
    const violated = (text: string): void => {
      this.violations.push(`at ${Math.round(timeline.now)} ms: ${text}`)
    }
    const skew = () => (dice.chance(0.3) ? dice.int(-800, 800) : 0)
    const names = dice.chance(0.5) ? ['a', 'b'] : ['a']
    const machines = names.map((name) => new Machine(outside, name, skew()))
    const world: World = { timeline, network, dice, installed, machines, violated }
    const receivers = openReceivers(world)
    const misfortune = new Misfortune(world, receivers)
    const trouble_ms = dice.int(3000, 13_000)
    misfortune.begin(dice.int(1, 6), trouble_ms)
    const writers = Array.from({ length: dice.int(2, 3) }, (_, i) => new Writer(world, `w${i}`))
    const admin = new Administrator(world)
    const follower = new Follower(world)
    for (const writer of writers) void writer.live(trouble_ms, (trouble_ms * writers.length) / 9)
    void admin.live(trouble_ms)
    if (dice.chance(0.3)) greedy(world, trouble_ms)
    follower.follow(Number.POSITIVE_INFINITY)
    await timeline.run(trouble_ms)
    misfortune.end()
    const clients = [...writers.map(({ client }) => client), admin.client]
    const ledger = new Ledger(this.files.database)
    const left = () => [
      ...clients.filter(({ isIdle }) => !isIdle).map(() => 'a client has no answer'),
      ...ledger.undone(),
      ...(follower.sequence < ledger.sequence(installed.realm) ? ['the stream is behind'] : []),
    ]
    const until_ms = timeline.now + settled_within_ms
    while (left().length > 0 && this.violations.length === 0 && timeline.now < until_ms) await timeline.run(timeline.now + look_ms)
    for (const what of left()) violated(`never done: ${what}`)
    const healed_ms = timeline.now - trouble_ms
    if (this.violations.length === 0) {
      const core = await this.alive(machines)
      await this.perform(judge({ ...{ core, ledger, installed, clients, receivers, books, violated }, ask: asker(core, timeline) }))
      for (const machine of machines) if (machine.core.isUp) await this.perform(machine.core.stop())
      const longest_ms = ledger.lastLease() - (from_ms + timeline.now)
      if (longest_ms > lease_max_ms) violated(`a lease is held for ${longest_ms} ms more`)
    }
    ledger.close()
    for (const { core } of machines) core.kill()
    const told = clients.reduce((sum, client) => sum + client.told.length, 0)
    const deliveries = Object.values(receivers.healthy).reduce((sum, { got }) => sum + got.length, 0)
    const processes = machines.reduce((sum, { starts }) => sum + starts, 0)
    const figures = { steps: timeline.steps, told, deliveries, processes, healed_ms: Math.round(healed_ms), ...misfortune.happened }
    return { seed, trace: timeline.trace.digest(), violations: this.violations, figures }
  }

  private async alive(machines: readonly Machine[]): Promise<Core> {
    const up = () => machines.find(({ core }) => core.isUp)?.core
    await this.timeline?.run((this.timeline?.now ?? 0) + 10_000, () => up() !== undefined)
    const core = up()
    if (core === undefined) throw new Error('no process came back')
    return core
  }

  /** Lets things happen until a promise is settled. */
  private async perform(work: Promise<unknown>): Promise<void> {
    let isOver = false
    let failure: unknown = null
    work.then(
      () => {
        isOver = true
      },
      (error) => {
        isOver = true
        failure = error
      },
    )
    const timeline = this.timeline as Timeline
    await timeline.run(timeline.now + 60_000, () => isOver)
    if (failure !== null) throw failure
    if (!isOver) throw new Error('it does not end')
  }

  close(): void {
    this.files.remove()
  }
}

function asker(core: Core, timeline: Timeline) {
  return (method: string, url: string, key: string, headers: object = {}, body?: object) =>
    new Promise<{ status: number; text: string; replayed: boolean }>((resolve) => {
      const sent = { method, url, key, headers: headers as Record<string, string>, ...(body === undefined ? {} : { body }) }
      timeline.after(0, 'ask', core.life, () =>
        core.handle(sent, (answer) => {
          const replayed = answer.headers['Idempotent-Replayed'] === 'true'
          resolve({ status: answer.status, text: answer.body ?? '', replayed })
        }),
      )
    })
}

/** Workspace, project, endpoints and active flows. */
async function furnish(world: World): Promise<Installed> {
  const client = new Client(world, 'template', world.installed.keys.admin)
  const make = async (url: string, body: object) => await client.perform({ method: 'POST', url, body })
  const workspace = (await make('/v1/workspaces', { title: 'Work' })).id
  const project = (await make('/v1/projects', { workspace, name: 'Launch' })).id
  const task = (await make('/v1/tasks', { workspace, title: 'First' })).id
  const types = { all: '*', tasks: 'workflow.task.*', failing: 'workflow.task.completed', hanging: 'workflow.task.deleted' }
  for (const [name, type] of Object.entries(types)) {
    const url = `https://${hosts[name as keyof typeof types]}/hook`
    await make('/v1/webhook_endpoints', { url, event_types: [type] })
  }
  const activate = async (graph: object) => {
    const { id } = await make('/v1/automation_flows', { workspace, name: 'A flow', graph })
    const { preview_token } = await make(`/v1/automation_flows/${id}/preview`, { workspace, task })
    const body = { workspace, preview_token, scope_acknowledged: true }
    await make(`/v1/automation_flows/${id}/activate`, body)
    return id
  }
  const flows = { event: await activate(event_graph), clock: await activate(clock_graph) }
  const { data } = await client.perform({ method: 'GET', url: '/v1/events?limit=1' })
  return { ...world.installed, workspace, project, flows, last: { id: data[0].id, sequence: data[0].sequence } }
}
