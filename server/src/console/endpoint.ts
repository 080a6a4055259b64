/**
 * An endpoint of `/app/api`: one declaration and one handler a file, registered in `endpoints.ts`. The declaration says
 * what is true of this endpoint; who may call, where from, and the form of what was sent is checked before the handler
 * runs, in `answer.ts`. Its name, `METHOD path`, is its key in `shapes.ts`, which fixes what it takes and answers.
 */
import type { TObject } from 'typebox'
import type { Parameters } from '../api/parameters.ts'
import type { Request } from '../api/request.ts'
import type { Services } from '../api/services.ts'
import { limits } from '../lib/limits.ts'
import type { OpenSession } from './sessions/session.ts'
import type { AnswerOf, BodyOf, EndpointName, QueryOf, Role } from './shapes.ts'

/** `step_up`: a password or passkey was given within the last ten minutes. */
export type Needs = 'nothing' | 'session' | 'step_up'

/** Everything that a handler gets. */
export interface Context<K extends EndpointName, N extends Needs> {
  readonly services: Services
  readonly request: Request
  /** Milliseconds. */
  readonly now: number
  /** The page's origin: one of the console's own. */
  readonly origin: string
  readonly session: N extends 'nothing' ? OpenSession | null : OpenSession
  readonly params: Readonly<Record<string, string>>
  readonly query: QueryOf<K>
  readonly body: BodyOf<K>
  /** Puts a session's value into the browser; `null` takes it out. */
  readonly setCookie: (cookie: Cookie | null) => void
}

export interface Cookie {
  readonly value: string
  /** Milliseconds. */
  readonly expiresAt: number
}

interface Declaration<K extends EndpointName, N extends Needs> {
  readonly needs: N
  /** The least that is allowed; without it anybody who is signed in. */
  readonly role?: Exclude<Role, 'member'>
  readonly query?: Parameters
  readonly body?: TObject
  readonly body_bytes_max?: number
  handle(context: Context<K, N>): Promise<AnswerOf<K>>
}

export interface Endpoint {
  readonly name: EndpointName
  readonly method: string
  /** The segments behind `/app/api/`; one in braces is a place. */
  readonly path: readonly string[]
  readonly needs: Needs
  readonly role: Exclude<Role, 'member'> | null
  readonly query: Parameters
  readonly body: TObject | null
  readonly body_bytes_max: number
  handle(context: Context<never, Needs>): Promise<object>
}

export function endpoint<const K extends EndpointName, const N extends Needs>(
  name: K,
  declared: Declaration<K, N>,
): Endpoint {
  const [method = '', path = ''] = name.split(' ')
  return {
    role: null,
    query: {},
    body: null,
    body_bytes_max: limits.console_body_bytes_max,
    ...(declared as unknown as Pick<Endpoint, 'needs' | 'handle'>),
    name,
    method,
    path: path.split('/'),
  }
}
