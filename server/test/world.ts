/**
 * The world of a test: a server in this process on a real port, two organizations that must not see each other, and a clock that
 * only the test moves. A test arranges its objects, acts once, and asserts the response and exactly what was written.
 */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Mode, Owner, Plan } from '../src/api/declare/caller.ts'
import { type Scope, scopes } from '../src/api/declare/scopes.ts'
import type { VersionChange } from '../src/api/declare/version.ts'
import { readConfig } from '../src/config.ts'
import { type Placeholder, query } from '../src/db/query.ts'
import { HandClock } from '../src/lib/clock.ts'
import { type OpenServices, type RunningServer, startServer } from '../src/main.ts'
import { issueCredential } from '../src/resources/api_keys/issue.ts'
import { foundOrganization } from '../src/resources/organizations/found.ts'
import { type CallOptions, call, type Reply } from './call.ts'
import './cheap-passwords.ts'
import { type Database, type EngineName, onEveryEngine, onEveryServer } from './engines.ts'
import { test_environment, test_secret_key } from './environment.ts'
import { migratedDatabase } from './migrated.ts'

/** The initial time of the clock: noon on a Tuesday. */
export const started_at = Date.parse('2026-08-04T12:00:00.000Z')

export interface WorldOptions {
  readonly environment?: Readonly<Record<string, string>>
  readonly versions?: readonly VersionChange[]
  readonly plan?: Plan
}

export interface KeyOptions {
  readonly scopes?: readonly Scope[]
  readonly mode?: Mode
  readonly kind?: 'api_key' | 'access_token'
  readonly owner?: Owner
  readonly expiresAt?: number | null
  readonly apiVersion?: string
}

/** An organization of the world, with a key of all scopes for each realm. */
export interface Organization {
  readonly id: string
  /** The owner's user id. */
  readonly user: string
  readonly realms: { readonly live: number; readonly test: number }
  readonly key: string
  readonly testKey: string
  readonly keyId: string
}

interface Written {
  readonly events: readonly string[]
  readonly audit: readonly string[]
}

