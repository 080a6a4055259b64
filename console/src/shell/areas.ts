/** The areas of the console, in the order of the navigation. */

import type { Area } from '../app/area.ts'
import { automations } from '../pages/automations/routes.ts'
import { boards } from '../pages/boards/routes.ts'
import { developers } from '../pages/developers/routes.ts'
import { home } from '../pages/home/routes.ts'
import { inbox } from '../pages/inbox/routes.ts'
import { money } from '../pages/money/routes.ts'
import { operator } from '../pages/operator/routes.ts'
import { search } from '../pages/search/routes.ts'
import { settings } from '../pages/settings/routes.ts'
import { myWork } from '../pages/work/my-work/routes.ts'
import { work } from '../pages/work/routes.ts'

export const areas: readonly Area[] = [
  myWork,
  home,
  inbox,
  work,
  boards,
  automations,
  money,
  developers,
  operator,
  settings,
  search,
]
