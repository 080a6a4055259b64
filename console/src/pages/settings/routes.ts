import { Settings } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const settings: Area = {
  title: 'Settings',
  path: '/settings',
  icon: Settings,
  letter: 's',
  links: [
    { title: 'Profile', path: '/settings/profile', words: 'account name email me' },
    { title: 'Security', path: '/settings/security', words: 'password passkey sessions sign-in' },
    { title: 'Notifications', path: '/settings/notifications', words: 'inbox mail digest quiet hours' },
    { title: 'Dates', path: '/settings/dates', words: 'time zone language week' },
    { title: 'Appearance', path: '/settings/appearance', words: 'theme dark light density shortcuts' },
    { title: 'People', path: '/settings/people', words: 'members invitations roles team' },
    { title: 'Organization', path: '/settings/organization', words: 'name plan storage import' },
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
    { path: '/settings/people/:user?', load: () => import('./people-page.tsx').then((module) => module.PeoplePage) },
    {
      path: '/settings/organization',
      load: () => import('./organization-page.tsx').then((module) => module.OrganizationPage),
    },
  ],
}
