/**
 * The requests and responses of `/app/api`, endpoint by endpoint. The server and the page share these types; the file
 * contains no code, so the page can import it. Bodies are JSON, times are Unix seconds. A key of `ConsoleApi` is a method
 * and a path below `/app/api/`; `query` and `body` are the request, `answer` is the body of a response with status 200.
 * Errors use the envelope of `/v1`. Every request except GET sends the header `X-CSRF` with the `csrf` of the session.
 */

export type Mode = 'live' | 'test'
export type Role = 'owner' | 'admin' | 'member' | 'guest'

interface DeletedObject {
  readonly id: string
  readonly object: string
  readonly deleted: true
}

interface ListOf<T> {
  readonly data: readonly T[]
}

/** A change of tasks by the signed-in person, which `POST /v1/undo` takes by its request. */
export interface OwnChange {
  readonly request: string
  readonly created: number
  /** False for a deletion, and if other objects were changed, too. */
  readonly is_undoable: boolean
  readonly task_count: number
  /** The first tasks. */
  readonly tasks: readonly { readonly id: string; readonly key: string; readonly title: string }[]
  readonly verbs: readonly ('created' | 'changed' | 'deleted')[]
  readonly fields: readonly string[]
}

type Plan = 'studio' | 'enterprise'

/** The codes that only `/app/api` returns. */
export type ConsoleErrorCode =
  /** 401: not signed in, or the session has ended. */
  | 'session_required'
  /** 401: wrong email address, password or passkey. */
  | 'sign_in_failed'
  /** 403: the request comes from another origin, or its X-CSRF is outdated. Fetch the session again. */
  | 'csrf_failed'
  /** 403: confirm the password or a passkey; the session's `stepped_up_until` has passed. */
  | 'step_up_required'
  /** 403: prove the second factor, or set one up; `second_factor` of the session says which. */
  | 'second_factor_required'
  /** 403: requires the role admin or owner. */
  | 'role_required'
  /** 403: the public URL is plain HTTP. */
  | 'https_required'
  /** 404: the link was used, has expired, or does not exist. */
  | 'link_invalid'
  /** 429, with Retry-After. */
  | 'too_many_attempts'
  /** 401: the person canceled at the OpenID provider. */
  | 'openid_canceled'
  /** 401: the state was used, has expired, or belongs to another browser. */
  | 'openid_expired'
  /** 401: the provider's answer is not valid. */
  | 'openid_failed'
  /** 403: the provider does not say that the e-mail address is verified. */
  | 'openid_email_unverified'
  /** 403: the domain of the address is not one of the provider's. */
  | 'openid_domain_refused'
  /** 403: the member is inactive, or the account has another address. */
  | 'openid_member_refused'
  /** 503: the provider does not answer in time, or with an error. */
  | 'openid_unreachable'

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

export type MailWay = 'at_once' | 'digest' | 'never'

export type NotificationKind =
  | 'assigned'
  | 'mentioned'
  | 'invitation'
  | 'approval'
  | 'automation_failed'
  | 'automation_authority'
  | 'comment'
  | 'board_comment'
  | 'status'
  | 'due_tomorrow'
  | 'overdue'

/** What a person chooses in an organization; `null` is not chosen. */
interface Preferences {
  /** IANA name of a time zone. */
  readonly time_zone: string | null
  /** Language tag of dates and numbers. */
  readonly language: string | null
  /** 1 is Monday, 7 is Sunday. */
  readonly week_starts_on: number | null
  /** The kinds of notifications for which the person has chosen when they are sent by mail, and mail of automations. */
  readonly mail: Readonly<Partial<Record<NotificationKind | 'automation_mail', MailWay>>>
  /** The kinds for which the person has chosen whether browsers show them. */
  readonly push: Readonly<Partial<Record<NotificationKind, boolean>>>
  /** By mode the ids of projects, boards and flows that the navigation lists, in this order. */
  readonly favorites: Readonly<Partial<Record<Mode, readonly string[]>>>
  /** Minutes of the person's day between which nothing is sent; both or neither. */
  readonly quiet_from: number | null
  readonly quiet_to: number | null
}

/** A browser that shows the person's notices. */
export interface PushSubscriptionEntry {
  /** `psb_` and the first 32 hexadecimal digits of the SHA-256 of the address at the push service. */
  readonly id: string
  readonly created: number
  readonly user_agent: string | null
}

export interface Installation {
  /** The value of `X-CSRF`; changes with every sign-in and sign-out. */
  readonly csrf: string
  readonly public_url: string
  /** False if the public URL is plain HTTP on another machine; sign-in is then refused. */
  readonly secure: boolean
  /** Why passkeys cannot be used (the host is an IP address, or not secure); `null` if they can. */
  readonly passkeys_unavailable: string | null
  readonly versions: { readonly current: string; readonly all: readonly string[] }
  /** Whether the server sends mail. */
  readonly mail: boolean
  /** OpenID providers: signed out, those to sign in by; signed in, those that can confirm the account's actions. */
  readonly providers: readonly { readonly id: string; readonly name: string }[]
}

