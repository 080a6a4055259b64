import { Workflow } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const automations: Area = {
  title: t('Automations'),
  path: '/automations',
  icon: Workflow,
  role: 'member',
  letter: 'a',
  pages: [
    { path: '/automations', load: () => import('./flows-page.tsx').then((module) => module.FlowsPage) },
    { path: '/automations/new', load: () => import('./gallery/gallery-page.tsx').then((module) => module.GalleryPage) },
    { path: '/automations/runs', load: () => import('./runs-page.tsx').then((module) => module.RunsPage) },
    { path: '/automations/runs/:id', load: () => import('./run-page.tsx').then((module) => module.RunPage) },
    {
      path: '/automations/:id/edit',
      load: () => import('./editor/editor-page.tsx').then((module) => module.EditorPage),
    },
    {
      path: '/automations/:id/sentence',
      load: () => import('./sentence/sentence-page.tsx').then((module) => module.SentencePage),
    },
    { path: '/automations/:id', load: () => import('./flow-page.tsx').then((module) => module.FlowPage) },
  ],
}
