import { SquareCheckBig } from 'lucide-react'
import type { Area } from '../../app/area.ts'

const overview = () => import('./overview-page.tsx').then((module) => module.OverviewPage)

export const work: Area = {
  title: 'Work',
  path: '/work',
  icon: SquareCheckBig,
  letter: 'w',
  links: [
    { title: 'Projects', path: '/work', words: 'workspaces overview' },
    { title: 'Tasks', path: '/work/tasks', words: 'list filter saved' },
    { title: 'Board', path: '/work/board', words: 'kanban lanes status assignee' },
    { title: 'Calendar', path: '/work/calendar', words: 'month week due plan schedule' },
    { title: 'Timeline', path: '/work/timeline', words: 'gantt plan schedule dependencies chain' },
    { title: 'Views', path: '/work/views', words: 'saved filters pinned' },
    { title: 'Reports', path: '/work/reports', words: 'charts throughput cycle time burn-up workload export csv' },
    { title: 'Templates', path: '/work/templates', words: 'task recurring' },
    { title: 'Import', path: '/work/import', words: 'csv trello jira linear export file upload move' },
  ],
  pages: [
    { path: '/work', load: overview },
    { path: '/work/workspaces/:id', load: overview },
    {
      path: '/work/fields/:id',
      load: () => import('./fields-page.tsx').then((module) => module.FieldsPage),
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
    { path: '/work/reports', load: () => import('./reports/reports-page.tsx').then((module) => module.ReportsPage) },
    { path: '/work/tasks/:id', load: () => import('./task-page.tsx').then((module) => module.TaskPage) },
    { path: '/work/import', load: () => import('./import/import-page.tsx').then((module) => module.ImportPage) },
    { path: '/work/templates', load: () => import('./templates-page.tsx').then((module) => module.TemplatesPage) },
  ],
  everywhere: () => import('./everywhere.tsx').then((module) => module.WorkEverywhere),
}
