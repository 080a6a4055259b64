/**
 * What `/app/api` takes and answers, endpoint by endpoint, for the server and for the page alike: types only, so that
 * the page can import them. All bodies are JSON, all times Unix seconds. A key is a method and a path below `/app/api/`;
 * `query` and `body` are what the endpoint reads, `answer` what it sends with status 200. Errors come in the envelope of
 * `/v1`; `ConsoleErrorCode` names the codes that only the console has.
 *
 * Every request that is no GET carries the header `X-CSRF` with `csrf` of the last `Session`, and JSON.
 */
import type { OtherAreasApi, WorkApi } from './shapes-areas.ts'
import type { DevelopersApi } from './shapes-developers.ts'
import type { Deleted, ListOf, Mode, Role } from './shapes-words.ts'

export type * from './shapes-areas.ts'
export type * from './shapes-developers.ts'
export type * from './shapes-words.ts'

export type Plan = 'studio' | 'enterprise'

export type ConsoleErrorCode =
  /** 401: nobody is signed in, or the session is over. */
  | 'session_required'
  /** 401: the address or the password is wrong, or the passkey is not known. */
  | 'sign_in_failed'
  /** 403: the request does not come from a page of the console, or its X-CSRF is not the session's. Ask for the session anew. */
  | 'csrf_failed'
  /** 403: a password or passkey is needed again; `stepped_up_until` of the session is over. */
  | 'step_up_required'
  /** 403: this takes an admin or owner. */
  | 'role_required'
  /** 403: the public URL is plain HTTP. */
  | 'https_required'
  /** 404: the link was used, is over, or never was. */
  | 'link_invalid'
  /** 429, with Retry-After. */
  | 'too_many_attempts'

export interface ConsoleError {
  readonly error: {
    readonly type: string
    readonly code: ConsoleErrorCode | (string & {})
    readonly message: string
    readonly param?: string
    readonly details?: readonly { readonly param: string; readonly message: string }[]
    readonly request_id: string
  }
}

export interface Installation {
  /** Goes into `X-CSRF`. Another one after every sign-in and sign-out. */
  readonly csrf: string
  readonly public_url: string
  /** False: nobody can sign in here, because the public URL is plain HTTP and not of this machine. */
  readonly secure: boolean
  /** Where no passkey can be used there is the reason: the host is an address, or not secure. */
  readonly passkeys_unavailable: string | null
  readonly versions: { readonly current: string; readonly all: readonly string[] }
}

export interface SignedOut extends Installation {
  readonly signed_in: false
}

export interface OrganizationChoice {
  readonly id: string
  readonly name: string
  readonly role: Role
}

export interface SignedIn extends Installation {
  readonly signed_in: true
  readonly account: { readonly id: string; readonly email: string }
  readonly user: {
    readonly id: string
    readonly member: string
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
  }
  readonly organization: { readonly id: string; readonly name: string; readonly plan: Plan | null }
  /** All that the account belongs to, the present one too. */
  readonly organizations: readonly OrganizationChoice[]
  readonly role: Role
  /** Until then nothing needs to be confirmed. */
  readonly stepped_up_until: number
  readonly has_passkey: boolean
  readonly has_password: boolean
  readonly session: { readonly id: string; readonly expires_at: number }
  readonly demo: boolean
}

export type Session = SignedOut | SignedIn

/** A session in the list of one's own. */
export interface SessionEntry {
  readonly id: string
  readonly created: number
  readonly last_seen: number
  readonly expires_at: number
  readonly ip: string
  readonly user_agent: string | null
  readonly organization: { readonly id: string; readonly name: string }
  readonly current: boolean
}

/**
 * A token for `/v1`, to be held in memory only. Another one does not end those before it. With `manage`, which needs a
 * confirmation, it lives five minutes, may delete projects, portfolios and boards, and has `api:manage` for admins and
 * owners; without it `/v1` answers such a deletion with 403 `step_up_required`.
 */
export interface Token {
  readonly token: string
  readonly expires_at: number
  readonly scopes: readonly string[]
  readonly mode: Mode
  readonly organization: string
  /** What `/v1` calls it: the same for all tokens of a session, mode and `manage`. */
  readonly credential: string
}

