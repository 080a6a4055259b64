/** The secret key of a database: which key it takes, and what a rotation moves, wherever it is cut off. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, it } from 'node:test'
import { sql } from 'kysely'
import { type GivenFiles, rotate, type Step } from '../../src/cli/secret-key-rotate.ts'
import { ConfigError, readConfig } from '../../src/config.ts'
import { findAuthenticator } from '../../src/console/second-factor/queries.ts'
import { keepIdToken } from '../../src/console/sessions/id-token.ts'
import { definition, onceQuery } from '../../src/db/query.ts'
import type { AutomationAddressRow } from '../../src/db/schema.ts'
import { authenticatorContext, pushTargetContext, sealed_columns } from '../../src/db/secret-key/sealed-values.ts'
import { tableKeys } from '../../src/db/tables/keys.ts'
import { openServices, type RunningServer, startServer } from '../../src/main.ts'
import { pushKeys } from '../../src/notifications/push-keys.ts'
import { openSecret } from '../../src/resources/automation_runs/queries/secrets.ts'
import { writeSecret } from '../../src/resources/automation_runs/secrets.ts'
import { formAddresses } from '../../src/resources/automation_runs/shared/forms.ts'
import { hookAddresses } from '../../src/resources/automation_runs/shared/hooks.ts'
import { mailAddresses } from '../../src/resources/automation_runs/shared/mails.ts'
import { queueLinkMail } from '../../src/resources/notifications/shared/link-mail.ts'
import { storeResetRequest } from '../../src/resources/notifications/shared/password-resets.ts'
import { signingSecrets } from '../../src/resources/webhook_endpoints/secrets.ts'
import { call } from '../call.ts'
import { type Database, onEveryEngine } from '../engines.ts'
import { databaseOfProgram } from '../migrated.ts'
import { openReceiver } from '../receiver.ts'
import { type Installation, install, makeWorkspace } from './installation.ts'

const program = join(import.meta.dirname, 'rotate-key.ts')

/** Webhooks may go to the loopback. */
const loopback = { ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8' }
/** Of an answer with a secret. */
const idempotencyKey = 'a-key-that-is-asked-for-again'

onEveryEngine('The secret key', (engine) => {
  let database: Database
  let installation: Installation
  /** ATRIUM_SECRET_KEY; empty where the data directory keeps the key. */
  let key: string
  let rotations = 0
  /** What must work whatever key is in force. */
  let made: {
    readonly issued: unknown
    readonly signing: string
    readonly workspace: string
    readonly cursor: string
    readonly address: string
  }

  before(async () => {
    database = await databaseOfProgram(engine)
    key = engine === 'sqlite' ? '' : randomBytes(32).toString('base64')
    installation = await install(database.url, database.folder, { ...loopback, ATRIUM_SECRET_KEY: key })
    await whileServed(async (server) => {
      const workspace = await makeWorkspace(server.url, installation.key)
      for (const title of ['One', 'Two']) await post(server, '/v1/tasks', { workspace, title })
      const { next_cursor: cursor } = await get(server, `/v1/tasks?workspace=${workspace}&limit=1&sort=title`)
      const receiver = await openReceiver()
      const endpoint = { url: receiver.url, event_types: ['*'] }
      const { signing_secret: signing } = await post(server, '/v1/webhook_endpoints', endpoint)
      await receiver.close()
      const issued = await post(server, '/v1/api_keys', { name: 'Another', scopes: ['tasks:read'] }, idempotencyKey)
      const { organization } = installation
      await writeSecret(server.services, { organization, mode: 'live', name: 'deploy_key', value: 'kept' })
      await storeMails(server)
      await storeApp(server)
      made = { issued, signing, workspace, cursor, address: await storeHook(server) }
    })
  })
  afterEach(() => {
    for (const name of Object.keys(process.env)) if (name.startsWith('ATRIUM_')) restore(name)
  })
  after(() => database.remove())

  const inherited = { ...process.env }
  function restore(name: string): void {
    if (inherited[name] === undefined) delete process.env[name]
    else process.env[name] = inherited[name]
  }

  const environmentOf = (secretKey = key) => ({ ...installation.environment, ATRIUM_SECRET_KEY: secretKey })

  async function whileServed(use: (server: RunningServer) => Promise<void>, secretKey = key): Promise<void> {
    const server = await startServer(readConfig(environmentOf(secretKey)))
    try {
      await use(server)
    } finally {
      await server.close()
    }
  }

  async function post(server: RunningServer, path: string, body: object, idempotency?: string) {
    const more = idempotency === undefined ? {} : { idempotencyKey: idempotency }
    const reply = await call(server.url, 'POST', path, { key: installation.key, body, ...more })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  async function get(server: RunningServer, path: string) {
    const reply = await call(server.url, 'GET', path, { key: installation.key })
    assert.equal(reply.status, 200, reply.text)
    return reply.body
  }

  /** Credentials, cursors, stored answers and sealed values are what they were. */
  const assertWorks = () =>
    whileServed(async (server) => {
      const { services } = server
      const next = `/v1/tasks?workspace=${made.workspace}&limit=1&sort=title&starting_after=${made.cursor}`
      assert.deepEqual(
        (await get(server, next)).data.map((task: { title: string }) => task.title),
        ['Two'],
      )
      const again = await post(server, '/v1/api_keys', { name: 'Another', scopes: ['tasks:read'] }, idempotencyKey)
      assert.deepEqual(again, made.issued)
      const [endpoint] = await services.store.reader('system').all(allOf('webhook_endpoints'))
      assert.deepEqual(signingSecrets(services.sealer, endpoint as never, services.clock.now()), [made.signing])
      assert.equal(await openSecret(services, installation.realms.live, 'deploy_key'), 'kept')
      assert.equal(await addressOf(server), made.address)
      const app = await services.store.reader('system').first(findAuthenticator, { account })
      assert.equal(services.sealer.open(app?.secret ?? '', authenticatorContext(account)), 'of the app')
    })

  const hookedFlow = () => ({ realm: installation.realms.live, id: 'flow_of_requests' })

  /** A flow's addresses for incoming webhooks, of its form and for mail. Returns the secrets that they end in. */
  async function storeHook(server: RunningServer): Promise<string> {
    const { store, sealer, clock } = server.services
    const flow = { ...hookedFlow(), organization: installation.organization, mode_of_data: 'live' }
    await store.write('system', async (tx) => {
      await hookAddresses.open(tx, sealer, flow, clock.now())
      await formAddresses.open(tx, sealer, flow, clock.now())
      await mailAddresses.open(tx, sealer, flow, clock.now())
    })
    return await addressOf(server)
  }

  async function addressOf({ services: { store, sealer } }: RunningServer): Promise<string> {
    const hook = await hookAddresses.ofFlow(store.reader('system'), hookedFlow())
    const form = await formAddresses.ofFlow(store.reader('system'), hookedFlow())
    const mailbox = await mailAddresses.ofFlow(store.reader('system'), hookedFlow())
    return [
      hookAddresses.secretOf(sealer, hook as AutomationAddressRow),
      formAddresses.secretOf(sealer, form as AutomationAddressRow),
      mailAddresses.secretOf(sealer, mailbox as AutomationAddressRow),
    ].join(' ')
  }

  const account = 'acc_1'

  /** An account's authenticator app, and what its provider said of a session. */
  async function storeApp({ services: { store, sealer, clock } }: RunningServer): Promise<void> {
    const secret = sealer.seal('of the app', authenticatorContext(account))
    const now = clock.now()
    const session = { id: 'ses_1', organization: installation.organization, expiresAt: now + 60_000 }
    await store.write('system', async (tx) => {
      tx.insert('authenticators', { account, secret, last_step: 1, created: now })
      keepIdToken(tx, sealer, session, 'of the provider', now)
    })
  }

  /** A mail with a link, a request for one, and a browser that shows notices. */
  async function storeMails({ services }: RunningServer): Promise<void> {
    const { organization, realms } = installation
    await pushKeys(services)
    await services.store.write('system', async (tx) => {
      const to = { realm: realms.live, organization, user: 'usr_ada', email: 'ada@acme.example' }
      queueLinkMail(services, tx, to, { subject: 'A link', text: 'Here it is.' }, services.clock.now())
      const id = 'psb_1'
      const target = services.sealer.seal('{}', pushTargetContext(organization, id))
      const person = { organization, id, user: to.user, account, session: 'ses_1', user_agent: null }
      tx.insert('push_subscriptions', { ...person, target, created: services.clock.now() })
      storeResetRequest(tx, services, { email: to.email, ip: '', userAgent: null }, services.clock.now())
    })
  }

  const allOf = (table: string) =>
    onceQuery<Record<string, unknown>>((db) => ({
      compile: () => sql<Record<string, unknown>>`select * from ${sql.table(table)}`.compile(db),
    }))

  /** Every text in the database that looks sealed, with its table and column. */
  async function sealedTexts(): Promise<Map<string, string>> {
    const found = new Map<string, string>()
    await whileServed(async ({ services: { store } }) => {
      for (const { table } of tableKeys(store.dialect)) {
        for (const row of await store.reader('system').all(allOf(table))) {
          for (const [column, value] of Object.entries(row))
            if (/^v1\.[\w-]{38,}$/.test(String(value))) found.set(String(value), `${table}.${column}`)
        }
      }
    })
    return found
  }

  async function refuses(secretKey: string): Promise<void> {
    await assert.rejects(openServices(readConfig(environmentOf(secretKey))), (error: Error) => {
      assert.ok(error instanceof ConfigError, String(error))
      assert.match(error.message, /^ATRIUM_SECRET_KEY is not the key of this database: /)
      return true
    })
  }

  /** The files that a rotation is given, the key that is in force before it, and how to learn the one after it. */
  function begin(): { files: GivenFiles; former: string; next: () => string } {
    if (engine === 'sqlite') {
      const file = join(database.folder, 'secret.key')
      return { files: {}, former: readFileSync(file, 'utf8').trim(), next: () => '' }
    }
    const newKeyFile = join(database.folder, `next-${++rotations}.key`)
    return { files: { newKeyFile }, former: key, next: () => readFileSync(newKeyFile, 'utf8').trim() }
  }

  const keyFiles = () =>
    readdirSync(database.folder)
      .filter((name) => name.includes('key'))
      .sort()

  async function rotateKey(files: GivenFiles): Promise<{ rotated: boolean; sealed_values: number }> {
    Object.assign(process.env, environmentOf())
    return (await rotate(files)).json as { rotated: boolean; sealed_values: number }
  }

  async function killedAfter(step: Step, files: GivenFiles): Promise<void> {
    const child = spawn(process.execPath, [program, JSON.stringify({ files, killAfter: step })], {
      env: { ...process.env, ...environmentOf() },
      stdio: 'inherit',
    })
    assert.deepEqual(await once(child, 'exit'), [null, 'SIGKILL'])
  }

  it('is replaced by a rotation: all that was sealed is sealed again, all that was given out stays valid', async () => {
    const { files, former, next } = begin()
    const before = await sealedTexts()
    const columns = sealed_columns.map(({ table, column }) => `${table}.${column}`)
    assert.deepEqual(
      [...new Set(before.values())].sort(),
      columns.filter((name) => name !== 'webhook_endpoints.previous_secret').sort(),
    )
    assert.deepEqual((await rotateKey(files)).sealed_values, before.size)
    key = next()
    for (const [text, column] of await sealedTexts()) assert.equal(before.get(text), undefined, column)
    await refuses(former)
    await assertWorks()
  })

  const cuts: readonly (readonly [step: Step, startsBetween: boolean])[] = [
    ['announced', false],
    ['announced', true],
    ['written', false],
    ['written', true],
    ['sealed', false],
    ['committed', false],
    ['committed', true],
    ['replaced', false],
  ]
  for (const [step, startsBetween] of cuts) {
    const between = startsBetween ? ', a server has run since,' : ''
    it(`is one of the two when a rotation is killed behind "${step}"${between} and it is repeated`, async () => {
      const { files, former, next } = begin()
      await killedAfter(step, files)
      const isMoved = step === 'committed' || step === 'replaced'
      if (startsBetween) {
        if (isMoved) key = next()
        await assertWorks()
      }
      const { rotated } = await rotateKey(files)
      // Where the data directory keeps the key, a server has ended the rotation, and this is another one.
      assert.equal(rotated, !isMoved || (engine === 'sqlite' && (startsBetween || step === 'replaced')))
      key = next()
      await refuses(former)
      await assertWorks()
    })
  }

  it('is not rotated while another process uses the database, which serves on and can be restarted', async () => {
    const { files } = begin()
    await whileServed(async (server) => {
      const before = keyFiles()
      await assert.rejects(rotateKey(files), /^Error: Another process uses the database\. Stop all servers/)
      assert.deepEqual(keyFiles(), before, 'a refused rotation leaves no file')
      await get(server, '/v1/me')
    })
    await assertWorks()
  })

  it('is on disk in no other file when processes were killed while they wrote it and a rotation has ended', async () => {
    const { files, former, next } = begin()
    if (engine === 'sqlite')
      for (const name of ['secret.key', 'secret.key.next', 'secret.key.former-0000'])
        writeFileSync(join(database.folder, `${name}.${randomUUID()}`), former)
    const before = keyFiles().filter((name) => !/\.[0-9a-f]{8}-[0-9a-f-]{27}$/.test(name))
    await rotateKey(files)
    key = next()
    const [added, ...more] = keyFiles().filter((name) => !before.includes(name))
    assert.match(added ?? '', engine === 'sqlite' ? /^secret\.key\.former-[^.]+$/ : /^next-\d+\.key$/)
    assert.deepEqual(more, [])
    await assertWorks()
  })

  it('of a database from before fingerprints is the first one that opens a sealed value', async () => {
    const forget = async () => {
      const { store, close } = await openServices(readConfig(environmentOf()))
      await store.write('system', async (tx) => tx.write(definition('delete from secret_key')))
      await close()
    }
    // A rotated database has keys that only its row holds.
    const other = await databaseOfProgram(engine)
    const [rotated, first] = [installation, await install(other.url, other.folder, { ATRIUM_SECRET_KEY: key })]
    try {
      installation = first
      const secret = { organization: first.organization, mode: 'live', name: 'deploy_key', value: 'kept' } as const
      await forget()
      const another = randomBytes(32).toString('base64')
      await whileServed(async (server) => void (await writeSecret(server.services, secret)), another)
      await refuses(key || Buffer.alloc(32, 1).toString('base64'))
      await whileServed(async ({ services: { store } }) => {
        await store.write('system', async (tx) => tx.write(definition('delete from secret_key')))
      }, another)
      await refuses(key || Buffer.alloc(32, 1).toString('base64'))
      await whileServed(async () => {}, another)
    } finally {
      installation = rotated
      await other.remove()
    }
  })
})
