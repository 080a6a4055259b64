/** What the composition root hands to every request: the parts that live as long as the process. */
import type { Store } from '../db/store.ts'
import type { AiProvider } from '../lib/ai-provider.ts'
import type { Clock } from '../lib/clock.ts'
import type { Egress } from '../lib/egress.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/seal.ts'
import type { WakeUps } from '../lib/wake-ups.ts'
import type { Credentials } from './authenticate.ts'
import type { Credits } from './charge.ts'
import type { EventFeed } from './event-feed.ts'
import type { OpenStreams } from './open-streams.ts'
import type { RequestLog } from './request-log.ts'
import type { TaskCounts } from './task-counts.ts'
import type { Versions } from './version.ts'

export interface Services {
  readonly clock: Clock
  readonly store: Store
  readonly sealer: Sealer
  readonly credentials: Credentials
  readonly credits: Credits
  readonly requestLog: RequestLog
  readonly feed: EventFeed
  /** Streams open in this process, by credential. */
  readonly streams: OpenStreams
  readonly versions: Versions
  readonly counts: TaskCounts
  readonly settings: Settings
  readonly disabledOperations: ReadonlySet<string>
  readonly log: Log
  /** Keys of idempotent writes that run in this process now. */
  readonly inProgress: Set<string>
  /** The only way out of the installation. */
  readonly egress: Egress
  /** Told after a commit, so that listeners and workers need not wait for their period. */
  readonly committed: (realm: number) => void
  /** What AI steps of automations ask. */
  readonly ai: AiProvider
  /** By topic: `events` (a log has grown), `deliveries` and `automations` (something is due). */
  readonly wakeUps: WakeUps
}

/** What the operator has set and requests or workers need to know. */
export interface Settings {
  /** Base of the URLs that the product hands out, without a slash at the end; known once the listener stands. */
  publicUrl: string
  readonly dataDir: string
  readonly egress: { readonly allowedHosts: readonly string[]; readonly allowedCidrs: readonly string[] }
  /** Waits between delivery attempts; `null`: the schedule of decisions §11. */
  readonly webhookScheduleSeconds: readonly number[] | null
  readonly ai: AiSettings
}

/** What the operator lets AI steps of automations use; decisions §16. */
export interface AiSettings {
  readonly provider: 'none' | 'openai_compatible' | 'echo'
  readonly model: string | null
  /** An organization's ceiling for a UTC day, in minor units; 0: no AI step runs. */
  readonly budgetMinorPerDay: number
  /** Minor units for a million tokens. */
  readonly inputPriceMinor: number
  readonly outputPriceMinor: number
}
