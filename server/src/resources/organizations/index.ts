import type { Operation } from '../../api/operation.ts'
import { retrieveOrganization } from './get.ts'

export const organizations: readonly Operation[] = [retrieveOrganization]
