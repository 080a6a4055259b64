/** A server that is compared with the model: sends requests and reports how an answer differs from the expected one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Placeholder, type Query, query } from '../../server/src/db/query.ts'
import { testRealmOf } from '../../server/src/db/realms/numbers.ts'
import { StoreUnavailable } from '../../server/src/db/store.ts'
import { downloadOf } from '../../server/src/resources/jobs/download.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import { foundOrganization } from '../../server/src/resources/organizations/found.ts'
import { addTeam } from '../../server/src/resources/teams/write.ts'
import { change, setPlan } from '../../server/test/conformance/stored.ts'
import type { Organization, World } from '../../server/test/world.ts'
import { bytesOf, Connection, type Raw } from '../connection.ts'
import type { Document } from '../document.ts'
import type { EngineName } from '../row.ts'
import { differences } from './judge.ts'
import type { Expectation, ModelRequest, Remaining } from './model-request.ts'
import { Names } from './names.ts'
import { peek } from './peek.ts'
import type { Incident } from './rules.ts'

const moment_ms = 300

const countEvents = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('realm', '=', p('realm')),
)

const countAudit = query((db, p: Placeholder<{ organization: string; realm: number }>) =>
  db
    .selectFrom('audit_entries')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('organization', '=', p('organization'))
    .where('realm', '=', p('realm')),
)

export interface Beginning {
  readonly events: { readonly live: number; readonly test: number }
  readonly audit: { readonly live: number; readonly test: number }
}

/** Names of the initial objects of an organization, the same on every server. */
export const first = {
  organization: 'org~000001',
  service: 'usr~000002',
  credentials: [
    { id: 'key~000011', secret: 'secret~000011' },
    { id: 'key~000012', secret: 'secret~000012' },
  ],
  members: [
    { id: 'mbr~000021', user: 'usr~000021', email: 'owner@example.com', role: 'owner', status: 'active' },
    { id: 'mbr~000022', user: 'usr~000022', email: 'ada@example.com', role: null, status: 'active' },
    { id: 'mbr~000023', user: 'usr~000023', email: 'gone@example.com', role: null, status: 'inactive' },
    { id: 'mbr~000024', user: 'usr~000024', email: 'soon@example.com', role: null, status: 'pending' },
  ],
  teams: [
    { id: 'team~000031', name: 'Red', description: null },
    { id: 'team~000032', name: 'Blue', description: 'The others' },
  ],
} as const

const serviceUser = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('organizations').select('service_user').where('organization', '=', p('organization')),
)

const memberOf = query((db, p: Placeholder<{ organization: string }>) =>
  db.selectFrom('members').selectAll().where('organization', '=', p('organization')),
)

export class Server {
  readonly engine: EngineName
  readonly world: World
  readonly connection: Connection
  private readonly second: Connection
  readonly document: Document
  readonly limits: Remaining
  names = new Names()
  organization = ''
  /** The number of the live realm. */
  realm = 0
  /** Whether a failure is injected now. */
  private amid = false
  /** Log lines without an injected failure. */
  readonly logged: string[] = []
  /** How many answers were compared. */
  judged = 0
  /** Texts of answers by request name, for replays. */
  private readonly texts = new Map<string, string>()
  /** Answer text → tag, and tag → answer text. */
  private readonly tags = new Map<string, string>()

  constructor(engine: EngineName, world: World, document: Document, limits: Remaining) {
    this.engine = engine
    this.limits = limits
    this.world = world
    const port = Number(new URL(world.server.url).port)
    this.connection = new Connection(port)
    this.second = new Connection(port)
    this.document = document
    world.services.log.error = (message, fields) => {
      if (!this.amid) this.logged.push(`${message} ${JSON.stringify(fields)}`)
    }
  }

  /** Founds a new organization with the names of `first`. */
  async begin(): Promise<Beginning> {
    const { services } = this.world
    this.names = new Names()
    this.texts.clear()
    this.tags.clear()
    ;(services.disabledOperations as Set<string>).clear()
    const [owner, ...others] = first.members
    const founding = { name: 'Trial', ownerEmail: owner.email, plan: 'enterprise', domains: ['example.com'] } as const
    const founded = await foundOrganization(services, founding)
    const bare = { id: founded.organization, user: founded.user, realms: founded.realms } as Organization
    this.organization = founded.organization
    this.realm = founded.realms.live
    const { names } = this
    names.bind(first.organization, founded.organization)
    const reader = services.store.reader('system')
    const organization = founded.organization
    names.bind(first.service, String((await reader.first(serviceUser, { organization }))?.service_user))
    for (const [i, mode] of (['live', 'test'] as const).entries()) {
      const { id, secret } = await this.world.key({ mode }, bare)
      const named = first.credentials[i as 0 | 1]
      names.bind(named.id, id)
      names.bind(named.secret, secret)
    }
    names.bind(owner.user, founded.user)
    names.bind(owner.id, String((await reader.first(memberOf, { organization }))?.id))
    for (const { id, user, email, status } of others) {
      const made = await addMember(services, organization, { email, status })
      names.bind(id, made.id)
      names.bind(user, made.user)
    }
    for (const { id, name, description } of first.teams)
      names.bind(id, (await addTeam(services, organization, { name, description })).id)
    const { live, test } = founded.realms
    const count = async (of: Query<{ count: number }, { organization: string; realm: number }>, realm: number) =>
      Number((await reader.first(of, { organization, realm }))?.count ?? 0)
    return {
      events: { live: await count(countEvents, live), test: await count(countEvents, test) },
      audit: { live: await count(countAudit, live), test: await count(countAudit, test) },
    }
  }

