import type { Operation } from '../../api/operation.ts'
import { retrieveTaskTemplate } from './get.ts'
import { instantiateTaskTemplate } from './instantiate.ts'
import { listTaskTemplates } from './list.ts'

export const taskTemplates: readonly Operation[] = [listTaskTemplates, retrieveTaskTemplate, instantiateTaskTemplate]
