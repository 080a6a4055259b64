/** Where the texts of `fields` are read, and what takes texts that no page shows. */
import type { Field } from './samples.ts'

/** By path of a page: the fields of which its visits show every value as it was written. */
export const shown: Readonly<Record<string, readonly Field[]>> = {
  '/automations': ['automation_flows.name'],
  '/automations/:id': ['automation_flows.name', 'automation_flows.reason'],
  '/automations/:id/edit': ['automation_flows.notes.text'],
  '/automations/:id/sentence': ['automation_approvals.text', 'automation_flows.graph'],
  '/automations/runs/:id': [
    ...(['automation_approvals.comment', 'automation_approvals.text', 'automation_flows.graph'] as const),
    ...(['form.answers', 'form.label'] as const),
  ],
  '/boards': ['boards.name'],
  '/boards/:id': ['boards.name', 'tasks.title'],
  '/boards/:id/draw': ['board_guests.name', 'board_links.name', 'board_versions.name', 'tasks.title'],
  '/developers/applications/:id?': ['applications.name'],
  '/developers/events/:id?': ['boards.name', 'files.name', 'tasks.title'],
  '/developers/keys/:id?': ['api_keys.name'],
  '/developers/requests/:id?': [
    ...(['api_keys.name', 'request_logs.parameter', 'request_logs.path', 'request_logs.user_agent'] as const),
  ],
  '/money/expenses/:id?': [
    ...(['expenses.business_purpose', 'expenses.category', 'expenses.invoice_number'] as const),
    ...(['expenses.notes', 'expenses.vendor', 'workspaces.title'] as const),
  ],
  '/money/time/:id?': ['time_entries.note', 'workspaces.title'],
  '/search/files/:id': ['files.name'],
  '/settings/people/:user?': ['invitations.first_name', 'members.first_name', 'members.last_name'],
  '/settings/teams/:team?': ['teams.description', 'teams.name'],
  '/work': ['projects.description', 'projects.name', 'workspaces.title'],
  '/work/board': ['tasks.title'],
  '/work/calendar': ['tasks.title'],
  '/work/fields/:id': ['custom_fields.name', 'custom_fields.options.name'],
  '/work/projects/:id': [
    ...(['columns.name', 'members.first_name', 'members.last_name'] as const),
    ...(['projects.description', 'projects.name', 'tasks.title'] as const),
  ],
  '/work/reports': ['members.first_name', 'members.last_name', 'projects.name'],
  '/work/tasks': ['members.first_name', 'members.last_name', 'tasks.title'],
  '/work/tasks/:id': [
    ...(['columns.name', 'custom_fields.name', 'files.name', 'tasks.custom_fields'] as const),
    ...(['tasks.labels', 'tasks.title'] as const),
  ],
  '/work/templates': ['task_templates.name'],
  '/work/timeline': ['members.first_name', 'members.last_name', 'tasks.title'],
  '/work/views': ['saved_filters.description', 'saved_filters.name'],
  '/work/workspaces/:id': ['projects.description', 'projects.name', 'workspaces.title'],
}

/** By path of a page: fields of which it shows a part, an excerpt, or the text as Markdown, so only the field's mark is looked for. */
export const begun: Readonly<Record<string, readonly Field[]>> = {
  '/': ['automation_flows.name', 'organization.name', 'tasks.title'],
  '/automations/:id/edit': ['automation_approvals.text', 'automation_flows.graph', 'automation_flows.name'],
  '/boards/:id': ['board_items.frame', 'board_items.label', 'board_items.link', 'board_items.text'],
  '/developers': ['request_logs.parameter'],
  '/inbox': [
    ...(['automation_approvals.text', 'automation_flows.name', 'board_comments.body', 'boards.name'] as const),
    ...(['members.first_name', 'task_comments.body', 'tasks.title'] as const),
  ],
  '/search?query=evil': ['boards.name', 'files.name', 'portfolios.name', 'projects.name', 'tasks.title'],
  '/work/tasks/:id': ['task_comments.body', 'tasks.description'],
  '/work/templates': ['task_templates.defaults.labels', 'task_templates.defaults.title'],
}

/** Fields that are read elsewhere than on the pages of the router. */
export const elsewhere: Partial<Readonly<Record<Field, string>>> = {
  'board_comments.body': 'in the threads of a board',
  'form.hint': 'on the form',
  'form.introduction': 'on the form',
  'form.options': 'on the form',
  'form.thanks': 'on the form that was sent',
  'form.title': 'on the form',
  'imports.cells': 'in the preview of an import',
}