export interface SignedOut extends Installation {
  readonly signed_in: false
  /** After signing out: the provider's page that ends its session, if the provider started this one. */
  readonly end_session_url?: string
}

/** The end of a sign-in or of a confirmation by an OpenID provider. */
export interface OpenIdReturn extends SignedIn {
  /** The page to open: a path of the console. */
  readonly next: string
  /** The session existed and is now confirmed. */
  readonly confirmed: boolean
}

interface OrganizationMembership {
  readonly id: string
  readonly name: string
  readonly role: Role
}

export interface SignedIn extends Installation {
  readonly signed_in: true
  /** `email_proved`: the person has opened a link from a mail to the address. */
  readonly account: { readonly id: string; readonly email: string; readonly email_proved: boolean }
  readonly user: {
    readonly id: string
    readonly member: string
    readonly first_name: string | null
    readonly last_name: string | null
    readonly email: string | null
  }
  readonly organization: { readonly id: string; readonly name: string; readonly plan: Plan | null }
  /** All organizations of the account, including the current one. */
  readonly organizations: readonly OrganizationMembership[]
  readonly role: Role
  /** True if the user is an operator of the installation in this organization. */
  readonly operator: boolean
  readonly preferences: Preferences
  /** The end of the step-up. */
  readonly stepped_up_until: number
  readonly second_factor: SecondFactorOfSession
  readonly has_passkey: boolean
  readonly has_password: boolean
  readonly session: { readonly id: string; readonly expires_at: number }
  readonly demo: boolean
}

export interface SecondFactorOfSession {
  /** The organization requires one. */
  readonly required: boolean
  /** The session has proved one. */
  readonly proved: boolean
  /**
   * What the session has to do before it reaches the organization: prove the second factor of its account, or set one up because the
   * account has none. Until then every other endpoint answers with 403 `second_factor_required`.
   */
  readonly need: 'set_up' | 'verify' | null
  /**
   * The session may add, replace and remove factors and recovery codes: the account has none, or the session has proved one to this
   * server. Else these endpoints answer with 403 `second_factor_required`; `POST second-factor` and `POST step-up/passkey` prove one.
   */
  readonly can_change: boolean
}

/** The second factor of an account, besides its passkeys. */
interface SecondFactor {
  /** When the authenticator app was set up; null without one. */
  readonly authenticator: { readonly created: number } | null
  readonly recovery_codes_left: number
}

/** What an authenticator app reads. */
export interface AuthenticatorSetUp {
  /** In base 32, to type. */
  readonly secret: string
  /** `otpauth://totp/…`, as a QR code shows it. */
  readonly url: string
  /** Sent back with the first code; valid for 15 minutes. */
  readonly set_up: string
}

interface RecoveryCodes {
  /** Shown this once. Each replaces the second factor once. */
  readonly recovery_codes: readonly string[]
}

export type Session = SignedOut | SignedIn

/** A session of the account, as listed. */
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
 * A token for `/v1`, to be kept in memory only. A new token does not revoke earlier ones. With `manage`, which requires a
 * step-up, the token expires after five minutes, may delete projects, portfolios and boards, and has the scope
 * `api:manage` for admins and owners. Without it, `/v1` answers such a deletion with 403 `step_up_required`.
 */
export interface Token {
  readonly token: string
  readonly expires_at: number
  readonly scopes: readonly string[]
  readonly mode: Mode
  readonly organization: string
  /** The credential's id in `/v1`, shared by all tokens with the same session, mode and `manage`. */
  readonly credential: string
}

/** An unused link. */
export interface AccountLink {
  readonly kind: 'set_up' | 'invitation' | 'reset'
  readonly email: string
  readonly organization: { readonly id: string; readonly name: string }
  readonly role: Role
  readonly expires_at: number
}

