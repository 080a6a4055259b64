import { Terminal } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const developers: Area = {
  title: t('Developers'),
  path: '/developers',
  icon: Terminal,
  letter: 'd',
  role: 'admin',
  links: [
    { title: t('Activity'), path: '/developers', words: t('errors operations requests overview') },
    { title: t('API keys'), path: '/developers/keys', words: t('secret api credential') },
    { title: t('Applications'), path: '/developers/applications', words: t('access tokens') },
    { title: t('Webhooks'), path: '/developers/webhooks', words: t('endpoints deliveries signing secret') },
    { title: t('Events'), path: '/developers/events', words: t('log stream live') },
    { title: t('Requests'), path: '/developers/requests', words: t('log') },
    { title: t('Usage'), path: '/developers/usage', words: t('credits rate limits plan') },
    { title: t('Audit log'), path: '/developers/audit', words: t('history who changed') },
    { title: t('Versions'), path: '/developers/versions', words: t('api date') },
  ],
  pages: [
    { path: '/developers', load: () => import('./overview-page.tsx').then((module) => module.OverviewPage) },
    { path: '/developers/keys/:id?', load: () => import('./keys-page.tsx').then((module) => module.KeysPage) },
    {
      path: '/developers/applications/:id?',
      load: () => import('./applications-page.tsx').then((module) => module.ApplicationsPage),
    },
    {
      path: '/developers/webhooks/:id?',
      load: () => import('./webhooks-page.tsx').then((module) => module.WebhooksPage),
    },
    { path: '/developers/events/:id?', load: () => import('./events-page.tsx').then((module) => module.EventsPage) },
    {
      path: '/developers/requests/:id?',
      load: () => import('./requests-page.tsx').then((module) => module.RequestsPage),
    },
    { path: '/developers/usage', load: () => import('./usage-page.tsx').then((module) => module.UsagePage) },
    { path: '/developers/audit/:id?', load: () => import('./audit-page.tsx').then((module) => module.AuditPage) },
    { path: '/developers/versions', load: () => import('./versions-page.tsx').then((module) => module.VersionsPage) },
  ],
}
