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
    { title: 'Calendar', path: '/work/calendar', words: 'month week due plan schedule' },
    { title: 'Templates', path: '/work/templates', words: 'task recurring' },
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
    { path: '/work/tasks/:id', load: () => import('./task-page.tsx').then((module) => module.TaskPage) },
    { path: '/work/templates', load: () => import('./templates-page.tsx').then((module) => module.TemplatesPage) },
  ],
  everywhere: () => import('./everywhere.tsx').then((module) => module.WorkEverywhere),
}
