import { House } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const home: Area = {
  title: 'Home',
  path: '/',
  icon: House,
  letter: 'h',
  pages: [{ path: '/', load: () => import('./home-page.tsx').then((module) => module.HomePage) }],
}
