import { type ListContext, listOperation } from '../../api/declare/operation.ts'
import type { Page, PageQuery } from '../../api/declare/page-shape.ts'
import { newest_version } from '../../api/declare/version.ts'
import { expand } from '../../api/request/expand.ts'
import { JsonText } from '../../api/request/list-envelope.ts'
import { readPageRequest, toPage } from '../../api/request/page.ts'
import type { Reader } from '../../db/store.ts'
import { expandedTaskNoun, expandTasks, taskExpansions } from './expansions.ts'
import type { SortableRow, TaskCriteria, TaskPage, TaskPosition } from './list/criteria.ts'
import { cursorMaker, plainPosition, positionCursorMaker, readPosition, sortParameter } from './list/cursor.ts'
import { fieldOrder, readOrderedRows } from './list/field-order.ts'
import { criteriaParameters, readCriteria } from './list/parameters.ts'
import { readTasks, readTaskTexts } from './list/read.ts'
import { type AnySortKey, isColumnKey, type SortKey, sortValues } from './list/sort.ts'
import { showTask } from './task.ts'
import { joinedText, taskText } from './task-text.ts'

/** Lists tasks, newest first or in the order of `sort`. Tasks of archived projects are listed only on request. */
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
    const { criteria } = await readCriteria(context, query)
    const { sort: keys = [] } = query
    const isWhole = query.expand === undefined && query.fields === undefined && context.caller.guest === null
    const isPlain = isWhole && context.version === newest_version
    let page: Promise<Page>
    if (!keys.every(isColumnKey)) page = readPageByFields(context, criteria, keys)
    else if (!isPlain) page = readPage(context, criteria, keys, readTasks, showTask)
    else if (reader.dialect === 'sqlite') page = readPage(context, criteria, keys, readTaskTexts, asText(joinedText))
    else page = readPage(context, criteria, keys, readTasks, asText(taskText))
    const { data, ...rest } = await page
    return { ...rest, data: await expand(context, taskExpansions, query.expand, data) }
  },
})

type Context = ListContext<PageQuery & { readonly workspace?: string }, unknown>
type ReadRows<Row> = (reader: Reader, realm: number, criteria: TaskCriteria, page: TaskPage) => Promise<Row[]>

/** Starts the read without waiting for the check of the cursor if the cursor itself is the position. */
async function readPage<Row extends SortableRow>(
  context: Context,
  criteria: TaskCriteria,
  keys: readonly SortKey[],
  readRows: ReadRows<Row>,
  show: (row: Row) => object,
): Promise<Page> {
  const { query, caller, reader } = context
  const request = readPageRequest(query)
  const { backwards, limit } = request
  const readFrom = (position: TaskPosition | null) =>
    readRows(reader, caller.realm, criteria, { keys, backwards, position, count: limit + 1 })
  const checked = readPosition(context, request, keys, query.workspace, (row) => sortValues(keys, row))
  const plain = plainPosition(request, keys)
  const [rows] = await Promise.all([plain === null ? checked.then(readFrom) : readFrom(plain), checked])
  return toPage(rows, request, show, cursorMaker(context, keys))
}

/** A page in the order of custom fields. */
async function readPageByFields(context: Context, criteria: TaskCriteria, keys: readonly AnySortKey[]): Promise<Page> {
  const { query, caller, reader } = context
  const request = readPageRequest(query)
  const order = await fieldOrder(reader, caller, keys, query.workspace)
  const position = await readPosition(context, request, keys, query.workspace, order.valuesOf)
  const span = { backwards: request.backwards, position, count: request.limit + 1 }
  const rows = await readOrderedRows(reader, caller.realm, criteria, order, span)
  const cursorOf = positionCursorMaker(context, keys)
  return toPage(
    rows,
    request,
    ({ row }) => showTask(row),
    (each) => cursorOf(each.position),
  )
}

function asText<Row>(text: (row: Row) => string): (row: Row) => JsonText {
  return (row) => new JsonText(text(row))
}
