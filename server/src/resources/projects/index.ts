import type { Operation } from '../../api/declare/operation.ts'
import { archiveProject } from './archive.ts'
import { createProject } from './create.ts'
import { deleteProject } from './delete.ts'
import { duplicateProject } from './duplicate.ts'
import { listProjects } from './list.ts'
import { retrieveProject } from './retrieve.ts'
import { updateProject } from './update.ts'

export const projects: readonly Operation[] = [
  listProjects,
  createProject,
  retrieveProject,
  updateProject,
  deleteProject,
  archiveProject,
  duplicateProject,
]
