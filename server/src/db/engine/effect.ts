/**
 * The effect of a query on rows, as far as its tree shows: which rows it reads by equality, or which rows it can have
 * changed. A tree that is not understood counts as changing everything. Values are those in the tree: placeholders or
 * literals.
 */
import {
  ColumnNode,
  type ColumnUpdateNode,
  type InsertQueryNode,
  type OnConflictNode,
  type OperationNode,
  ReferenceNode,
  type SelectQueryNode,
  TableNode,
  type UpdateQueryNode,
  ValueNode,
  type ValuesNode,
  type WhereNode,
} from 'kysely'

/** Columns with the values that they are compared with, set to, or inserted as. */
export type Columns = ReadonlyMap<string, unknown>

/**
 * Finds exactly the rows of `table` that equal `where`; `selected` names the columns of the result unless it has all.
 */
export interface Lookup {
  readonly table: string
  readonly where: Columns
  readonly selected: readonly string[] | null
}

/** Reads only rows of `table` that equal `where`; other conditions, order and limit decide which of them. */
export interface Within {
  readonly table: string
  readonly where: Columns
  /** Its tree, if it reads all columns of a few rows in any order, and only the values of `where` are bound. */
  readonly few: SelectQueryNode | null
}

/** The key of a row that is inserted or else updated: these columns take the values of the row. Without any, the row stays. */
export interface Conflict {
  readonly key: readonly string[]
  readonly set: readonly string[]
}

export type Effect =
  /** `rows` if it is a look-up. `within` if it reads one table. */
  | { readonly kind: 'reads'; readonly rows: Lookup | null; readonly within: Within | null }
  | {
      readonly kind: 'inserts'
      readonly table: string
      readonly columns: readonly string[]
      readonly rows: readonly Columns[]
      /** What happens to a row whose key is there; null: the statement fails. */
      readonly conflict: Conflict | null
    }
  /**
   * Changes or deletes rows that equal `where`: all of them if `exact`, and then `set` has the new values; `null` for a
   * delete.
   */
  | {
      readonly kind: 'changes'
      readonly table: string
      readonly where: Columns
      readonly exact: boolean
      readonly set: Columns | null
    }
  | { readonly kind: 'anything'; readonly table: string | null }

const reads: Effect = { kind: 'reads', rows: null, within: null }

export function effectOf(tree: OperationNode): Effect {
  switch (tree.kind) {
    case 'SelectQueryNode':
      return readOf(tree as Node)
    case 'InsertQueryNode':
      return insertOf(tree as InsertQueryNode & Node)
    case 'UpdateQueryNode':
      return updateOf(tree as UpdateQueryNode & Node)
    case 'DeleteQueryNode':
      return deleteOf(tree as Node)
    default:
      return { kind: 'anything', table: null }
  }
}

/** A tree whose parts are looked up by name: one unexpected part makes it something else. */
type Node = OperationNode & Readonly<Record<string, unknown>>

function hasOnly(node: Node, parts: readonly string[]): boolean {
  return Object.entries(node).every(([part, value]) => value === undefined || part === 'kind' || parts.includes(part))
}

function readOf(node: Node): Effect {
  // A common table expression may write.
  if (node.with !== undefined) return { kind: 'anything', table: null }
  const table = tableOf(oneOf((node.from as Node | undefined)?.froms))
  const selected = selectedBy((node.selections ?? []) as readonly Selection[])
  if (table === null || !readsNoOther(node)) return reads
  const { columns, exact } = equalities(node.where as WhereNode | undefined)
  const within = {
    table,
    where: columns,
    few: readsFew(node, selected, columns) ? (node as SelectQueryNode & Node) : null,
  }
  const isLookup = selected !== undefined && hasOnly(node, ['from', 'selections', 'where']) && exact && columns.size > 0
  return { kind: 'reads', rows: isLookup ? { table, where: columns, selected } : null, within }
}

/** Words of SQL written by hand that can begin another source of rows, or undo the conditions beside it. */
const other_sources = /\b(from|join|table|with|or)\b/i

/** Whether a statement that selects from one table certainly reads no other: no part of it selects again. */
function readsNoOther(select: Node): boolean {
  if (select.joins !== undefined) return false
  const isHarmless = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.every(isHarmless)
    if (typeof part !== 'object' || part === null || !('kind' in part)) return true
    const node = part as Node
    if (node.kind === 'SelectQueryNode' && node !== select) return false
    if (node.kind === 'RawNode' && other_sources.test((node.sqlFragments as readonly string[]).join(' '))) return false
    return Object.values(node).every(isHarmless)
  }
  return isHarmless(select)
}

function readsFew(select: Node, selected: readonly string[] | null | undefined, where: Columns): boolean {
  if (selected !== null || select.limit === undefined || where.size === 0) return false
  if (!hasOnly(select, ['from', 'selections', 'where', 'limit'])) return false
  const compared = new Set(where.values())
  const isCompared = (part: unknown): boolean => {
    if (Array.isArray(part)) return part.every(isCompared)
    if (typeof part !== 'object' || part === null || !('kind' in part)) return true
    const node = part as Node
    if (ValueNode.is(node)) return node.immediate === true || compared.has(node.value)
    return node.kind !== 'PrimitiveValueListNode' && Object.values(node).every(isCompared)
  }
  return isCompared(select)
}

