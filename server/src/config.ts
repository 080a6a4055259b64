/**
 * Every environment variable with its default, unit and limit; no other code reads the environment. A wrong value or an
 * unknown `ATRIUM_*` name stops the start with one line that names it.
 */

import { isIP } from 'node:net'
import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { limits } from './api/limits.ts'
import type { BucketSettings } from './files/bucket.ts'
import { file_limits } from './files/limits.ts'
import { nearest } from './lib/nearest.ts'
import { keyPairOf } from './lib/p256.ts'

export interface Config {
  readonly host: string
  readonly port: number
  readonly databaseUrl: string
  /** `direct`: past the connection pooler to which `databaseUrl` leads. `reads`: replicas. */
  readonly databaseUrls: {
    readonly direct: string | null
    readonly reads: readonly string[]
    /** Whether statements go to the nodes of a Citus cluster, and not only to the coordinator. */
    readonly nodes: boolean
  }
  readonly dataDir: string
  /** `null`: the address that the listener has. */
  readonly publicUrl: string | null
  /** Networks of the reverse proxies whose `X-Forwarded-For` counts. */
  readonly trustedProxies: readonly string[]
  /** 32 bytes; `null`: generated once and kept in the data directory. */
  readonly secretKey: Buffer | null
  readonly credits: { readonly minute?: number | null; readonly day?: number | null; readonly plan_day?: number | null }
  readonly disabledOperations: readonly string[]
  readonly egressAllowedHosts: readonly string[]
  readonly egressAllowedCidrs: readonly string[]
  readonly webhookScheduleSeconds: readonly number[] | null
  readonly ai: {
    readonly provider: 'none' | 'openai_compatible' | 'echo'
    readonly baseUrl: string | null
    readonly apiKey: string | null
    readonly model: string | null
    readonly budgetMinorPerDay: number
    readonly inputPriceMinor: number
    readonly outputPriceMinor: number
  }
  readonly files: {
    /** One file. */
    readonly bytesMax: number
    /** All files of an organization's live data, and of its test data. */
    readonly organizationBytesMax: number
    /** `null`: the content is in a folder of the data directory. */
    readonly bucket: BucketSettings | null
  }
  /** 32 bytes with which a continuous backup is encrypted; null: it is not. */
  readonly backupKey: Buffer | null
  /** Folder of PostgreSQL's programs; `null`: looked for. */
  readonly postgresPrograms: string | null
  /** Gets the result of each drill by mail; null: no mail is sent. */
  readonly operatorMail: string | null
  /** Whether an upgrade of the database begins with a backup of it. */
  readonly upgradeBackup: boolean
  /** Null: no mail is sent. `from` is an address, or a name and an address in angle brackets. */
  readonly mail: { readonly url: string; readonly from: string } | null
  /** Where mail is received, and the domain of its recipients; null: a reply goes to its sender's mailbox. */
  readonly inboundMail: { readonly host: string; readonly port: number; readonly domain: string } | null
  /** The key by which push services know the installation, in base64url (null: the database's), and whom they may ask. */
  readonly push: { readonly privateKey: string | null; readonly subject: string | null }
  /** Providers by which people sign in, in the order of their buttons. */
  readonly openid: readonly OpenIdSettings[]
  readonly workers: boolean
  readonly logLevel: LogLevel
}

type RoleName = 'owner' | 'admin' | 'member'

interface OpenIdSettings {
  readonly id: string
  readonly name: string
  readonly organization: string
  readonly issuer: string
  readonly clientId: string
  /** Null for a public client. */
  readonly clientSecret: string | null
  readonly domains: readonly string[]
  readonly roleClaim: string | null
  readonly roles: Readonly<Record<string, RoleName>>
  readonly defaultRole: RoleName
  readonly secondFactor: true | readonly string[]
}

type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** An unusable setting; the message is one line for the operator. */
export class ConfigError extends Error {}

type Environment = Readonly<Record<string, string | undefined>>

