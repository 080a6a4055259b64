/** The parts of the process that requests and workers use, created by the composition root. */
import type { Store } from '../db/store.ts'
import type { AiProvider } from '../egress/ai-provider.ts'
import type { Egress } from '../egress/egress.ts'
import type { OpenIdProvider } from '../egress/openid-provider.ts'
import type { Files } from '../files/files.ts'
import type { Clock } from '../lib/clock.ts'
import type { Log } from '../lib/log.ts'
import type { Sealer } from '../lib/seal.ts'
import type { WakeUps } from '../lib/wake-ups.ts'
import type { Mailer } from '../mail/smtp.ts'
import type { Credits } from './credits/charge.ts'
import type { Versions } from './declare/version.ts'
import type { Credentials } from './request/authenticate.ts'
import type { TaskCounts } from './request/task-counts.ts'
import type { RequestLog } from './request-log/request-log.ts'
import type { EventFeed } from './stream/feed.ts'
import type { OpenStreams } from './stream/open-streams.ts'

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
  /** Idempotency keys of writes that are running in this process. */
  readonly inProgress: Set<string>
  /** The content of files. */
  readonly files: Files
  /** The only way to send requests to other hosts. */
  readonly egress: Egress
  /** Called after a commit, to wake listeners and workers before their next poll. */
  readonly committed: (realm: number) => void
  /** Sends mail; null if the operator has named no SMTP server. */
  readonly mailer: Mailer | null
  /** The provider of AI steps. */
  readonly ai: AiProvider
  /** The OpenID providers by which people sign in, by id, in the operator's order. */
  readonly openid: ReadonlyMap<string, OpenIdProvider>
  /** Topics: `events` (a log has grown), `deliveries`, `automations` and `files` (work is due). */
  readonly wakeUps: WakeUps
}

/** The operator's settings that requests and workers need. */
export interface Settings {
  /** Base of generated URLs without a trailing slash. Set when the listener is ready. */
  publicUrl: string
  readonly dataDir: string
  /** The domain of addresses to which mails about tasks are answered; null if no mail is received. */
  readonly replyDomain: string | null
  /** What push services know of the installation; nulls: the key pair of the database, and the public URL. */
  readonly push: { readonly privateKey: string | null; readonly subject: string | null }
  /** Networks of the reverse proxies whose `X-Forwarded-For` counts; empty if none are named. */
  readonly trustedProxies: readonly string[]
  readonly egress: { readonly allowedHosts: readonly string[]; readonly allowedCidrs: readonly string[] }
  /** Waits between delivery attempts; null means the default schedule (contract/11#schedule). */
  readonly webhookScheduleSeconds: readonly number[] | null
  readonly ai: AiSettings
}

/** What AI steps may use (contract/16#ai-steps). */
export interface AiSettings {
  readonly provider: 'none' | 'openai_compatible' | 'echo'
  readonly model: string | null
  /** Budget per organization and UTC day, in minor units; 0 disables AI steps. */
  readonly budgetMinorPerDay: number
  /** Minor units per million tokens. */
  readonly inputPriceMinor: number
  readonly outputPriceMinor: number
}
