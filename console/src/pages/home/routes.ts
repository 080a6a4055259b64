import { House } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const home: Area = {
  title: t('Home'),
  path: '/',
  icon: House,
  letter: 'h',
  pages: [{ path: '/', load: () => import('./home-page.tsx').then((module) => module.HomePage) }],
}