interface Selection {
  readonly selection: OperationNode
}

/** The columns of the result, `null` for all; `undefined` if it has anything else. */
function selectedBy(selections: readonly Selection[]): string[] | null | undefined {
  if (selections.length === 1 && selections[0]?.selection.kind === 'SelectAllNode') return null
  const names = selections.map(({ selection }) => columnOf(selection as Node))
  return names.every((name) => name !== null) ? names : undefined
}

function insertOf(node: InsertQueryNode & Node): Effect {
  const table = tableOf(node.into)
  if (node.with !== undefined) return { kind: 'anything', table: null }
  const isPlain = table !== null && hasOnly(node, ['into', 'columns', 'values', 'onConflict'])
  const conflict = node.onConflict === undefined ? null : conflictOf(node.onConflict)
  const values = node.values as ValuesNode | undefined
  if (!isPlain || conflict === undefined || values?.kind !== 'ValuesNode' || node.columns === undefined)
    return { kind: 'anything', table }
  const names = node.columns.map(({ column }) => column.name)
  const rows: Columns[] = []
  for (const row of values.values) {
    if (row.kind === 'PrimitiveValueListNode') rows.push(new Map(names.map((name, i) => [name, row.values[i]])))
    else {
      const values = row.values.filter((value) => ValueNode.is(value))
      if (values.length < row.values.length) return { kind: 'anything', table }
      rows.push(new Map(names.map((name, i) => [name, values[i]?.value])))
    }
  }
  return { kind: 'inserts', table, columns: names, rows, conflict }
}

/** `undefined` if it is anything else than a row of a key that takes the values of the new one. */
function conflictOf(node: OnConflictNode): Conflict | undefined {
  const { columns, updates = [], doNothing } = node
  const isPlain = hasOnly(node as OnConflictNode & Node, ['columns', 'updates', 'doNothing'])
  if (!isPlain || columns === undefined || (doNothing !== true && updates.length === 0)) return undefined
  const set: string[] = []
  for (const { column, value } of updates) {
    if (!ColumnNode.is(column)) return undefined
    const { name } = column.column
    if (!isExcluded(value, name)) return undefined
    set.push(name)
  }
  return { key: columns.map(({ column }) => column.name), set }
}

/** Whether it is the column's value in the row that could not be inserted. */
function isExcluded(node: OperationNode, name: string): boolean {
  return ReferenceNode.is(node) && tableOf(node.table) === 'excluded' && referencedColumn(node) === name
}

/** The column of a reference; null if it means all columns. */
function referencedColumn({ column }: ReferenceNode): string | null {
  return ColumnNode.is(column) ? column.column.name : null
}

function updateOf(node: UpdateQueryNode & Node): Effect {
  const table = tableOf(node.table)
  if (table === null || node.with !== undefined) return { kind: 'anything', table: null }
  const set = new Map<string, unknown>()
  let isPlain = hasOnly(node, ['table', 'updates', 'where'])
  for (const update of node.updates ?? []) {
    const { column, value } = update as ColumnUpdateNode
    if (!ColumnNode.is(column)) return { kind: 'anything', table }
    if (!ValueNode.is(value)) isPlain = false
    set.set(column.column.name, ValueNode.is(value) ? value.value : undefined)
  }
  if (node.from !== undefined || node.joins !== undefined) return { kind: 'anything', table }
  const { columns, exact } = equalities(node.where)
  return { kind: 'changes', table, where: columns, exact: exact && isPlain, set }
}

function deleteOf(node: Node): Effect {
  const table = tableOf(oneOf((node.from as Node).froms))
  if (table === null || node.with !== undefined) return { kind: 'anything', table: null }
  if (!hasOnly(node, ['from', 'where'])) return { kind: 'anything', table }
  const { columns, exact } = equalities(node.where as WhereNode | undefined)
  return { kind: 'changes', table, where: columns, exact, set: null }
}

function oneOf(list: unknown): OperationNode | undefined {
  return Array.isArray(list) && list.length === 1 ? list[0] : undefined
}

function tableOf(node: OperationNode | undefined): string | null {
  if (node === undefined || !TableNode.is(node)) return null
  const { identifier, schema } = node.table
  return schema === undefined ? identifier.name : null
}

/** The comparisons that hold for every row concerned; `exact` if the query has no other condition. */
function equalities(where: WhereNode | undefined): { columns: Map<string, unknown>; exact: boolean } {
  const columns = new Map<string, unknown>()
  let exact = true
  const walk = (node: OperationNode | undefined): void => {
    if (node === undefined) return
    const { kind, left, right, leftOperand, operator, rightOperand } = node as Node & Record<string, Node>
    if (kind === 'AndNode') {
      walk(left)
      walk(right)
      return
    }
    const column = columnOf(leftOperand)
    const isEqual = kind === 'BinaryOperationNode' && (operator as Node).operator === '='
    if (isEqual && column !== null && rightOperand?.kind === 'ValueNode' && !columns.has(column))
      columns.set(column, rightOperand.value)
    else exact = false
  }
  walk(where?.where)
  return { columns, exact }
}

function columnOf(node: Node | undefined): string | null {
  if (node === undefined || !ReferenceNode.is(node) || node.table !== undefined) return null
  return referencedColumn(node)
}
