import type { Operation } from '../../api/operation.ts'
import { listMembers } from './list.ts'

export const members: readonly Operation[] = [listMembers]
