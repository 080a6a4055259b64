import { expand } from '../../api/expand.ts'
import { JsonText } from '../../api/list-envelope.ts'
import { listOperation } from '../../api/operation.ts'
import { readWalk, toPage } from '../../api/page.ts'
import { newest_version } from '../../api/version.ts'
import { expandedTaskNoun, expandTasks, taskExpansions } from './expansions.ts'
import { cursorMaker, plainPosition, readPosition, sortParameter } from './position.ts'
import type { TaskPosition } from './queries-list.ts'
import { readTasks } from './queries-page.ts'
import { questionParameters, readQuestion } from './question.ts'
import { type ShownTaskRow, showTask } from './task.ts'
import { taskText } from './task-text.ts'

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
    ...questionParameters,
    sort: sortParameter,
  },
  example: { query: { workspace: '{workspace}', status: 'todo', sort: '-priority,due_at' } },
  async handle(context) {
    const { query, caller, reader } = context
    const keys = query.sort ?? []
    const walk = readWalk(query)
    const { question } = await readQuestion(context, query)
    const { backwards, limit } = walk
    const read = (position: TaskPosition | null) =>
      readTasks(reader, caller.realm, question, { keys, backwards, position, count: limit + 1 })
    const checked = readPosition(context, walk, keys, query.workspace)
    const plain = plainPosition(walk, keys)
    const [rows] = await Promise.all([plain === null ? checked.then(read) : read(plain), checked])
    const isPlain = query.expand === undefined && query.fields === undefined && context.version === newest_version
    const show = isPlain ? (row: ShownTaskRow) => new JsonText(taskText(row)) : showTask
    const page = toPage<ShownTaskRow>(rows, walk, show, cursorMaker(context, keys))
    return { ...page, data: await expand(context, taskExpansions, query.expand, page.data) }
  },
})
