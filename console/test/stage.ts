/**
 * The stage of a browser test: a real server on a free port with a new database, one organization, and a real browser.
 * People sign in as in production, by the links that the server creates.
 */
import { after } from 'node:test'
import type { BrowserContextOptions, Locator, Page } from 'playwright-core'
import { Atrium } from '../../sdk/typescript/src/index.ts'
import { found, foundDemo } from '../../server/src/cli/founding.ts'
import { readConfig } from '../../server/src/config.ts'
import { createOperatorLink } from '../../server/src/console/links/create-operator-link.ts'
import type { Role } from '../../server/src/console/shapes.ts'
import type { Clock } from '../../server/src/lib/clock.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import { type OpenBrowser, openBrowser, type WatchedPage } from '../../server/test/browser.ts'
import type { Database } from '../../server/test/engines.ts'
import { test_environment, test_secret_key } from '../../server/test/environment.ts'
import { migratedDatabase } from '../../server/test/migrated.ts'
import { openFirst } from '../../server/test/world.ts'
import { settled, watchShifts } from './checks.ts'

export const password = 'correct horse battery staple'
/** A busy machine takes minutes to draw a page that a quiet one draws in a second. */
const wait_ms_max = 60_000

export const owner_email = 'owner@acme.example'

export interface StageOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** The host name of the pages. Passkeys need `localhost`. */
  readonly host?: '127.0.0.1' | 'localhost'
  /** Whether to create the demo organization with its history instead of an empty one. */
  readonly demo?: boolean
  /**
   * Whether pages have the service worker. It takes a fifth of a page's processor time, so only the stories about it and the
   * one that opens every page have it. It is the same program on all pages, and no request of a page's data goes through it.
   */
  readonly serviceWorker?: boolean
}

/** A member with an account. */
export interface StagePerson {
  readonly email: string
  readonly user: string
  readonly role: Role
}

/** The system's time plus the time that the test has skipped. */
class StageClock implements Clock {
  skipped_ms = 0

  now(): number {
    return Date.now() + this.skipped_ms
  }
}

interface StageParts extends Pick<Stage, 'url' | 'server' | 'browser' | 'organization' | 'owner' | 'key' | 'setupUrl'> {
  readonly serviceWorkers: 'allow' | 'block'
  readonly clock: StageClock
  readonly database: Database
}

export class Stage {
  readonly url: string
  readonly server: RunningServer
  readonly browser: OpenBrowser
  readonly organization: string
  readonly owner: StagePerson
  /** A client with a key of all scopes, to arrange and assert. */
  readonly atrium: Atrium
  readonly key: string
  /** The owner's set-up link, unused. */
  readonly setupUrl: string
  private readonly serviceWorkers: 'allow' | 'block'
  private readonly clock: StageClock
  private readonly database: Database
  /** Signed-in pages, by user. */
  private readonly pages = new Map<string, WatchedPage>()
  /** Users who have a password. */
  private readonly accounts = new Set<string>()

  constructor(parts: StageParts) {
    this.url = parts.url
    this.server = parts.server
    this.browser = parts.browser
    this.organization = parts.organization
    this.owner = parts.owner
    this.key = parts.key
    this.setupUrl = parts.setupUrl
    this.atrium = new Atrium({ apiKey: parts.key, baseUrl: parts.server.url, maxRetries: 0 })
    this.serviceWorkers = parts.serviceWorkers
    this.clock = parts.clock
    this.database = parts.database
  }

  /** The owner as the actor of events and audit entries. */
  get ownerActor(): { readonly type: 'user'; readonly id: string } {
    return { type: 'user', id: this.owner.user }
  }

