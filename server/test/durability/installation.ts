/** An organization with a key in a database, and the environment of the processes that serve it. */
import { scopes } from '../../src/api/declare/scopes.ts'
import { readConfig } from '../../src/config.ts'
import { openServices } from '../../src/main.ts'
import { issueCredential } from '../../src/resources/api_keys/issue.ts'
import { foundOrganization } from '../../src/resources/organizations/found.ts'
import { call, type Reply } from '../call.ts'
import { test_environment, test_secret_key } from '../environment.ts'

export interface Installation {
  readonly environment: Readonly<Record<string, string>>
  readonly organization: string
  readonly realms: { readonly live: number; readonly test: number }
  readonly key: string
}

/** The environment of a server over the database at `url`, without workers or credit limits. */
export function serverEnvironment(url: string, folder: string): Record<string, string> {
  return {
    ...test_environment,
    ATRIUM_DATA_DIR: folder,
    ATRIUM_DATABASE_URL: url,
    ATRIUM_SECRET_KEY: test_secret_key,
    ATRIUM_WORKERS: 'false',
  }
}

/** Founds an organization in the database at `url`. */
export async function install(url: string, folder: string, more: Record<string, string> = {}): Promise<Installation> {
  const environment = { ...serverEnvironment(url, folder), ...more }
  const services = await openServices(readConfig(environment))
  try {
    return { environment, ...(await found(services)) }
  } finally {
    await services.close()
  }
}

async function found(services: Awaited<ReturnType<typeof openServices>>) {
  const founding = { name: 'Acme', ownerEmail: 'owner@acme.example', plan: 'enterprise', domains: [] } as const
  const { organization, realms } = await foundOrganization(services, founding)
  const owner = { type: 'organization', id: organization } as const
  const issue = { kind: 'api_key', organization, realm: realms.live, mode: 'live', name: 'A key' } as const
  const { secret } = await services.store.write('system', async (tx) =>
    issueCredential(tx, services.sealer, { ...issue, scopes, owner, expiresAt: null }, services.clock.now()),
  )
  return { organization, realms, key: secret }
}

/** Creates a workspace for tasks; repeats the request until it succeeds. */
export async function makeWorkspace(url: string, key: string): Promise<string> {
  const idempotencyKey = 'the-workspace'
  for (;;) {
    const reply: Reply = await call(url, 'POST', '/v1/workspaces', { key, body: { title: 'Durable' }, idempotencyKey })
    if (reply.status === 200) return reply.body.id
    if (reply.status !== 503) throw new Error(`no workspace: ${reply.text}`)
  }
}
