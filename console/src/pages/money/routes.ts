import { Receipt } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const money: Area = {
  title: 'Time & money',
  path: '/money',
  icon: Receipt,
  letter: 'm',
  pages: [],
}
