import type { Operation } from '../../api/operation.ts'
import { retrieveJob } from './get.ts'

export const jobs: readonly Operation[] = [retrieveJob]
