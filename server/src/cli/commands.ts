/** The table of contents: every command, in the order of help. A new command is a file and a line here. */
import { auditVerify } from './audit-verify.ts'
import { boardImport } from './board-import.ts'
import { boardRestore } from './board-restore.ts'
import { boardSet } from './board-set.ts'
import type { Command } from './command.ts'
import { doctor } from './doctor.ts'
import { expenseSet } from './expense-set.ts'
import { init } from './init.ts'
import { keyCreate } from './key-create.ts'
import { memberAdd } from './member-add.ts'
import { memberSet } from './member-set.ts'
import { migrate } from './migrate.ts'
import { organizationSet } from './organization-set.ts'
import { savedFilterAdd } from './saved-filter-add.ts'
import { serve } from './serve.ts'
import { taskTemplateAdd } from './task-template-add.ts'
import { teamAdd } from './team-add.ts'
import { tokenCreate } from './token-create.ts'
import { worker } from './worker.ts'
import { workers } from './workers.ts'

export const commands: readonly Command[] = [
  serve,
  worker,
  init,
  organizationSet,
  migrate,
  keyCreate,
  tokenCreate,
  memberAdd,
  memberSet,
  teamAdd,
  savedFilterAdd,
  taskTemplateAdd,
  expenseSet,
  boardImport,
  boardSet,
  boardRestore,
  workers,
  auditVerify,
  doctor,
]