export interface Person {
  readonly user: string
  readonly member: string
  readonly email: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  /** The member's `role` field, which is free text. */
  readonly title: string | null
  /** The role in the console; `null` without an account. */
  readonly role: Role | null
  /** The projects of a guest; null for any other role. */
  readonly projects: readonly string[] | null
  readonly status: 'active' | 'inactive' | 'pending'
  readonly has_account: boolean
  /**
   * What owners see while the organization requires a second factor: `own` is a passkey or an authenticator app, `provider` an OpenID
   * provider that has vouched for one in a present session. Null for everyone else, and without an account.
   */
  readonly second_factor: 'own' | 'provider' | 'none' | null
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

/** A team with the number of its people. */
export interface Team {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly people: number
}

/** A token with which an identity provider manages people by SCIM, without its secret. */
export interface ScimToken {
  readonly id: string
  readonly name: string
  /** The first characters of the secret. */
  readonly hint: string
  readonly created: number
  readonly created_by: string
  readonly last_used_at: number | null
}

export interface Passkey {
  readonly id: string
  readonly name: string
  readonly created: number
  readonly last_used_at: number | null
}

/** The JSON forms of WebAuthn options and responses, as `@simplewebauthn/browser` defines them. */
export type PasskeyOptions = Readonly<Record<string, unknown>>
export type PasskeyResponse = Readonly<Record<string, unknown>>

/** The names of users, keys, flows and applications, by id. */
export interface Directory {
  readonly people: readonly {
    readonly id: string
    readonly name: string
    readonly email: string | null
    readonly initials: string
    readonly status: string
    /** Of a guest the projects that the guest sees; null for any other person. */
    readonly guest_of: readonly string[] | null
  }[]
  /** The author of what organization keys create. */
  readonly service_user: { readonly id: string; readonly name: string }
  /** Existing keys first, then deleted ones. */
  readonly keys: readonly {
    readonly id: string
    readonly name: string
    readonly owner: string
    readonly is_deleted: boolean
  }[]
  readonly flows: readonly { readonly id: string; readonly name: string }[]
  readonly applications: readonly { readonly id: string; readonly name: string }[]
  /** Teams with the user ids of their people; guests see none. */
  readonly teams: readonly { readonly id: string; readonly name: string; readonly people: readonly string[] }[]
  /** The last names of deleted teams, which texts still mention; guests see none. */
  readonly former_teams: readonly { readonly id: string; readonly name: string }[]
  /** True if the organization has more people, keys or flows than are listed. */
  readonly has_more: boolean
}

/** Sessions, sign-in, links and passkeys. */
interface AccountApi {
  'GET session': { answer: Session }
  'POST session': { body: { email: string; password: string }; answer: SignedIn }
  'DELETE session': { answer: SignedOut }
  'POST session/organization': { body: { organization: string }; answer: SignedIn }
  'POST session/passkey/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST session/passkey': { body: { response: PasskeyResponse }; answer: SignedIn }
  /** Starts a sign-in; `url` is the provider's page. `next` is the page to open afterwards. */
  'POST session/openid': { body: { provider: string; next: string }; answer: { readonly url: string } }
  /** `query` is the query with which the provider sent the browser back. */
  'POST session/openid/return': { body: { provider: string; query: string }; answer: OpenIdReturn }
  'POST step-up/openid': { body: { provider: string; next: string }; answer: { readonly url: string } }
  /** `request` is the query of the authorization request. */
  'GET oauth/authorization': { query: { request: string }; answer: AuthorizationRequest }
  'POST oauth/authorization': { body: { request: string }; answer: { readonly location: string } }
  'GET oauth/grants': { answer: ListOf<OauthGrant> }
  'DELETE oauth/grants/{id}': { answer: DeletedObject }
  /** Access that people of the organization have given, for owners. */
  'GET organization/oauth-grants': {
    query: { cursor?: string }
    answer: { data: readonly GrantOfPerson[]; next_cursor: string | null }
  }
  'DELETE organization/oauth-grants/{id}': { answer: DeletedObject }
  'GET sessions': { answer: ListOf<SessionEntry> }
  'DELETE sessions': { answer: { readonly ended: number } }
  'DELETE sessions/{id}': { answer: DeletedObject }
  'POST step-up': { body: { password: string }; answer: SignedIn }
  'POST step-up/passkey/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST step-up/passkey': { body: { response: PasskeyResponse }; answer: SignedIn }
  /** The token is sent in the body, because paths are logged. */
  'POST set-up/link': { body: { token: string }; answer: AccountLink }
  'POST set-up': { body: { token: string; password: string }; answer: SignedIn }
  'POST token': { body: { mode: Mode; manage?: boolean }; answer: Token }
  /** The answer is the same for every address. */
  'POST password/forgot': { body: { email: string }; answer: { readonly requested: true } }
  'POST password/reset/link': {
    body: { token: string }
    answer: { readonly email: string; readonly expires_at: number }
  }
  'POST password/reset': { body: { token: string; password: string }; answer: SignedIn }
  /** Mails a link that confirms the account's address. */
  'POST address': { body: undefined; answer: { readonly mailed_to: string } }
  'POST address/confirm': { body: { token: string }; answer: SignedIn }
  'POST password': { body: { current: string; next: string }; answer: SignedIn }
  /** `code` is of the authenticator app, or a recovery code. */
  'POST second-factor': { body: { code: string }; answer: SignedIn }
  'GET second-factor': { answer: SecondFactor }
  'POST second-factor/authenticator/options': { body: Record<never, never>; answer: AuthenticatorSetUp }
  /** Replaces the app that the account has. */
  'POST second-factor/authenticator': { body: { set_up: string; code: string }; answer: RecoveryCodes }
  'DELETE second-factor/authenticator': { answer: { readonly object: 'authenticator'; readonly deleted: true } }
  /** Replaces all earlier codes. */
  'POST second-factor/recovery-codes': { body: Record<never, never>; answer: RecoveryCodes }
  'GET passkeys': { answer: ListOf<Passkey> }
  'POST passkeys/options': { body: Record<never, never>; answer: PasskeyOptions }
  'POST passkeys': { body: { name: string; response: PasskeyResponse }; answer: Passkey }
  'DELETE passkeys/{id}': { answer: DeletedObject }
}

/** The organization and its people. */
interface PeopleApi {
  'GET directory': { query: { mode?: Mode }; answer: Directory }
  'GET people': { answer: ListOf<Person> & { readonly has_more: boolean } }
  'PATCH people/{user}': { body: { role?: Role; projects?: string[]; status?: 'active' | 'inactive' }; answer: Person }
  /** Resets the second factor of a person. `is_mailed`: whether a mail tells the person. */
  'DELETE people/{user}/second-factor': {
    answer: {
      readonly object: 'second_factor'
      readonly user: string
      readonly reset: true
      readonly is_mailed: boolean
    }
  }
  'GET invitations': { answer: ListOf<Invitation> }
  'POST invitations': {
    body: { email: string; first_name?: string; last_name?: string; role: Role; projects?: string[] }
    answer: {
      readonly invitation: Invitation
      /** Shown this once. */
      readonly url: string
      /** Whether the link is also sent by mail. */
      readonly mailed: boolean
    }
  }
  'DELETE invitations/{id}': { answer: DeletedObject }
  'GET teams': { answer: ListOf<Team> }
  'POST teams': { body: { name: string; description?: string | null; add?: string[] }; answer: Team }
  'PATCH teams/{id}': {
    body: { name?: string; description?: string | null; add?: string[]; remove?: string[] }
    answer: Team
  }
  'DELETE teams/{id}': { answer: DeletedObject }
  'GET scim-tokens': { answer: ListOf<ScimToken> }
  'POST scim-tokens': {
    body: { name: string }
    answer: ScimToken & { /** Shown this once. */ readonly secret: string }
  }
  'DELETE scim-tokens/{id}': { answer: DeletedObject }
  /** Whether people need a second factor; to turn it on, the session has proved one. */
  'PATCH organization/second-factor': { body: { required: boolean }; answer: SignedIn }
  'PATCH organization': { body: { name: string }; answer: SignedIn }
  /** The bytes of the mode's files, and the limit. */
  'GET storage': { query: { mode?: Mode }; answer: { readonly bytes: number; readonly bytes_max: number } }
  /** What one chooses for oneself; fields that are not sent stay. */
  'PATCH preferences': { body: Partial<Preferences>; answer: SignedIn }
  'GET push-subscriptions': { answer: ListOf<PushSubscriptionEntry> & { readonly public_key: string } }
  'POST push-subscriptions': {
    body: { endpoint: string; p256dh: string; auth: string }
    answer: PushSubscriptionEntry
  }
  /** After signing in again in a browser that shows notices. */
  'POST push-subscriptions/{id}/keep': { answer: { readonly id: string; readonly object: 'push_subscription' } }
  'DELETE push-subscriptions/{id}': { answer: DeletedObject }
  /** One's own name. */
  'PATCH profile': { body: { first_name: string | null; last_name: string | null }; answer: SignedIn }
}

/** An entry of the request log, as `GET /v1/request_logs/{id}` shows it. */
export interface LoggedRequest {
  readonly id: string
  readonly object: 'request_log'
  readonly created: number
  readonly method: string
  /** Null if the request met no operation. */
  readonly route: string | null
  readonly path: string
  readonly query_parameters: readonly string[]
  readonly operation: string | null
  readonly status: number
  readonly error_code: string | null
  readonly error_param: string | null
  readonly credential: string
  readonly owner: { readonly type: string; readonly id: string }
  readonly mode: Mode
  readonly api_version: string
  readonly cost: number
  readonly charged: number
  readonly duration_ms: number
  readonly dry_run: boolean
  readonly idempotency_replayed: boolean
  readonly original_request: string | null
  readonly ip: string
  readonly user_agent: string | null
  readonly request_bytes: number
  readonly response_bytes: number
  readonly events: readonly string[]
  readonly expires_at: number
}

interface LoggedRequests {
  readonly data: readonly LoggedRequest[]
  /** The start of the next page, also if this page is not full; `null` at the end of the log. */
  readonly next_cursor: string | null
}

export type LogWindow = '1h' | '24h' | '7d'

/** The request log of a window, aggregated. */
export interface LogSummary {
  readonly window: LogWindow
  readonly from: number
  readonly to: number
  /** False if the scan stopped early; `from` is then the time that it reached. */
  readonly complete: boolean
  readonly requests: number
  readonly errors: number
  /** Equal time steps, the earliest first. */
  readonly buckets: readonly { readonly at: number; readonly requests: number; readonly errors: number }[]
  /** The busiest first. */
  readonly operations: readonly {
    readonly operation: string
    readonly requests: number
    readonly errors: number
    readonly p50_ms: number
    readonly p99_ms: number
  }[]
  /** The most frequent first. */
  readonly errors_by_code: readonly {
    readonly code: string
    readonly operation: string
    readonly status: number
    readonly count: number
    readonly last_at: number
    readonly last_request: string
    /** The parameter of the latest of these errors. */
    readonly param: string | null
  }[]
  /** `hours` counts the requests of each of the last 24 hours inside the window, the earliest first. */
  readonly credentials: readonly {
    readonly credential: string
    readonly requests: number
    readonly errors: number
    readonly last_at: number
    readonly hours: readonly number[]
  }[]
}

/** The object of an id and the pages that show it. */
export interface ResolvedId {
  readonly id: string
  readonly object: string
  /** The console's path. */
  readonly url: string
  /** The API's path; `null` if it has none. */
  readonly api_path: string | null
}

/** The other organization of the account that has an ID, and in which data. */
export interface IdLocation {
  readonly organization: { readonly id: string; readonly name: string }
  readonly mode: Mode
}

export interface EndpointAttempt {
  readonly delivery: string
  readonly event: string
  readonly event_type: string | null
  readonly number: number
  readonly created: number
  readonly duration_ms: number
  readonly http_status: number | null
  readonly error_category: string | null
  readonly response_excerpt: string | null
  readonly trigger: string
  readonly succeeded: boolean
}

export interface EndpointHealth {
  /** The share of `attempts` that succeeded; `null` without attempts. */
  readonly success_rate: number | null
  readonly p50_ms: number | null
  readonly pending: number
  readonly attempts: readonly EndpointAttempt[]
}

export interface ExampleResult {
  readonly type: string
  readonly duration_ms: number
  readonly http_status: number | null
  /** Why the attempt failed; `null` on success. */
  readonly error_category: string | null
  readonly response_excerpt: string | null
  /** The request as sent, including the signature headers. */
  readonly request: { readonly headers: Readonly<Record<string, string>>; readonly body: string }
}

export interface Application {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly mode: Mode
  readonly created: number
  readonly tokens: number
  /** How people sign in to it with their account; null if they cannot. */
  readonly sign_in: ApplicationSignIn | null
}

/** A confidential application keeps a secret on a server; a public one runs on people's devices. */
export type ApplicationKind = 'public' | 'confidential'

export interface ApplicationSignIn {
  readonly kind: ApplicationKind
  readonly redirect_uris: readonly string[]
  /** The beginning of the secret; null for a public application. */
  readonly secret_hint: string | null
}

/** What an application asks a person for. */
export interface AuthorizationRequest {
  /** `is_registered`: by the organization, and not by itself. */
  readonly application: { readonly id: string; readonly name: string; readonly is_registered: boolean }
  readonly organization: { readonly id: string; readonly name: string }
  /** Where the browser goes afterwards: a host, or the scheme of an application. */
  readonly redirect_host: string
  /** Whether it stays on the person's computer. */
  readonly is_local: boolean
  /** The address that tells the application that the person denies. */
  readonly denied: string
  /** Null if the request is faulty. */
  readonly asked: {
    readonly scopes: readonly string[]
    /** Asked for, but the person's role does not have them. */
    readonly withheld: readonly string[]
    /** The only part of the server that accepts the tokens, if it is limited. */
    readonly resource: 'mcp' | 'api' | null
    readonly mode: Mode
  } | null
  /** A fault that only the application can correct, with the address that tells it so. */
  readonly refusal: { readonly error: string; readonly error_description: string; readonly location: string } | null
}

/** The access that a person has given to an application. */
export interface OauthGrant {
  readonly id: string
  readonly application: { readonly id: string; readonly name: string }
  readonly scopes: readonly string[]
  readonly resource: 'mcp' | 'api' | null
  readonly mode: Mode
  readonly created: number
  readonly last_used_at: number
}

/** The access that a person has given, as owners see it. */
export interface GrantOfPerson extends OauthGrant {
  readonly user: string
}

export interface ApplicationToken {
  readonly id: string
  readonly created: number
  readonly expires_at: number | null
  readonly last_used_at: number | null
  readonly hint: string
}

interface AuditVerification {
  readonly ok: boolean
  readonly entries: number | null
  /** The first error; its entry's number is `sequence`. */
  readonly message: string | null
  readonly sequence: number | null
  readonly checked_at: number
}

export interface ApiVersion {
  readonly date: string
  readonly is_newest: boolean
  /** The number of keys pinned to this version. */
  readonly keys: number
}

interface DevelopersApi {
  'GET request-logs': {
    query: {
      mode?: Mode
      cursor?: string
      operation?: string
      status?: string
      code?: string
      credential?: string
      /** The beginning of a path. */
      path?: string
      /** Leaves out the requests of console sessions. */
      console?: 'hidden'
      before?: number
      after?: number
    }
    answer: LoggedRequests
  }
  'GET request-logs/summary': { query: { mode?: Mode; window?: LogWindow }; answer: LogSummary }
  'GET open/{id}': { query: { mode?: Mode }; answer: ResolvedId }
  'GET open/{id}/organization': { answer: IdLocation }
  'GET endpoints/{id}/health': { query: { mode?: Mode }; answer: EndpointHealth }
  'POST endpoints/{id}/example': { body: { mode?: Mode; type: string }; answer: ExampleResult }
  'GET applications': { query: { mode?: Mode }; answer: ListOf<Application> }
  'POST applications': {
    body: {
      mode?: Mode
      name: string
      scopes: readonly string[]
      sign_in?: { kind: ApplicationKind; redirect_uris: readonly string[] }
    }
    answer: Application & { /** Shown this once; null unless it is confidential. */ readonly secret: string | null }
  }
  'PATCH applications/{id}': { body: { mode?: Mode; redirect_uris: readonly string[] }; answer: Application }
  'POST applications/{id}/secret': {
    body: { mode?: Mode }
    answer: { /** Shown this once. */ readonly secret: string }
  }
  'DELETE applications/{id}': { body: { mode?: Mode } | undefined; answer: DeletedObject }
  'GET applications/{id}/tokens': { query: { mode?: Mode }; answer: ListOf<ApplicationToken> }
  'POST applications/{id}/tokens': {
    body: { mode?: Mode; expires_in?: number }
    answer: { readonly id: string /** Shown this once. */; readonly secret: string; readonly expires_at: number }
  }
  'DELETE tokens/{id}': { body: { mode?: Mode } | undefined; answer: DeletedObject }
  'GET event-types': { answer: ListOf<{ readonly type: string; readonly object: string }> }
  'GET audit/verify': { answer: AuditVerification }
  'GET versions': { query: { mode?: Mode }; answer: ListOf<ApiVersion> }
}

/** An object as `/v1` returns it. */
type ApiObject = Readonly<Record<string, unknown>> & { readonly id: string; readonly object: string }

interface FilterFields {
  readonly name: string
  readonly description?: string | null
  readonly filter: string
  readonly sort?: string | null
}

interface TemplateFields {
  readonly name: string
  readonly description?: string | null
  readonly defaults: object
  readonly overridable?: readonly string[]
}

/** A dependency, by the ids of its tasks. */
export interface TaskRelation {
  readonly id: string
  readonly kind: string
  readonly from: string
  readonly to: string
}

export interface NamedTask {
  readonly id: string
  readonly key: string
  readonly title: string
  readonly status: string
}

/** A day of a report. Times in Unix seconds. `scope` and `done` are those at its end; `scope` leaves out canceled tasks. */
export interface FlowDay {
  readonly from: number
  readonly until: number
  readonly created: number
  readonly completed: number
  readonly scope: number
  readonly done: number
}

/** A task when it was completed. Times in Unix seconds; `started_at` is null if it was never in progress. */
export interface FlowTask {
  readonly task: string
  readonly key: string
  readonly title: string
  readonly assignee: string | null
  readonly created: number
  readonly started_at: number | null
  readonly completed_at: number
}

interface WorkApi {
  'GET reports/flow': {
    /** `bounds`: the starts of the days and the end of the last one, ascending Unix seconds with commas. */
    query: { mode?: Mode; project?: string; label?: string; bounds: string }
    answer: {
      readonly days: readonly FlowDay[]
      /** Completed tasks, newest first, up to a limit. */
      readonly completed: readonly FlowTask[]
      /** The number of completed tasks beyond the limit. */
      readonly more: number
      /** Days that begin before this moment, in Unix seconds, are left out. */
      readonly reaches: number
    }
  }
  'GET projects/{id}/task-counts': {
    query: { mode?: Mode; filter?: string }
    answer: {
      /** The number of tasks by column; a column without tasks is missing. */
      readonly columns: Readonly<Record<string, number>>
      /** The number of tasks without a column. */
      readonly none: number
    }
  }
  'GET tasks/count': { query: { mode?: Mode; filter?: string }; answer: { readonly count: number } }
  'GET tasks/groups': {
    /** `by`: a property, or `custom_fields.` with a key. `bounds`: of `due_at`, ascending Unix seconds with commas. */
    query: { mode?: Mode; filter?: string; by: string; bounds?: string }
    answer: {
      /** The largest first. A value of `due_at` is the number of bounds up to it; null: tasks without a value. */
      readonly groups: readonly { readonly value: string | number | boolean | null; readonly count: number }[]
      /** Tasks with further values. */
      readonly others: number
    }
  }
  'GET tasks/places': {
    query: { mode?: Mode; filter?: string; sort?: string }
    answer: {
      /** Tasks per page. */
      readonly page: number
      /** The cursors after which the second page begins, the third, and so on. */
      readonly places: readonly string[]
    }
  }
  'GET tasks/{id}/comment-authors': {
    /** Ids separated by commas. */
    query: { mode?: Mode; comments: string }
    answer: { readonly data: readonly { readonly comment: string; readonly author: string; readonly name: string }[] }
  }
  'GET tasks/relations': {
    /** Ids separated by commas. */
    query: { mode?: Mode; tasks: string }
    answer: {
      readonly dependencies: readonly TaskRelation[]
      /** The parents, and the tasks of the dependencies. */
      readonly tasks: readonly NamedTask[]
    }
  }
  'GET own-changes': { query: { mode?: Mode }; answer: ListOf<OwnChange> }
  'POST saved-filters': {
    body: FilterFields & { mode?: Mode; workspace: string; project?: string | null }
    answer: ApiObject
  }
  'PATCH saved-filters/{id}': { body: Partial<FilterFields> & { mode?: Mode }; answer: ApiObject }
  'DELETE saved-filters/{id}': { body: { mode?: Mode }; answer: DeletedObject }
  'POST task-templates': {
    body: TemplateFields & { mode?: Mode; workspace: string; project?: string | null }
    answer: ApiObject
  }
  'PATCH task-templates/{id}': { body: Partial<TemplateFields> & { mode?: Mode }; answer: ApiObject }
  'DELETE task-templates/{id}': { body: { mode?: Mode }; answer: DeletedObject }
}

export type ExpenseStatus = 'draft' | 'submitted' | 'approved' | 'rejected' | 'reimbursed'

interface OtherAreasApi {
  'POST expenses/{id}/status': { body: { mode?: Mode; status: ExpenseStatus }; answer: ApiObject }
  'POST boards/{id}/restore': { body: { mode?: Mode }; answer: ApiObject }
  /** `scene` is an Excalidraw file; `board` names an existing board, `name` creates one. */
  'POST boards/import': {
    body: { mode?: Mode; scene: string; name?: string; board?: string; project?: string }
    answer: ApiObject
  }
  /** `data_url` is a PNG, JPEG, WebP or GIF in base64. */
  'POST boards/{id}/images': { body: { mode?: Mode; file: string; data_url: string }; answer: { file: string } }
  'GET boards/{id}/images': { query: { mode?: Mode; file: string }; answer: { file: string; data_url: string | null } }
  'GET boards/{id}/versions': { query: { mode?: Mode }; answer: { data: readonly BoardVersion[] } }
  'POST boards/{id}/versions': { body: { mode?: Mode; name: string }; answer: { sequence: number } }
  'POST boards/{id}/versions/{sequence}/restore': { body: { mode?: Mode }; answer: { sequence: number } }
  /** What a link for guests opens. */
  'POST board-guests/link': { body: { secret: string }; answer: OpenedBoardLink }
  /** Begins the session of a guest. Only this answer holds the token. */
  'POST board-guests': { body: { secret: string; name: string }; answer: BoardGuest }
  'POST board-guests/images': {
    body: { token: string; file: string }
    answer: { file: string; data_url: string | null }
  }
  'POST board-guests/images/store': {
    body: { token: string; file: string; data_url: string }
    answer: { file: string }
  }
  'POST board-guests/comments': {
    body: {
      token: string
      key: string
      body: string
      position?: { x: number; y: number }
      element?: string | null
      thread?: string
    }
    answer: GuestBoardComment
  }
  /** With the `state` of an earlier answer, `data` is null while nothing has changed. */
  'POST board-guests/comments/read': {
    body: { token: string; state?: string; before?: string }
    answer: { state: string; data: readonly GuestBoardComment[] | null; before: string | null }
  }
  'POST board-guests/comments/update': {
    body: { token: string; id: string; body: string }
    answer: GuestBoardComment
  }
  'POST board-guests/comments/delete': { body: { token: string; id: string }; answer: { id: string; deleted: true } }
  'POST automation-flows/{id}/run': { body: { mode?: Mode; task: string }; answer: ApiObject }
  'POST automation-flows/{id}/formula': {
    body: {
      mode?: Mode
      graph: { nodes: readonly unknown[]; edges: readonly unknown[] }
      node: string
      path: string
      task?: string
      /** Inputs of a call by key; those that are left out are assumed. */
      call?: Readonly<Record<string, unknown>>
    }
    answer: FormulaReading
  }
  'GET automation-secrets': { query: { mode?: Mode }; answer: { data: readonly AutomationSecret[] } }
  /** `created` is false if a secret of this name was replaced. */
  'POST automation-secrets': {
    body: { mode?: Mode; name: string; value: string }
    answer: { name: string; created: boolean }
  }
  'GET operator': { answer: OperatorReport }
  'GET operator/dead-letters': {
    query: { cursor?: string }
    answer: { data: readonly DeadLetter[]; next_cursor: string | null; total: number }
  }
  /** Sends a mail or notice again. */
  'POST operator/dead-letters/{id}/retry': { answer: { id: string } }
  /** `email` is the address that the demo's owner signs in with from now on. */
  'POST organizations': { body: { name: string; email?: string }; answer: SignedIn }
}

/** A formula of a draft: what it may name, what is wrong with it, and its value for a task. */
export interface FormulaReading {
  readonly names: readonly { readonly name: string; readonly type: string }[]
  readonly functions: readonly {
    readonly name: string
    readonly signature: string
    readonly kind: 'function' | 'method'
  }[]
  /** `start` counts UTF-16 units from 0. */
  readonly fault: { readonly message: string; readonly start: number } | null
  /** Null while the formula has a fault, and without a task, unless it uses nothing but the inputs of a call. */
  readonly result: {
    readonly value: unknown
    readonly failure: string | null
    readonly only_in_run: readonly string[]
  } | null
  /** The inputs of a call that the value was computed with; null if it uses none. */
  readonly call: Readonly<Record<string, unknown>> | null
}

/** A secret that flows may use, without its value. */
interface AutomationSecret {
  readonly name: string
  /** When it was set, in Unix seconds. */
  readonly updated: number
}

/** A state of a board in its history. `name` is null if the server has kept it by itself. */
interface BoardVersion {
  readonly sequence: number
  readonly created: number
  readonly name: string | null
  /** Who gave the name, or who drew last: the id of a user, or of a guest of a link. */
  readonly author: string | null
  /** The name of the guest who drew last; null of other authors. */
  readonly guest: string | null
  readonly item_count: number
}

type BoardLinkRole = 'viewer' | 'commenter' | 'editor'

/** A comment as guests of a link see it: without people, and without what it refers to. */
interface GuestBoardComment {
  readonly id: string
  readonly thread: string
  readonly position: { readonly x: number; readonly y: number } | null
  readonly element: string | null
  readonly body: readonly GuestTextPart[]
  /** The name of the guest who wrote it; null for everyone else. */
  readonly guest: string | null
  readonly created: number
  readonly is_edited: boolean
  readonly is_resolved: boolean
  /** The text as it was written, of the guest's own comment; null of every other one. */
  readonly own: string | null
}

/** Words, or the kind of what a comment refers to there. */
type GuestTextPart = { readonly text: string } | { readonly hidden: 'person' | 'team' | 'task' | 'file' | 'object' }

interface OpenedBoardLink {
  /** Name of the board. */
  readonly name: string
  readonly role: BoardLinkRole
  readonly expires_at: number
}

/** The session of a guest of a link. */
interface BoardGuest {
  readonly token: string
  readonly guest: { readonly id: string; readonly name: string; readonly expires_at: number }
  readonly board: { readonly id: string; readonly name: string }
  readonly role: BoardLinkRole
  /** When the link ends. */
  readonly expires_at: number
}

export interface WorkerReport {
  readonly name: string
  readonly does: string
  readonly period_seconds: number
  readonly state: 'ok' | 'running' | 'failing' | 'late' | 'never'
  readonly last_started_at: number | null
  readonly last_ended_at: number | null
  readonly done: number
  readonly failed: number
  readonly lag_seconds: number | null
  readonly last_error: string | null
}

/** The state of the installation: totals over all organizations, without their names. */
export interface OperatorReport {
  readonly at: number
  readonly program: { readonly version: string; readonly node: string; readonly started_at: number }
  readonly process: {
    readonly resident_bytes: number
    readonly cpu_seconds: number
    readonly open_streams: number
    readonly lost_log_entries: number
  }
  readonly database: {
    readonly engine: string
    readonly version: string
    readonly settings: Readonly<Record<string, string>>
    readonly organizations: number
    readonly pending_migrations: readonly string[]
    /** `null` if the engine does not report it. */
    readonly bytes: number | null
    readonly wal_bytes: number | null
  }
  readonly disk: { readonly path: string; readonly free_bytes: number; readonly size_bytes: number } | null
  readonly workers: readonly WorkerReport[]
  /** Pending work by queue. */
  readonly queues: readonly { readonly name: string; readonly waiting: number; readonly oldest_at: number | null }[]
}

/** A mail or a notice of a browser that was given up, without its text. */
export interface DeadLetter {
  readonly id: string
  /** As a person chooses it for mail, or `push` for a notice of a browser. */
  readonly kind: string
  readonly organization: string
  /** The id of the person it is for. */
  readonly user: string
  readonly attempts: number
  /** The answer of the mail server or push service, without the addresses of people in other organizations. */
  readonly reason: string | null
  readonly given_up_at: number
}

interface ConsoleApi extends AccountApi, PeopleApi, DevelopersApi, WorkApi, OtherAreasApi {}

export type EndpointName = keyof ConsoleApi
export type AnswerOf<K extends EndpointName> = ConsoleApi[K]['answer']
export type BodyOf<K extends EndpointName> = ConsoleApi[K] extends { body: infer B } ? B : undefined
export type QueryOf<K extends EndpointName> = ConsoleApi[K] extends { query: infer Q } ? Q : undefined
