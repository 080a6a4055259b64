/** The scopes of credentials (contract/07#scopes). */
export const scopes = [
  'api:read',
  'api:manage',
  'workspaces:read',
  'workspaces:write',
  'projects:read',
  'projects:write',
  'tasks:read',
  'tasks:write',
  'comments:read',
  'comments:write',
  'time_entries:read',
  'time_entries:write',
  'billing:read',
  'billing:write',
  'boards:read',
  'boards:write',
  'automations:read',
  'automations:write',
  'files:read',
  'files:write',
] as const

export type Scope = (typeof scopes)[number]

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text)
}