  /** Sends a request with this server's values for names. `frames`: how many frames to read from a stream. */
  async send(incoming: ModelRequest, frames = 0): Promise<Raw> {
    const bytes = this.bytes(incoming)
    if (incoming.operation.id !== 'events.stream') return await this.connection.send(bytes)
    return await peek(Number(new URL(this.world.server.url).port), bytes, frames)
  }

  /**
   * Sends a request twice concurrently; the answer that replays or refers to the other is last. Writes of the organization are
   * held back meanwhile, so that the second finds the first in progress, but only briefly, since the requests need them.
   */
  async sendTwice(incoming: ModelRequest): Promise<Raw[]> {
    const bytes = this.bytes(incoming)
    const scope = { organization: this.organization, realms: [this.realm, testRealmOf(this.realm)] }
    // Both connections are open, so neither request waits for one.
    const health = bytesOf({ method: 'GET', target: '/healthz', headers: [] })
    await Promise.all([this.connection.send(health), this.second.send(health)])
    const { promise: gate, resolve: release } = Promise.withResolvers<void>()
    const held = this.world.services.store.write(scope, () => gate)
    const sent = [this.connection.send(bytes), this.second.send(bytes)]
    await Promise.race([...sent, sleep(moment_ms)])
    release()
    await held
    const raws = await Promise.all(sent)
    const isLate = ({ text }: Raw) => (text.includes('"idempotency_in_progress"') ? 1 : 0)
    return raws.sort((a, b) => isLate(a) - isLate(b))
  }

  /** Sends a request with an injected failure. */
  async sendWithFailure(incident: Incident, incoming: ModelRequest): Promise<Raw> {
    const { store, credits, credentials } = this.world.services
    const { reader } = store
    const { admit } = credits
    const fail = (error: Error) => () => Promise.reject(error)
    if (incident === 'no store') {
      credentials.forget()
      const down = fail(new StoreUnavailable('down'))
      store.reader = () => ({ dialect: store.dialect, all: down, first: down })
    } else credits.admit = fail(incident === 'no account' ? new StoreUnavailable('down') : new Error('a fault'))
    this.amid = true
    try {
      return await this.connection.send(this.bytes(incoming))
    } finally {
      this.amid = false
      store.reader = reader
      credits.admit = admit
    }
  }

  bytes({ operation, presented, inUrl, params, query: pairs, body, raw, keys, headers }: ModelRequest): Buffer {
    const { names } = this
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_all, name) =>
      encodeURIComponent(names.translate(params[name] as string)),
    )
    const search = pairs.map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(names.translate(value))}`,
    )
    if (inUrl) search.push(`key=${names.translate(first.credentials[0].secret)}`)
    const sent: [string, string][] = Object.entries(headers).map(([name, value]) => [name, names.translate(value)])
    if (presented.secret !== null) sent.push(['Authorization', `Bearer ${names.translate(presented.secret)}`])
    for (const key of keys) sent.push(['Idempotency-Key', key])
    const text = raw?.text ?? (body === undefined ? undefined : names.translate(JSON.stringify(body)))
    const type = raw === null ? 'application/json' : raw.type
    if (text !== undefined && type !== null) sent.push(['Content-Type', type])
    const target = search.length === 0 ? path : `${path}?${search.join('&')}`
    return bytesOf({ method: operation.method, target, headers: sent, body: text })
  }

  /** How an answer differs from the expected one; `null` if it does not. */
  judge(incoming: ModelRequest, expected: Expectation, raw: Raw): string | null {
    this.judged++
    const { names, texts, tags, document } = this
    const now = Math.floor(this.world.clock.now() / 1000)
    return differences({ incoming, expected, raw, names, texts, tags, document, limits: this.limits, now })
  }

  /** The lines of an export's file, from the link of its job. */
  async download(job: string): Promise<unknown[]> {
    const { services } = this.world
    const now = services.clock.now()
    const row = { id: this.names.translate(job), status: 'completed', expires_at: now + 1000 } as Parameters<
      typeof downloadOf
    >[1]
    const url = new URL(downloadOf(services, row, now)?.url ?? '')
    const file = await fetch(url)
    const text = await file.text()
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line))
  }

  async setPlan(plan: string | null): Promise<void> {
    await change(this.world, setPlan, { organization: this.organization, plan })
  }
}
