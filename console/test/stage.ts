/**
 * The stage of the console's tests: a real server on a port of its own with an empty folder, one organization, and a real
 * browser. People get in as people do: by the links that the server hands out.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { Atrium } from '../../sdk/typescript/src/index.ts'
import { found, foundDemo } from '../../server/src/cli/founding.ts'
import { readConfig } from '../../server/src/config.ts'
import { createLink } from '../../server/src/console/links/create-by-operator.ts'
import type { Role } from '../../server/src/console/shapes.ts'
import type { Clock } from '../../server/src/lib/clock.ts'
import { type RunningServer, startServer } from '../../server/src/main.ts'
import { addMember } from '../../server/src/resources/members/write.ts'
import { type OpenBrowser, openBrowser, type WatchedPage } from '../../server/test/browser.ts'
import { watchShifts } from './checks.ts'

export const password = 'correct horse battery staple'
/** A busy machine may take long to draw a page. */
const wait_ms_max = 90_000

export const owner_email = 'owner@acme.example'

export interface StageOptions {
  readonly environment?: Readonly<Record<string, string>>
  /** By which name of the loopback the pages are opened: passkeys need `localhost`. */
  readonly host?: '127.0.0.1' | 'localhost'
  /** The demo organization with its days of work, instead of an empty one. */
  readonly demo?: boolean
}

/** Somebody with an account. */
export interface StagePerson {
  readonly email: string
  readonly user: string
  readonly role: Role
}

/** The system's time, and what a test has let pass besides. */
class StageClock implements Clock {
  passed_ms = 0

  now(): number {
    return Date.now() + this.passed_ms
  }
}

interface Made extends Pick<Stage, 'url' | 'server' | 'browser' | 'organization' | 'owner' | 'key' | 'setupUrl'> {
  readonly clock: StageClock
  readonly folder: string
}

export class Stage {
  readonly url: string
  readonly server: RunningServer
  readonly browser: OpenBrowser
  readonly organization: string
  readonly owner: StagePerson
  /** For arranging: a client with a key of every scope. */
  readonly atrium: Atrium
  readonly key: string
  /** The owner's set-up link, not used yet. */
  readonly setupUrl: string
  readonly #clock: StageClock
  readonly #folder: string
  /** By user. */
  readonly #pages = new Map<string, WatchedPage>()
  /** Users who have a password. */
  readonly #accounts = new Set<string>()

  constructor(made: Made) {
    this.url = made.url
    this.server = made.server
    this.browser = made.browser
    this.organization = made.organization
    this.owner = made.owner
    this.key = made.key
    this.setupUrl = made.setupUrl
    this.atrium = new Atrium({ apiKey: made.key, baseUrl: made.server.url, maxRetries: 0 })
    this.#clock = made.clock
    this.#folder = made.folder
  }

  /** A page that nobody is signed in on, watched. */
  async open(options: BrowserContextOptions = {}): Promise<WatchedPage> {
    const watched = await this.browser.open(this.url, options)
    watched.page.context().setDefaultTimeout(wait_ms_max)
    await watched.page.addInitScript({ content: watchShifts })
    return watched
  }

  /**
   * The page on which a person is signed in, freshly opened at `/`: always the same one, as one browser has one session.
   * `fresh`: another browser, with a session of its own.
   */
  async signedIn(person: StagePerson = this.owner, options: { readonly fresh?: boolean } = {}): Promise<WatchedPage> {
    const kept = options.fresh ? undefined : this.#pages.get(person.user)
    if (kept !== undefined) {
      await kept.page.goto(this.url)
      await inside(kept.page)
      for (const list of [kept.errors, kept.foreign, kept.violations]) list.length = 0
      return kept
    }
    const watched = await this.open()
    if (this.#accounts.has(person.user)) await this.#signIn(watched.page, person)
    else await this.#setUp(watched.page, person)
    if (!options.fresh) this.#pages.set(person.user, watched)
    return watched
  }

  async #setUp(page: Page, person: StagePerson): Promise<void> {
    await page.goto(await this.link(person))
    await page.getByLabel('New password').fill(password)
    await page.keyboard.press('Enter')
    await inside(page)
    this.#accounts.add(person.user)
  }

  async #signIn(page: Page, { email }: StagePerson): Promise<void> {
    await page.goto(`${this.url}/sign-in`)
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password', { exact: true }).fill(password)
    await page.keyboard.press('Enter')
    await inside(page)
  }

  /** A link that lets a person in, and sets their password. */
  async link({ email, role }: StagePerson): Promise<string> {
    const { url } = await createLink(this.server.services, { organization: this.organization, email, role })
    return url.replace(this.server.url, this.url)
  }

  /** Somebody else of the organization. */
  async person(role: Role, firstName = 'Mara', lastName = 'Lindt'): Promise<StagePerson> {
    const email = `${firstName}.${lastName}@acme.example`.toLowerCase()
    const names = { first_name: firstName, last_name: lastName }
    const { user } = await addMember(this.server.services, this.organization, { email, ...names })
    return { email, user, role }
  }

  /** Lets seconds pass, for the server. */
  later(seconds: number): void {
    this.#clock.passed_ms += seconds * 1000
  }

  async close(): Promise<void> {
    await this.browser.close()
    await this.server.close()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

async function inside(page: Page): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Main' })
    .or(page.getByRole('button', { name: 'Navigation' }))
    .first()
    .waitFor()
}

export async function openStage({ environment = {}, host = '127.0.0.1', demo }: StageOptions = {}): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'atrium-stage-'))
  const config = readConfig({
    ATRIUM_PORT: '0',
    ATRIUM_DATA_DIR: folder,
    ATRIUM_LOG_LEVEL: 'error',
    ATRIUM_CREDITS_PER_MINUTE: 'unlimited',
    ATRIUM_CREDITS_PER_DAY: 'unlimited',
    ATRIUM_CREDITS_PER_PLAN_DAY: 'unlimited',
    // Tests receive webhooks on the loopback.
    ATRIUM_EGRESS_ALLOWED_CIDRS: '127.0.0.0/8',
    ...environment,
  })
  const clock = new StageClock()
  const server = await startServer(config, { clock })
  const founding = { name: 'Acme', ownerEmail: owner_email, plan: 'enterprise', domains: [] } as const
  const first = demo ? await foundDemo(server.services) : await found(server.services, founding)
  if (first === null) throw new Error('The demo organization could not be made.')
  const { organization, user, api_key, setup_url } = first
  const browser = await openBrowser()
  const url = server.url.replace('127.0.0.1', host)
  const owner = { email: demo ? 'owner@demo.example' : owner_email, user, role: 'owner' } as const
  const setupUrl = setup_url.replace(server.url, url)
  return new Stage({ url, server, browser, organization, owner, key: api_key.secret, setupUrl, clock, folder })
}
