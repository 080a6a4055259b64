/**
 * Every column that holds values sealed under the secret key, and the context of each value. Invariant: a value is sealed
 * with a context of this page and stored in a column of this page; a rotation of the secret key seals again what is listed
 * here, and nothing else.
 */
import type { TableName } from '../schema.ts'

/** The context of a webhook endpoint's signing secrets. */
export function endpointContext(realm: number, endpoint: string): string {
  return `webhook_endpoints ${realm} ${endpoint}`
}

/** The context of a secret that automations send. */
export function automationSecretContext(realm: number, name: string): string {
  return `automation_secrets ${realm} ${name}`
}

/** Tables of flows' addresses for something outside. */
export type AutomationAddressTable = 'automation_hooks' | 'automation_forms' | 'automation_mailboxes'

/** The context of the secret in a flow's address. */
export function automationAddressContext(table: AutomationAddressTable, realm: number, flow: string): string {
  return `${table} ${realm} ${flow}`
}

/** The context of a stored answer that shows a secret. */
export function answerContext(realm: number, credential: string, key: string): string {
  return `idempotency ${realm} ${credential} ${key}`
}

/** The context of the content of a mail that holds a link. */
export function mailContext(realm: number, id: string): string {
  return `mails ${realm} ${id}`
}

/** The context of the address for which a new password was asked. */
export function resetRequestContext(id: string): string {
  return `reset_requests ${id}`
}

/** The context of where a browser receives notices, and of its keys. */
export function pushTargetContext(organization: string, id: string): string {
  return `push_subscriptions ${organization} ${id}`
}

/** The context of the private key by which push services know the installation. */
export function pushKeyContext(id: string): string {
  return `push_keys ${id}`
}

/** The context of the secret of an account's authenticator app. */
export function authenticatorContext(account: string): string {
  return `authenticator ${account}`
}

/** The context of the ID token of a session. */
export function idTokenContext(session: string): string {
  return `session_id_tokens ${session}`
}

export interface SealedColumn {
  readonly table: TableName
  /** The columns of the primary key. */
  readonly key: readonly string[]
  readonly column: string
  /** A column that is 1 in rows whose value is sealed; null: every value is. */
  readonly flag: string | null
  readonly context: (row: Readonly<Record<string, unknown>>) => string
}

const endpoint: Omit<SealedColumn, 'column'> = {
  table: 'webhook_endpoints',
  key: ['realm', 'id'],
  flag: null,
  context: ({ realm, id }) => endpointContext(Number(realm), String(id)),
}

export const sealed_columns: readonly SealedColumn[] = [
  { ...endpoint, column: 'secret' },
  { ...endpoint, column: 'previous_secret' },
  {
    table: 'automation_secrets',
    key: ['realm', 'name'],
    column: 'value',
    flag: null,
    context: ({ realm, name }) => automationSecretContext(Number(realm), String(name)),
  },
  {
    table: 'automation_hooks',
    key: ['realm', 'flow'],
    column: 'secret',
    flag: null,
    context: ({ realm, flow }) => automationAddressContext('automation_hooks', Number(realm), String(flow)),
  },
  {
    table: 'automation_forms',
    key: ['realm', 'flow'],
    column: 'secret',
    flag: null,
    context: ({ realm, flow }) => automationAddressContext('automation_forms', Number(realm), String(flow)),
  },
  {
    table: 'automation_mailboxes',
    key: ['realm', 'flow'],
    column: 'secret',
    flag: null,
    context: ({ realm, flow }) => automationAddressContext('automation_mailboxes', Number(realm), String(flow)),
  },
  {
    table: 'idempotency',
    key: ['realm', 'credential', 'key'],
    column: 'body',
    flag: 'sealed',
    context: ({ realm, credential, key }) => answerContext(Number(realm), String(credential), String(key)),
  },
  {
    table: 'mails',
    key: ['realm', 'id'],
    column: 'content',
    flag: 'sealed',
    context: ({ realm, id }) => mailContext(Number(realm), String(id)),
  },
  {
    table: 'reset_requests',
    key: ['id'],
    column: 'email',
    flag: null,
    context: ({ id }) => resetRequestContext(String(id)),
  },
  {
    table: 'push_subscriptions',
    key: ['organization', 'id'],
    column: 'target',
    flag: null,
    context: ({ organization, id }) => pushTargetContext(String(organization), String(id)),
  },
  {
    table: 'push_keys',
    key: ['id'],
    column: 'private_key',
    flag: null,
    context: ({ id }) => pushKeyContext(String(id)),
  },
  {
    table: 'authenticators',
    key: ['account'],
    column: 'secret',
    flag: null,
    context: ({ account }) => authenticatorContext(String(account)),
  },
  {
    table: 'session_id_tokens',
    key: ['session'],
    column: 'token',
    flag: null,
    context: ({ session }) => idTokenContext(String(session)),
  },
]