  /** Opens a watched page without a session. */
  async open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await this.browser.open(this.url, { serviceWorkers: this.serviceWorkers, ...options })
    watched.page.context().setDefaultTimeout(wait_ms_max)
    await watched.page.addInitScript({ content: watchShifts })
    return watched
  }

  /** Opens `/` on the page on which a person is signed in. */
  async signedIn(person: StagePerson = this.owner, { fresh = false } = {}): Promise<WatchedPage> {
    return await this.visit('/', { person, fresh })
  }

  /**
   * Opens a path on the page on which a person is signed in: the same page on every call, because a browser has one session.
   * `fresh` opens another browser with a new session, with these options. What an earlier test recorded on the page is discarded.
   */
  async visit(
    path: string,
    { person = this.owner, fresh = false, options = {} as BrowserContextOptions } = {},
  ): Promise<WatchedPage> {
    const kept = fresh ? undefined : this.pages.get(person.user)
    const watched = kept ?? (await this.openSession(person, options))
    if (!fresh) this.pages.set(person.user, watched)
    if (kept !== undefined) for (const list of [kept.errors, kept.foreign, kept.violations]) list.length = 0
    if (kept !== undefined || path !== '/') await watched.page.goto(`${this.url}${path}`)
    // An open dialog hides the page behind it.
    await watched.page.locator('h1').first().waitFor({ state: 'attached' })
    await settled(watched.page)
    return watched
  }

  private async openSession(person: StagePerson, options: BrowserContextOptions): Promise<WatchedPage> {
    const watched = await this.open(options)
    if (this.accounts.has(person.user)) await this.signIn(watched.page, person)
    else await this.setUp(watched.page, person)
    return watched
  }

  private async setUp(page: Page, person: StagePerson): Promise<void> {
    await page.goto(await this.link(person))
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await waitForShell(page)
    this.accounts.add(person.user)
  }

  /** Signs in on the page by email and password. */
  async signIn(page: Page, { email }: StagePerson): Promise<void> {
    await page.goto(`${this.url}/sign-in`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await waitForShell(page)
  }

  /** Creates a link by which a person sets a password and signs in. */
  async link({ email, role }: StagePerson): Promise<string> {
    const { url } = await createOperatorLink(this.server.services, { organization: this.organization, email, role })
    return url.replace(this.server.url, this.url)
  }

  /** Adds a member to the organization. */
  async person(role: Role, firstName = 'Mara', lastName = 'Lindt'): Promise<StagePerson> {
    const email = `${firstName}.${lastName}@acme.example`.toLowerCase()
    const names = { first_name: firstName, last_name: lastName }
    const { user } = await addMember(this.server.services, this.organization, { email, ...names })
    return { email, user, role }
  }

  /** Lets time pass on the server's clock. */
  later(seconds: number): void {
    this.clock.skipped_ms += seconds * 1000
  }

  /** The actor of the latest audit entry with this action. */
  async lastActor(action: string) {
    const { data } = await this.atrium.auditLogs.list({ action, limit: 1 })
    return data[0]?.actor
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.server.close()
    await this.database.remove()
  }
}

/** The dialog that asks for the password before a sensitive change. */
export function confirmationOn(page: Page): Locator {
  return page.getByRole('dialog', { name: 'Confirm access' })
}

/** Gives the password in the confirmation dialog. */
export async function confirmIdentity(page: Page): Promise<void> {
  const dialog = confirmationOn(page)
  await dialog.getByLabel('Password', { exact: true }).fill(password)
  await page.keyboard.press('Enter')
  await dialog.waitFor({ state: 'hidden' })
}

/** Gives the password if the page asks for it before `next` appears. */
export async function confirmIfAsked(page: Page, next: Locator): Promise<void> {
  const dialog = confirmationOn(page)
  await dialog.or(next).first().waitFor()
  if (await dialog.isVisible()) await confirmIdentity(page)
}

async function waitForShell(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Navigation' }))
    .first()
    .waitFor()
}

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { environment = {}, host = '127.0.0.1', demo, serviceWorker } = options
  const database = await migratedDatabase('sqlite')
  const config = readConfig({
    ...test_environment,
    ATRIUM_DATA_DIR: database.folder,
    ATRIUM_SECRET_KEY: test_secret_key,
    // Tests receive webhooks on the loopback.
    ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    ...environment,
  })
  const clock = new StageClock()
  const server = await startServer(config, { clock })
  const founding = { name: 'Acme', ownerEmail: owner_email, plan: 'enterprise', domains: [] } as const
  const first = demo ? await foundDemo(server.services) : await found(server.services, founding)
  if (first === null) throw new Error('The demo organization could not be created.')
  const { organization, user, api_key, setup_url } = first
  const browser = await openBrowser()
  const url = server.url.replace('127.0.0.1', host)
  const owner = { email: demo ? 'owner@demo.example' : owner_email, user, role: 'owner' } as const
  const setupUrl = setup_url.replace(server.url, url)
  const serviceWorkers = serviceWorker ? 'allow' : 'block'
  const key = api_key.secret
  return new Stage({ url, server, browser, organization, owner, key, setupUrl, serviceWorkers, clock, database })
}

/** The stage of a suite: opened before its first test, closed after the last one. */
export function stageOf(options: StageOptions = {}): Stage {
  const stage = openFirst(() => openStage(options))
  after(() => stage.close())
  return stage
}
