import { SquareCheckBig } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const work: Area = {
  title: 'Work',
  path: '/work',
  icon: SquareCheckBig,
  letter: 'w',
  pages: [],
}