/** Every variable with its default and meaning, as `atrium --help` shows them. */
export const variables: Readonly<Record<string, readonly [fallback: string, meaning: string]>> = {
  ATRIUM_HOST: ['127.0.0.1', 'Address to listen on.'],
  ATRIUM_PORT: ['4010', 'Port to listen on; 0 picks a free one.'],
  ATRIUM_DATABASE_URL: [
    'file:./data/atrium.db',
    'Database: file: is the embedded SQLite, postgres:// a PostgreSQL server.',
  ],
  ATRIUM_DATABASE_DIRECT_URL: ['', 'PostgreSQL itself, if ATRIUM_DATABASE_URL leads to a connection pooler.'],
  ATRIUM_DATABASE_READ_URL: ['', 'Read replicas of the PostgreSQL database, separated by commas.'],
  ATRIUM_DATABASE_NODES: [
    'true',
    'Whether statements go to the nodes of a Citus cluster themselves, and not only to the coordinator.',
  ],
  ATRIUM_DATA_DIR: ['./data', 'Folder of the database, the secret key and the files.'],
  ATRIUM_PUBLIC_URL: ['http://host:port', 'Base of the URLs in answers and links.'],
  ATRIUM_TRUSTED_PROXIES: [
    'private networks',
    'Reverse proxies whose X-Forwarded-For counts: addresses or networks, separated by commas.',
  ],
  ATRIUM_SECRET_KEY: ['data/secret.key', 'Secret key, 32 bytes in base64; required with PostgreSQL.'],
  ATRIUM_CREDITS_PER_MINUTE: ['by plan', 'Credits per credential and minute: at least 500, or unlimited.'],
  ATRIUM_CREDITS_PER_DAY: ['by plan', 'Credits per credential and day.'],
  ATRIUM_CREDITS_PER_PLAN_DAY: ['by plan', 'Credits per organization, mode and day.'],
  ATRIUM_DISABLED_OPERATIONS: ['', 'Ids of disabled operations, separated by commas.'],
  ATRIUM_EGRESS_ALLOWED_HOSTS: ['', 'Hosts exempt from "public HTTPS only".'],
  ATRIUM_EGRESS_ALLOWED_CIDRS: ['', 'Networks exempt from it, such as 10.0.0.0/8.'],
  ATRIUM_WEBHOOK_SCHEDULE_SECONDS: ['built in', 'Seconds between delivery attempts, separated by commas.'],
  ATRIUM_AI_PROVIDER: ['none', 'Provider of AI steps: none, openai_compatible, or echo for trials.'],
  ATRIUM_AI_BASE_URL: ['', 'Base URL of the openai_compatible provider.'],
  ATRIUM_AI_API_KEY: ['', 'API key of the provider.'],
  ATRIUM_AI_MODEL: ['', 'Model of the provider.'],
  ATRIUM_AI_BUDGET_MINOR_PER_DAY: ['0', 'Daily limit of an organization in minor units; 0: no AI step runs.'],
  ATRIUM_AI_INPUT_PRICE_MINOR: ['500', 'Minor units per million input tokens, counted against the limit.'],
  ATRIUM_AI_OUTPUT_PRICE_MINOR: ['2500', 'Minor units per million output tokens.'],
  ATRIUM_FILE_BYTES_MAX: [String(file_limits.file_bytes_default), 'Largest file that may be uploaded, in bytes.'],
  ATRIUM_ORGANIZATION_FILE_BYTES_MAX: [
    String(file_limits.organization_file_bytes_default),
    "Bytes of all files of an organization's live data, and of its test data.",
  ],
  ATRIUM_SMTP_URL: ['', 'SMTP server that sends mail, such as smtps://user:password@mail.example.com.'],
  ATRIUM_MAIL_FROM: ['', 'Sender of mail, such as Atrium <atrium@example.com>; required with ATRIUM_SMTP_URL.'],
  ATRIUM_OPERATOR_MAIL: [
    '',
    'Address that gets the result of each drill of a continuous backup; needs ATRIUM_SMTP_URL.',
  ],
  ATRIUM_INBOUND_MAIL: [
    '',
    'Address at which replies to mails are received, such as smtp://127.0.0.1:2525?domain=reply.example.com.',
  ],
  ATRIUM_VAPID_PRIVATE_KEY: [
    'in the database',
    'Private key of browser notices, 32 bytes in base64url; by default made once and kept sealed.',
  ],
  ATRIUM_VAPID_SUBJECT: [
    'ATRIUM_MAIL_FROM',
    'Whom push services may ask, such as mailto:admin@example.com; else the public URL.',
  ],
  ATRIUM_FILES_URL: ['data/files', 'Bucket of the files: s3://bucket/prefix?endpoint=https://host&region=name.'],
  ATRIUM_FILES_ACCESS_KEY: ['', 'Access key of the bucket; also AWS_ACCESS_KEY_ID.'],
  ATRIUM_FILES_SECRET_KEY: ['', 'Secret key of the bucket; also AWS_SECRET_ACCESS_KEY.'],
  ATRIUM_BACKUP_KEY: ['', 'Key that encrypts a continuous backup, 32 bytes in base64 (openssl rand -base64 32).'],
  ATRIUM_POSTGRES_PROGRAMS: ['', "Folder of PostgreSQL's program postgres, for restores and drills of its backup."],
  ATRIUM_UPGRADE_BACKUP: ['true', 'Whether the data are backed up before a newer version changes the tables.'],
  ATRIUM_OIDC_PROVIDERS: ['', 'OpenID providers to sign in by, as a JSON array; docs/hosting.md describes it.'],
  ATRIUM_WORKERS: ['true', 'Whether this process runs the workers; false serves HTTP only.'],
  ATRIUM_LOG_LEVEL: ['info', 'Lowest level in the log: debug, info, warn or error.'],
}

