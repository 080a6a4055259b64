import type { Operation } from '../../api/operation.ts'
import { retrieveApi } from './get.ts'

export const api: readonly Operation[] = [retrieveApi]
