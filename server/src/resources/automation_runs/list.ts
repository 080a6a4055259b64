import { refuse } from '../../api/declare/errors.ts'
import { listOperation } from '../../api/declare/operation.ts'
import { idParameter, required, secondsParameter, wordListParameter } from '../../api/declare/parameters.ts'
import { exclusiveTimes } from '../../api/request/exclusive-times.ts'
import { listByCursor } from '../../api/request/page.ts'
import type { AutomationRunRow } from '../../db/schema.ts'
import { automationFlowNoun } from '../automation_flows/automation_flow.ts'
import { taskNoun } from '../tasks/task.ts'
import { workspaceNoun } from '../workspaces/workspace.ts'
import { automationRunNoun, run_statuses, showAutomationRun } from './automation_run.ts'
import { lastStepsOf, type Place, runsBefore } from './queries/list.ts'

/**
 * Lists the runs of a workspace, newest first, each with the end of its journal; runs of deleted tasks are included. The times
 * are exclusive. With a time of their end, the runs that have ended are listed, the latest end first.
 */
export const listAutomationRuns = listOperation({
  id: 'automation_runs.list',
  method: 'GET',
  path: '/v1/automation_runs',
  summary: 'List automation runs',
  scope: 'automations:read',
  credits: 5,
  paging: 'opaque',
  lists: automationRunNoun,
  query: {
    workspace: required(idParameter('The workspace whose runs are listed.', workspaceNoun)),
    automation_flow: idParameter('Only runs of this flow.', automationFlowNoun),
    task: idParameter('Only runs about this task, by id or key.'),
    status: wordListParameter(run_statuses, 'Only runs in one of these states.'),
    created_after: secondsParameter('Unix seconds; only runs created later.'),
    created_before: secondsParameter('Unix seconds; only runs created earlier.'),
    ended_after: secondsParameter('Unix seconds; only runs that ended later. Not with times of creation.'),
    ended_before: secondsParameter('Unix seconds; only runs that ended earlier. Not with times of creation.'),
  },
  example: { query: { workspace: '{workspace}' } },
  async handle(context) {
    const { reader, caller, query, operation } = context
    const task = query.task === undefined ? undefined : await taskNoun.find(reader, caller, query.task)
    if (query.task !== undefined && task === undefined) {
      const message = `task "${query.task}" names no task of this organization.`
      throw refuse('invalid_query_parameter', { param: 'task', message })
    }
    const { workspace, automation_flow, status, created_after, created_before, ended_after, ended_before } = query
    const created = { created_after, created_before }
    const ended = { created_after: ended_after, created_before: ended_before }
    const byEnd = isGiven(ended)
    if (byEnd && isGiven(created)) throw twoTimes(ended_after === undefined ? 'ended_before' : 'ended_after')
    const filters = { workspace, automation_flow, task: task?.id, status, ...created, ended_after, ended_before }
    const wanted = { ...filters, ...exclusiveTimes(byEnd ? ended : created), byEnd }
    let steps: Awaited<ReturnType<typeof lastStepsOf>> = new Map()
    return await listByCursor<AutomationRunRow>(context, {
      binding: { operation: operation.id, realm: caller.realm, filters },
      async read(position, count) {
        const rows = await runsBefore(reader, caller.realm, wanted, placeOf(position), count)
        steps = await lastStepsOf(reader, caller.realm, rows)
        return rows
      },
      show: (row) => showAutomationRun(row, steps.get(row.id)),
      positionOf: (row) => (byEnd ? [row.id, row.ended_at ?? 0] : [row.id]),
    })
  },
})

interface Times {
  readonly created_after: number | undefined
  readonly created_before: number | undefined
}

function isGiven({ created_after, created_before }: Times): boolean {
  return created_after !== undefined || created_before !== undefined
}

/** No index reads runs in the order of one time and by the range of another one. */
function twoTimes(param: string): Error {
  const message = `${param} cannot be combined with created_after or created_before. Use the time of the end or of the creation.`
  return refuse('invalid_query_parameter', { param, message })
}

function placeOf(position: readonly unknown[] | null | undefined): Place | undefined {
  if (position === null || position === undefined) return undefined
  const [id, ended_at] = position as [string, number | undefined]
  return { id, ended_at }
}
