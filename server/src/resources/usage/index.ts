import type { Operation } from '../../api/operation.ts'
import { retrieveUsage } from './get.ts'

export const usage: readonly Operation[] = [retrieveUsage]
