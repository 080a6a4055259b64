import type { Operation } from '../../api/declare/operation.ts'
import { createTimeEntry } from './create.ts'
import { deleteTimeEntry } from './delete.ts'
import { listTimeEntries } from './list.ts'
import { retrieveTimeEntry } from './retrieve.ts'
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