/** The same for commands that call a server over HTTP. A server ignores these variables. */
export const client_variables: typeof variables = {
  ATRIUM_URL: ['http://127.0.0.1:4010', 'Server that api, events tail and import call.'],
  ATRIUM_KEY: ['', 'API key that they send.'],
  ATRIUM_PROFILE: ['', 'Profile with server and key.'],
}

/** What commands that call a server read from the environment. */
export interface ClientEnvironment {
  readonly url: string | null
  readonly key: string | null
  readonly profile: string | null
  /** The folder of the profiles (XDG Base Directory Specification). */
  readonly folder: string
}

export function readClientEnvironment(environment: Environment = process.env): ClientEnvironment {
  refuseUnknown(environment)
  const { XDG_CONFIG_HOME: base } = environment
  return {
    url: readUrl('ATRIUM_URL', environment.ATRIUM_URL?.trim() || undefined),
    key: environment.ATRIUM_KEY?.trim() || null,
    profile: environment.ATRIUM_PROFILE?.trim() || null,
    folder: join(base !== undefined && isAbsolute(base) ? base : join(homedir(), '.config'), 'atrium'),
  }
}

function refuseUnknown(environment: Environment): void {
  for (const name of Object.keys(environment)) {
    const known = Object.hasOwn(variables, name) || Object.hasOwn(client_variables, name)
    // The test suite's variables reach the servers that it starts.
    if (name.startsWith('ATRIUM_') && !known && !name.startsWith('ATRIUM_TEST_')) {
      const near = nearest(name, [...Object.keys(variables), ...Object.keys(client_variables)])
      throw new ConfigError(`${name} is not a variable of Atrium.${near === null ? '' : ` Did you mean ${near}?`}`)
    }
  }
}

