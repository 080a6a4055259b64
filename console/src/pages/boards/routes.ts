import { PenTool } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const boards: Area = {
  title: 'Boards',
  path: '/boards',
  icon: PenTool,
  letter: 'b',
  pages: [],
}
