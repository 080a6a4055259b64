/** Injects failures into a seed: kills, stops, pauses, partitions, bad networks. */
import type { Dice } from '../dice.ts'
import { points } from './core.ts'
import { hosts } from './installation.ts'
import { fair_weather, type Weather } from './network.ts'
import type { Receivers } from './receivers.ts'
import type { Machine, World } from './world.ts'

const storm: Weather = { lost: 0.15, doubled: 0.1, slow: 0.1, reset: 0.1 }
const drizzle: Weather = { lost: 0.01, doubled: 0.05, slow: 0.02, reset: 0.02 }

/** Kinds of failures; some occur more often. */
const kinds = [
  'kill',
  'kill_at_point',
  'kill_at_point',
  'kill_at_point',
  'stop',
  'pause',
  'pause_at_point',
  'pause_at_point',
  'partition',
  'storm',
] as const

export class FailureInjector {
  readonly happened: Record<string, number> = {}
  private readonly world: World
  private readonly receivers: Receivers
  private readonly dice: Dice
  private isOver = false

  constructor(world: World, receivers: Receivers) {
    this.world = world
    this.receivers = receivers
    this.dice = world.dice.fork()
  }

  /** Injects `times` failures before `until_ms`. */
  begin(times: number, until_ms: number): void {
    const { dice, world } = this
    world.network.weather = dice.chance(0.7) ? drizzle : fair_weather
    const upset = dice.pick([0, 0.1, 0.3])
    for (const each of [...Object.values(this.receivers.healthy), this.receivers.called]) each.upset = upset
    for (let i = 0; i < times; i++) {
      world.timeline.after(dice.unit() * until_ms, 'misfortune', null, () => this.strike())
    }
  }

  private strike(): void {
    const { dice, world } = this
    const { network, timeline } = world
    const kind = dice.pick(kinds)
    const machine = dice.pick(world.machines)
    this.happened[kind] = (this.happened[kind] ?? 0) + 1
    if (kind === 'kill') this.kill(machine)
    else if (kind === 'kill_at_point') this.lieInWait(machine, () => this.kill(machine))
    else if (kind === 'pause_at_point') this.lieInWait(machine, () => this.pause(machine))
    else if (kind === 'pause') this.pause(machine)
    else if (kind === 'stop') this.stop(machine)
    else if (kind === 'partition') {
      const host = dice.pick(Object.values(hosts))
      const core = dice.chance(0.5) ? null : machine.core.life.name
      network.partitions.push({ core, host, until_ms: timeline.now + dice.int(500, 15_000) })
    } else {
      network.weather = storm
      timeline.after(dice.int(500, 5000), 'calm', null, () => {
        if (network.weather === storm) network.weather = drizzle
      })
    }
  }

  private lieInWait({ core }: Machine, act: () => void): void {
    const point = this.dice.chance(0.3) ? 'in_call' : this.dice.pick(points)
    // Flows call less often than processes commit.
    core.strikeAt(point, this.dice.int(0, point === 'in_call' ? 0 : 3), act)
  }

  private pause(machine: Machine): void {
    machine.pause(this.dice.pick([1000, 18_000, 18_000, 30_000]))
  }

  private kill(machine: Machine): void {
    if (machine.core.isDead) return
    machine.core.onEnd(() => this.startLater(machine))
    machine.core.kill()
  }

  private stop(machine: Machine): void {
    if (!machine.core.isUp) return
    machine.core.onEnd(() => this.startLater(machine))
    machine.core.stop().catch((error) => this.world.violated(`a process did not stop cleanly: ${error}`))
  }

  /** Stops a machine for good, if its process is up. */
  private retire(machine: Machine): void {
    if (!machine.core.isUp) return
    machine.isRetired = true
    machine.core.stop().catch((error) => this.world.violated(`a process did not stop cleanly: ${error}`))
  }

  private startLater(machine: Machine): void {
    const wait_ms = this.isOver ? 0 : this.dice.int(0, 5000)
    this.world.timeline.after(wait_ms, 'start', null, () => machine.restart())
  }

  /** Ends all failures; paused processes will wake. */
  end(): void {
    const { network, machines } = this.world
    this.isOver = true
    network.weather = fair_weather
    network.partitions.length = 0
    for (const each of [...Object.values(this.receivers.healthy), this.receivers.called]) each.upset = 0
    for (const { core } of machines) core.cancelStrike()
    const [machine] = machines
    // Sometimes one machine is enough.
    if (machines.length > 1 && this.dice.chance(0.7)) this.retire(machine as Machine)
  }
}