const eventsAfter = query((db, p: Placeholder<{ organization: string; realm: number; sequence: number }>) =>
  db
    .selectFrom('events')
    .select(['type', 'sequence'])
    .where('organization', '=', p('organization'))
    .where('realm', '=', p('realm'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence'),
)

const auditAfter = query((db, p: Placeholder<{ organization: string; sequence: number }>) =>
  db
    .selectFrom('audit_entries')
    .select(['action', 'sequence'])
    .where('organization', '=', p('organization'))
    .where('sequence', '>', p('sequence'))
    .orderBy('sequence'),
)

export class World {
  readonly server: RunningServer
  readonly clock: HandClock
  readonly database: Database
  readonly acme: Organization
  readonly globex: Organization
  private mark = { events: 0, audit: 0 }

  constructor(server: RunningServer, clock: HandClock, database: Database, acme: Organization, globex: Organization) {
    this.server = server
    this.clock = clock
    this.database = database
    this.acme = acme
    this.globex = globex
  }

  get services(): OpenServices {
    return this.server.services
  }

  /** Sends a request, by default with Acme's live key of all scopes. */
  call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    return call(this.server.url, method, path, { key: this.acme.key, ...options })
  }

  get(path: string, options: CallOptions = {}): Promise<Reply> {
    return this.call('GET', path, options)
  }

  post(path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    return this.call('POST', path, { body, ...options })
  }

  patch(path: string, body?: unknown, options: CallOptions = {}): Promise<Reply> {
    return this.call('PATCH', path, { body, ...options })
  }

  delete(path: string, options: CallOptions = {}): Promise<Reply> {
    return this.call('DELETE', path, options)
  }

  /** A POST that must succeed, to arrange a test. Returns the body. */
  async make(path: string, body?: unknown, options: CallOptions = {}): Promise<Reply['body']> {
    const reply = await this.post(path, body, options)
    assert.equal(reply.status, 200, `${path}: ${reply.text}`)
    return reply.body
  }

  /** Issues a credential, by default of Acme. */
  async key(options: KeyOptions = {}, organization: Organization = this.acme): Promise<{ id: string; secret: string }> {
    return await issue(this.services, organization, options)
  }

  /** Sets the mark from which `assertWritten` counts. */
  async markWritten(): Promise<void> {
    const { events, audit } = await this.read()
    this.mark = {
      events: events.at(-1)?.sequence ?? this.mark.events,
      audit: audit.at(-1)?.sequence ?? this.mark.audit,
    }
  }

  /** Asserts that exactly these events and audit entries were written in Acme's live realm since the mark, in this order. */
  async assertWritten(expected: Written): Promise<void> {
    const { events, audit } = await this.read()
    assert.deepEqual(
      { events: events.map((row) => row.type), audit: audit.map((row) => row.action) },
      { events: [...expected.events], audit: [...expected.audit] },
    )
    await this.markWritten()
  }

  private async read() {
    const reader = this.services.store.reader('system')
    const { id: organization, realms } = this.acme
    return {
      events: await reader.all(eventsAfter, { organization, realm: realms.live, sequence: this.mark.events }),
      audit: await reader.all(auditAfter, { organization, sequence: this.mark.audit }),
    }
  }

  async close(): Promise<void> {
    await this.server.close()
    await this.database.remove()
  }
}

async function issue(
  services: OpenServices,
  organization: Omit<Organization, 'key' | 'testKey' | 'keyId'>,
  options: KeyOptions,
) {
  const mode = options.mode ?? 'live'
  const issued = await services.store.write('system', async (tx) =>
    issueCredential(
      tx,
      services.sealer,
      {
        kind: options.kind ?? 'api_key',
        organization: organization.id,
        realm: organization.realms[mode],
        mode,
        name: 'A key',
        scopes: options.scopes ?? scopes,
        owner: options.owner ?? { type: 'organization', id: organization.id },
        expiresAt: options.expiresAt ?? null,
        ...(options.apiVersion === undefined ? {} : { apiVersion: options.apiVersion }),
      },
      services.clock.now(),
    ),
  )
  return { id: issued.row.id, secret: issued.secret }
}

async function found(services: OpenServices, name: string, plan: Plan): Promise<Organization> {
  const made = await foundOrganization(services, {
    name,
    ownerEmail: `owner@${name.toLowerCase()}.example`,
    plan,
    domains: [],
  })
  const bare = { id: made.organization, user: made.user, realms: made.realms }
  const live = await issue(services, bare, {})
  const test = await issue(services, bare, { mode: 'test' })
  return { ...bare, key: live.secret, keyId: live.id, testKey: test.secret }
}

/** Opens a world on a new database. The caller closes it. */
export async function openWorld(engine: EngineName, options: WorldOptions = {}): Promise<World> {
  const database = await migratedDatabase(engine)
  const clock = new HandClock(started_at)
  const config = readConfig({
    ...test_environment,
    ATRIUM_DATA_DIR: database.folder,
    ATRIUM_DATABASE_URL: database.url,
    ATRIUM_SECRET_KEY: test_secret_key,
    ATRIUM_WORKERS: 'false',
    // Tests receive webhooks on the loopback.
    ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    ...options.environment,
  })
  const server = await startServer(config, {
    clock,
    ...(options.versions === undefined ? {} : { versions: options.versions }),
  })
  const acme = await found(server.services, 'Acme', options.plan ?? 'enterprise')
  const globex = await found(server.services, 'Globex', 'studio')
  return new World(server, clock, database, acme, globex)
}

/** An object that is opened before a suite's first test; until then it is empty. */
export function openFirst<T extends object>(open: () => Promise<T>): T {
  const object = {} as T
  before(async () => {
    const found = await open()
    Object.assign(Object.setPrototypeOf(object, Object.getPrototypeOf(found)), found)
  })
  return object
}

/** The world of a suite: opened before its first test, closed after the last one. */
export function worldOf(engine: EngineName, options: WorldOptions = {}): World {
  const world = openFirst(() => openWorld(engine, options))
  after(() => world.close())
  return world
}

/** Declares the suite on both engines, each with a world of its own. */
export function onEveryWorld(title: string, suite: (world: World, engine: EngineName) => void): void {
  onEveryEngine(title, (engine) => suite(worldOf(engine), engine))
}

/** The same, but not on a cluster (`onEveryServer`). */
export function onEveryServersWorld(title: string, suite: (world: World, engine: EngineName) => void): void {
  onEveryServer(title, (engine) => suite(worldOf(engine), engine))
}
