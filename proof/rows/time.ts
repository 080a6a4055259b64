/**
 * Clocks that jump ahead and back, to leap days, to 2^31 seconds, and two processes five minutes apart, with what depends on
 * time looked at around its edges. Each part has a model of its own of what must be.
 */
import type { RunningServer } from '../../server/src/main.ts'
import { assertSound } from '../../server/test/durability/soundness.ts'
import { populate, type Things } from '../../server/test/things.ts'
import { told } from '../mixed.ts'
import { engines } from '../place.ts'
import { type EngineName, row, type Trial } from '../row.ts'
import { tryCounts, tryIds, tryPreviews, tryRetention, tryTimers } from '../time/ages.ts'
import {
  desksOf,
  openAhead,
  tryKeysApart,
  trySchedulesApart,
  trySweepsApart,
  tryTokensApart,
  tryWorkApart,
} from '../time/apart.ts'
import { tryCredentials } from '../time/credentials.ts'
import { tryDeliveries, tryLostEndpoint, tryOverlap } from '../time/deliveries.ts'
import { tryDownloads, tryLostExport } from '../time/downloads.ts'
import { tryKeys } from '../time/keys.ts'
import { tryOperations } from '../time/operations.ts'
import { Scene } from '../time/scene.ts'
import { tryCalendar, tryRuns, trySchedules } from '../time/schedules.ts'
import { type Desk, nextMoment, tryUsage, tryWindows, WindowModel, window_environment } from '../time/windows.ts'
import { inWorld } from '../worlds.ts'

/** Moments of a world: the next round begins with an empty one. */
const round_moments = 1500

export const time = row({
  name: 'time',
  promise:
    'Windows, leases, ids, retries, signatures and schedules are right by the clock, however it jumps, and in two processes whose clocks are five minutes apart.',
  cycle: 'a moment: a clock set to it, forward or back, and what depends on it looked at',
  cycles: { short: 260, long: 40_000 },
  unproven: [
    'What waits for a moment, a retry or the lease of a lost process, waits longer by as much as the clock is put back.',
    'Credits that a process holds when its clock is put back stay counted: then a window gives up to a sixteenth less, never more.',
    'With clocks apart, the leases of one process are over for the other before their time: each delivery then comes at least once, and often twice. What must happen once is fenced by more than the clock.',
    'Timers of a process (heartbeats of streams, limits of waits), which do not ask the clock.',
  ],
  async run(trial) {
    const rounds = new Rounds(trial)
    for (const engine of trial.fault === null ? engines : (['sqlite'] as const)) {
      for (let left = Math.ceil(trial.cycles / 2); left > 0 && !rounds.isOver; ) {
        left -= await rounds.one(engine, Math.min(left, round_moments))
        trial.say(`${engine}: ${Math.max(0, left)} moments to go`)
      }
    }
    return { cycles: rounds.moments, figures: rounds.figures }
  },
})

/** A part of a round, by the name under which its moments are counted. */
type Part = readonly [name: string, tryIt: () => Promise<unknown>]

const unlimited = {
  ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
  ATRIUM_CREDITS_PER_DAY: 'unlimited',
  ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
}

class Rounds {
  moments = 0
  readonly figures: Record<string, number> = {}
  private readonly trial: Trial
  private found = 0

  constructor(trial: Trial) {
    this.trial = trial
  }

  /** A planted fault needs to be found only once. */
  get isOver(): boolean {
    return this.trial.fault !== null && this.found > 0
  }

  /** Returns how many moments it has tried. A quarter belongs to the windows, which need a world with small ones. */
  async one(engine: EngineName, moments: number): Promise<number> {
    const before = this.moments
    await this.world(engine, window_environment, (scene) => this.windows(scene, Math.ceil(moments / 4)))
    if (!this.isOver) await this.world(engine, unlimited, (scene) => this.ordinary(scene, Math.ceil((moments * 3) / 4)))
    return this.moments - before
  }

