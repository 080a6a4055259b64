import { Terminal } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const developers: Area = {
  title: 'Developers',
  path: '/developers',
  icon: Terminal,
  letter: 'd',
  links: [],
  pages: [],
}
