import { Workflow } from 'lucide-react'
import type { Area } from '../../app/area.ts'

export const automations: Area = {
  title: 'Automations',
  path: '/automations',
  icon: Workflow,
  letter: 'a',
  pages: [],
}
