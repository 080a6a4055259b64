/**
 * Texts that would run a script, load something or lead somewhere if a page took them for more than text. Each is short enough for
 * a label, and each field gets all of them, in as few values as its limit allows.
 */
const samples: readonly string[] = [
  '<img src=x onerror=window.__xss=1>',
  '</script><script>window.__xss=1</script>',
  '<svg/onload=window.__xss=1>',
  '"><img src=x onerror=window.__xss=1>',
  `' autofocus onfocus='window.__xss=1' x='`,
  '</title></textarea></style><svg/onload=__xss=1>',
  '<iframe src=https://evil.example/></iframe>',
  '<style>@import "https://evil.example/a.css"</style>',
  '<link rel=stylesheet href=//evil.example/b.css>',
  '<base href=https://evil.example/>',
  '<meta http-equiv=refresh content=0;//evil.example>',
  '<form action=//evil.example/><button>Go</form>',
  '<a href=javascript:window.__xss=1>over</a>',
  '[a](javascript:window.__xss=1)',
  '![b](https://evil.example/p.png)',
  '<!-- <img src=x onerror=window.__xss=1>',
  '<math><mtext><img src=x onerror=__xss=1></math>',
  'https://evil.example/"onmouseover="__xss=1',
  '&lt;img src=x onerror=window.__xss=1&gt;',
  '\\u003cimg src=x onerror=window.__xss=1\\u003e',
  'data:text/html,<script>window.__xss=1</script>',
  '$' + '{window.__xss=1} %3Cscript%3E',
  '\u2066gnp.exe\u2069 constructor __proto__',
]

/** What an object has without being asked: a page that keeps values by name must not find these. */
export const inherited = ['__proto__', 'constructor', 'toString', 'hasOwnProperty']

/** The most characters of a value that is read as Markdown or has no smaller limit of its own. */
const long = 1500

/** The texts that people write, by the field of the API, the console or the program that takes them, and the most characters of each. */
export const fields = {
  'api_keys.name': 500,
  'applications.name': 500,
  'automation_approvals.comment': 2000,
  'automation_approvals.text': 2000,
  'automation_flows.graph': long,
  'automation_flows.name': 500,
  'automation_flows.notes.text': 600,
  'automation_flows.reason': 2000,
  'board_comments.body': long,
  'board_guests.name': 60,
  'board_items.frame': 500,
  'board_items.label': 2000,
  'board_items.link': 2000,
  'board_items.text': 2000,
  'board_links.name': 500,
  'board_versions.name': 200,
  'boards.description': long,
  'boards.name': 500,
  'columns.name': 500,
  'custom_fields.name': 500,
  'custom_fields.options.name': 100,
  'expenses.business_purpose': long,
  'expenses.category': 500,
  'expenses.extra_fields': long,
  'expenses.invoice_number': 500,
  'expenses.notes': long,
  'expenses.payment_method': 500,
  'expenses.vendor': 500,
  'expenses.vendor_vat_id': 500,
  'files.name': 255,
  'form.answers': long,
  'form.hint': 300,
  'form.introduction': long,
  'form.label': 120,
  'form.options': 120,
  'form.thanks': 1000,
  'form.title': 120,
  'imports.cells': 500,
  'invitations.first_name': 200,
  'members.first_name': 200,
  'members.last_name': 200,
  'organization.name': 500,
  'portfolios.description': long,
  'portfolios.name': 500,
  'projects.description': long,
  'projects.name': 500,
  'request_logs.parameter': 80,
  'request_logs.path': 500,
  'request_logs.user_agent': 200,
  'saved_filters.description': long,
  'saved_filters.name': 500,
  'task_comments.body': long,
  'task_templates.defaults.description': long,
  'task_templates.defaults.labels': 80,
  'task_templates.defaults.title': 500,
  'task_templates.description': long,
  'task_templates.name': 500,
  'tasks.custom_fields': long,
  'tasks.description': long,
  'tasks.labels': 80,
  'tasks.title': 500,
  'teams.description': 2000,
  'teams.name': 500,
  'time_entries.note': long,
  'workspaces.title': 500,
} as const satisfies Readonly<Record<string, number>>

export type Field = keyof typeof fields

/** Begins each value of a field, so that a page shows where its texts are from. Short, because a label has 80 characters. */
export function markOf(field: Field): string {
  return `~${Object.keys(fields).indexOf(field)}~`
}

/** What a field does not take, and what stands in its place. */
const replaced: Readonly<Partial<Record<Field, readonly [RegExp, string]>>> = {
  // A file's name has no slash.
  'files.name': [/[/\\]/g, '|'],
  'request_logs.path': [/[^\x21-\x7e]/g, '_'],
  'request_logs.user_agent': [/[^\x20-\x7e]/g, '_'],
}

/** All samples in values that the field takes, each with the field's mark. */
export function valuesOf(field: Field): string[] {
  const values: string[] = []
  let value = markOf(field)
  for (const sample of samples) {
    const longer = `${value} ${sample}`
    if (longer.length <= fields[field]) value = longer
    else {
      values.push(value)
      value = `${markOf(field)} ${sample}`
    }
  }
  const [found, instead] = replaced[field] ?? [/$^/g, '']
  return [...values, value].map((each) => each.replaceAll(found, instead))
}
