import { eventType } from '../../api/declare/event.ts'
import { fileNoun } from './file.ts'

export const fileCreated = eventType('file.file.created', fileNoun)
export const fileDeleted = eventType('file.file.deleted', fileNoun)
