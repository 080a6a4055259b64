/** Where a transaction or the reads of a turn run: one node of a cluster, and the shards there that they name. */
import type { Visible } from '../postgres/row-security.ts'
import type { TenantScope } from '../store.ts'
import type { ShardNode } from './node.ts'
import type { ShardTables } from './shard-tables.ts'

/** A node, and the shards there that a transaction or a turn's reads concern. */
export class OnNode {
  readonly node: ShardNode
  readonly shards: readonly ShardTables[]
  private readonly byOrganization: ReadonlyMap<string, ShardTables>

  constructor(node: ShardNode, byOrganization: ReadonlyMap<string, ShardTables>) {
    this.node = node
    this.byOrganization = byOrganization
    this.shards = [...new Set(byOrganization.values())].toSorted((one, other) => one.shard - other.shard)
  }

  get organizations(): number {
    return this.byOrganization.size
  }

  /** The shard with an organization's rows, if the transaction is for it. */
  tablesFor(organization: string): ShardTables | null {
    return this.byOrganization.get(organization) ?? null
  }

  /** The shard of one organization's rows; null if a statement is not for exactly one. */
  tablesOf(scope: Visible): ShardTables | null {
    const [first, other] = scopesOf(scope)
    return first === undefined || other !== undefined ? null : (this.byOrganization.get(first.organization) ?? null)
  }
}

export function scopesOf(visible: Visible): readonly TenantScope[] {
  if (typeof visible === 'string') return []
  return 'organization' in visible ? [visible] : visible
}
