import type { Operation } from '../../api/operation.ts'
import { createWebhookEndpoint } from './create.ts'
import { deleteWebhookEndpoint } from './delete.ts'
import { retrieveWebhookEndpoint } from './get.ts'
import { listWebhookEndpoints } from './list.ts'
import { rotateWebhookSecret } from './rotate_secret.ts'
import { updateWebhookEndpoint } from './update.ts'

export const webhookEndpoints: readonly Operation[] = [
  listWebhookEndpoints,
  createWebhookEndpoint,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
]
