/** A log under trial, live or test, of an organization, with a key to it. */
import type { Mode } from '../../server/src/api/declare/caller.ts'
import { scopes } from '../../server/src/api/declare/scopes.ts'
import { type Placeholder, query } from '../../server/src/db/query.ts'
import type { Reader } from '../../server/src/db/store.ts'
import type { OpenServices } from '../../server/src/main.ts'
import { issueCredential } from '../../server/src/resources/api_keys/issue.ts'
import { foundOrganization } from '../../server/src/resources/organizations/found.ts'

export interface Log {
  readonly name: string
  readonly organization: string
  readonly realm: number
  readonly key: string
}

/** An event in the log or at a consumer. */
export interface Entry {
  readonly sequence: number
  readonly id: string
}

/** Two organizations, one with both realms. Their writers do not wait for each other. */
export async function openLogs(services: OpenServices): Promise<Log[]> {
  const logs: Log[] = []
  for (const [name, modes] of [
    ['Acme', ['live', 'test']],
    ['Globex', ['live']],
  ] as const) {
    const ownerEmail = `owner@${name.toLowerCase()}.example`
    const founding = { name, ownerEmail, plan: 'enterprise', domains: [] } as const
    const { organization, realms } = await foundOrganization(services, founding)
    for (const mode of modes) {
      const realm = realms[mode]
      const key = await issue(services, organization, realm, mode)
      logs.push({ name: `${name} ${mode}`, organization, realm, key })
    }
  }
  return logs
}

async function issue(services: OpenServices, organization: string, realm: number, mode: Mode): Promise<string> {
  const owner = { type: 'organization', id: organization } as const
  const options = { kind: 'api_key', organization, realm, mode, name: 'A key', scopes, owner, expiresAt: null } as const
  const issued = await services.store.write('system', async (tx) =>
    issueCredential(tx, services.sealer, options, services.clock.now()),
  )
  return issued.secret
}

const entries = query((db, p: Placeholder<{ realm: number }>) =>
  db
    .selectFrom('events')
    .select(['sequence', 'id', 'type', 'idempotency_key', 'commit_id'])
    .where('realm', '=', p('realm'))
    .orderBy('sequence'),
)

export type Written = (typeof entries)['row']

/** The whole log from the database. */
export async function readLog(reader: Reader, { realm }: Log): Promise<NonNullable<Written>[]> {
  return (await reader.all(entries, { realm })) as NonNullable<Written>[]
}
