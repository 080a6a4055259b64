/** The rows of the console: people's accounts, how they sign in, and their sessions. */

/**
 * A person who may sign in. One account may belong to several organizations, and one address, in lower case, may have
 * several accounts.
 */
export interface AccountRow {
  id: string
  email: string
  /** PHC string of Argon2id. Of an account without a password it is random, so no password matches it. */
  password_hash: string
  /** 0: the account has no password. */
  password_changed_at: number
  created: number
  updated: number
  /** When the person opened a link from a mail to the address; null if never. */
  email_proved_at: number | null
}

/** An account's membership in an organization: `user` is the member's user. */
export interface AccountMembershipRow {
  organization: string
  account: string
  user: string
  role: string
  created: number
  updated: number
}

/** A member who may see the installation's state. */
interface OperatorRow {
  organization: string
  user: string
  created: number
}

/** A demo organization whose creation has not ended. `process` creates it; `ends` is the time at which its story ends. */
export interface UnfinishedDemoRow {
  organization: string
  process: string
  ends: number
  /** The ends of the audit log and of the live event log before the demo's work. */
  audit_sequence: number
  event_sequence: number
}

/** `credential` and `public_key` in base64url, `transports` a JSON array. */
export interface PasskeyRow {
  id: string
  account: string
  name: string
  credential: string
  public_key: string
  counter: number
  transports: string
  created: number
  last_used_at: number | null
}

/**
 * The app of an account that makes codes (TOTP). `secret` is sealed. `last_step` is the newest period of 30 s whose code was
 * used: no earlier code is accepted.
 */
export interface AuthenticatorRow {
  account: string
  secret: string
  last_step: number
  created: number
}

/** The digest of a code that replaces a second factor once; the row is deleted when it is used. */
export interface RecoveryCodeRow {
  account: string
  digest: string
  created: number
}

/** A challenge that was answered, kept until it expires so that it is not answered twice. */
interface PasskeyChallengeRow {
  challenge: string
  expires_at: number
}

/** A signed-in session in one organization. `ended_at` is set if it was ended before it expired. */
interface SessionRow {
  id: string
  organization: string
  account: string
  user: string
  created: number
  last_seen: number
  expires_at: number
  stepped_up_at: number
  ended_at: number | null
  ip: string
  user_agent: string | null
  /** The id of the OpenID provider that started it; null for a password or a passkey. */
  provider: string | null
  /** When the person proved a second factor; null if never. */
  second_factor_at: number | null
  /** The OpenID provider that vouched for it; null if it was proved here. */
  second_factor_provider: string | null
}

/** The ID token with which an OpenID provider started a session, sealed. It is deleted when the session ends. */
interface SessionIdTokenRow {
  session: string
  organization: string
  token: string
  created: number
  expires_at: number
}

/** The values that a session's cookie has had; the current one has no `replaced_at`. */
interface SessionCookieRow {
  digest: string
  organization: string
  session: string
  created: number
  replaced_at: number | null
  expires_at: number
}

/** Tokens with which a session's page calls `/v1`. */
interface SessionTokenRow {
  digest: string
  organization: string
  session: string
  realm: number
  mode: string
  manage: number
  created: number
  expires_at: number
}

/**
 * A one-time link. `kind`: `set_up`, `invitation`, `reset` admit to one membership; `password` sets the password of one account, and
 * `address` proves its address.
 */
export interface AccountLinkRow {
  id: string
  organization: string
  kind: string
  digest: string
  user: string
  email: string
  role: string
  created: number
  /** The user who created it; null for the operator. */
  created_by: string | null
  expires_at: number
  used_at: number | null
  /** Digest of another token, which was sent by mail and shown to no other person. */
  mailed_digest: string | null
  account: string | null
}

/** A request for a new password that has not been answered; `email`, as it was typed, is sealed. */
export interface ResetRequestRow {
  id: string
  email: string
  ip: string
  user_agent: string | null
  created: number
}

