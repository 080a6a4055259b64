/**
 * Tells the demo organization's story: requests that go the way of every request, from the credential to the request log, at
 * times that a clock of their own says. Time only goes forward, and after each write a few minutes pass, so that what
 * happened reads like work and keeps within the credits of a plan. Who acts is a person whose page of the console is open:
 * the credential is known to the teller alone and stored nowhere, so nothing of it is left when the story is told.
 */
import { randomUUID } from 'node:crypto'
import type { Caller, Plan } from '../api/declare/caller.ts'
import type { Operation } from '../api/declare/operation.ts'
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

/** What a request of the story answered; the story knows which fields it has. */
// biome-ignore lint/suspicious/noExplicitAny: objects of every shape pass here
export type Told = any

export interface Sent {
  readonly params?: Readonly<Record<string, string>>
  readonly body?: object
}

/** Where the request of a story comes from: the server itself. */
const from = { ip: '127.0.0.1', user_agent: 'atrium-demo' } as const

/** The people who act in a story, by their user ids, which stand for their credentials. */
class Players extends Credentials {
  readonly callers = new Map<string, Caller>()

  override known(secret: string, now: number): Caller | null | undefined {
    return this.callers.get(secret) ?? super.known(secret, now)
  }
}

export class Teller {
  /** The services as they are at the story's time. */
  readonly services: Services
  private readonly clock: HandClock
  private readonly players: Players
  /** When the story ends: the present. */
  readonly ends: number

  /** The story begins `hours` before the present of `services` and never goes beyond that. */
  constructor(services: Services, hours: number) {
    this.ends = services.clock.now()
    this.clock = new HandClock(this.ends - hours * hour_ms)
    this.players = new Players(services.store, services.sealer)
    this.services = { ...services, clock: this.clock, credentials: this.players }
  }

  /** Lets a member act on the organization's live data, as one who is signed in to the console. */
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
      storeScope: { organization, realms: [realm] },
    })
  }

  /** Whose doing a change is that the API has no operation for. */
  authorOf(user: string): Author {
    return { actor: { type: 'user', id: user }, source: from }
  }

  /** How many hours before the end a moment lies (milliseconds). */
  hoursTo(moment: number): number {
    return (this.ends - moment) / hour_ms
  }

  /** Goes on to so many hours before the end, unless the story is there already. */
  goTo(hours: number): void {
    this.clock.set(Math.max(this.clock.now(), Math.round(this.ends - hours * hour_ms)))
  }

  private pass(): void {
    this.clock.set(Math.min(this.clock.now() + pause_ms, this.ends))
  }

  /** Sends a request of somebody admitted. Rejects when it is refused: a story that is told half is worth telling of. */
  async tell(user: string, operation: string, { params = {}, body = {} }: Sent): Promise<Told> {
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
      ip: from.ip,
      receivedAt: now,
    }
  }
}
