import type { Operation } from '../../api/declare/operation.ts'
import { createApiKey } from './create.ts'
import { deleteApiKey } from './delete.ts'
import { listApiKeys } from './list.ts'
import { rollApiKey } from './roll.ts'
import { updateApiKey } from './update.ts'

export const apiKeys: readonly Operation[] = [listApiKeys, createApiKey, updateApiKey, deleteApiKey, rollApiKey]