  private async world(engine: EngineName, environment: Record<string, string>, use: (scene: Scene) => Promise<void>) {
    const dice = this.trial.dice.fork()
    await inWorld(engine, { environment }, async (world) => {
      const scene = new Scene(engine, world, dice, (text) => {
        this.found++
        this.trial.violated(text)
      })
      await use(scene)
      this.moments += scene.moments
    })
  }

  private count(name: string, more: number): void {
    this.figures[name] = (this.figures[name] ?? 0) + more
  }

  private async ordinary(scene: Scene, moments: number): Promise<void> {
    const { world, engine } = scene
    const parts = partsOf(scene, await populate(world))
    const ahead = engine === 'postgres' ? await openAhead(world, unlimited) : null
    try {
      if (ahead !== null) parts.push(...this.partsApart(scene, ahead))
      await this.inTurn(scene, parts, moments)
      const { store } = world.services
      const check = () => store.snapshot('system', (reader) => assertSound(reader, world.acme.id))
      await told((text) => scene.violated(text), 'the logs', check)
      // Behind the look at the logs, for what is swept is missing there.
      if (ahead !== null) await trySweepsApart(scene, ahead)
    } finally {
      await ahead?.close()
    }
  }

  private partsApart(scene: Scene, ahead: RunningServer): Part[] {
    const desks = desksOf(scene.world, ahead)
    const work = async () => this.count('deliveries twice with clocks apart', await tryWorkApart(scene, ahead))
    return [
      ['keys apart', () => tryKeysApart(scene, desks, ahead)],
      ['tokens apart', () => tryTokensApart(scene, desks)],
      ['schedules apart', () => trySchedulesApart(scene, ahead, 12)],
      ['work apart', work],
    ]
  }

  /** All parts in some order, again and again, until so many moments have been tried. */
  private async inTurn(scene: Scene, parts: readonly Part[], moments: number): Promise<void> {
    while (scene.moments < moments) {
      for (const [name, tryIt] of scene.dice.shuffle(parts)) {
        const before = scene.moments
        await tryIt()
        this.count(name, scene.moments - before)
        if (scene.moments >= moments || this.isOver) return
      }
    }
  }

  private async windows(scene: Scene, moments: number): Promise<void> {
    const { world, engine, dice } = scene
    const keys = [(await world.key()).secret, (await world.key()).secret]
    const ahead = engine === 'postgres' ? await openAhead(world, window_environment) : null
    const alone: Desk = { name: 'alone', now: () => world.clock.now(), call: (...given) => world.call(...given) }
    const desks = ahead === null ? [alone] : desksOf(world, ahead)
    const model = new WindowModel()
    try {
      while (scene.moments < moments && !this.isOver) {
        scene.at(nextMoment(scene))
        await tryWindows(scene, model, dice.pick(desks), keys)
        if (ahead === null && dice.chance(0.2)) await tryUsage(scene, model, alone, dice.pick(keys))
      }
      this.count('windows', scene.moments)
    } finally {
      await ahead?.close()
    }
  }
}

function partsOf(scene: Scene, things: Things): Part[] {
  const { dice } = scene
  return [
    ['keys', () => tryKeys(scene)],
    ['credentials', () => tryCredentials(scene)],
    ['downloads', () => tryDownloads(scene)],
    ['leases', () => tryLostExport(scene)],
    ['leases', () => tryLostEndpoint(scene)],
    ['deliveries', () => tryDeliveries(scene, dice.int(3, 10))],
    ['signatures', () => tryOverlap(scene)],
    ['retention', () => tryRetention(scene)],
    ['counts', () => tryCounts(scene)],
    ['previews', () => tryPreviews(scene)],
    ['ids', () => tryIds(scene)],
    // One that an operation has started may run still.
    ['timers', () => things.stopRunning().then(() => tryTimers(scene))],
    ['calendar', async () => tryCalendar(scene)],
    ['schedules', () => trySchedules(scene, 12)],
    ['runs', () => tryRuns(scene)],
    ['operations', () => tryOperations(scene, things, 12)],
  ]
}
