/** A browser as the console's server sees it: keeps the cookie, sends its origin and the CSRF token. */
import assert from 'node:assert/strict'
import { createOperatorLink } from '../../src/console/links/create-operator-link.ts'
import type { Role } from '../../src/console/shapes.ts'
import { call, type Reply } from '../call.ts'
import type { Organization, World } from '../world.ts'

export interface VisitOptions {
  readonly body?: unknown
  /** Replaces the page's origin; `null` sends none. */
  readonly origin?: string | null
  readonly csrf?: string | null
  readonly cookie?: string | null
  readonly raw?: string
  readonly headers?: Readonly<Record<string, string | string[]>>
}

export class Visitor {
  readonly url: string
  readonly origin: string
  cookie: string | null = null
  csrf: string | null = null

  /** A page with this origin, served by the server at `url`. */
  constructor(url: string, origin: string = url) {
    this.url = url
    this.origin = origin
  }

  async send(method: string, path: string, options: VisitOptions = {}): Promise<Reply> {
    const { body, raw, origin = this.origin, csrf = this.csrf, cookie = this.cookie } = options
    const reply = await call(this.url, method, `/app/api/${path}`, {
      key: null,
      idempotencyKey: null,
      ...(body === undefined ? {} : { body }),
      ...(raw === undefined ? {} : { raw }),
      headers: {
        ...(origin === null || method === 'GET' ? {} : { origin }),
        ...(csrf === null || method === 'GET' ? {} : { 'x-csrf': csrf }),
        ...(cookie === null ? {} : { cookie: `__Host-atrium=${cookie}` }),
        ...options.headers,
      },
    })
    const set = setCookies(reply).find((header) => header.startsWith('__Host-atrium='))
    if (set !== undefined) this.cookie = /^__Host-atrium=([^;]*)/.exec(set)?.[1] || null
    if (typeof reply.body?.csrf === 'string') this.csrf = reply.body.csrf
    return reply
  }

  get(path: string, options: VisitOptions = {}): Promise<Reply> {
    return this.send('GET', path, options)
  }

  post(path: string, body: unknown = {}, options: VisitOptions = {}): Promise<Reply> {
    return this.send('POST', path, { body, ...options })
  }

  patch(path: string, body: unknown, options: VisitOptions = {}): Promise<Reply> {
    return this.send('PATCH', path, { body, ...options })
  }

  delete(path: string, options: VisitOptions = {}): Promise<Reply> {
    return this.send('DELETE', path, options)
  }

  /** Sends a request that must succeed, and returns its body. */
  async must(method: string, path: string, body?: unknown): Promise<Reply['body']> {
    const reply = await this.send(method, path, body === undefined ? {} : { body })
    assert.equal(reply.status, 200, `${method} ${path}: ${reply.text}`)
    return reply.body
  }

  /** Loads the session, as the page does first. */
  async arrive(): Promise<Reply['body']> {
    return await this.must('GET', 'session')
  }

  async signIn(email: string, password: string): Promise<Reply['body']> {
    await this.arrive()
    return await this.must('POST', 'session', { email, password })
  }

  /** A token for `/v1`. */
  async token(options: { readonly mode?: 'live' | 'test'; readonly manage?: boolean } = {}): Promise<string> {
    return (await this.must('POST', 'token', { mode: 'live', ...options })).token
  }
}

export function setCookies(reply: Reply): string[] {
  return ((reply.headers as Record<string, string | string[] | undefined>)['set-cookie'] as string[]) ?? []
}

/** The status, code and parameter of an error, to compare. */
export function refusal(reply: Reply): readonly [status: number, code: string, param?: string] {
  const { code, param } = reply.body?.error ?? {}
  return param === undefined ? [reply.status, code] : [reply.status, code, param]
}

export const password = 'a horse that reads'

/** The token in a link's URL. */
export function tokenOf(url: string): string {
  return url.split('#')[1] ?? ''
}

/** The owner of an organization, with a new account, signed in. */
export async function ownerOf(world: World, organization: Organization = world.acme): Promise<Visitor> {
  const name = organization === world.globex ? 'globex' : 'acme'
  const link = await createOperatorLink(world.services, {
    organization: organization.id,
    email: `owner@${name}.example`,
  })
  const visitor = new Visitor(world.server.url)
  await visitor.arrive()
  await visitor.must('POST', 'set-up', { token: tokenOf(link.url), password })
  return visitor
}

/** A new person, invited by an owner after a step-up, signed in; a guest to these projects. */
export async function join(owner: Visitor, email: string, role: Role, projects?: string[]): Promise<Visitor> {
  await owner.must('POST', 'step-up', { password })
  const { url } = await owner.must('POST', 'invitations', { email, role, projects })
  const visitor = new Visitor(owner.url)
  await visitor.arrive()
  await visitor.must('POST', 'set-up', { token: tokenOf(url), password })
  return visitor
}
