import { Receipt } from 'lucide-react'
import type { Area } from '../../app/area.ts'

const timesheet = () => import('./timesheet-page.tsx').then((module) => module.TimesheetPage)

export const money: Area = {
  title: 'Time & money',
  path: '/money',
  icon: Receipt,
  letter: 'm',
  links: [
    { title: 'Timesheet', path: '/money', words: 'hours time week' },
    { title: 'Expenses', path: '/money/expenses', words: 'receipts costs' },
    { title: 'Rates', path: '/money/rates', words: 'hourly billing' },
    { title: 'Invoices', path: '/money/invoices', words: 'drafts billing' },
    { title: 'Exports', path: '/money/exports', words: 'download ndjson tasks' },
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
