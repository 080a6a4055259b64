/** The roles in words, with what they allow. */
import type { Role } from '../../data/shapes.ts'

export const roleNames: Readonly<Record<Role, string>> = { owner: 'Owner', admin: 'Admin', member: 'Member' }

export const roleHints: Readonly<Record<Role, string>> = {
  owner: 'Everything, including owners, and the organization.',
  admin: 'Everything members can do, plus keys, webhooks, logs and people, except owners.',
  member: 'Work, boards, automations, time and money.',
}
