import type { Operation } from '../../api/declare/operation.ts'
import { retrieveMe } from './retrieve.ts'

export const me: readonly Operation[] = [retrieveMe]
