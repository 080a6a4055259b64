import { Server } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const operator: Area = {
  title: 'Operator',
  path: '/operator',
  icon: Server,
  role: 'operator',
  links: [],
  pages: [
    {
      path: '/operator',
      load: () => import('./operator-page.tsx').then((module) => module.OperatorPage),
      role: 'operator',
    },
  ],
}
