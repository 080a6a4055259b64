import type { Operation } from '../../api/declare/operation.ts'
import { retrieveApi } from './retrieve.ts'

export const api: readonly Operation[] = [retrieveApi]
