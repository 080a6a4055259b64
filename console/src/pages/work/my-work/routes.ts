import { CircleCheck } from 'lucide-react'
import type { Area } from '../../../app/area.ts'
import { t } from '../../../language/index.ts'

export const myWork: Area = {
  title: t('My work'),
  path: '/my-work',
  icon: CircleCheck,
  letter: 'y',
  pages: [{ path: '/my-work', load: () => import('./my-work-page.tsx').then((module) => module.MyWorkPage) }],
}
