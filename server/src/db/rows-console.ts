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
export interface OperatorRow {
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

/** A challenge that was answered, kept until it expires so that it is not answered twice. */
export interface PasskeyChallengeRow {
  challenge: string
  expires_at: number
}

/** A signed-in session in one organization. `ended_at` is set if it was ended before it expired. */
export interface SessionRow {
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
}

/** The values that a session's cookie has had; the current one has no `replaced_at`. */
export interface SessionCookieRow {
  digest: string
  organization: string
  session: string
  created: number
  replaced_at: number | null
  expires_at: number
}

/** Tokens with which a session's page calls `/v1`. */
export interface SessionTokenRow {
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
export interface SignInFailureRow {
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

export interface ConsoleTables {
  applications: ApplicationRow
  accounts: AccountRow
  account_memberships: AccountMembershipRow
  account_links: AccountLinkRow
  account_identities: AccountIdentityRow
  operators: OperatorRow
  reset_requests: ResetRequestRow
  passkeys: PasskeyRow
  passkey_challenges: PasskeyChallengeRow
  sessions: SessionRow
  session_cookies: SessionCookieRow
  session_tokens: SessionTokenRow
  sign_in_failures: SignInFailureRow
  sign_in_flows: SignInFlowRow
  unfinished_demos: UnfinishedDemoRow
}