/** The process's environment as a configuration. `operations`: the ids that may be disabled. */
export function readConfig(environment: Environment = process.env, operations?: ReadonlySet<string>): Config {
  refuseUnknown(environment)
  const text = (name: string): string | undefined => environment[name]?.trim() || undefined
  const dataDir = text('ATRIUM_DATA_DIR') ?? './data'
  const databaseUrl = readDatabaseUrl(text('ATRIUM_DATABASE_URL'), dataDir)
  const secretKey = readKey('ATRIUM_SECRET_KEY', text)
  if (secretKey === null && !databaseUrl.startsWith('file:')) {
    throw new ConfigError(
      'ATRIUM_SECRET_KEY is required with PostgreSQL: 32 bytes in base64 (openssl rand -base64 32).',
    )
  }
  return {
    host: readHost(text('ATRIUM_HOST')),
    port: integer('ATRIUM_PORT', text('ATRIUM_PORT') ?? '4010', 0, 65_535),
    databaseUrl,
    databaseUrls: {
      direct: readPostgresUrl('ATRIUM_DATABASE_DIRECT_URL', text, databaseUrl),
      reads: readReplicaUrls('ATRIUM_DATABASE_READ_URL', text, databaseUrl),
      nodes: oneOf('ATRIUM_DATABASE_NODES', text('ATRIUM_DATABASE_NODES') ?? 'true', ['true', 'false']) === 'true',
    },
    dataDir,
    publicUrl: readPublicUrl(text('ATRIUM_PUBLIC_URL')),
    trustedProxies: readProxies(text('ATRIUM_TRUSTED_PROXIES')),
    secretKey,
    credits: {
      ...credits('minute', 'ATRIUM_CREDITS_PER_MINUTE', text('ATRIUM_CREDITS_PER_MINUTE')),
      ...credits('day', 'ATRIUM_CREDITS_PER_DAY', text('ATRIUM_CREDITS_PER_DAY')),
      ...credits('plan_day', 'ATRIUM_CREDITS_PER_PLAN_DAY', text('ATRIUM_CREDITS_PER_PLAN_DAY')),
    },
    disabledOperations: readOperations(text('ATRIUM_DISABLED_OPERATIONS'), operations),
    egressAllowedHosts: readHosts(text('ATRIUM_EGRESS_ALLOWED_HOSTS')),
    egressAllowedCidrs: readCidrs(text('ATRIUM_EGRESS_ALLOWED_CIDRS')),
    webhookScheduleSeconds: readSchedule(text('ATRIUM_WEBHOOK_SCHEDULE_SECONDS')),
    ai: readAi(text),
    files: {
      bytesMax: bytes('ATRIUM_FILE_BYTES_MAX', text, file_limits.file_bytes_default, file_limits.file_bytes_max),
      organizationBytesMax: bytes(
        'ATRIUM_ORGANIZATION_FILE_BYTES_MAX',
        text,
        file_limits.organization_file_bytes_default,
        limits.safe_integer_max,
      ),
      bucket: readBucket(text, environment),
    },
    backupKey: readKey('ATRIUM_BACKUP_KEY', text),
    postgresPrograms: text('ATRIUM_POSTGRES_PROGRAMS') ?? null,
    upgradeBackup:
      oneOf('ATRIUM_UPGRADE_BACKUP', text('ATRIUM_UPGRADE_BACKUP') ?? 'true', ['true', 'false']) === 'true',
    mail: readMail(text),
    operatorMail: readOperatorMail(text),
    inboundMail: readInboundMail(text),
    push: readPush(text),
    openid: readOpenId(text('ATRIUM_OIDC_PROVIDERS')),
    workers: oneOf('ATRIUM_WORKERS', text('ATRIUM_WORKERS') ?? 'true', ['true', 'false']) === 'true',
    logLevel: oneOf('ATRIUM_LOG_LEVEL', text('ATRIUM_LOG_LEVEL') ?? 'info', ['debug', 'info', 'warn', 'error']),
  }
}

type Text = (name: string) => string | undefined

/** Replicas of one database. */
const replicas_max = 16

/** Up to this price the most expensive request costs fewer millionths than JavaScript counts exactly. */
const ai_price_max = 1_000_000

function readAi(text: Text): Config['ai'] {
  const ai = {
    provider: oneOf('ATRIUM_AI_PROVIDER', text('ATRIUM_AI_PROVIDER') ?? 'none', ['none', 'openai_compatible', 'echo']),
    baseUrl: readUrl('ATRIUM_AI_BASE_URL', text('ATRIUM_AI_BASE_URL')),
    apiKey: text('ATRIUM_AI_API_KEY') ?? null,
    model: text('ATRIUM_AI_MODEL') ?? null,
    budgetMinorPerDay: integer('ATRIUM_AI_BUDGET_MINOR_PER_DAY', text('ATRIUM_AI_BUDGET_MINOR_PER_DAY') ?? '0', 0, 1e9),
    inputPriceMinor: integer(
      'ATRIUM_AI_INPUT_PRICE_MINOR',
      text('ATRIUM_AI_INPUT_PRICE_MINOR') ?? '500',
      0,
      ai_price_max,
    ),
    outputPriceMinor: integer(
      'ATRIUM_AI_OUTPUT_PRICE_MINOR',
      text('ATRIUM_AI_OUTPUT_PRICE_MINOR') ?? '2500',
      0,
      ai_price_max,
    ),
  }
  if (ai.provider === 'openai_compatible') {
    const needed = ['ATRIUM_AI_BASE_URL', 'ATRIUM_AI_API_KEY', 'ATRIUM_AI_MODEL']
    const missing = needed.find((name) => text(name) === undefined)
    if (missing !== undefined)
      throw new ConfigError(`${missing} is required with ATRIUM_AI_PROVIDER=openai_compatible.`)
  }
  return ai
}

function readMail(text: Text): Config['mail'] {
  const url = text('ATRIUM_SMTP_URL')
  if (url === undefined) return null
  if (!/^smtps?:\/\/.+/.test(url) || !URL.canParse(url))
    throw new ConfigError('ATRIUM_SMTP_URL must begin with smtp:// or smtps://.')
  const from = text('ATRIUM_MAIL_FROM')
  if (from === undefined) throw new ConfigError('ATRIUM_MAIL_FROM is required with ATRIUM_SMTP_URL.')
  if (!sender.test(from))
    throw new ConfigError(`ATRIUM_MAIL_FROM cannot be "${from}". Use an address such as Atrium <atrium@example.com>.`)
  return { url, from }
}

