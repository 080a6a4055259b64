/**
 * The tables of one shard of the realms on one node, beside the copies that lie on every node: statements name them in place of
 * Citus' tables (`name-shards.ts`). Nothing moves while a transaction has locked its shards as Citus' own writes do, and a
 * statement before the first that names a shard fails if the shard is not on the node.
 */
import { db_limits } from '../limits.ts'
import { through_indexes } from '../postgres/client.ts'
import { scopeSettings, type Visible } from '../postgres/row-security.ts'
import type { Bound } from '../postgres/statement.ts'
import type { AnyQuery, Statement } from '../query.ts'
import { nameShards } from './name-shards.ts'

/** What a node answers if it does not hold a shard that it should hold. */
export const elsewhere = 'shards of atrium are elsewhere'

export class ShardTables {
  /** The shard of `event_heads`, or of another table; those of all others move with it. */
  readonly shard: number
  /** Citus' number of the node. */
  readonly group: number
  private readonly tables: Readonly<Record<string, number>>
  private readonly texts = new Map<string, string | null>()
  private readonly statements = new WeakMap<Statement, Statement | null>()

  constructor(shard: number, group: number, tables: Readonly<Record<string, number>>) {
    this.shard = shard
    this.group = group
    this.tables = tables
  }

  /** The query with its shards; null if it must run through Citus. */
  statement(query: AnyQuery): Statement | null {
    const statement = query.statement('postgres')
    let named = this.statements.get(statement)
    if (named === undefined) {
      named = this.name(statement)
      this.statements.set(statement, named)
    }
    return named
  }

  private name(statement: Statement): Statement | null {
    let text = this.texts.get(statement.sql)
    if (text === undefined) {
      text = nameShards(statement.sql, (table) => this.tables[table] ?? null)
      if (this.texts.size >= db_limits.shard_texts_max) this.texts.clear()
      this.texts.set(statement.sql, text)
    }
    if (text === null) return null
    const name = statement.name === undefined ? {} : { name: `${statement.name}_${this.shard}` }
    return { sql: text, bind: statement.bind, effect: statement.effect, ...name }
  }
}

/** Fails unless all shards are on the node. A cast, because SQL cannot raise an error otherwise. */
const are_here = (shards: string, group: string, count: string) =>
  `(select case count(*) when ${count} then '1' else '${elsewhere}' end from pg_dist_placement
    where shardid = any(${shards}::bigint[]) and groupid = ${group}::int)::int`

/** The numbers of these shards, each once, in the order in which all transactions lock them. */
function numbersOf(shards: readonly ShardTables[]): number[] {
  return [...new Set(shards.map(({ shard }) => shard))].sort((one, other) => one - other)
}

/** Identifies shards on a node. */
export function shardsKey(shards: readonly ShardTables[]): string {
  return numbersOf(shards).join()
}

/** The settings of a session for reads of these shards. Fails if one has moved: the statements behind it count only if it succeeds. */
export function readSettings(visible: Visible, shards: readonly ShardTables[]): Bound {
  const { sql, values } = scopeSettings(visible, false)
  const numbers = numbersOf(shards)
  const list = `{${numbers.join()}}`
  const here = are_here('$4', '$5', '$6::bigint')
  return {
    name: 'read_shards',
    sql: `${sql}, ${here}`,
    values: [...values, list, shards[0]?.group ?? 0, numbers.length],
  }
}

/**
 * The settings of a transaction that writes to these shards. Citus moves a shard under the exclusive form of the lock that its writes
 * share; the lock is per shard number, for all tables that lie alike. The second statement sees what moved before the lock was free.
 */
export function writeSettings(visible: Visible, shards: readonly ShardTables[]): Bound[] {
  const { sql, values } = scopeSettings(visible, true)
  const numbers = numbersOf(shards)
  const list = `{${numbers.join()}}`
  return [
    {
      name: 'lock_shards',
      sql: `${sql}, ${through_indexes}, lock_shard_metadata(${share_lock}, $4::bigint[])`,
      values: [...values, list],
    },
    {
      name: 'check_shards',
      sql: `select ${are_here('$1', '$2', '$3::bigint')}`,
      values: [list, shards[0]?.group ?? 0, numbers.length],
    },
  ]
}

/** PostgreSQL's number of ShareLock. */
const share_lock = 5
