import type { Operation } from '../../api/operation.ts'
import { createTimeEntry } from './create.ts'
import { deleteTimeEntry } from './delete.ts'
import { retrieveTimeEntry } from './get.ts'
import { listTimeEntries } from './list.ts'
import { startTimeEntry } from './start.ts'
import { stopTimeEntry } from './stop.ts'
import { updateTimeEntry } from './update.ts'

export const timeEntries: readonly Operation[] = [
  listTimeEntries,
  createTimeEntry,
  retrieveTimeEntry,
  updateTimeEntry,
  deleteTimeEntry,
  startTimeEntry,
  stopTimeEntry,
]
