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
import { lastStepsOf, runsBefore } from './queries-list.ts'

/**
 * Lists the runs of a workspace, newest first, each with the end of its journal; runs of deleted tasks are included. The times
 * are exclusive.
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
  },
  example: { query: { workspace: '{workspace}' } },
  async handle(context) {
    const { reader, caller, query, operation } = context
    const task = query.task === undefined ? undefined : await taskNoun.find(reader, caller, query.task)
    if (query.task !== undefined && task === undefined) {
      const message = `task "${query.task}" names no task of this organization.`
      throw refuse('invalid_query_parameter', { param: 'task', message })
    }
    const { workspace, automation_flow, status, created_after, created_before } = query
    const filters = { workspace, automation_flow, task: task?.id, status, created_after, created_before }
    const wanted = { ...filters, ...exclusiveTimes(filters) }
    let steps: Awaited<ReturnType<typeof lastStepsOf>> = new Map()
    return await listByCursor<AutomationRunRow>(context, {
      binding: { operation: operation.id, realm: caller.realm, filters },
      async read(position, count) {
        const rows = await runsBefore(reader, caller.realm, wanted, position?.[0] as string | undefined, count)
        steps = await lastStepsOf(reader, caller.realm, rows)
        return rows
      },
      show: (row) => showAutomationRun(row, steps.get(row.id)),
      positionOf: (row) => [row.id],
    })
  },
})
