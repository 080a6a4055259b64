import { PenTool } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const boards: Area = {
  title: t('Boards'),
  path: '/boards',
  icon: PenTool,
  letter: 'b',
  pages: [
    { path: '/boards', load: () => import('./boards-page.tsx').then((module) => module.BoardsPage) },
    { path: '/boards/:id', load: () => import('./board-page.tsx').then((module) => module.BoardPage) },
    { path: '/boards/:id/draw', load: () => import('./draw-page.tsx').then((module) => module.DrawPage) },
    {
      path: '/work/projects/:id/whiteboards',
      load: () => import('./project-boards-page.tsx').then((module) => module.ProjectBoardsPage),
    },
  ],
}
