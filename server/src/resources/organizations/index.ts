import type { Operation } from '../../api/declare/operation.ts'
import { retrieveOrganization } from './retrieve.ts'

export const organizations: readonly Operation[] = [retrieveOrganization]
