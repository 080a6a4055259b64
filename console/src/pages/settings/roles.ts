/** The roles in words, with what they allow. */
import type { Role } from '../../data/shapes.ts'
import { t } from '../../language/index.ts'

export const roleNames: Readonly<Record<Role, string>> = {
  owner: t('Owner'),
  admin: t('Admin'),
  member: t('Member'),
  guest: t('Guest'),
}

export const roleHints: Readonly<Record<Role, string>> = {
  owner: t('Everything, including owners, and the organization.'),
  admin: t('Everything members can do, plus keys, webhooks, logs and people, except owners.'),
  member: t('Work, boards, automations, time and money.'),
  guest: t('Tasks, comments, files and whiteboards of chosen projects, and nothing else.'),
}
