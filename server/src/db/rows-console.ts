/** The rows of the console: people's accounts, how they sign in, and their sessions. */

/**
 * A person who may sign in. One account may belong to several organizations, and one address, in lower case, may have
 * several accounts.
 */
export interface AccountRow {
  id: string
  email: string
  /** PHC string of Argon2id. */
  password_hash: string
  password_changed_at: number
  created: number
  updated: number
}

/** An account as one of an organization's people: `user` is the member's user. */
export interface AccountMembershipRow {
  organization: string
  account: string
  user: string
  role: string
  created: number
  updated: number
}

/** A member who may see the state of the installation. */
export interface OperatorRow {
  organization: string
  user: string
  created: number
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

/** A challenge that was answered, until it is over: it is not answered again. */
export interface PasskeyChallengeRow {
  challenge: string
  expires_at: number
}

/** A sign-in that lasts, in one organization. `ended_at` is set when it was ended before its time. */
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
}

/** The values that a session's cookie has had; the present one has no `replaced_at`. */
export interface SessionCookieRow {
  digest: string
  organization: string
  session: string
  created: number
  replaced_at: number | null
  expires_at: number
}

/** Tokens that a session's page calls `/v1` with. */
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

/** A link that lets somebody in once. `kind`: `set_up`, `invitation`, `reset`. */
export interface AccountLinkRow {
  id: string
  organization: string
  kind: string
  digest: string
  user: string
  email: string
  role: string
  created: number
  /** The user who made it; the operator has none. */
  created_by: string | null
  expires_at: number
  used_at: number | null
}

/** Attempts to sign in that failed or are under way, of an account or from an address, since the window began. */
export interface SignInFailureRow {
  subject: string
  failures: number
  since: number
}

/** A program that holds access tokens; `scopes` (a JSON array) are the most that one may have. */
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
  operators: OperatorRow
  passkeys: PasskeyRow
  passkey_challenges: PasskeyChallengeRow
  sessions: SessionRow
  session_cookies: SessionCookieRow
  session_tokens: SessionTokenRow
  sign_in_failures: SignInFailureRow
}
