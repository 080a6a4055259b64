import type { Operation } from '../../api/operation.ts'
import { archiveProject } from './archive.ts'
import { createProject } from './create.ts'
import { deleteProject } from './delete.ts'
import { duplicateProject } from './duplicate.ts'
import { retrieveProject } from './get.ts'
import { listProjects } from './list.ts'
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
