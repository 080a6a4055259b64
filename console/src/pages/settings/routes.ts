import { Settings } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const settings: Area = {
  title: t('Settings'),
  path: '/settings',
  icon: Settings,
  letter: 's',
  links: [
    { title: t('Profile'), path: '/settings/profile', words: t('account name email me') },
    {
      title: t('Security'),
      path: '/settings/security',
      words: t('password passkey second factor authenticator app sessions sign-in applications access'),
    },
    { title: t('Notifications'), path: '/settings/notifications', words: t('inbox mail digest quiet hours') },
    { title: t('Language and dates'), path: '/settings/dates', words: t('time zone language week') },
    { title: t('Appearance'), path: '/settings/appearance', words: t('theme dark light density shortcuts') },
    { title: t('People'), path: '/settings/people', role: 'member', words: t('members invitations roles team') },
    { title: t('Teams'), path: '/settings/teams', role: 'member', words: t('group department people') },
    {
      title: t('Organization'),
      path: '/settings/organization',
      role: 'member',
      words: t('name plan storage import second factor provisioning SCIM'),
    },
  ],
  pages: [
    { path: '/settings', load: () => import('./profile-page.tsx').then((module) => module.ProfilePage) },
    { path: '/settings/profile', load: () => import('./profile-page.tsx').then((module) => module.ProfilePage) },
    { path: '/settings/security', load: () => import('./security-page.tsx').then((module) => module.SecurityPage) },
    {
      path: '/settings/appearance',
      load: () => import('./appearance-page.tsx').then((module) => module.AppearancePage),
    },
    {
      path: '/settings/notifications',
      load: () => import('./notifications-page.tsx').then((module) => module.NotificationsPage),
    },
    { path: '/settings/dates', load: () => import('./dates-page.tsx').then((module) => module.DatesPage) },
    {
      path: '/settings/people/:user?',
      load: () => import('./people-page.tsx').then((module) => module.PeoplePage),
      role: 'member',
    },
    {
      path: '/settings/teams/:team?',
      load: () => import('./teams-page.tsx').then((module) => module.TeamsPage),
      role: 'member',
    },
    {
      path: '/settings/organization',
      load: () => import('./organization-page.tsx').then((module) => module.OrganizationPage),
      role: 'member',
    },
  ],
}
