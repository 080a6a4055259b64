/** An application that speaks OAuth with a world's server, and the person who allows it in the console. */
import assert from 'node:assert/strict'
import { hash, randomBytes } from 'node:crypto'
import { call, type Reply } from './call.ts'
import type { Visitor } from './console/visitor.ts'

export const redirect_uri = 'https://app.example/back'

export interface Application {
  readonly id: string
  readonly secret: string | null
}

/** Registers an application in the console. */
export async function registerApplication(
  owner: Visitor,
  more: {
    readonly kind?: 'public' | 'confidential'
    readonly scopes?: readonly string[]
    readonly redirect_uris?: readonly string[]
    readonly mode?: 'live' | 'test'
  } = {},
): Promise<Application> {
  const { kind = 'public', scopes = ['api:read', 'tasks:read', 'tasks:write'], redirect_uris = [redirect_uri] } = more
  const body = { name: 'Planner', scopes, mode: more.mode ?? 'live', sign_in: { kind, redirect_uris } }
  return await owner.must('POST', 'applications', body)
}

export const newVerifier = (): string => randomBytes(32).toString('base64url')

/** The query of an authorization request; a value of `undefined` leaves a parameter out. */
export function requestOf(
  application: Pick<Application, 'id'>,
  verifier: string,
  more: Readonly<Record<string, string | undefined>> = {},
): string {
  const all: Record<string, string | undefined> = {
    response_type: 'code',
    client_id: application.id,
    redirect_uri,
    state: 'st&te=1',
    code_challenge: hash('sha256', verifier, 'base64url'),
    code_challenge_method: 'S256',
    ...more,
  }
  const given = Object.entries(all).filter((each): each is [string, string] => each[1] !== undefined)
  return new URLSearchParams(given).toString()
}

/** The code that the application gets when the person allows the request. */
export async function codeOf(person: Visitor, request: string): Promise<string> {
  const { location } = await person.must('POST', 'oauth/authorization', { request })
  const code = new URL(location).searchParams.get('code')
  assert.ok(code, location)
  return code
}

/** Sends a form to an endpoint of the protocol. */
export async function sendForm(
  url: string,
  path: string,
  fields: Readonly<Record<string, string | undefined>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const given = Object.entries(fields).filter((each): each is [string, string] => each[1] !== undefined)
  return await call(url, 'POST', path, {
    key: null,
    idempotencyKey: null,
    raw: new URLSearchParams(given).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  })
}

/** Exchanges a code; `more` replaces fields. */
export async function exchange(
  url: string,
  application: Application,
  code: string,
  code_verifier: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Reply> {
  const proof = application.secret === null ? {} : { client_secret: application.secret }
  const fields = { grant_type: 'authorization_code', code, redirect_uri, client_id: application.id, code_verifier }
  return await sendForm(url, '/oauth/token', { ...fields, ...proof, ...more })
}

export async function refresh(
  url: string,
  application: Application,
  refresh_token: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Reply> {
  const proof = application.secret === null ? {} : { client_secret: application.secret }
  const fields = { grant_type: 'refresh_token', refresh_token, client_id: application.id }
  return await sendForm(url, '/oauth/token', { ...fields, ...proof, ...more })
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly scope: string
  readonly expires_in: number
}

/** All steps at once: the tokens that an application gets from a person. */
export async function tokensFor(
  person: Visitor,
  application: Application,
  more: Readonly<Record<string, string | undefined>> = {},
): Promise<Tokens> {
  const verifier = newVerifier()
  const code = await codeOf(person, requestOf(application, verifier, more))
  const reply = await exchange(person.url, application, code, verifier, {
    ...(more.redirect_uri === undefined ? {} : { redirect_uri: more.redirect_uri }),
  })
  assert.equal(reply.status, 200, reply.text)
  return reply.body
}

/** Status, code and description of an error of the protocol. */
export function failure({ status, body }: Reply): readonly [status: number, error: string, description: string] {
  return [status, body?.error, body?.error_description]
}
