import { eventType } from '../../api/declare/event.ts'
import { apiKeyNoun } from './api_key.ts'

export const apiKeyCreated = eventType('platform.api_key.created', apiKeyNoun)
export const apiKeyUpdated = eventType('platform.api_key.updated', apiKeyNoun)
export const apiKeyRolled = eventType('platform.api_key.rolled', apiKeyNoun)
export const apiKeyDeleted = eventType('platform.api_key.deleted', apiKeyNoun)