/** What a link is for, before it is used. */
export interface Link {
  readonly kind: 'set_up' | 'invitation' | 'reset'
  readonly email: string
  readonly organization: { readonly id: string; readonly name: string }
  readonly role: Role
  readonly expires_at: number
  /** There is an account: its password is asked for, and not a new one. */
  readonly has_account: boolean
}

export interface Person {
  readonly user: string
  readonly member: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  /** What the member's own field says, in whatever words. */
  readonly title: string | null
  /** What the person may do in the console; `null` without an account. */
  readonly role: Role | null
  readonly status: 'active' | 'inactive' | 'pending'
  readonly has_account: boolean
  readonly last_seen: number | null
}

export interface Invitation {
  readonly id: string
  readonly email: string
  readonly user: string
  readonly role: Role
  readonly created: number
  readonly created_by: string | null
  readonly expires_at: number
}

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly last_used_at: number | null
}

/** The options and answers of WebAuthn, as `@simplewebauthn/browser` takes and gives them. */
export type PasskeyOptions = Readonly<Record<string, unknown>>
export type PasskeyResponse = Readonly<Record<string, unknown>>

/** Who acts: to show names where events and logs have ids. */
export interface Directory {
  readonly people: readonly {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly initials: string
    readonly status: string
  }[]
  /** The user that comments and boards of organization keys are made by. */
  readonly service_user: { readonly id: string; readonly name: string }
  /** Those that are there first, then those that were. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly owner: string
    readonly is_deleted: boolean
  }[]
  readonly flows: readonly { readonly id: string; readonly name: string }[]
  readonly applications: readonly { readonly id: string; readonly name: string }[]
  /** There are more people or keys than are named here. */
  readonly has_more: boolean
}

/** Sessions, sign-in, links and passkeys. */
export interface AccountApi {
  'GET session': { answer: Session }
  'POST session': { body: { email: string; password: string }; answer: SignedIn }
  'DELETE session': { answer: SignedOut }
  'POST session/organization': { body: { organization: string }; answer: SignedIn }
  'POST session/passkey/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST session/passkey': { body: { response: PasskeyResponse }; answer: SignedIn }
  'GET sessions': { answer: ListOf<SessionEntry> }
  'DELETE sessions': { answer: { readonly ended: number } }
  'DELETE sessions/{id}': { answer: Deleted }
  'POST step-up': { body: { password: string }; answer: SignedIn }
  'POST step-up/passkey/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST step-up/passkey': { body: { response: PasskeyResponse }; answer: SignedIn }
  /** A link's token stands behind the `#` of its URL, and is sent in bodies only: paths end up in logs. */
  'POST set-up/link': { body: { token: string }; answer: Link }
  'POST set-up': { body: { token: string; password: string }; answer: SignedIn }
  'POST token': { body: { mode: Mode; manage?: boolean }; answer: Token }
  'POST password': { body: { current: string; next: string }; answer: SignedIn }
  'GET passkeys': { answer: ListOf<Passkey> }
  'POST passkeys/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST passkeys': { body: { name: string; response: PasskeyResponse }; answer: Passkey }
  'DELETE passkeys/{id}': { answer: Deleted }
}

/** The organization and its people. */
export interface PeopleApi {
  'GET directory': { query: { mode?: Mode }; answer: Directory }
  'GET people': { answer: ListOf<Person> & { readonly has_more: boolean } }
  'PATCH people/{user}': { body: { role?: Role; status?: 'active' | 'inactive' }; answer: Person }
  'GET invitations': { answer: ListOf<Invitation> }
  'POST invitations': {
    body: { email: string; first_name?: string; last_name?: string; role: Role }
    answer: { readonly invitation: Invitation /** Shown this once. */; readonly url: string }
  }
  'DELETE invitations/{id}': { answer: Deleted }
  'PATCH organization': { body: { name: string }; answer: SignedIn }
  /** One's own name. */
  'PATCH profile': { body: { first_name: string | null; last_name: string | null }; answer: SignedIn }
}

export interface ConsoleApi extends AccountApi, PeopleApi, DevelopersApi, WorkApi, OtherAreasApi {}

export type EndpointName = keyof ConsoleApi
export type AnswerOf<K extends EndpointName> = ConsoleApi[K]['answer']
export type BodyOf<K extends EndpointName> = ConsoleApi[K] extends { body: infer B } ? B : undefined
export type QueryOf<K extends EndpointName> = ConsoleApi[K] extends { query: infer Q } ? Q : undefined
