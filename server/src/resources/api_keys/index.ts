import type { Operation } from '../../api/declare/operation.ts'
import { createApiKey } from './create.ts'
import { deleteApiKey } from './delete.ts'
import { listApiKeys } from './list.ts'

export const apiKeys: readonly Operation[] = [listApiKeys, createApiKey, deleteApiKey]