function readOperatorMail(text: Text): string | null {
  const value = text('ATRIUM_OPERATOR_MAIL')
  if (value === undefined) return null
  if (!/^[^\s@<>,]+@[^\s@<>,]+$/.test(value))
    throw new ConfigError(`ATRIUM_OPERATOR_MAIL cannot be "${value}". Use one address such as ops@example.com.`)
  if (text('ATRIUM_SMTP_URL') === undefined)
    throw new ConfigError('ATRIUM_SMTP_URL is required with ATRIUM_OPERATOR_MAIL.')
  return value
}

function readPush(text: Text): Config['push'] {
  const privateKey = text('ATRIUM_VAPID_PRIVATE_KEY') ?? null
  if (privateKey !== null && (!/^[\w-]{43}$/.test(privateKey) || keyPairOf(privateKey) === null))
    throw new ConfigError('ATRIUM_VAPID_PRIVATE_KEY must be a private key of P-256: 32 bytes in base64url.')
  const subject = text('ATRIUM_VAPID_SUBJECT') ?? null
  if (subject !== null && !/^(?:mailto:[^@\s]+@[^@\s]+|https:\/\/\S+)$/.test(subject))
    throw new ConfigError(
      `ATRIUM_VAPID_SUBJECT cannot be "${subject}". Use a mailto: or https:// URL, such as mailto:admin@example.com.`,
    )
  const from = /([^<\s]+@[^>\s]+)>?$/.exec(text('ATRIUM_MAIL_FROM') ?? '')?.[1]
  return { privateKey, subject: subject ?? (from === undefined ? null : `mailto:${from}`) }
}

function readInboundMail(text: Text): Config['inboundMail'] {
  const value = text('ATRIUM_INBOUND_MAIL')
  if (value === undefined) return null
  const wrong = (use: string) => new ConfigError(`ATRIUM_INBOUND_MAIL cannot be "${value}". ${use}`)
  const example = 'Use an address to listen on and a domain, such as smtp://127.0.0.1:2525?domain=reply.example.com.'
  const url = URL.canParse(value) ? new URL(value) : null
  if (url?.protocol !== 'smtp:' || url.hostname === '' || url.port === '') throw wrong(example)
  const unknown = [...url.searchParams.keys()].find((key) => key !== 'domain')
  if (unknown !== undefined) throw wrong(`"${unknown}" is not a parameter; the only one is domain.`)
  const domain = url.searchParams.get('domain') ?? ''
  if (!host_name.test(domain) || url.searchParams.size !== 1 || url.pathname.length > 1 || url.username !== '')
    throw wrong(example)
  if (text('ATRIUM_SMTP_URL') === undefined)
    throw new ConfigError('ATRIUM_SMTP_URL is required with ATRIUM_INBOUND_MAIL.')
  return { host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port: Number(url.port), domain: domain.toLowerCase() }
}

/** Providers of one installation. */
const openid_providers_max = 20
const openid_domains_max = 100
const openid_roles_max = 100
const openid_contexts_max = 20

/** The keys of a provider: what a value must be, and whether it is. */
const openid_keys: Readonly<Record<string, readonly [is: (value: unknown) => boolean, accepted: string]>> = {
  id: [(value) => isText(value, 32) && /^[a-z0-9][a-z0-9-]*$/.test(value), '1 to 32 of a-z, 0-9 and -'],
  name: [(value) => isText(value, 80), 'a text of at most 80 characters'],
  organization: [
    (value) => isText(value, 64) && /^org_[0-9A-Za-z]+$/.test(value),
    'the id of the organization that people join, such as org_…',
  ],
  issuer: [isIssuer, 'an https URL without query and fragment; http is only allowed on the loopback interface'],
  client_id: [(value) => isText(value, 500), 'a text of at most 500 characters'],
  client_secret: [(value) => value === undefined || isText(value, 2000), 'a text of at most 2000 characters'],
  domains: [
    (value) => isListOf(value, openid_domains_max, (each) => isText(each, 253) && host_name.test(each)),
    `1 to ${openid_domains_max} domains of e-mail addresses, such as ["example.com"]`,
  ],
  role_claim: [(value) => value === undefined || isText(value, 200), 'the name of a claim'],
  roles: [
    (value) => value === undefined || isRoles(value),
    `an object of 1 to ${openid_roles_max} values of role_claim, each with owner, admin or member`,
  ],
  default_role: [(value) => value === undefined || isRole(value), 'owner, admin or member'],
  second_factor: [
    (value) =>
      value === undefined || value === true || isListOf(value, openid_contexts_max, (each) => isText(each, 200)),
    `true, or 1 to ${openid_contexts_max} values of the claim acr`,
  ],
}

