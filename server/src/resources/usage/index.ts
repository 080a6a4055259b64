import type { Operation } from '../../api/declare/operation.ts'
import { retrieveUsage } from './retrieve.ts'

export const usage: readonly Operation[] = [retrieveUsage]
