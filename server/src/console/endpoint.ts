/**
 * An endpoint of `/app/api`: a declaration and a handler, registered in `endpoints.ts`. `answer.ts` enforces the
 * declaration (access, parameters, body) before it calls the handler. The name, `METHOD path`, is the endpoint's key in
 * `shapes.ts`, which types its request and its answer.
 */
import type { TObject } from 'typebox'
import type { Parameters } from '../api/declare/parameters.ts'
import type { Request } from '../api/declare/request.ts'
import type { Services } from '../api/services.ts'
import { console_limits } from './limits.ts'
import type { ActiveSession, SecondFactorNeed } from './sessions/session.ts'
import type { AnswerOf, BodyOf, EndpointName, QueryOf, Role } from './shapes.ts'

/** `step_up`: the user entered the password or used a passkey within the last ten minutes. */
export type AccessLevel = 'nothing' | 'session' | 'step_up'

/** The argument of a handler. */
export interface Context<K extends EndpointName, N extends AccessLevel> {
  readonly services: Services
  readonly request: Request
  /** Milliseconds. */
  readonly now: number
  /** The page's origin, checked to be one of the console's. */
  readonly origin: string
  readonly session: N extends 'nothing' ? ActiveSession | null : ActiveSession
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryOf<K>
  readonly body: BodyOf<K>
  /** Sets the session cookie; `null` removes it from the browser. */
  readonly setCookie: (cookie: Cookie | null) => void
  /** Sets the cookie of a sign-in that is at an OpenID provider: a `Set-Cookie` header. */
  readonly setFlowCookie: (header: string) => void
}

/** The context of any endpoint. Parameters and body have been checked against its declaration. */
interface AnyContext extends Omit<Context<never, 'nothing'>, 'query' | 'body'> {
  readonly query: unknown
  readonly body: unknown
}

export interface Cookie {
  readonly value: string
  /** Milliseconds. */
  readonly expiresAt: number
}

/** A role that an endpoint can ask for. */
type LeastRole = Exclude<Role, 'member' | 'guest'>

interface EndpointDeclaration<K extends EndpointName, N extends AccessLevel> {
  readonly needs: N
  /** The minimum role; default: any signed-in user. */
  readonly role?: LeastRole
  /** Also for guests, about what they see; to others signed in it makes no difference. Default: refused to guests. */
  readonly guests?: true
  /** Also for a session that still has to set up or prove a second factor. Default: refused to it. */
  readonly before_second_factor?: readonly SecondFactorNeed[]
  /** Adds, replaces or removes second factors or recovery codes: only after a proof in this session (`own-proof.ts`). */
  readonly changes_second_factor?: true
  /** Only operators of the installation; to others the endpoint does not exist. */
  readonly operator?: true
  readonly query?: Parameters
  readonly body?: TObject
  readonly body_bytes_max?: number
  handle(context: Context<K, N>): Promise<AnswerOf<K>>
}

export interface Endpoint {
  readonly name: EndpointName
  readonly method: string
  /** The path's segments after `/app/api/`; one in braces is a parameter. */
  readonly path: readonly string[]
  readonly needs: AccessLevel
  readonly role: LeastRole | null
  readonly guests: boolean
  readonly before_second_factor: readonly SecondFactorNeed[]
  readonly changes_second_factor: boolean
  readonly operator: boolean
  readonly query: Parameters
  readonly body: TObject | null
  readonly body_bytes_max: number
  handle(context: AnyContext): Promise<object>
}

export function endpoint<const K extends EndpointName, const N extends AccessLevel>(
  name: K,
  declared: EndpointDeclaration<K, N>,
): Endpoint {
  const [method = '', path = ''] = name.split(' ')
  return {
    role: null,
    guests: false,
    before_second_factor: [],
    changes_second_factor: false,
    operator: false,
    query: {},
    body: null,
    body_bytes_max: console_limits.console_body_bytes_max,
    ...declared,
    name,
    method,
    path: path.split('/'),
  }
}
