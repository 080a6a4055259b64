import { Receipt } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

const timesheet = () => import('./timesheet-page.tsx').then((module) => module.TimesheetPage)

export const money: Area = {
  title: t('Time & money'),
  path: '/money',
  icon: Receipt,
  role: 'member',
  letter: 'm',
  links: [
    { title: t('Timesheet'), path: '/money', words: t('hours time week') },
    { title: t('Expenses'), path: '/money/expenses', words: t('receipts costs') },
    { title: t('Rates'), path: '/money/rates', words: t('hourly billing') },
    { title: t('Invoices'), path: '/money/invoices', words: t('drafts billing') },
    { title: t('Exports'), path: '/money/exports', words: t('download ndjson tasks') },
  ],
  pages: [
    { path: '/money', load: timesheet },
    { path: '/money/time/:id?', load: timesheet },
    { path: '/money/expenses/:id?', load: () => import('./expenses-page.tsx').then((module) => module.ExpensesPage) },
    { path: '/money/rates', load: () => import('./rates-page.tsx').then((module) => module.RatesPage) },
    { path: '/money/invoices/:id?', load: () => import('./invoices-page.tsx').then((module) => module.InvoicesPage) },
    { path: '/money/exports/:id?', load: () => import('./exports-page.tsx').then((module) => module.ExportsPage) },
  ],
}
