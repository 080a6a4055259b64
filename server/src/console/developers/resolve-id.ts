import { refuse } from '../../api/declare/errors.ts'
import type { AnyNoun, NounRow } from '../../api/declare/noun.ts'
import { query } from '../../db/query.ts'
import { apiKeyNoun } from '../../resources/api_keys/api_key.ts'
import { auditEntryNoun } from '../../resources/audit_logs/audit_entry.ts'
import { automationApprovalNoun } from '../../resources/automation_approvals/automation_approval.ts'
import { automationFlowNoun } from '../../resources/automation_flows/automation_flow.ts'
import { automationRunNoun } from '../../resources/automation_runs/automation_run.ts'
import { billingRateNoun } from '../../resources/billing_rates/billing_rate.ts'
import { boardNoun } from '../../resources/boards/board.ts'
import { columnNoun } from '../../resources/columns/column.ts'
import { commentNoun } from '../../resources/comments/comment.ts'
import { customFieldNoun } from '../../resources/custom_fields/custom_field.ts'
import { dependencyNoun } from '../../resources/dependencies/dependency.ts'
import { eventNoun } from '../../resources/events/event.ts'
import { expenseNoun } from '../../resources/expenses/expense.ts'
import { fileNoun } from '../../resources/files/file.ts'
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
import { type ActiveSession, callerOfSession, requireRole } from '../sessions/session.ts'
import type { ResolvedId } from '../shapes.ts'

type FoundRow = NounRow & {
  readonly task?: string | null
  readonly project?: string | null
  readonly event?: string
  readonly automation_run?: string
  readonly user?: string | null
}

/** How the id of one prefix is found, and where its object is shown. */
export interface IdRoute {
  readonly noun: Pick<AnyNoun, 'object' | 'find' | 'guests'>
  /** The object's public id, if it is not the row's. */
  readonly publicId?: (row: FoundRow) => string
  /** The console's path. */
  readonly url: (row: FoundRow) => string
  /** The API's path; `null` if the API does not retrieve it by id. */
  readonly api: ((row: FoundRow) => string) | null
  readonly role?: 'admin'
}

const simpleRoute = (noun: IdRoute['noun'], url: string, api: string | null, role?: 'admin'): IdRoute => ({
  noun,
  url: ({ id }) => `${url}/${id}`,
  api: api === null ? null : ({ id }) => `/v1/${api}/${id}`,
  ...(role === undefined ? {} : { role }),
})

const deliveryById = query<FoundRow, { realm: number; id: string }>((db, p) =>
  db.selectFrom('webhook_deliveries').select(['id', 'event']).where('realm', '=', p('realm')).where('id', '=', p('id')),
)

/** A delivery has no page of its own; it is shown with its event. */
const delivery: IdRoute['noun'] = {
  object: 'delivery',
  find: (reader, caller, id) => reader.first(deliveryById, { realm: caller.realm, id }),
}

/** Objects refer to members by user id, so that is the id shown. */
const person_route: IdRoute = {
  noun: userNoun,
  publicId: ({ user }) => user ?? '',
  url: ({ user }) => `/settings/people/${user}`,
  api: null,
}

/** Routes by id prefix. */
const id_routes: Readonly<Record<string, IdRoute>> = {
  tsk: simpleRoute(taskNoun, '/work/tasks', 'tasks'),
  prj: simpleRoute(projectNoun, '/work/projects', 'projects'),
  wsp: simpleRoute(workspaceNoun, '/work/workspaces', 'workspaces'),
  pfl: { noun: portfolioNoun, url: () => '/work', api: ({ id }) => `/v1/portfolios/${id}` },
  cfd: {
    noun: customFieldNoun,
    url: ({ workspace }) => `/work/fields/${workspace}`,
    api: ({ id }) => `/v1/custom_fields/${id}`,
  },
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
  brd: simpleRoute(boardNoun, '/boards', 'boards'),
  fil: simpleRoute(fileNoun, '/search/files', 'files'),
  flow: simpleRoute(automationFlowNoun, '/automations', 'automation_flows'),
  run: {
    noun: automationRunNoun,
    // A run is retrieved with its workspace (contract/14#automation-run).
    url: ({ id, workspace }) => `/automations/runs/${id}?workspace=${workspace}`,
    api: ({ id, workspace }) => `/v1/automation_runs/${id}?workspace=${workspace}`,
  },
  apr: {
    noun: automationApprovalNoun,
    url: ({ automation_run, workspace }) => `/automations/runs/${automation_run}?workspace=${workspace}`,
    api: ({ id }) => `/v1/automation_approvals/${id}`,
  },
  tme: simpleRoute(timeEntryNoun, '/money/time', 'time_entries'),
  exp: simpleRoute(expenseNoun, '/money/expenses', 'expenses'),
  inv: simpleRoute(invoiceDraftNoun, '/money/invoices', 'invoice_drafts'),
  rate: { noun: billingRateNoun, url: () => '/money/rates', api: ({ id }) => `/v1/billing_rates/${id}` },
  job: simpleRoute(exportJobNoun, '/money/exports', 'jobs'),
  key: simpleRoute(apiKeyNoun, '/developers/keys', null, 'admin'),
  whe: simpleRoute(webhookEndpointNoun, '/developers/webhooks', 'webhook_endpoints', 'admin'),
  evt: simpleRoute(eventNoun, '/developers/events', 'events'),
  dlv: { noun: delivery, url: ({ event }) => `/developers/events/${event}`, api: ({ event }) => `/v1/events/${event}` },
  aud: simpleRoute(auditEntryNoun, '/developers/audit', null, 'admin'),
  usr: person_route,
  mbr: { ...person_route, noun: memberNoun },
}

export function routeOfPrefix(id: string): IdRoute | undefined {
  const prefix = id.slice(0, id.indexOf('_'))
  return Object.hasOwn(id_routes, prefix) ? id_routes[prefix] : undefined
}

/** An id without a known prefix may be a task's key. */
function routeOf(id: string): IdRoute {
  return routeOfPrefix(id) ?? (id_routes.tsk as IdRoute)
}

/** Resolves an id or a task's key to its object and the pages that show it. Ids of other organizations answer 404. */
export const resolveId = endpoint('GET open/{id}', {
  needs: 'session',
  guests: true,
  query: { mode: modeParameter },
  async handle({ services, session, query: { mode }, params }) {
    const id = params.id ?? ''
    const caller = callerOfSession(session, mode ?? 'live')
    const request =
      id.startsWith('req_') && caller.guest === null ? await services.requestLog.find(caller, id) : undefined
    if (request !== undefined) return resolveRequestId(session, id)
    const route = routeOf(id)
    if (caller.guest !== null && route.noun.guests === undefined) throw refuse('resource_not_found', { param: 'id' })
    const row = (await route.noun.find(services.store.reader(caller.storeScope), caller, id)) as FoundRow | undefined
    if (row === undefined) throw refuse('resource_not_found', { param: 'id' })
    if (route.role !== undefined) requireRole(session, route.role)
    const resolved: ResolvedId = {
      id: route.publicId?.(row) ?? row.id,
      object: route.noun.object,
      url: route.url(row),
      api_path: route.api?.(row) ?? null,
    }
    return resolved
  },
})

function resolveRequestId(session: ActiveSession, id: string): ResolvedId {
  requireRole(session, 'admin')
  return { id, object: 'request_log', url: `/developers/requests/${id}`, api_path: `/v1/request_logs/${id}` }
}
