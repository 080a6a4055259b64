/**
 * Simulates seeds: processes over one database, clients, receivers and failures for some seconds of simulated time. Then nothing
 * fails, and within a bounded time every promise must hold.
 */
import { Dice } from '../dice.ts'
import { age } from './aging.ts'
import { replaceDisk } from './disk.ts'
import { found, furnish } from './install-template.ts'
import { epoch_ms, Files, type Installed, newFolder } from './installation.ts'
import { judge } from './judgement.ts'
import { Ledger } from './ledger.ts'
import { openReceivers } from './receivers.ts'
import { replaceTimeAndChance } from './runtime.ts'
import { Scene } from './scene.ts'
import { Stage } from './stage.ts'
import { Machine } from './world.ts'

/** Seeds begin this long after the installation: shortly before the flows that run every five minutes. */
const later_ms = 280_000
/** The longest lease, with a margin. */
const lease_max_ms = 61_000
/** The share of seeds that continue one month later. */
const aged_share = 0.25

export interface Simulated {
  readonly seed: number
  /** A hash of the trace. */
  readonly trace: string
  readonly violations: readonly string[]
  readonly figures: Readonly<Record<string, number>>
}

export class Simulator {
  private readonly files = new Files(newFolder())
  private installed: Installed | null = null

  constructor() {
    replaceTimeAndChance()
    replaceDisk()
  }

  /** Creates the installation that every seed begins with. */
  async install(): Promise<void> {
    const stage = new Stage(this.files.config, 1, epoch_ms)
    const { timeline, network, dice, violated } = stage
    const machine = new Machine(stage, 'template', 0)
    await timeline.run(1000, () => machine.core.isUp)
    const founded = await stage.until(machine.core.perform('found', found))
    const installed = {
      ...founded,
      workspace: '',
      project: '',
      flows: { event: '', clock: '' },
      last: { id: '', sequence: 0 },
    }
    const world = { timeline, network, dice, installed, machines: [machine], violated }
    openReceivers(world)
    this.installed = await stage.until(furnish(world))
    const ledger = new Ledger(this.files.database)
    await timeline.run(timeline.now + 60_000, () => ledger.unfinishedWork().length === 0)
    ledger.close()
    await stage.until(machine.core.stop())
    if (stage.violations.length > 0) throw new Error(stage.violations.join('\n'))
    this.files.keepTemplate()
  }

  async simulate(seed: number): Promise<Simulated> {
    const { files, installed } = this
    if (installed === null) throw new Error('nothing is installed')
    files.begin()
    const stage = new Stage(files.config, seed, epoch_ms + later_ms + new Dice(seed).int(0, 15_000))
    const { timeline, violations, violated, books } = stage
    const scene = new Scene(stage, installed)
    const ledger = new Ledger(files.database)
    try {
      await scene.play()
      await scene.settle(ledger)
      if (violations.length === 0) {
        const core = await scene.survivor()
        const { clients, receivers } = scene
        await stage.until(judge({ core, ledger, installed, clients, receivers, books, violated, timeline }))
        await scene.stop()
        const longest_ms = ledger.lastLease() - stage.wall()
        if (longest_ms > lease_max_ms) violated(`a lease is held for ${longest_ms} ms more`)
        if (stage.dice.chance(aged_share)) await age(stage, scene, ledger)
        timeline.trace.add(ledger.auditHash())
      }
    } finally {
      ledger.close()
      scene.kill()
    }
    return { seed, trace: timeline.trace.digest(), violations, figures: scene.figures() }
  }

  close(): void {
    this.files.remove()
  }
}
