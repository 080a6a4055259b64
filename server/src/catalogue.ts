/** Every operation, in the order of the contract. Routes, documents, tools and tests are derived from this list. */
import type { Operation } from './api/declare/operation.ts'
import { api } from './resources/api/index.ts'
import { apiKeys } from './resources/api_keys/index.ts'
import { auditLogs } from './resources/audit_logs/index.ts'
import { automationApprovals } from './resources/automation_approvals/index.ts'
import { automationFlows } from './resources/automation_flows/index.ts'
import { automationRuns } from './resources/automation_runs/index.ts'
import { billingRates } from './resources/billing_rates/index.ts'
import { boardComments } from './resources/board_comments/index.ts'
import { boardItems } from './resources/board_items/index.ts'
import { boardLinks } from './resources/board_links/index.ts'
import { boardMembers } from './resources/board_members/index.ts'
import { boards } from './resources/boards/index.ts'
import { columns } from './resources/columns/index.ts'
import { comments } from './resources/comments/index.ts'
import { customFields } from './resources/custom_fields/index.ts'
import { deliveries } from './resources/deliveries/index.ts'
import { dependencies } from './resources/dependencies/index.ts'
import { events } from './resources/events/index.ts'
import { expenses } from './resources/expenses/index.ts'
import { exports } from './resources/exports/index.ts'
import { files } from './resources/files/index.ts'
import { invoiceDrafts } from './resources/invoice_drafts/index.ts'
import { jobs } from './resources/jobs/index.ts'
import { me } from './resources/me/index.ts'
import { members } from './resources/members/index.ts'
import { notifications } from './resources/notifications/index.ts'
import { organizations } from './resources/organizations/index.ts'
import { portfolios } from './resources/portfolios/index.ts'
import { projects } from './resources/projects/index.ts'
import { requestLogs } from './resources/request_logs/index.ts'
import { savedFilters } from './resources/saved_filters/index.ts'
import { search } from './resources/search/index.ts'
import { taskTemplates } from './resources/task_templates/index.ts'
import { tasks } from './resources/tasks/index.ts'
import { teamMembers } from './resources/team_members/index.ts'
import { teams } from './resources/teams/index.ts'
import { timeEntries } from './resources/time_entries/index.ts'
import { undo } from './resources/undo/index.ts'
import { usage } from './resources/usage/index.ts'
import { watches } from './resources/watches/index.ts'
import { webhookEndpoints } from './resources/webhook_endpoints/index.ts'
import { workspaces } from './resources/workspaces/index.ts'

export const catalogue: readonly Operation[] = [
  ...api,
  ...me,
  ...organizations,
  ...members,
  ...teams,
  ...teamMembers,
  ...apiKeys,
  ...usage,
  ...requestLogs,
  ...search,
  ...auditLogs,
  ...boards,
  ...boardItems,
  ...boardMembers,
  ...boardComments,
  ...boardLinks,
  ...workspaces,
  ...customFields,
  ...projects,
  ...portfolios,
  ...columns,
  ...tasks,
  ...undo,
  ...comments,
  ...dependencies,
  ...timeEntries,
  ...savedFilters,
  ...taskTemplates,
  ...expenses,
  ...billingRates,
  ...invoiceDrafts,
  ...files,
  ...watches,
  ...notifications,
  ...exports,
  ...jobs,
  ...automationFlows,
  ...automationRuns,
  ...automationApprovals,
  ...webhookEndpoints,
  ...deliveries,
  ...events,
]

export const operationIds: ReadonlySet<string> = new Set(catalogue.map((operation) => operation.id))
