import { SquareCheckBig } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

const overview = () => import('./overview-page.tsx').then((module) => module.OverviewPage)

export const work: Area = {
  title: t('Work'),
  path: '/work',
  icon: SquareCheckBig,
  letter: 'w',
  links: [
    { title: t('Projects'), path: '/work', words: t('workspaces overview') },
    { title: t('Tasks'), path: '/work/tasks', words: t('list filter saved') },
    { title: t('Board'), path: '/work/board', words: t('kanban lanes status assignee') },
    { title: t('Calendar'), path: '/work/calendar', words: t('month week due plan schedule') },
    { title: t('Timeline'), path: '/work/timeline', words: t('gantt plan schedule dependencies chain') },
    { title: t('Views'), path: '/work/views', words: t('saved filters pinned') },
    {
      title: t('Reports'),
      path: '/work/reports',
      role: 'member',
      words: t('charts throughput cycle time burn-up workload export csv'),
    },
    { title: t('Templates'), path: '/work/templates', role: 'member', words: t('task recurring') },
    {
      title: t('Import'),
      path: '/work/import',
      role: 'member',
      words: t('csv trello jira linear export file upload move'),
    },
  ],
  pages: [
    { path: '/work', load: overview },
    { path: '/work/workspaces/:id', load: overview },
    {
      path: '/work/fields/:id',
      load: () => import('./fields-page.tsx').then((module) => module.FieldsPage),
      role: 'member',
    },
    { path: '/work/projects/:id', load: () => import('./project-page.tsx').then((module) => module.ProjectPage) },
    { path: '/work/tasks', load: () => import('./tasks-page.tsx').then((module) => module.TasksPage) },
    {
      path: '/work/calendar',
      load: () => import('./calendar/calendar-page.tsx').then((module) => module.CalendarPage),
    },
    {
      path: '/work/timeline',
      load: () => import('./timeline/timeline-page.tsx').then((module) => module.TimelinePage),
    },
    { path: '/work/views', load: () => import('./views/views-page.tsx').then((module) => module.ViewsPage) },
    { path: '/work/board', load: () => import('./board-by/board-page.tsx').then((module) => module.BoardPage) },
    {
      path: '/work/reports',
      load: () => import('./reports/reports-page.tsx').then((module) => module.ReportsPage),
      role: 'member',
    },
    { path: '/work/tasks/:id', load: () => import('./task-page.tsx').then((module) => module.TaskPage) },
    {
      path: '/work/import',
      load: () => import('./import/import-page.tsx').then((module) => module.ImportPage),
      role: 'member',
    },
    {
      path: '/work/templates',
      load: () => import('./templates-page.tsx').then((module) => module.TemplatesPage),
      role: 'member',
    },
  ],
  everywhere: () => import('./everywhere.tsx').then((module) => module.WorkEverywhere),
}
