import type { Operation } from '../../api/operation.ts'
import { retrieveMe } from './get.ts'

export const me: readonly Operation[] = [retrieveMe]
