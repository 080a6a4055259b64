import { eventType } from '../../api/declare/event.ts'
import { webhookEndpointNoun } from './webhook_endpoint.ts'

export const webhookEndpointCreated = eventType('platform.webhook_endpoint.created', webhookEndpointNoun)
export const webhookEndpointUpdated = eventType('platform.webhook_endpoint.updated', webhookEndpointNoun)
export const webhookEndpointDeleted = eventType('platform.webhook_endpoint.deleted', webhookEndpointNoun)
export const webhookSecretRotated = eventType('platform.webhook_endpoint.secret_rotated', webhookEndpointNoun)
export const webhookEndpointDisabled = eventType('platform.webhook_endpoint.disabled', webhookEndpointNoun)
