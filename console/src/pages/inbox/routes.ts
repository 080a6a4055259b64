import { Inbox } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const inbox: Area = {
  title: t('Inbox'),
  path: '/inbox',
  icon: Inbox,
  letter: 'i',
  pages: [{ path: '/inbox', load: () => import('./inbox-page.tsx').then((module) => module.InboxPage) }],
  everywhere: () => import('./everywhere.tsx').then((module) => module.InboxEverywhere),
}
