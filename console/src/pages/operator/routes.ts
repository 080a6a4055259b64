import { Server } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const operator: Area = {
  title: 'Operator',
  path: '/operator',
  icon: Server,
  role: 'owner',
  pages: [],
}
