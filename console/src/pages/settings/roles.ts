/** What the roles are called and what they may do. */
import type { Role } from '../../data/shapes.ts'

export const roleNames: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const roleHints: Readonly<Record<Role, string>> = {
  owner: 'Everything, also owners, the plan and the operator page.',
  admin: 'Keys, webhooks, logs and people, except owners.',
  member: 'Work, boards, automations, time and money.',
}
