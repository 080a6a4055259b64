/**
 * Which server a command calls, and with which key. A flag overrides the environment, which overrides the profile. A key
 * is never read from the command line, where every user of the machine can see it. A profile's key is sent to its own
 * server only.
 */
import { readFileSync, statSync } from 'node:fs'
import { readClientEnvironment } from '../../config.ts'
import { Failure, Fault, type Option, UsageError } from '../command.ts'
import { cli_limits } from '../limits.ts'
import { wholeNumber } from '../options.ts'
import { exit } from './exit-codes.ts'
import { Client, type Patience, type Target } from './http.ts'
import { type Profile, readProfiles, requireProfile } from './profiles.ts'

const default_url = 'http://127.0.0.1:4010'

/** The flags of every command that calls a server. */
export const connectionOptions = {
  url: {
    shows: '<url>',
    does: `URL of the server. By default ATRIUM_URL, then the profile's, then ${default_url}.`,
    read: readServer,
  },
  profile: {
    shows: '<name>',
    does: 'Profile with server and key. By default ATRIUM_PROFILE, then the default profile.',
  },
  keyFile: { shows: '<file>', does: "File that holds the key. By default ATRIUM_KEY, then the profile's key." },
  apiVersion: { shows: '<date>', does: "Version of the API, a date; the key's version by default.", read: readVersion },
} as const satisfies Record<string, Option>

export const patienceOptions = {
  retries: {
    shows: '<n>',
    does: `Attempts after the first one without an answer; ${cli_limits.client_retries_default} by default.`,
    read: (text: string) => wholeNumber(text, 0, cli_limits.client_retries_max),
  },
  maxWait: {
    shows: '<seconds>',
    does: 'Longest total wait for credits, or for a server that is not ready.',
    read: (text: string) => wholeNumber(text, 0, cli_limits.client_wait_seconds_max),
  },
} as const satisfies Record<string, Option>

export interface ConnectionFlags {
  readonly url?: string | undefined
  readonly profile?: string | undefined
  readonly keyFile?: string | undefined
  readonly apiVersion?: string | undefined
}

export interface PatienceFlags {
  readonly retries?: number | undefined
  readonly maxWait?: number | undefined
}

/**
 * Parses an http or https address and drops a final slash. An address with credentials is refused
 * (contract/07#credentials-in-urls).
 */
export function readServer(text: string): string {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) throw new Fault('must be an http or https URL')
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw new Fault('must be the URL of a server without credentials, query and fragment')
  }
  return url.href.replace(/\/+$/, '')
}

function readVersion(text: string): string {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) throw new Fault('must be a date such as 2026-08-03')
  return text
}

/** The server that the flags, the environment and the profiles name. */
function targetOf(flags: ConnectionFlags): Target {
  const environment = readClientEnvironment()
  const own = flags.keyFile === undefined ? null : readKey(flags.keyFile)
  const apiVersion = flags.apiVersion ?? null
  if (flags.profile !== undefined) {
    const profile = requireProfile(readProfiles(environment.folder), flags.profile)
    const url = flags.url ?? profile.url
    return { url, key: own ?? keyFor(profile, url, flags.profile), apiVersion }
  }
  // The file is read only if it is needed: an account may have no home directory.
  const url = flags.url ?? environment.url
  const key = own ?? environment.key
  if (url !== null && key !== null) return { url, key: checkedKey(key, 'ATRIUM_KEY'), apiVersion }
  const profiles = readProfiles(environment.folder)
  const name = environment.profile ?? profiles.default
  const profile = name === null ? null : requireProfile(profiles, name)
  const server = url ?? profile?.url ?? default_url
  const sent = key ?? (profile !== null && sameServer(profile.url, server) ? profile.key : null)
  return { url: server, key: sent === null ? null : checkedKey(sent, 'The profile'), apiVersion }
}

function keyFor(profile: Profile, url: string, name: string): string {
  if (sameServer(profile.url, url)) return profile.key
  throw new UsageError(
    `The key of profile ${name} is sent to ${profile.url} only. Give --key-file for another server.`,
    'url',
  )
}

function sameServer(a: string, b: string): boolean {
  return new URL(a).origin === new URL(b).origin
}

function readKey(path: string): string {
  try {
    if (statSync(path).isFile() && statSync(path).size > cli_limits.client_key_bytes_max)
      throw new Error('it is too large')
    return checkedKey(readFileSync(path, 'utf8').trim(), '--key-file')
  } catch (error) {
    if (error instanceof Failure) throw error
    throw new Failure(`The key cannot be read from ${path}: ${(error as Error).message}.`)
  }
}

/** A key as a header can carry it. The message never holds it. */
export function checkedKey(key: string, from: string): string {
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > cli_limits.client_key_bytes_max) {
    throw new Failure(`${from} does not hold a key: one line of letters and digits, such as atr_live_….`)
  }
  return key
}

/** A client of the server that the flags name. A missing key fails at once, before a request. */
export function connect(flags: ConnectionFlags & PatienceFlags, patience: Partial<Patience> = {}): Client {
  const target = targetOf(flags)
  if (target.key === null) {
    throw new Failure(
      `There is no key for ${target.url}. Set ATRIUM_KEY, or store one with 'atrium profile add NAME --url ${target.url}'.`,
      exit.not_allowed,
    )
  }
  return new Client(target, {
    retries: flags.retries ?? patience.retries ?? cli_limits.client_retries_default,
    waitSeconds: flags.maxWait ?? patience.waitSeconds ?? cli_limits.client_wait_seconds_default,
    say: patience.say ?? ((line) => process.stderr.write(`atrium: ${line}\n`)),
  })
}
