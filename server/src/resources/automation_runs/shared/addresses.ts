/**
 * The addresses at which something outside starts flows: those for webhooks, forms and mail (contract/16#triggers). An address
 * has a secret: the database finds it by its digest, and holds it sealed for those who manage the flow.
 */
import { hash } from 'node:crypto'
import { type Placeholder, query } from '../../../db/query.ts'
import type { AutomationAddressRow } from '../../../db/schema.ts'
import { type AutomationAddressTable, automationAddressContext } from '../../../db/secret-key/sealed-values.ts'
import type { Reader, Tx } from '../../../db/store.ts'
import { newId } from '../../../lib/ids.ts'
import type { Sealer } from '../../../lib/seal.ts'

/** A flow that gets an address. */
export interface AddressedFlow {
  readonly realm: number
  readonly id: string
  readonly organization: string
  readonly mode_of_data: string
}

interface AddressKind {
  readonly table: AutomationAddressTable
  readonly prefix: string
  /** A new secret of at least 200 random bits. */
  readonly newSecret: () => string
}

/** The addresses of one kind. A flow has at most one of each. */
export class FlowAddresses {
  readonly #kind: AddressKind
  readonly #queries: ReturnType<typeof queriesOf>

  constructor(kind: AddressKind) {
    this.#kind = kind
    this.#queries = queriesOf(kind.table)
  }

  /** The address with this secret. Secrets are compared by their digests, so the time reveals nothing about them. */
  async find(reader: Reader, secret: string): Promise<AutomationAddressRow | undefined> {
    return await reader.first(this.#queries.findByDigest, { digest: digestOf(secret) })
  }

  async ofFlow(
    reader: Reader,
    { realm, id }: { readonly realm: number; readonly id: string },
  ): Promise<AutomationAddressRow | undefined> {
    return await reader.first(this.#queries.findByFlow, { realm, flow: id })
  }

  secretOf(sealer: Sealer, { realm, flow, secret }: AutomationAddressRow): string {
    return sealer.open(secret, automationAddressContext(this.#kind.table, realm, flow))
  }

  /** Gives a flow an address, unless it has one. */
  async open(tx: Tx, sealer: Sealer, flow: AddressedFlow, now: number): Promise<void> {
    if ((await this.ofFlow(tx, flow)) !== undefined) return
    const { realm, id, organization, mode_of_data: mode } = flow
    tx.insert(this.#kind.table, {
      ...{ realm, flow: id, id: newId(this.#kind.prefix, now), organization, mode, created: now, updated: now },
      ...this.#newAddress(sealer, realm, id),
    })
  }

  /** Replaces the secret of an address; the former address stops working with the commit. */
  replace(tx: Tx, sealer: Sealer, address: AutomationAddressRow, now: number): AutomationAddressRow {
    const { realm, flow } = address
    const made = this.#newAddress(sealer, realm, flow)
    tx.write(this.#queries.replaceSecret, { ...made, now, realm, flow })
    return { ...address, ...made, updated: now }
  }

  #newAddress(sealer: Sealer, realm: number, flow: string): { secret: string; digest: string } {
    const secret = this.#kind.newSecret()
    const context = automationAddressContext(this.#kind.table, realm, flow)
    return { secret: sealer.seal(secret, context), digest: digestOf(secret) }
  }
}

function digestOf(secret: string): string {
  return hash('sha256', secret, 'hex')
}

function queriesOf(name: AutomationAddressTable) {
  // The tables have the same columns.
  const table = name as 'automation_hooks'
  return {
    findByDigest: query<AutomationAddressRow, { digest: string }>((db, p) =>
      db.selectFrom(table).selectAll().where('digest', '=', p('digest')),
    ),
    findByFlow: query<AutomationAddressRow, { realm: number; flow: string }>((db, p) =>
      db.selectFrom(table).selectAll().where('realm', '=', p('realm')).where('flow', '=', p('flow')),
    ),
    replaceSecret: query(
      (db, p: Placeholder<{ secret: string; digest: string; now: number; realm: number; flow: string }>) =>
        db
          .updateTable(table)
          .set({ secret: p('secret'), digest: p('digest'), updated: p('now') })
          .where('realm', '=', p('realm'))
          .where('flow', '=', p('flow')),
    ),
  }
}
