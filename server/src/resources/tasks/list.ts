import { type ListContext, listOperation } from '../../api/declare/operation.ts'
import type { Page, PageQuery } from '../../api/declare/page-shape.ts'
import { newest_version } from '../../api/declare/version.ts'
import { expand } from '../../api/request/expand.ts'
import { JsonText } from '../../api/request/list-envelope.ts'
import { readPageRequest, toPage } from '../../api/request/page.ts'
import type { Reader } from '../../db/store.ts'
import { expandedTaskNoun, expandTasks, taskExpansions } from './expansions.ts'
import type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './list/criteria.ts'
import { cursorMaker, plainPosition, readPosition, sortParameter } from './list/cursor.ts'
import { criteriaParameters, readCriteria } from './list/parameters.ts'
import { readTasks, readTaskTexts } from './list/read.ts'
import type { SortKey } from './list/sort.ts'
import { showTask } from './task.ts'
import { joinedText, taskText } from './task-text.ts'

/** Lists tasks, newest first or as `sort` says; those of archived projects only where they are asked for. */
export const listTasks = listOperation({
  id: 'tasks.list',
  method: 'GET',
  path: '/v1/tasks',
  summary: 'List tasks',
  scope: 'tasks:read',
  credits: 5,
  paging: 'id',
  fields: true,
  lists: expandedTaskNoun,
  query: {
    expand: expandTasks,
    ...criteriaParameters,
    sort: sortParameter,
  },
  example: { query: { workspace: '{workspace}', status: 'todo', sort: '-priority,due_at' } },
  async handle(context) {
    const { query, reader } = context
    const { question } = await readCriteria(context, query)
    const isPlain = query.expand === undefined && query.fields === undefined && context.version === newest_version
    let page: Promise<Page>
    if (!isPlain) page = readPage(context, question, readTasks, showTask)
    else if (reader.dialect === 'sqlite') page = readPage(context, question, readTaskTexts, asText(joinedText))
    else page = readPage(context, question, readTasks, asText(taskText))
    const { data, ...rest } = await page
    return { ...rest, data: await expand(context, taskExpansions, query.expand, data) }
  },
})

type Context = ListContext<PageQuery & { readonly sort?: SortKey[]; readonly workspace?: string }, unknown>
type Read<Row> = (reader: Reader, realm: number, question: TaskCriteria, walk: TaskPage) => Promise<Row[]>

/** A position that the cursor says by itself is not waited for. */
async function readPage<Row extends SortableRow>(
  context: Context,
  question: TaskCriteria,
  read: Read<Row>,
  show: (row: Row) => object,
): Promise<Page> {
  const { query, caller, reader } = context
  const keys = query.sort ?? []
  const walk = readPageRequest(query)
  const { backwards, limit } = walk
  const readFrom = (position: TaskPosition | null) =>
    read(reader, caller.realm, question, { keys, backwards, position, count: limit + 1 })
  const checked = readPosition(context, walk, keys, query.workspace)
  const plain = plainPosition(walk, keys)
  const [rows] = await Promise.all([plain === null ? checked.then(readFrom) : readFrom(plain), checked])
  return toPage(rows, walk, show, cursorMaker(context, keys))
}

function asText<Row>(text: (row: Row) => string): (row: Row) => JsonText {
  return (row) => new JsonText(text(row))
}
