/** The groups of the reference: one for each resource, in areas as the contract has them (contract §1). */
import type { Operation } from '../../api/operation.ts'
import type { JsonObject } from './json.ts'

interface Tag {
  readonly name: string
  readonly description: string
}

/** Area → first part of operation ids → tag. */
const areas: Readonly<Record<string, Readonly<Record<string, Tag>>>> = {
  Platform: {
    api: tag('API', 'The service itself: its version and mode.'),
    me: tag('Identity', 'Who the calling credential is, and what it may do.'),
    organizations: tag('Organizations', 'The organization that the credential belongs to.'),
    members: tag('Members', 'The people of the organization.'),
    teams: tag('Teams', 'Groups of people.'),
    api_keys: tag('API keys', 'Credentials with scopes. A secret is shown once, when its key is created.'),
    usage: tag('Usage', 'The credit windows of the credential and the day pool of the plan.'),
    request_logs: tag(
      'Request logs',
      'What is known of a request, for seven days; never bodies, values or credentials.',
    ),
    audit_logs: tag('Audit log', 'Who changed what: one entry for each write, chained by hashes.'),
  },
  Whiteboard: {
    boards: tag('Boards', 'Whiteboards, and how fresh their snapshots are. Deleting one archives it.'),
    board_items: tag('Board items', 'What stands on a board: one complete snapshot, read only.'),
    board_members: tag('Board members', 'Who may see or edit a board.'),
  },
  'Work management': {
    workspaces: tag('Workspaces', 'Where all work lives; each has a key that its tasks are numbered with.'),
    projects: tag('Projects', 'Work with a common goal: columns and tasks. Projects are archived or deleted.'),
    portfolios: tag('Portfolios', 'Projects kept together.'),
    columns: tag('Columns', 'The columns of a project, in their order.'),
    tasks: tag('Tasks', 'What is to be done. Wherever the id of a task is taken, its key (`KEP-42`) is too.'),
    task_comments: tag('Task comments', 'What is said about a task.'),
    task_dependencies: tag('Task dependencies', 'Which task blocks, precedes, relates to or duplicates which.'),
    time_entries: tag(
      'Time entries',
      'Time worked on tasks: entered, or measured by a timer on the clock of the server.',
    ),
    saved_filters: tag('Saved filters', 'Filters that a team shares, read only.'),
    task_templates: tag('Task templates', 'Tasks to be made again and again.'),
    expenses: tag('Expenses', 'Money spent. Only drafts change.'),
    billing_rates: tag('Billing rates', 'What an hour costs, by workspace, project or person.'),
    invoice_drafts: tag('Invoice drafts', 'Invoices before they are sent: draft, ready, finalized, void.'),
    exports: tag('Exports', 'All tasks that match, as a file of NDJSON.'),
    jobs: tag('Jobs', 'How an export is getting on, and where to download it.'),
  },
  Automations: {
    automation_flows: tag(
      'Automation flows',
      'What happens by itself: graphs that are previewed, activated and paused.',
    ),
    automation_runs: tag('Automation runs', 'Flows at work, step by step.'),
  },
  'Webhooks and events': {
    webhook_endpoints: tag('Webhook endpoints', 'URLs that events are sent to, signed.'),
    events: tag('Events', 'What has happened, without gap in commit order: listed, streamed, sent again.'),
  },
}

function tag(name: string, description: string): Tag {
  return { name, description }
}

/** The tag of an operation. One that nobody described yet is called by its id. */
export function tagOf(id: string): Tag {
  const prefix = prefixOf(id)
  for (const tags of Object.values(areas)) if (tags[prefix] !== undefined) return tags[prefix]
  return tag(prefix, prefix)
}

function prefixOf(id: string): string {
  return id.slice(0, id.indexOf('.'))
}

/** The tags that are in use, in the order of the catalogue. */
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
