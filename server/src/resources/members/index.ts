import type { Operation } from '../../api/declare/operation.ts'
import { listMembers } from './list.ts'

export const members: readonly Operation[] = [listMembers]
