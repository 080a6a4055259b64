/**
 * Tokens for `/v1`, in memory only: for each mode a plain token, and one with `api:manage`, which requires a step-up.
 * They are renewed before they expire and dropped when the session changes.
 */
import { Atrium } from '@atrium/sdk'
import { app } from './app-api.ts'
import { connectionLost, isNetworkFailure } from './connection.ts'
import { takeFirstAnswer } from './first-requests.ts'
import { sendWithFirstKey } from './repeated-key.ts'
import { sessionSettled } from './session-settled.ts'
import { onSessionChange } from './session-store.ts'
import type { Mode, Token } from './shapes.ts'

/** Seconds before its expiry that a token is renewed. */
const renew_before_s = 60
const cached_answers_max = 200

interface CachedToken {
  readonly token: Promise<Token>
  /** Infinity while the token is being fetched. */
  expires_at: number
}

const tokens = new Map<string, CachedToken>()
const clients = new Map<string, Atrium>()

onSessionChange(() => {
  tokens.clear()
  clients.clear()
})

async function tokenOf(mode: Mode, manage: boolean, stepUp: boolean): Promise<string> {
  await sessionSettled()
  const name = nameOf(mode, manage)
  const cached = tokens.get(name)
  if (cached !== undefined && cached.expires_at > Date.now() / 1000 + renew_before_s) return (await cached.token).token
  const token = app('POST token', { body: { mode, manage } }, { stepUp })
  const entry: CachedToken = { token, expires_at: Number.POSITIVE_INFINITY }
  tokens.set(name, entry)
  try {
    const { token: secret, expires_at } = await token
    entry.expires_at = expires_at
    return secret
  } catch (error) {
    if (tokens.get(name) === entry) tokens.delete(name)
    throw error
  }
}

function nameOf(mode: Mode, manage: boolean): string {
  return manage ? `${mode} manage` : mode
}

/** The token of an upload, which is sent without `fetch`. `refused`: one that the server did not accept, or null. */
export async function tokenForUpload(mode: Mode, refused: string | null): Promise<string> {
  const token = await tokenOf(mode, false, false)
  if (token !== refused) return token
  tokens.delete(nameOf(mode, false))
  return await tokenOf(mode, false, false)
}

/** The token that a page sends as the first message of a socket. `refused`: one that the server did not accept, or null. */
export async function socketToken(mode: Mode, refused: string | null): Promise<string> {
  return await tokenForUpload(mode, refused)
}

/** Fetches the token that the first read will need. */
export async function fetchToken(mode: Mode): Promise<void> {
  await tokenOf(mode, false, false)
}

/** The client of `/v1` that acts as the signed-in user. */
export function clientOf(mode: Mode, manage = false): Atrium {
  const name = nameOf(mode, manage)
  const cached = clients.get(name)
  if (cached !== undefined) return cached
  const client = new Atrium({
    apiKey: () => tokenOf(mode, manage, false),
    baseUrl: location.origin,
    cache: cached_answers_max,
    maxRetries: 2,
    maxRetryAfter: 10,
    timeout: 30_000,
    fetch: (url, init) =>
      watched(
        sendWithFirstKey(String(url), init, (sent) => fetchRenewing(url, sent, mode, manage)),
        init?.signal,
      ),
  })
  clients.set(name, client)
  return client
}

/** A client with `api:manage`. Asks for a step-up if one is required. */
export async function managingClient(mode: Mode): Promise<Atrium> {
  await confirmManaging(mode)
  return clientOf(mode, true)
}

/** Asks for a step-up if `api:manage` requires one. */
export async function confirmManaging(mode: Mode): Promise<void> {
  await tokenOf(mode, true, true)
}

/** Reports a request that failed on the network. */
async function watched(response: Promise<Response>, signal: AbortSignal | null | undefined): Promise<Response> {
  try {
    return await response
  } catch (error) {
    if (!signal?.aborted && isNetworkFailure(error)) connectionLost()
    throw error
  }
}

/** `fetch` with the token of the signed-in user. */
export async function fetchWithToken(url: string, init: RequestInit, mode: Mode, manage: boolean): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('authorization', `Bearer ${await tokenOf(mode, manage, false)}`)
  return await fetchRenewing(url, { ...init, headers }, mode, manage)
}

/** Repeats a request with a new token after 401: a token can end early with its session, or the clock can be wrong. */
async function fetchRenewing(url: string | URL | Request, init: RequestInit | undefined, mode: Mode, manage: boolean) {
  const response = (await firstAnswer(url, init, mode)) ?? (await fetch(url, init))
  if (response.status !== 401) return response
  tokens.delete(nameOf(mode, manage))
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${await tokenOf(mode, manage, false)}`)
  return await fetch(url, { ...init, headers })
}

async function firstAnswer(url: string | URL | Request, init: RequestInit | undefined, mode: Mode) {
  const { pathname, search } = new URL(String(url), location.origin)
  const isRead = (init?.method ?? 'GET') === 'GET'
  return isRead ? await takeFirstAnswer(`${mode} GET`, `${pathname}${search}`, undefined) : undefined
}
