/** The tags of the reference: one per resource, grouped by the areas of the contract (contract/01#areas). */
import type { Operation } from '../../api/declare/operation.ts'
import type { JsonObject } from './json.ts'

interface Tag {
  readonly name: string
  readonly description: string
}

/** Area → first part of operation ids → tag. */
const areas: Readonly<Record<string, Readonly<Record<string, Tag>>>> = {
  Platform: {
    api: tag('API', 'The service itself: its version and mode.'),
    me: tag('Identity', 'The calling credential and its rights.'),
    organizations: tag('Organizations', 'The organization that the credential belongs to.'),
    members: tag('Members', 'The people of the organization.'),
    teams: tag('Teams', 'Groups of people.'),
    team_members: tag('Team members', 'The people of teams.'),
    api_keys: tag('API keys', 'Credentials with scopes. The secret is shown once, when the key is created.'),
    usage: tag('Usage', 'The credit windows of the credential and the day pool of the plan.'),
    request_logs: tag(
      'Request logs',
      'Metadata of a request, kept for seven days; never bodies, values or credentials.',
    ),
    search: tag('Search', 'Objects of all kinds by the words of their texts.'),
    audit_logs: tag('Audit log', 'Who changed what: one entry per write, chained by hashes.'),
  },
  Whiteboard: {
    boards: tag('Boards', 'Whiteboards and the freshness of their snapshots. Deleting one archives it.'),
    board_items: tag('Board items', 'The items of a board: one complete snapshot, read-only.'),
    board_members: tag('Board members', 'The users who may see or edit a board.'),
    board_comments: tag('Board comments', 'Threads at places of a board.'),
    board_links: tag('Board links', 'Links that open a board to people without an account.'),
  },
  'Work management': {
    workspaces: tag('Workspaces', 'Containers of all work; the keys of tasks begin with the key of their workspace.'),
    custom_fields: tag(
      'Custom fields',
      'Keys of `custom_fields` of tasks to which a workspace gives a name and a type.',
    ),
    projects: tag('Projects', 'Columns and tasks with a common goal. Projects can be archived or deleted.'),
    portfolios: tag('Portfolios', 'Groups of projects.'),
    columns: tag('Columns', 'The columns of a project, in their order.'),
    tasks: tag('Tasks', 'Units of work. Wherever a task id is accepted, its key (`KEP-42`) is accepted too.'),
    undo: tag('Undo', 'Takes back the changes of tasks that the caller made within the last day.'),
    task_comments: tag('Task comments', 'Comments on a task.'),
    task_dependencies: tag('Task dependencies', 'Links between tasks: blocks, precedes, relates to, duplicates.'),
    time_entries: tag('Time entries', 'Time worked on tasks: entered, or measured by a timer on the server.'),
    saved_filters: tag('Saved filters', 'Filters that a team shares, read-only.'),
    task_templates: tag('Task templates', 'Templates for recurring tasks, read-only.'),
    expenses: tag('Expenses', 'Money spent. Only drafts can be changed.'),
    billing_rates: tag('Billing rates', 'Prices per hour, by workspace, project or person.'),
    invoice_drafts: tag('Invoice drafts', 'Invoices before they are sent: draft, ready, finalized, void.'),
    files: tag('Files', 'Content of any type, by signed URL.'),
    task_watch: tag('Task watch', 'Who watches a task, and so hears of its comments and its status.'),
    project_watch: tag('Project watch', 'Who watches a project, and so all of its tasks.'),
    notifications: tag('Notifications', 'The inbox of a person: what has happened that concerns the person.'),
    exports: tag('Exports', 'All matching tasks in an NDJSON file.'),
    jobs: tag('Jobs', 'Progress and download of an export.'),
  },
  Automations: {
    automation_flows: tag('Automation flows', 'Graphs that the server executes: previewed, activated and paused.'),
    automation_runs: tag('Automation runs', 'Executions of flows, step by step.'),
    automation_approvals: tag('Automation approvals', 'Decisions of people that runs of automations wait for.'),
  },
  'Webhooks and events': {
    webhook_endpoints: tag('Webhook endpoints', 'URLs that receive signed events.'),
    deliveries: tag('Deliveries', 'Events on their way to webhook endpoints, with every attempt.'),
    events: tag('Events', 'The log of all changes, without gaps, in commit order: listed, streamed, delivered again.'),
  },
}

function tag(name: string, description: string): Tag {
  return { name, description }
}

/** The tag of an operation; the first part of its id if no tag is declared. */
export function tagOf(id: string): Tag {
  const prefix = prefixOf(id)
  for (const tags of Object.values(areas)) if (tags[prefix] !== undefined) return tags[prefix]
  return tag(prefix, prefix)
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/** The used tags, in catalogue order. */
export function tagsOf(catalogue: readonly Operation[]): Tag[] {
  const prefixes = new Set(catalogue.map(({ id }) => prefixOf(id)))
  return [...prefixes].map((prefix) => tagOf(`${prefix}.`))
}

/** The areas and their tags, as `x-tagGroups`. */
export function tagGroups(catalogue: readonly Operation[]): JsonObject[] {
  const used = new Set(tagsOf(catalogue).map(({ name }) => name))
  return Object.entries(areas)
    .map(([name, tags]) => ({
      name,
      tags: Object.values(tags).flatMap((each) => (used.has(each.name) ? [each.name] : [])),
    }))
    .filter(({ tags }) => tags.length > 0)
}
