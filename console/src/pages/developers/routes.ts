import { Terminal } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const developers: Area = {
  title: 'Developers',
  path: '/developers',
  icon: Terminal,
  letter: 'd',
  role: 'admin',
  links: [
    { title: 'Activity', path: '/developers', words: 'errors operations requests overview' },
    { title: 'API keys', path: '/developers/keys', words: 'secret api credential' },
    { title: 'Applications', path: '/developers/applications', words: 'access tokens' },
    { title: 'Webhooks', path: '/developers/webhooks', words: 'endpoints deliveries signing secret' },
    { title: 'Events', path: '/developers/events', words: 'log stream live' },
    { title: 'Requests', path: '/developers/requests', words: 'log' },
    { title: 'Usage', path: '/developers/usage', words: 'credits rate limits plan' },
    { title: 'Audit log', path: '/developers/audit', words: 'history who changed' },
    { title: 'Versions', path: '/developers/versions', words: 'api date' },
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
