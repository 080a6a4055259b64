import { refuse } from '../../api/errors.ts'
import type { AnyNoun, NounRow } from '../../api/noun.ts'
import { query } from '../../db/query.ts'
import { apiKeyNoun } from '../../resources/api_keys/api_key.ts'
import { auditEntryNoun } from '../../resources/audit_logs/audit_entry.ts'
import { automationFlowNoun } from '../../resources/automation_flows/automation_flow.ts'
import { automationRunNoun } from '../../resources/automation_runs/automation_run.ts'
import { billingRateNoun } from '../../resources/billing_rates/billing_rate.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { columnNoun } from '../../resources/columns/column.ts'
import { commentNoun } from '../../resources/comments/comment.ts'
import { dependencyNoun } from '../../resources/dependencies/dependency.ts'
import { eventNoun } from '../../resources/events/event.ts'
import { expenseNoun } from '../../resources/expenses/expense.ts'
import { invoiceDraftNoun } from '../../resources/invoice_drafts/invoice_draft.ts'
import { exportJobNoun } from '../../resources/jobs/job.ts'
import { memberNoun, userNoun } from '../../resources/members/member.ts'
import { portfolioNoun } from '../../resources/portfolios/portfolio.ts'
import { projectNoun } from '../../resources/projects/project.ts'
import { savedFilterNoun } from '../../resources/saved_filters/saved_filter.ts'
import { taskTemplateNoun } from '../../resources/task_templates/task_template.ts'
import { taskNoun } from '../../resources/tasks/task.ts'
import { timeEntryNoun } from '../../resources/time_entries/time_entry.ts'
import { webhookEndpointNoun } from '../../resources/webhook_endpoints/webhook_endpoint.ts'
import { workspaceNoun } from '../../resources/workspaces/workspace.ts'
import { endpoint } from '../endpoint.ts'
import { modeParameter } from '../fields.ts'
import { callerOfSession, type OpenSession, requireRole } from '../sessions/session.ts'
import type { OpenedId } from '../shapes-developers.ts'

type Found = NounRow & {
  readonly task?: string | null
  readonly project?: string | null
  readonly event?: string
  readonly user?: string | null
}

interface Way {
  readonly noun: Pick<AnyNoun, 'object' | 'find'>
  /** The id by which it is known, where that is not the row's. */
  readonly named?: (row: Found) => string
  /** Where the console shows it. */
  readonly url: (row: Found) => string
  /** `null`: the API does not show one by its id. */
  readonly api: ((row: Found) => string) | null
  readonly role?: 'admin'
}

const plain = (noun: Way['noun'], url: string, api: string | null, role?: 'admin'): Way => ({
  noun,
  url: ({ id }) => `${url}/${id}`,
  api: api === null ? null : ({ id }) => `/v1/${api}/${id}`,
  ...(role === undefined ? {} : { role }),
})

const deliveryById = query<Found>((db, p) =>
  db.selectFrom('webhook_deliveries').select(['id', 'event']).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/** A delivery is no object of its own: its event tells of it. */
const delivery: Way['noun'] = {
  object: 'delivery',
  find: (reader, caller, id) => reader.first(deliveryById, { realm: caller.realm, id }),
}

/** Named by the user's id, as every other object names people. */
const person: Way = {
  noun: userNoun,
  named: ({ user }) => user ?? '',
  url: ({ user }) => `/settings/people/${user}`,
  api: null,
}

/** By what stands before the `_`. */
const ways: Readonly<Record<string, Way>> = {
  tsk: plain(taskNoun, '/work/tasks', 'tasks'),
  prj: plain(projectNoun, '/work/projects', 'projects'),
  wsp: plain(workspaceNoun, '/work/workspaces', 'workspaces'),
  pfl: { noun: portfolioNoun, url: () => '/work', api: ({ id }) => `/v1/portfolios/${id}` },
  col: { noun: columnNoun, url: ({ project }) => `/work/projects/${project}`, api: ({ id }) => `/v1/columns/${id}` },
  cmt: {
    noun: commentNoun,
    url: ({ task, id }) => `/work/tasks/${task}#${id}`,
    api: ({ task, id }) => `/v1/tasks/${task}/comments/${id}`,
  },
  dep: { noun: dependencyNoun, url: ({ project }) => `/work/projects/${project}`, api: null },
  flt: {
    noun: savedFilterNoun,
    url: ({ id }) => `/work/tasks?saved=${id}`,
    api: ({ id }) => `/v1/saved_filters/${id}`,
  },
  tpl: { noun: taskTemplateNoun, url: () => '/work/templates', api: ({ id }) => `/v1/task_templates/${id}` },
  brd: plain(boardNoun, '/boards', 'boards'),
  flow: plain(automationFlowNoun, '/automations', 'automation_flows'),
  run: {
    noun: automationRunNoun,
    // A run is only found with its workspace (contract §4.5).
    url: ({ id, workspace }) => `/automations/runs/${id}?workspace=${workspace}`,
    api: ({ id, workspace }) => `/v1/automation_runs/${id}?workspace=${workspace}`,
  },
  tme: plain(timeEntryNoun, '/money/time', 'time_entries'),
  exp: plain(expenseNoun, '/money/expenses', 'expenses'),
  inv: plain(invoiceDraftNoun, '/money/invoices', 'invoice_drafts'),
  rate: { noun: billingRateNoun, url: () => '/money/rates', api: ({ id }) => `/v1/billing_rates/${id}` },
  job: plain(exportJobNoun, '/money/exports', 'jobs'),
  key: plain(apiKeyNoun, '/developers/keys', null, 'admin'),
  whe: plain(webhookEndpointNoun, '/developers/webhooks', 'webhook_endpoints', 'admin'),
  evt: plain(eventNoun, '/developers/events', 'events'),
  dlv: { noun: delivery, url: ({ event }) => `/developers/events/${event}`, api: ({ event }) => `/v1/events/${event}` },
  aud: plain(auditEntryNoun, '/developers/audit', null, 'admin'),
  usr: person,
  mbr: { ...person, noun: memberNoun },
}

/** What has no prefix that is known may be a task's key. */
function wayOf(id: string): Way {
  const prefix = id.slice(0, id.indexOf('_'))
  return (Object.hasOwn(ways, prefix) ? ways[prefix] : undefined) ?? (ways.tsk as Way)
}

/** What an id of this organization stands for; also a task's key. Foreign ids, and unknown ones, are nothing here. */
export const openId = endpoint('GET open/{id}', {
  needs: 'session',
  query: { mode: modeParameter },
  async handle({ services, session, query: { mode }, params }) {
    const id = params.id ?? ''
    const caller = callerOfSession(session, mode ?? 'live')
    const request = id.startsWith('req_') ? await services.requestLog.find(caller, id) : undefined
    if (request !== undefined) return openedRequest(session, id)
    const way = wayOf(id)
    const row = (await way.noun.find(services.store.reader(caller.storeScope), caller, id)) as Found | undefined
    if (row === undefined) throw refuse('resource_not_found', { param: 'id' })
    if (way.role !== undefined) requireRole(session, way.role)
    const shown: OpenedId = {
      id: way.named?.(row) ?? row.id,
      object: way.noun.object,
      url: way.url(row),
      api_path: way.api?.(row) ?? null,
    }
    return shown
  },
})

function openedRequest(session: OpenSession, id: string): OpenedId {
  requireRole(session, 'admin')
  return { id, object: 'request_log', url: `/developers/requests/${id}`, api_path: `/v1/request_logs/${id}` }
}
