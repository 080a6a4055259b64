import type { Operation } from '../../api/declare/operation.ts'
import { createFile } from './create.ts'
import { deleteFile } from './delete.ts'
import { listFiles } from './list.ts'
import { retrieveFile } from './retrieve.ts'

export const files: readonly Operation[] = [listFiles, createFile, retrieveFile, deleteFile]
