/** The filter language as described in the reference, the SDK and the MCP tools. */
import { limits } from '../../../api/limits.ts'

/** Each is a whole expression. */
export const filter_examples = [
  'priority >= high labels:docs -labels:paper',
  'assignee = null (due_at < 1790000000 OR status = blocked)',
  'status IN (todo, in_progress) custom_fields.effort > 5 "release notes"',
  'assignee = me due_at <= today+2w NOT updated < 2026-12-01',
] as const

const characters = limits.filter_chars_max.toLocaleString('en')

export const filter_grammar = `Id of a saved filter, or an expression of at most ${characters} characters and ${limits.filter_comparisons_max} comparisons.

- Fields: \`title\`, \`description\`, \`status\`, \`priority\`, \`assignee\`, \`project\`, \`column\`, \`parent\`, \`team\`, \`labels\`, \`key\`, \`created\`, \`updated\`, \`start_at\`, \`due_at\`, \`completed_at\`, \`is_archived\`, \`custom_fields.<key>\`.
- Operators: \`=\` and \`!=\` on all fields but \`labels\`; \`<\` \`<=\` \`>\` \`>=\` on \`title\`, \`priority\` (none < low < medium < high < urgent), times and custom fields; \`IN (a, b)\` for any of several values; \`:\` means contains (\`title\`, \`description\`), has the label (\`labels\`), has the element or text (custom fields), equals (others).
- People, projects, columns: an id, or a name or e-mail address that fits exactly one; a parent: its id or key; \`team\`: the assignee is in the team; \`me\`; \`none\`.
- Times: Unix seconds, \`2026-12-01\` (the whole UTC day), \`2026-12-01T09:00:00Z\`, \`now\`, \`today\`, \`now-7d\`, \`today+2w\` (units h, d, w). In a URL, encode \`+\` as \`%2B\`.
- A value that no task can have, such as an unknown status, is refused.
- Null: \`due_at = null\`, \`assignee != null\`; \`due_at:*\` finds any value.
- Combine: \`a b\` and \`a AND b\`; \`a OR b\`, which binds tighter than AND; \`NOT a\` or \`-a\`; parentheses.
- Text: a bare word or a "quoted phrase" is searched in title and description, ignoring case.
- Examples: ${filter_examples.map((example) => `\`${example}\``).join('; ')}.`

/** The filter language in a few lines, for readers that pay for each character. */
export const short_filter_grammar = [
  "filter: comparisons joined by a space (AND), OR (binds tighter) and NOT, with parentheses; in lists also a saved filter's id.",
  'Fields: title, description, status, priority, assignee, project, column, parent, team, labels, key, created, updated, start_at, due_at, completed_at, is_archived, custom_fields.<key>.',
  'Operators: = != < <= > >= IN (a, b), and : for contains. Values: null, me, names, e-mail addresses, times such as 2026-12-01, today+2w, now-7d. A bare word or "phrase" is searched in title and description.',
  `Example: ${filter_examples[1]}`,
].join('\n')
