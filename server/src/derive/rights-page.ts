/** `docs/rights.md`: what each role may do with each operation, from the table of rights. */

import type { Operation } from '../api/declare/operation.ts'
import {
  console_for_guests,
  console_rights,
  isForGuests,
  type RoleName,
  refusalOf,
  rightOf,
  roles,
} from '../api/declare/rights.ts'

const introduction = `# Rights

Generated from the table of rights (\`server/src/api/declare/rights.ts\`) by \`npm run generate\`; do not edit. A test calls every operation as every role and compares the answers with this page.

A person has one role in an organization: owner, admin, member or guest. The console acts in \`/v1\` with the rights of the person. A key has no role: it may do what its [scopes](contract/07-credentials.md) say; that of a guest sees no more than the guest.

| | Means |
|---|---|
| yes | allowed |
| own | allowed with the person's own objects and those shared with the person. Objects of other people answer 404, like missing ones |
| editor | allowed for the owner and the editors of the board. Others get 403 \`insufficient_scope\`; the author may change a comment, too |
| commenter | allowed for the owner, the editors and the commenters of the board. Others get 403 \`insufficient_scope\` |
| asked | allowed for the people who were asked. Others get 403 \`insufficient_scope\` |
| projects | allowed within the projects that an owner or admin has chosen for the guest. Objects elsewhere answer 404, like missing ones |
| confirmed | allowed after a confirmation with password or passkey, which lasts ten minutes. Without it: 403 \`step_up_required\`, or 403 \`insufficient_scope\` where keys and webhooks are managed |
| no | 403 \`insufficient_scope\` |

Objects of other organizations, and of the other data set, answer 404 for everyone. Who may do what outside of \`/v1\` is below [In the console](#in-the-console).

`

/** The page for a catalogue. */
export function rightsPage(catalogue: readonly Operation[]): string {
  const lines = [
    `| Operation | ${roles.map((role) => role[0]?.toUpperCase() + role.slice(1)).join(' | ')} |`,
    `|---|${roles.map(() => '---|').join('')}`,
    ...catalogue.flatMap(({ id }) => {
      const right = rightOf(id)
      return right === undefined ? [] : [`| \`${id}\` | ${roles.map((role) => wordOf(id, role)).join(' | ')} |`]
    }),
  ]
  return `${introduction}${lines.join('\n')}\n${consoleSection()}`
}

function consoleSection(): string {
  const rows = Object.entries(console_rights).map(
    ([name, role]) => `| \`${name}\` | ${role === 'owner' ? 'owner' : 'owner, admin'} |`,
  )
  return `
## In the console

The console's own endpoints (\`/app/api\`) act for any person who is signed in, and for that person only. Guests are refused, except at the endpoints that are [listed for them](#for-guests). These need a role; others get 403 \`role_required\`. Only an owner makes another person an owner or changes one.

| Endpoint | Role |
|---|---|
${rows.join('\n')}

### For guests

A guest may call these about the own account and about what is in the guest's projects; any other endpoint that needs a session answers 403 \`role_required\`.

${console_for_guests.map((name) => `- \`${name}\``).join('\n')}
`
}

function wordOf(operation: string, role: RoleName): string {
  if (refusalOf(operation, role, true) !== null) return 'no'
  if (refusalOf(operation, role, false) !== null) return 'confirmed'
  const right = rightOf(operation)
  if (right === 'editors') return 'editor'
  if (right === 'commenters') return 'commenter'
  if (right === 'asked') return 'asked'
  if (right === 'own') return 'own'
  return role === 'guest' && isForGuests(operation) ? 'projects' : 'yes'
}
