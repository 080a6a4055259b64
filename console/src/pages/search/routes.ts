import { Search } from 'lucide-react'
import type { Area } from '../../app/area.ts'
import { t } from '../../language/index.ts'

export const search: Area = {
  title: t('Search'),
  path: '/search',
  icon: Search,
  inNavigation: false,
  pages: [
    { path: '/search', load: () => import('./search-page.tsx').then((module) => module.SearchPage) },
    { path: '/search/files/:id', load: () => import('./file-page.tsx').then((module) => module.FilePage) },
  ],
  everywhere: () => import('./everywhere.tsx').then((module) => module.SearchEverywhere),
}
