/** The rows of the inbox: who hears of what, and who watches what. Times in milliseconds. */
import type { ResourceRow } from './row.ts'

/** One entry of a person's inbox. Only `read_at` and `snoozed_until` are not derived from the event log or the clock. */
export interface NotificationRow extends ResourceRow {
  user: string
  workspace: string | null
  kind: string
  subject_type: string
  subject: string
  comment: string | null
  /** The event that it reports; null if the clock created it. */
  event: string | null
  /** Sequence of that event; 0 without one. */
  sequence: number
  actor_type: string | null
  actor_id: string | null
  /** JSON: what the kind adds, such as the status before and after. */
  details: string
  read_at: number | null
  snoozed_until: number | null
  /** The walk through the log that wrote it; those of an earlier walk are out of date. */
  generation: number
}

/**
 * From the event after `since` on, a person watches a task or project, leaves it alone, or mutes it. The row with the greatest
 * `since` holds.
 */
export interface WatchRow {
  realm: number
  subject: string
  user: string
  since: number
  level: string
  reason: string
}

/** A project that a guest sees; `created_by` is the person who chose it. */
export interface GuestProjectRow {
  realm: number
  user: string
  project: string
  created: number
  created_by: string | null
}

/** How far the inbox of a realm is (`notifications/follow.ts`). */
export interface InboxPositionRow {
  realm: number
  organization: string
  sequence: number
  /** The event at `sequence`, if it is known. */
  event: string | null
  /** Events up to this sequence create no entries. */
  begins: number
  generation: number
  /** While the inbox is rebuilt: the sequences between which entries of an earlier generation are removed at the end. */
  rebuilt_from: number | null
  rebuilt_to: number | null
  /** Up to when the clock has created entries; 0 before its first look. */
  clock_at: number
  looked_at: number
}

/** What a person chooses in an organization. `null`: not chosen. */
export interface PreferenceRow {
  organization: string
  user: string
  /** IANA name. */
  time_zone: string | null
  /** BCP 47 tag of the language of dates and numbers. */
  language: string | null
  /** 1 is Monday, 7 is Sunday. */
  week_starts_on: number | null
  /** JSON: when each kind of entry is sent by mail. */
  mail: string
  /** JSON: for each kind of entry, whether the person's browsers show it. */
  push: string
  /** JSON: by mode the ids of projects, boards and flows. */
  favorites: string
  /** Minutes of the person's day between which nothing is sent. */
  quiet_from: number | null
  quiet_to: number | null
  created: number
  updated: number
}

/** What a worker sends, and how far it is (`workers/send-queue.ts`). */
export interface SendingRow {
  realm: number
  id: string
  organization: string
  user: string
  /** `due`, `sending`, `sent`, `dropped` (nothing to say any longer), `dead`. */
  status: string
  due_at: number
  attempts: number
  /** Attempts whose process ended before it knew the outcome. */
  uncertain: number
  lease_owner: string | null
  lease_until: number | null
  error: string | null
  created: number
  updated: number
}

/** A mail on its way. */
export interface MailRow extends SendingRow {
  /** `notice`, `digest`, `link`, or `letter`: what an automation sends. */
  kind: string
  content: string
  /** 1: the content is sealed. */
  sealed: number
}

/** A notice on its way to a browser. */
export interface PushRow extends SendingRow {
  notification: string
  subscription: string
}

/** A browser of a person that shows notices. `id` follows from the address at the push service; `target` is sealed. */
export interface PushSubscriptionRow {
  organization: string
  id: string
  user: string
  account: string
  /** The session that asked for it, and with whose end it goes. */
  session: string
  target: string
  user_agent: string | null
  created: number
}

/** The key pair by which push services know the installation; `private_key` is sealed. */
export interface PushKeyRow {
  id: string
  public_key: string
  private_key: string
  created: number
}

/** A mail that became a comment; `id` is the digest of its Message-ID, person and task. */
export interface InboundMailRow {
  realm: number
  id: string
  user: string
  comment: string
  created: number
}
