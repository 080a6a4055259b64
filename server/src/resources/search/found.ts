/** The objects of a page of results: found in the index, read from their own tables, and shown. */
import type { Caller } from '../../api/declare/caller.ts'
import { isOneOf } from '../../db/dialect.ts'
import { type Placeholder, query } from '../../db/query.ts'
import type { Reader } from '../../db/store.ts'
import { seconds } from '../../lib/clock.ts'
import { excerptOf } from '../../search/excerpt.ts'
import { type Criteria, findDocuments, type Hit, type ResultPosition } from '../../search/find.ts'
import { search_limits } from '../../search/limits.ts'
import type { SearchQuery } from '../../search/search-query.ts'
import { type SourceRow, type SourceType, sources } from '../../search/sources.ts'
import type { SearchResult } from './search_result.ts'

/** An object that exists now, at its place in the index. */
export interface FoundObject {
  readonly hit: Hit
  readonly row: SourceRow
}

/** At most `count` objects after a position. The index may still have objects that were deleted: they are left out. */
export async function findObjects(
  reader: Reader,
  criteria: Criteria,
  after: ResultPosition | null,
  count: number,
): Promise<FoundObject[]> {
  const found: FoundObject[] = []
  let position = after
  for (let reads = 0; reads < search_limits.page_reads_max; reads++) {
    const wanted = count - found.length
    const hits = await findDocuments(reader, criteria, position, wanted)
    const rows = await rowsOf(reader, criteria.realm, hits)
    for (const hit of hits) {
      const row = rows.get(hit.object)
      if (row !== undefined && row.deleted_at === null) found.push({ hit, row })
    }
    position = hits.at(-1) ?? position
    if (found.length >= count || hits.length < wanted) break
  }
  return found
}

async function rowsOf(reader: Reader, realm: number, hits: readonly Hit[]): Promise<Map<string, SourceRow>> {
  const kinds = Map.groupBy(hits, ({ type }) => type)
  const reads = [...kinds].map(([type, of]: [SourceType, Hit[]]) =>
    sources[type].byId(
      reader,
      realm,
      of.map(({ object }) => object),
    ),
  )
  return new Map((await Promise.all(reads)).flat().map((row) => [row.id, row]))
}

const placesOfTasks = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('tasks')
    .select(['id', 'key', 'title', 'project'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids'))),
)

const tasksOfComments = query((db, p: Placeholder<{ realm: number; ids: string }>, dialect) =>
  db
    .selectFrom('comments')
    .select(['id', 'task'])
    .where('realm', '=', p('realm'))
    .where(isOneOf(dialect, 'id', p('ids'))),
)

type TaskPlace = { readonly key: string; readonly title: string; readonly project: string | null }

/** The results as the list shows them. */
export async function showFound(
  reader: Reader,
  caller: Caller,
  search: SearchQuery,
  found: readonly FoundObject[],
): Promise<SearchResult[]> {
  const tasks = await tasksOf(reader, caller, found)
  return found.map(({ hit, row }): SearchResult => {
    const task = tasks.get(row.id)
    return {
      object: 'search_result',
      type: hit.type,
      id: row.id,
      key: task?.key ?? null,
      title: hit.type === 'comment' ? (task?.title ?? null) : row.title,
      ...withMutable(excerptOf(row.body, search)),
      workspace: row.workspace,
      project: task?.project ?? null,
      updated: seconds(row.updated),
    }
  })
}

/** The schema's arrays can be written to. */
function withMutable({
  excerpt,
  highlights,
}: ReturnType<typeof excerptOf>): Pick<SearchResult, 'excerpt' | 'highlights'> {
  return { excerpt, highlights: highlights.map(([start, end]) => [start, end]) }
}

/** The task of each found task or comment, by the id of what was found; empty if the credential may not read tasks. */
async function tasksOf(
  reader: Reader,
  { realm, scopes }: Caller,
  found: readonly FoundObject[],
): Promise<Map<string, TaskPlace>> {
  if (!scopes.has('tasks:read')) return new Map()
  const idsOf = (type: SourceType) => found.filter(({ hit }) => hit.type === type).map(({ row }) => row.id)
  const comments = idsOf('comment')
  const owners =
    comments.length === 0 ? [] : await reader.all(tasksOfComments, { realm, ids: JSON.stringify(comments) })
  const ids = [...new Set([...idsOf('task'), ...owners.map(({ task }) => task)])]
  if (ids.length === 0) return new Map()
  const rows = new Map(
    (await reader.all(placesOfTasks, { realm, ids: JSON.stringify(ids) })).map((row) => [row.id, row]),
  )
  const shown = new Map<string, TaskPlace>(rows)
  for (const { id, task } of owners) {
    const row = rows.get(task)
    if (row !== undefined) shown.set(id, row)
  }
  return shown
}
