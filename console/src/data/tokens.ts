/**
 * Credentials for `/v1`, held in the memory of this page only: one for each mode, and one each that may manage keys and
 * endpoints, for which the person must have confirmed. They are renewed before they end and forgotten with the session.
 */
import { Atrium } from '@atrium/sdk'
import { app } from './app-api.ts'
import { onSessionChange } from './session-store.ts'
import type { Mode, Token } from './shapes.ts'

/** Seconds before its end that a token is renewed. */
const renewed_before_s = 60
const answers_kept = 200

interface Kept {
  readonly token: Promise<Token>
  ends_at: number
}

const tokens = new Map<string, Kept>()
const clients = new Map<string, Atrium>()

onSessionChange(() => {
  tokens.clear()
  clients.clear()
})

async function tokenOf(mode: Mode, manage: boolean, ask: boolean): Promise<string> {
  const name = nameOf(mode, manage)
  const kept = tokens.get(name)
  if (kept !== undefined && kept.ends_at > Date.now() / 1000 + renewed_before_s) return (await kept.token).token
  const token = app('POST token', { body: { mode, manage } }, { ask })
  const entry: Kept = { token, ends_at: Number.POSITIVE_INFINITY }
  tokens.set(name, entry)
  try {
    const got = await token
    entry.ends_at = got.expires_at
    return got.token
  } catch (error) {
    if (tokens.get(name) === entry) tokens.delete(name)
    throw error
  }
}

function nameOf(mode: Mode, manage: boolean): string {
  return manage ? `${mode} manage` : mode
}

/** Asks for the credential that the first read will need. */
export async function fetchToken(mode: Mode): Promise<void> {
  await tokenOf(mode, false, false)
}

/** A client of `/v1` as the person who is signed in. */
export function clientOf(mode: Mode, manage = false): Atrium {
  const name = nameOf(mode, manage)
  const made = clients.get(name)
  if (made !== undefined) return made
  const client = new Atrium({
    apiKey: () => tokenOf(mode, manage, false),
    baseUrl: location.origin,
    cache: answers_kept,
    maxRetries: 2,
    maxRetryAfter: 10,
    timeout: 30_000,
    fetch: (url, init) => fetchRenewing(url, init, mode, manage),
  })
  clients.set(name, client)
  return client
}

/** A client that may manage keys and endpoints. Asks the person to confirm where that is due. */
export async function managingClient(mode: Mode): Promise<Atrium> {
  await tokenOf(mode, true, true)
  return clientOf(mode, true)
}

/** A token can end before its time, with its session or by a clock that is wrong: then it is asked for once more. */
async function fetchRenewing(url: string | URL | Request, init: RequestInit | undefined, mode: Mode, manage: boolean) {
  const response = await fetch(url, init)
  if (response.status !== 401) return response
  tokens.delete(nameOf(mode, manage))
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${await tokenOf(mode, manage, false)}`)
  return await fetch(url, { ...init, headers })
}
