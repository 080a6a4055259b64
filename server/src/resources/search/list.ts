import { setTimeout as sleep } from 'node:timers/promises'
import Type from 'typebox'
import type { Caller } from '../../api/declare/caller.ts'
import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import type { Page } from '../../api/declare/page-shape.ts'
import { idParameter, listParameter, required, textParameter } from '../../api/declare/parameters.ts'
import { quoted, unknownWord } from '../../api/declare/quoted.ts'
import { described } from '../../api/declare/shapes.ts'
import { listByCursor } from '../../api/request/page.ts'
import type { Reader } from '../../db/store.ts'
import { type IndexProgress, indexProgress } from '../../search/follow.ts'
import { search_limits } from '../../search/limits.ts'
import { readSearchQuery, type SearchQuery } from '../../search/search-query.ts'
import { isSourceType, type SourceType, source_types } from '../../search/sources.ts'
import { boardNoun } from '../boards/board.ts'
import { commentNoun } from '../comments/comment.ts'
import { fileNoun } from '../files/file.ts'
import { portfolioNoun } from '../portfolios/portfolio.ts'
import { projectNoun } from '../projects/project.ts'
import { taskNoun } from '../tasks/task.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { type FoundObject, findObjects, showFound } from './found.ts'
import { search_types, searchResultNoun } from './search_result.ts'

const nouns = {
  task: taskNoun,
  comment: commentNoun,
  project: projectNoun,
  board: boardNoun,
  portfolio: portfolioNoun,
  file: fileNoun,
} as const satisfies Record<SourceType, { readonly readScope: string }>

/** The kinds that belong to a project, which the search of a guest is limited to. */
const types_of_guests: ReadonlySet<SourceType> = new Set(['task', 'comment', 'project', 'board'])

/**
 * Finds tasks, comments, projects, boards and portfolios by the words of their texts, files by their names; a task also by its key. The best come first: a
 * task whose key is in the query, then matches in titles, then others, each newest first by `updated`. All words must occur, the
 * last one as a prefix; `"…"` is a phrase, `-word` excludes. Case, accents and Unicode forms make no difference. Kinds that the
 * credential may not read are left out. What was committed is found within a second; `indexed_sequence` says how far the index is.
 */
export const listSearch = listOperation({
  id: 'search.list',
  method: 'GET',
  path: '/v1/search',
  summary: 'Search',
  scope: 'api:read',
  credits: 5,
  extension: true,
  paging: 'opaque',
  lists: searchResultNoun,
  query: {
    query: required(
      textParameter(
        search_limits.query_chars_max,
        'Words, `"phrases"` and `-excluded` words; the last word is a prefix.',
      ),
    ),
    types: listParameter(
      'Kinds of objects: `task`, `comment`, `project`, `board`, `file` or `portfolio`. Default: all.',
    ),
    workspace: idParameter('Only objects of this workspace; boards belong to none.', workspaceNoun),
  },
  envelope: {
    indexed_sequence: described(
      Type.Integer({ minimum: 0 }),
      'Sequence of the last event that the results include; 0 while the index is built for the first time.',
    ),
  },
  example: { query: { query: 'launch spring' } },
  async handle(context) {
    const { query, caller, operation } = context
    const search = readQuery(query.query)
    const types = typesOf(query.types, caller)
    const { indexed, reader } = await indexedReader(context)
    const { limit: _limit, cursor: _cursor, ...filters } = query
    const seen = caller.guest === null ? undefined : [...caller.guest.projects]
    const criteria = { realm: caller.realm, search, types, workspace: query.workspace, seen }
    const page = await listByCursor<FoundObject>(context, {
      binding: { operation: operation.id, realm: caller.realm, filters },
      async read(position, count) {
        if (types?.length === 0) return []
        const after = position === null ? null : { rank: Number(position[0]), document: Number(position[1]) }
        return await findObjects(reader, criteria, after, count)
      },
      show: (found) => found,
      positionOf: ({ hit }) => [hit.rank, hit.document],
    })
    // The shown items need more rows, which are read together.
    const data = await showFound(reader, caller, search, page.data as readonly FoundObject[])
    return { ...page, data, more: { indexed_sequence: indexed } } satisfies Page
  },
})

/** Refuses a query without anything to look for. */
function readQuery(text: string): SearchQuery {
  const search = readSearchQuery(text)
  if (search !== null) return search
  const message = `query cannot be ${quoted(text)}. Use at least one word or phrase that is not excluded.`
  throw refuse('invalid_query_parameter', { param: 'query', message })
}

/** The kinds to find that the credential may read; undefined for all there are. */
function typesOf(wanted: readonly string[] | undefined, caller: Caller): readonly SourceType[] | undefined {
  const unknown = wanted?.find((type) => !(search_types as readonly string[]).includes(type))
  if (unknown !== undefined) {
    throw refuse('invalid_query_parameter', { param: 'types', message: unknownWord('types', unknown, search_types) })
  }
  const types = (wanted === undefined ? source_types : [...new Set(wanted)].filter(isSourceType)).filter(
    (type) => caller.scopes.has(nouns[type].readScope) && (caller.guest === null || types_of_guests.has(type)),
  )
  return types.length === source_types.length ? undefined : types
}

/** A reader of an index that has the newest commit, if it gets there within `wait_ms`. */
async function indexedReader(context: {
  readonly reader: Reader
  readonly caller: Caller
}): Promise<{ reader: Reader; indexed: number }> {
  const { reader, caller } = context
  const { wait_ms, wait_step_ms, wait_events_max } = search_limits
  const until = performance.now() + wait_ms
  let progress: IndexProgress = await indexProgress(reader, caller.realm)
  const { head } = progress
  while (progress.indexed < head && head - progress.indexed <= wait_events_max && performance.now() < until) {
    await sleep(wait_step_ms)
    progress = await indexProgress(reader, caller.realm)
  }
  return { reader, indexed: progress.indexed }
}