/** Fields that only programs read, unchanged. */
export const unread: readonly Field[] = [
  'boards.description',
  'expenses.extra_fields',
  'expenses.payment_method',
  'expenses.vendor_vat_id',
  'portfolios.description',
  'task_templates.defaults.description',
  'task_templates.description',
]

/** The same text, taken by another operation or endpoint under another name. */
export const same: Readonly<Record<string, Field>> = {
  'automation-flows/formula.graph.edges': 'automation_flows.graph',
  'automation-flows/formula.graph.nodes': 'automation_flows.graph',
  'board-guests.name': 'board_guests.name',
  'board-guests/comments.body': 'board_comments.body',
  'board-guests/comments/update.body': 'board_comments.body',
  'board_items.items.frame': 'board_items.frame',
  'board_items.items.text': 'board_items.text',
  'boards/import.name': 'boards.name',
  'boards/import.scene': 'board_items.text',
  'boards/versions.name': 'board_versions.name',
  'invitations.last_name': 'invitations.first_name',
  'organizations.name': 'organization.name',
  'profile.first_name': 'members.first_name',
  'profile.last_name': 'members.last_name',
  'saved-filters.description': 'saved_filters.description',
  'saved-filters.name': 'saved_filters.name',
  'task-templates.defaults': 'task_templates.defaults.title',
  'task-templates.description': 'task_templates.description',
  'task-templates.name': 'task_templates.name',
  'task_templates.custom_fields': 'tasks.custom_fields',
  'task_templates.defaults.custom_fields': 'tasks.custom_fields',
  'task_templates.labels': 'tasks.labels',
  'task_templates.title': 'tasks.title',
}

/** Fields that hold what programs write: ids, addresses, secrets, expressions. Their last names. */
export const written_by_programs =
  /(?:\.|_)(?:id|token|secret|element|file|filter|sort|data_url|url|type|types|source|version|status|assignee|project|workspace|board|task|linked_task|value|password|current|next|email|query|time_zone|auth|endpoint|p256dh|overridable|\w+_color|\w+_arrowhead)$|\.response\.\w+/

/** Texts that are not tried here, and why. */
export const untried: Readonly<Record<string, string>> = {
  'applications.redirect_uris': 'addresses, which the server checks',
  'applications.sign_in.redirect_uris': 'addresses, which the server checks',
  'automation-flows/formula.call': 'a sample, which a flow that calls gives otherwise',
  'automation-flows/formula.node': 'the id of a node',
  'automation-flows/formula.path': 'the place of a formula in a node',
  'automation-secrets.name': 'the server takes letters, digits and three marks only',
  'automation_flows.call': 'a sample, which a flow that calls gives otherwise',
  'automation_flows.form': 'a sample, which a preview shows as the run shows the answers of a form',
  'automation_flows.mail.attachments': 'a sample',
  'automation_flows.mail.name': 'a sample',
  'automation_flows.mail.subject': 'a sample',
  'automation_flows.mail.text': 'a sample',
  'automation_flows.request.body': 'a sample',
  'automation_flows.request.headers': 'a sample',
  'automation_runs.call': 'a corrected input, which a flow that calls gives otherwise',
  'automation_runs.form': 'a corrected answer, which a run shows as it shows the answers of a form',
  'automation_runs.mail.attachments': 'a correction of a mail, which mail servers bring otherwise',
  'automation_runs.mail.name': 'a correction of a mail, which mail servers bring otherwise',
  'automation_runs.mail.subject': 'a correction of a mail, which mail servers bring otherwise',
  'automation_runs.mail.text': 'a correction of a mail, which mail servers bring otherwise',
  'automation_runs.step_input': 'corrected settings, which a flow gives otherwise',
  'automation_runs.request.body': 'what another program sends, corrected',
  'automation_runs.request.headers': 'what another program sends, corrected',
  'oauth/authorization.request': 'the query of an address that an application has made',
  'scim-tokens.name': 'the name of a token is shown to owners only; scim.browser.ts names one',
  'second-factor/authenticator.set_up': 'made by the server, which opens nothing else',
  'passkeys.name': 'passkeys need a host name and an authenticator; passkeys.browser.ts names one',
}
