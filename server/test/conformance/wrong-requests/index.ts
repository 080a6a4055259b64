/**
 * Wrong requests: each differs from its operation's valid call in one place and names the code and parameter of its
 * refusal. Names in braces are objects of every world and of `wrong-things.ts`.
 */
import { automations } from './automations.ts'
import { boards } from './boards.ts'
import { exported } from './exports.ts'
import { money } from './money.ts'
import { events, platform } from './platform.ts'
import { columns, custom_fields, files, projects, workspaces } from './projects.ts'
import { taskRecords } from './task-records.ts'
import { tasks } from './tasks.ts'
import { webhooks } from './webhooks.ts'
import type { Wrong } from './wrong.ts'

export const wrongRequests: readonly Wrong[] = [
  platform,
  events,
  workspaces,
  projects,
  columns,
  custom_fields,
  files,
  tasks,
  taskRecords,
  money,
  boards,
  exported,
  automations,
  webhooks,
].flat(2)