function readOpenId(text: string | undefined): OpenIdSettings[] {
  if (text === undefined) return []
  const wrong = (message: string) => new ConfigError(`ATRIUM_OIDC_PROVIDERS ${message}`)
  let entries: unknown
  try {
    entries = JSON.parse(text)
  } catch {
    throw wrong('is not valid JSON.')
  }
  if (!isListOf(entries, openid_providers_max, (each) => typeof each === 'object' && each !== null))
    throw wrong(`must be a JSON array of 1 to ${openid_providers_max} providers.`)
  const providers = entries as Record<string, unknown>[]
  for (const [i, entry] of providers.entries()) {
    const name = `entry ${i + 1}${typeof entry.id === 'string' ? ` (${entry.id.slice(0, 40)})` : ''}`
    const unknown = Object.keys(entry).find((key) => !Object.hasOwn(openid_keys, key))
    if (unknown !== undefined) {
      const near = nearest(unknown, Object.keys(openid_keys))
      throw wrong(`${name}: "${unknown}" is not a key.${near === null ? '' : ` Did you mean ${near}?`}`)
    }
    for (const [key, [isValid, accepted]] of Object.entries(openid_keys))
      if (!isValid(entry[key])) throw wrong(`${name}: "${key}" must be ${accepted}.`)
    if ((entry.role_claim === undefined) !== (entry.roles === undefined))
      throw wrong(`${name}: "role_claim" and "roles" are only allowed together.`)
    if (providers.findIndex(({ id }) => id === entry.id) < i) throw wrong(`${name}: "id" is used twice.`)
  }
  // Each value was checked above.
  return (entries as OpenIdEntry[]).map(toOpenId)
}

interface OpenIdEntry {
  readonly id: string
  readonly name: string
  readonly organization: string
  readonly issuer: string
  readonly client_id: string
  readonly client_secret?: string
  readonly domains: readonly string[]
  readonly role_claim?: string
  readonly roles?: Readonly<Record<string, RoleName>>
  readonly default_role?: RoleName
  readonly second_factor?: true | readonly string[]
}

function toOpenId(entry: OpenIdEntry): OpenIdSettings {
  const { id, name, organization, issuer } = entry
  return {
    ...{ id, name, organization, issuer },
    clientId: entry.client_id,
    clientSecret: entry.client_secret ?? null,
    domains: entry.domains.map((domain) => domain.toLowerCase()),
    roleClaim: entry.role_claim ?? null,
    roles: entry.roles ?? {},
    defaultRole: entry.default_role ?? 'member',
    secondFactor: entry.second_factor ?? [],
  }
}

function isText(value: unknown, chars_max: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= chars_max && !/\p{C}/u.test(value)
}

function isListOf(value: unknown, most: number, isValid: (each: unknown) => boolean): boolean {
  return Array.isArray(value) && value.length > 0 && value.length <= most && value.every(isValid)
}

function isRole(value: unknown): value is RoleName {
  return value === 'owner' || value === 'admin' || value === 'member'
}

function isRoles(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const roles = Object.values(value)
  return roles.length > 0 && roles.length <= openid_roles_max && roles.every(isRole)
}

