import assert from 'node:assert/strict'
import type { Reply } from '../call.ts'
import { ProviderVisitor } from '../openid-provider.ts'
import { setCookies, Visitor } from './visitor.ts'

/** A browser that also keeps the cookie of a sign-in that is at a provider. */
export class OpenIdVisitor extends Visitor {
  readonly provider = new ProviderVisitor()
  flow: string | null = null

  override async send(...[method, path, options = {}]: Parameters<Visitor['send']>): Promise<Reply> {
    const cookies = [
      ...(this.cookie === null ? [] : [`__Host-atrium=${this.cookie}`]),
      ...(this.flow === null ? [] : [`__Host-atrium-openid=${this.flow}`]),
    ]
    const cookie: Record<string, string> = cookies.length === 0 ? {} : { cookie: cookies.join('; ') }
    const reply = await super.send(method, path, {
      ...options,
      cookie: null,
      headers: { ...cookie, ...options.headers },
    })
    for (const set of setCookies(reply)) this.flow = /^__Host-atrium-openid=([^;]+)/.exec(set)?.[1] ?? this.flow
    return reply
  }

  /** Starts a sign-in and returns the provider's page. */
  async start(provider: string, next = '/'): Promise<string> {
    await this.arrive()
    return (await this.must('POST', 'session/openid', { provider, next })).url
  }

  back(provider: string, query: string): Promise<Reply> {
    return this.post('session/openid/return', { provider, query })
  }

  /** Signs in as a person of the certified provider; `null` cancels there. */
  async by(provider: string, login: string | null, next = '/'): Promise<Reply> {
    const returned = await this.provider.visit(await this.start(provider, next), login)
    assert.equal(returned.pathname, `/sign-in/return/${provider}`)
    return await this.back(provider, returned.search.slice(1))
  }
}
