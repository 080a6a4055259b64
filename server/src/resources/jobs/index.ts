import type { Operation } from '../../api/declare/operation.ts'
import { retrieveJob } from './retrieve.ts'

export const jobs: readonly Operation[] = [retrieveJob]
