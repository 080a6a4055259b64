import { Server } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const operator: Area = {
  title: t('Operator'),
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
