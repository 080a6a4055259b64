import type { Operation } from '../../api/declare/operation.ts'
import { createTeamMember } from './create.ts'
import { deleteTeamMember } from './delete.ts'
import { listTeamMembers } from './list.ts'

export const teamMembers: readonly Operation[] = [listTeamMembers, createTeamMember, deleteTeamMember]
