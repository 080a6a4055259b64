/**
 * Tells the demo organization's story as requests that pass the whole pipeline, from the credential to the request log,
 * at times of a clock of their own. Time only moves forward, and some minutes pass after each write, so that the
 * history looks like work and stays within the credits of a plan. A person acts with the credential of an open console
 * page. Only the teller knows these credentials, and they are stored nowhere, so none remains after the story.
 */
import { randomUUID } from 'node:crypto'
import type { Caller, Plan } from '../api/declare/caller.ts'
import type { Operation } from '../api/declare/operation.ts'
import { piecesOf } from '../api/declare/request.ts'
import { newest_version } from '../api/declare/version.ts'
import { answer } from '../api/pipeline.ts'
import { Credentials } from '../api/request/authenticate.ts'
import { credentialOfSession, scopesOfSession } from '../api/request/session-credentials.ts'
import type { Services } from '../api/services.ts'
import type { Author } from '../api/write/system-change.ts'
import { catalogue } from '../catalogue.ts'
import { HandClock } from '../lib/clock.ts'
import { newId } from '../lib/ids.ts'
import { findOrganization } from '../resources/organizations/organization.ts'

const hour_ms = 3_600_000
/** Between two writes. */
const pause_ms = 150_000

/** The answer to a request of the story, which knows the fields. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every shape pass here
export type StoryObject = any

export interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object
}

/** The origin of the story's requests: the server itself. */
const from = { ip: '127.0.0.1', user_agent: 'atrium-demo' } as const

/** The people of a story, by their user ids, which stand for their credentials. */
class Players extends Credentials {
  readonly callers = new Map<string, Caller>()

  override known(secret: string, now: number): Caller | null | undefined {
    return this.callers.get(secret) ?? super.known(secret, now)
  }
}

export class Teller {
  /** The services at the story's time. */
  readonly services: Services
  private readonly clock: HandClock
  private readonly players: Players
  /** When the story ends: the present. */
  readonly ends: number

  /** The story begins `hours` before `ends`, by default the present, and ends there. */
  constructor(services: Services, hours: number, ends = services.clock.now()) {
    this.ends = ends
    this.clock = new HandClock(this.ends - hours * hour_ms)
    this.players = new Players(services.store, services.sealer)
    this.services = { ...services, clock: this.clock, credentials: this.players }
  }

  /** Lets a member act on the organization's live data, like a person signed in to the console. */
  async admit(organization: string, realm: number, user: string): Promise<void> {
    const row = await this.services.store.reader('system').first(findOrganization, { organization })
    if (row === undefined) throw new Error(`there is no organization ${organization}`)
    const now = this.clock.now()
    this.players.callers.set(user, {
      ...{ kind: 'session', mode: 'live', apiVersion: newest_version, createdAt: now, expiresAt: null },
      ...{ organization, realm, plan: row.plan as Plan | null, serviceUser: row.service_user },
      owner: { type: 'user', id: user },
      credential: credentialOfSession(newId('ses', now), 'live', false),
      scopes: scopesOfSession(false, 'member'),
      guest: null,
      storeScope: { organization, realms: [realm] },
    })
  }

  /** The author of a change for which the API has no operation. */
  authorOf(user: string): Author {
    return { actor: { type: 'user', id: user }, source: from }
  }

  /** Hours between `moment` (milliseconds) and the end. */
  hoursTo(moment: number): number {
    return (this.ends - moment) / hour_ms
  }

  /** Moves the time forward to `hours` before the end, unless it is later already. */
  goTo(hours: number): void {
    this.clock.set(Math.max(this.clock.now(), Math.round(this.ends - hours * hour_ms)))
  }

  private pass(): void {
    this.clock.set(Math.min(this.clock.now() + pause_ms, this.ends))
  }

  /** Sends a request of an admitted person. Rejects if it is refused: an incomplete story must not pass unnoticed. */
  async tell(user: string, operation: string, { params = {}, body = {} }: Sent): Promise<StoryObject> {
    const declared = catalogue.find(({ id }) => id === operation)
    if (declared === undefined) throw new Error(`there is no operation ${operation}`)
    const made = await answer(this.services, declared, this.request(declared, user, params, body), params)
    if (made.status !== 200) throw new Error(`${operation} answered ${made.status}: ${made.body}`)
    this.pass()
    return JSON.parse(made.body ?? 'null')
  }

  private request(operation: Operation, user: string, params: Readonly<Record<string, string>>, body: object) {
    const bytes = Buffer.from(JSON.stringify(body))
    const headers: Record<string, string> = {
      authorization: `Bearer ${user}`,
      'idempotency-key': randomUUID(),
      'content-type': 'application/json',
      'content-length': String(bytes.length),
      'user-agent': from.user_agent,
    }
    const now = this.clock.now()
    return {
      id: newId('req', now),
      method: operation.method,
      path: operation.path.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(params[name] ?? '')),
      rawQuery: '',
      headers,
      headerValues: (name: string) => (headers[name] === undefined ? [] : [headers[name]]),
      body: async () => bytes,
      pieces: (bytes_max: number) => piecesOf(bytes, bytes_max),
      ip: from.ip,
      receivedAt: now,
    }
  }
}