/** A subject of an OpenID provider that signs in to the account of one membership. */
export interface AccountIdentityRow {
  organization: string
  issuer: string
  subject: string
  account: string
  user: string
  created: number
  last_used_at: number
}

/**
 * A sign-in or a confirmation that is at an OpenID provider. `state` and `browser` are digests; the row is deleted at the first use.
 * `session` is the session to confirm; null for a sign-in.
 */
export interface SignInFlowRow {
  state: string
  browser: string
  provider: string
  session: string | null
  /** The page to open afterwards. */
  next: string
  created: number
  expires_at: number
}

/** Failed and running sign-in attempts of an account or from an address since the window began. */
interface SignInFailureRow {
  subject: string
  failures: number
  since: number
}

/** A program that holds access tokens; `scopes` (a JSON array) is the most that a token may have. */
export interface ApplicationRow {
  realm: number
  id: string
  created: number
  updated: number
  revision: number
  deleted_at: number | null
  organization: string
  name: string
  scopes: string
}

/**
 * A program that people sign in to by OAuth. One that the organization registered has the id of its application, and belongs to
 * one data set. One that registered itself has no organization and expires when it is unused. `scopes` and `redirect_uris` are
 * JSON arrays; `digest` is that of the secret of a confidential client.
 */
export interface OauthClientRow {
  id: string
  organization: string | null
  realm: number | null
  mode: string | null
  name: string
  kind: string
  scopes: string
  redirect_uris: string
  digest: string | null
  hint: string | null
  created: number
  updated: number
  expires_at: number | null
}

/** A code of a person who has just allowed an application; the row is deleted when it is exchanged. */
export interface OauthCodeRow {
  digest: string
  organization: string
  realm: number
  mode: string
  client: string
  user: string
  scopes: string
  redirect_uri: string
  /** The PKCE challenge by S256. */
  challenge: string
  /** `mcp` or `api` if the tokens are for one of both only. */
  resource: string | null
  created: number
  expires_at: number
}

/**
 * What one exchange of a code has given to an application: one access token, whose secret each refresh replaces, and one
 * refresh token. Without its row both are invalid. `code_digest` and `refresh_digest` are digests of the code that was used
 * and of the newest refresh token.
 */
export interface OauthGrantRow {
  id: string
  organization: string
  realm: number
  mode: string
  client: string
  client_name: string
  user: string
  scopes: string
  resource: string | null
  credential: string
  code_digest: string
  refresh_digest: string
  created: number
  last_used_at: number
  expires_at: number
}

/** A token with which an identity provider manages the people of an organization by SCIM; `hint` is its start. */
export interface ScimTokenRow {
  id: string
  organization: string
  name: string
  digest: string
  hint: string
  created: number
  created_by: string
  last_used_at: number | null
}

/** What a provider says of a member beyond the member's own fields. `deleted_at`: it has deleted the person. */
interface ScimPersonRow {
  organization: string
  user: string
  external_id: string | null
  updated: number
  deleted_at: number | null
}

export interface ConsoleTables {
  scim_tokens: ScimTokenRow
  session_id_tokens: SessionIdTokenRow
  scim_people: ScimPersonRow
  oauth_clients: OauthClientRow
  oauth_codes: OauthCodeRow
  oauth_grants: OauthGrantRow
  applications: ApplicationRow
  accounts: AccountRow
  account_memberships: AccountMembershipRow
  account_links: AccountLinkRow
  account_identities: AccountIdentityRow
  operators: OperatorRow
  reset_requests: ResetRequestRow
  passkeys: PasskeyRow
  authenticators: AuthenticatorRow
  recovery_codes: RecoveryCodeRow
  passkey_challenges: PasskeyChallengeRow
  sessions: SessionRow
  session_cookies: SessionCookieRow
  session_tokens: SessionTokenRow
  sign_in_failures: SignInFailureRow
  sign_in_flows: SignInFlowRow
  unfinished_demos: UnfinishedDemoRow
}
