import type { Operation } from '../../api/declare/operation.ts'
import { createWebhookEndpoint } from './create.ts'
import { deleteWebhookEndpoint } from './delete.ts'
import { listWebhookEndpoints } from './list.ts'
import { recoverWebhookEndpoint } from './recover.ts'
import { retrieveWebhookEndpoint } from './retrieve.ts'
import { rotateWebhookSecret } from './rotate_secret.ts'
import { testWebhookEndpoint } from './test.ts'
import { updateWebhookEndpoint } from './update.ts'

export const webhookEndpoints: readonly Operation[] = [
  listWebhookEndpoints,
  createWebhookEndpoint,
  retrieveWebhookEndpoint,
  updateWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  testWebhookEndpoint,
  recoverWebhookEndpoint,
]