function isIssuer(value: unknown): boolean {
  if (!isText(value, 500) || !URL.canParse(value) || /[?#@\s]/.test(value)) return false
  const { protocol, hostname } = new URL(value)
  return protocol === 'https:' || (protocol === 'http:' && ['127.0.0.1', 'localhost', '[::1]'].includes(hostname))
}

/** An address, or a name and an address in angle brackets. */
const sender = /^(?:[^<>@,\r\n"]{1,100}<[^<>@\s,]{1,64}@[^<>@\s,]{1,255}>|[^<>@\s,]{1,64}@[^<>@\s,]{1,255})$/

/** A name as in DNS; addresses also pass, because they contain dots or colons. */
const host_name = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/i

function readHost(host = '127.0.0.1'): string {
  // Digits and dots that are not an address would be looked up as a name and never found.
  if (isIP(host) !== 0 || (host_name.test(host) && !/^[\d.]+$/.test(host))) return host
  throw new ConfigError(`ATRIUM_HOST cannot be "${host}". Use an address or a host name, without port.`)
}

function readHosts(text: string | undefined): string[] {
  const hosts = list(text).map((host) => host.toLowerCase())
  const wrong = hosts.find((host) => !host_name.test(host))
  if (wrong !== undefined)
    throw new ConfigError(`ATRIUM_EGRESS_ALLOWED_HOSTS cannot contain "${wrong}". Use host names, separated by commas.`)
  return hosts
}

function readProxies(text: string | undefined): string[] {
  return list(text).map((proxy) => {
    if (isIP(proxy) === 0 && !isCidr(proxy))
      throw new ConfigError(
        `ATRIUM_TRUSTED_PROXIES cannot contain "${proxy}". Use addresses or networks, such as 127.0.0.1,10.0.0.0/8.`,
      )
    return proxy
  })
}

function isCidr(text: string): boolean {
  const [address = '', bits = '', ...more] = text.split('/')
  const bits_max = isIP(address) === 6 ? 128 : 32
  return (
    isIP(address) !== 0 &&
    !address.includes('%') &&
    /^\d{1,3}$/.test(bits) &&
    Number(bits) <= bits_max &&
    more.length === 0
  )
}

function readCidrs(text: string | undefined): string[] {
  return list(text).map((cidr) => {
    if (!isCidr(cidr)) {
      throw new ConfigError(
        `ATRIUM_EGRESS_ALLOWED_CIDRS cannot contain "${cidr}". Use networks such as 10.0.0.0/8, separated by commas.`,
      )
    }
    return cidr
  })
}

function readDatabaseUrl(url: string | undefined, dataDir: string): string {
  if (url === undefined) return `file:${join(dataDir, 'atrium.db')}`
  if (/^file:.+/.test(url)) return url
  if (!postgres_form.test(url)) throw new ConfigError('ATRIUM_DATABASE_URL must begin with file: or postgres://.')
  requireParsed('ATRIUM_DATABASE_URL', url)
  return url
}

const postgres_form = /^postgres(ql)?:\/\/.+/

/** The value may contain a password, so it is not repeated. */
function requireParsed(name: string, url: string): void {
  if (URL.canParse(url) && new URL(url).hash === '') return
  throw new ConfigError(
    `${name} must be postgres://user:password@host:port/database. In a password, write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25.`,
  )
}

/** A further URL of the PostgreSQL database. */
function readPostgresUrl(name: string, text: Text, databaseUrl: string): string | null {
  const url = text(name)
  if (url === undefined) return null
  requirePostgres(name, url, databaseUrl)
  return url
}

function readReplicaUrls(name: string, text: Text, databaseUrl: string): string[] {
  const urls = list(text(name))
  if (urls.length > replicas_max) throw new ConfigError(`${name} cannot have more than ${replicas_max} URLs.`)
  for (const url of urls) requirePostgres(name, url, databaseUrl)
  return urls
}

function requirePostgres(name: string, url: string, databaseUrl: string): void {
  if (!postgres_form.test(url)) throw new ConfigError(`${name} must begin with postgres://.`)
  requireParsed(name, url)
  if (databaseUrl.startsWith('file:'))
    throw new ConfigError(`${name} is only allowed if ATRIUM_DATABASE_URL begins with postgres://.`)
}

function readKey(name: string, text: Text): Buffer | null {
  const value = text(name)
  if (value === undefined) return null
  const key = Buffer.from(value, 'base64')
  if (key.length !== 32 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) {
    throw new ConfigError(`${name} must be 32 bytes in base64.`)
  }
  return key
}

function readUrl(name: string, text: string | undefined): string | null {
  if (text === undefined) return null
  if (!/^https?:\/\//.test(text) || !URL.canParse(text)) throw new ConfigError(`${name} must be an http or https URL.`)
  return text.replace(/\/+$/, '')
}

/** A path serves the API only (`warnOfPath`). */
function readPublicUrl(text: string | undefined): string | null {
  const url = readUrl('ATRIUM_PUBLIC_URL', text)
  if (url === null) return null
  const parsed = new URL(url)
  const { origin, username, search, hash } = parsed
  if (username === '' && search === '' && hash === '') return url
  parsed.password = ''
  throw new ConfigError(
    `ATRIUM_PUBLIC_URL cannot be "${parsed.href}": it is a scheme, a host name and a port. Use ${origin}.`,
  )
}

/** The bucket of the files. */
function readBucket(text: Text, environment: Environment): BucketSettings | null {
  const url = text('ATRIUM_FILES_URL')
  return url === undefined ? null : readBucketUrl('ATRIUM_FILES_URL', url, environment)
}

/** A bucket with the key pair of the files. The usual variables of AWS are read if those of Atrium are not set. */
export function readBucketUrl(name: string, url: string, environment: Environment = process.env): BucketSettings {
  const bucket_form = `${name} must be s3://bucket/prefix?endpoint=https://host, with the optional parameters region and path_style=true or false.`
  const text = (variable: string) => environment[variable]?.trim() || undefined
  const aws = text
  const [, bucket = '', path = '', query = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,62})(\/[^?#\s]*)?(?:\?([^#\s]*))?$/.exec(url) ?? []
  const parameters = new URLSearchParams(query)
  const isKnown = [...parameters.keys()].every((name) => ['endpoint', 'region', 'path_style'].includes(name))
  const endpoint = parameters.get('endpoint')
  const prefix = path.replaceAll(/^\/+|\/+$/g, '')
  const isUsable = endpoint === null || (/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))
  if (bucket === '' || !isKnown || !isUsable || prefix.split('/').includes('..')) throw new ConfigError(bucket_form)
  const accessKey = text('ATRIUM_FILES_ACCESS_KEY') ?? aws('AWS_ACCESS_KEY_ID')
  const secretKey = text('ATRIUM_FILES_SECRET_KEY') ?? aws('AWS_SECRET_ACCESS_KEY')
  if (accessKey === undefined || secretKey === undefined) {
    const missing = accessKey === undefined ? 'ATRIUM_FILES_ACCESS_KEY' : 'ATRIUM_FILES_SECRET_KEY'
    throw new ConfigError(`${missing} is required with ${name}.`)
  }
  return {
    ...{ bucket, prefix, endpoint, accessKey, secretKey },
    region: parameters.get('region') ?? aws('AWS_REGION') ?? aws('AWS_DEFAULT_REGION') ?? 'us-east-1',
    pathStyle:
      oneOf('path_style', parameters.get('path_style') ?? String(endpoint !== null), ['true', 'false']) === 'true',
    sessionToken: text('ATRIUM_FILES_ACCESS_KEY') === undefined ? (aws('AWS_SESSION_TOKEN') ?? null) : null,
  }
}

function integer(name: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (!(value >= minimum && value <= maximum)) {
    throw new ConfigError(`${name} cannot be "${text}". Use a whole number from ${minimum} to ${maximum}.`)
  }
  return value
}

function bytes(name: string, text: Text, fallback: number, maximum: number): number {
  return integer(name, text(name) ?? String(fallback), 1, maximum)
}

function oneOf<const T extends string>(name: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text)
  if (found === undefined) throw new ConfigError(`${name} cannot be "${text}". Use one of ${words.join(', ')}.`)
  return found
}

function credits(kind: string, name: string, text: string | undefined): Record<string, number | null> {
  if (text === undefined) return {}
  if (text === 'unlimited') return { [kind]: null }
  const value = /^\d{1,15}$/.test(text) ? Number(text) : 0
  if (value < limits.credits_window_min)
    throw new ConfigError(
      `${name} cannot be "${text}". Use unlimited, or a whole number of at least ${limits.credits_window_min}.`,
    )
  return { [kind]: value }
}

function list(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function readOperations(text: string | undefined, operations: ReadonlySet<string> | undefined): string[] {
  const ids = list(text)
  const unknown = ids.find((id) => operations !== undefined && !operations.has(id))
  const near = unknown === undefined ? null : nearest(unknown, operations ?? [])
  if (unknown !== undefined)
    throw new ConfigError(
      `ATRIUM_DISABLED_OPERATIONS cannot contain "${unknown}": there is no such operation.${near === null ? '' : ` Did you mean ${near}?`}`,
    )
  return ids
}

function readSchedule(text: string | undefined): number[] | null {
  if (text === undefined) return null
  const waits = list(text).map((part) => integer('ATRIUM_WEBHOOK_SCHEDULE_SECONDS', part, 0, 86_400 * 30))
  if (waits.length === 0)
    throw new ConfigError('ATRIUM_WEBHOOK_SCHEDULE_SECONDS must name at least one wait in seconds, such as 60,300.')
  return waits
}
