/** The participants of a seed and its phases: processes, clients, a stream follower and failures; then recovery. */
import type { Client } from './clients.ts'
import type { Core } from './core.ts'
import { FailureInjector } from './failures.ts'
import { Follower } from './follower.ts'
import type { Installed } from './installation.ts'
import type { Ledger } from './ledger.ts'
import { openReceivers, type Receivers } from './receivers.ts'
import type { Stage } from './stage.ts'
import { Administrator, greedy, Writer } from './workloads.ts'
import { Machine, type World } from './world.ts'

/** Without failures all work must be done within this time: leases expire, and the longest wait ends. */
const settled_within_ms = 150_000
const look_ms = 1000
/** Writes per client, approximately. */
const writes = 7
const skew_max_ms = 800

export class Scene {
  readonly world: World
  readonly receivers: Receivers
  readonly clients: readonly Client[]
  private readonly stage: Stage
  private readonly machines: readonly Machine[]
  private readonly writers: readonly Writer[]
  private readonly admin: Administrator
  private readonly follower: Follower
  private readonly misfortune: FailureInjector
  private readonly trouble_ms: number
  private settled_ms = 0

  constructor(stage: Stage, installed: Installed) {
    const { dice, timeline, network, violated } = stage
    const skew = () => (dice.chance(0.3) ? dice.int(-skew_max_ms, skew_max_ms) : 0)
    const names = dice.chance(0.6) ? ['a', 'b'] : ['a']
    this.stage = stage
    this.machines = names.map((name) => new Machine(stage, name, skew()))
    this.world = { timeline, network, dice, installed, machines: this.machines, violated }
    this.receivers = openReceivers(this.world)
    this.misfortune = new FailureInjector(this.world, this.receivers)
    this.trouble_ms = dice.int(2500, 7500)
    this.writers = Array.from({ length: dice.int(2, 3) }, (_, i) => new Writer(this.world, `w${i}`))
    this.admin = new Administrator(this.world)
    this.follower = new Follower(this.world)
    this.clients = [...this.writers.map(({ client }) => client), this.admin.client]
  }

  /** Phase 1: everything runs, with failures. */
  async play(): Promise<void> {
    const { trouble_ms, writers } = this
    const { dice, timeline } = this.stage
    this.misfortune.begin(dice.int(1, 5), trouble_ms)
    for (const writer of writers) void writer.live(trouble_ms, (trouble_ms * writers.length) / writes)
    void this.admin.live(trouble_ms)
    if (dice.chance(0.3)) greedy(this.world, trouble_ms)
    this.follower.follow()
    await timeline.run(trouble_ms)
    this.misfortune.end()
  }

  /** Phase 2: no more faults, until all work is done or overdue. */
  async settle(ledger: Ledger): Promise<void> {
    const { timeline, violations, violated } = this.stage
    const from_ms = timeline.now
    const isLate = () => timeline.now > from_ms + settled_within_ms || violations.length > 0
    while (this.left(ledger).length > 0 && !isLate()) await timeline.run(timeline.now + look_ms)
    for (const what of this.left(ledger)) violated(`never done: ${what}`)
    this.settled_ms = timeline.now - from_ms
  }

  private left(ledger: Ledger): string[] {
    const { clients, follower, world } = this
    return [
      ...clients.filter(({ isIdle }) => !isIdle).map(() => 'a client has no answer'),
      ...ledger.unfinishedWork(),
      ...(follower.sequence < ledger.sequence(world.installed.realm) ? ['the stream is behind'] : []),
    ]
  }

  /** A process that accepts requests. */
  async survivor(): Promise<Core> {
    const { timeline } = this.stage
    const up = () => this.machines.find(({ core }) => core.isUp)?.core
    await timeline.run(timeline.now + settled_within_ms, () => up() !== undefined)
    const core = up()
    if (core === undefined) throw new Error('no process restarted')
    return core
  }

  /** Stops all processes; none starts again. Waits for processes paused while they start or stop. */
  async stop(): Promise<void> {
    this.follower.stop()
    const { timeline } = this.stage
    for (const machine of this.machines) {
      machine.isRetired = true
      const { core } = machine
      await timeline.run(timeline.now + settled_within_ms, () => core.isUp || core.isDead)
      if (core.isUp) await this.stage.until(core.stop())
      if (!core.isDead) throw new Error('a process does not end')
    }
  }

  kill(): void {
    for (const { core } of this.machines) core.kill()
  }

  figures(): Record<string, number> {
    const writes = this.clients.reduce((sum, client) => sum + client.answered.length, 0)
    const deliveries = Object.values(this.receivers.healthy).reduce((sum, { got }) => sum + got.length, 0)
    const processes = this.machines.reduce((sum, { starts }) => sum + starts, 0)
    const { timeline } = this.stage
    const seconds = { simulated_s: Math.round(timeline.now / 1000), settling_s: Math.round(this.settled_ms / 1000) }
    return { steps: timeline.steps, writes, deliveries, processes, ...seconds, ...this.misfortune.happened }
  }
}
