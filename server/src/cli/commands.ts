/** The table of contents: every command, in the order of help. A new command is a file and a line here. */
import { api } from './api.ts'
import { auditVerify } from './audit-verify.ts'
import { automationRun } from './automation-run.ts'
import { backup } from './backup.ts'
import { boardImport } from './board-import.ts'
import { boardRestore } from './board-restore.ts'
import { boardSet } from './board-set.ts'
import type { Command } from './command.ts'
import { completion } from './completion.ts'
import { conformCommand } from './conform.ts'
import { doctor } from './doctor.ts'
import { eventsTail } from './events-tail.ts'
import { expenseSet } from './expense-set.ts'
import { importCsv } from './import/csv.ts'
import { importJira } from './import/jira.ts'
import { importLinear } from './import/linear.ts'
import { importTrello } from './import/trello.ts'
import { inboxRebuild } from './inbox-rebuild.ts'
import { init } from './init.ts'
import { keyCreate } from './key-create.ts'
import { linkCreate } from './link-create.ts'
import { logCut } from './log-cut.ts'
import { mailDead } from './mail-dead.ts'
import { mailRetry } from './mail-retry.ts'
import { mcp } from './mcp.ts'
import { memberAdd } from './member-add.ts'
import { memberSet } from './member-set.ts'
import { migrate } from './migrate.ts'
import { operatorAdd, operatorList, operatorRemove } from './operator.ts'
import { organizationSet } from './organization-set.ts'
import { profileAdd, profileList, profileRemove, profileUse } from './profile.ts'
import { restore } from './restore.ts'
import { savedFilterAdd } from './saved-filter-add.ts'
import { searchRebuild } from './search-rebuild.ts'
import { secretKeyRotate } from './secret-key-rotate.ts'
import { secretSet } from './secret-set.ts'
import { serve } from './serve.ts'
import { taskTemplateAdd } from './task-template-add.ts'
import { teamAdd } from './team-add.ts'
import { tokenCreate } from './token-create.ts'
import { worker } from './worker.ts'
import { workers } from './workers.ts'

export const commands: readonly Command[] = [
  serve,
  worker,
  mcp,
  api,
  eventsTail,
  profileAdd,
  profileList,
  profileUse,
  profileRemove,
  completion,
  importCsv,
  importTrello,
  importJira,
  importLinear,
  init,
  organizationSet,
  migrate,
  keyCreate,
  tokenCreate,
  memberAdd,
  memberSet,
  linkCreate,
  operatorAdd,
  operatorList,
  operatorRemove,
  teamAdd,
  savedFilterAdd,
  taskTemplateAdd,
  expenseSet,
  boardImport,
  boardSet,
  boardRestore,
  automationRun,
  secretSet,
  workers,
  auditVerify,
  backup,
  restore,
  secretKeyRotate,
  doctor,
  searchRebuild,
  inboxRebuild,
  mailDead,
  mailRetry,
  logCut,
  conformCommand,
]
