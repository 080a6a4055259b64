/** Failures of a provider as the person reads them. The reason is for the operator's log only. */
import { type Refusal, refuse } from '../../api/declare/errors.ts'
import type { Services } from '../../api/services.ts'
import { OpenIdFailure, type OpenIdProvider } from '../../egress/openid-provider.ts'

const codes = { canceled: 'openid_canceled', unreachable: 'openid_unreachable', invalid: 'openid_failed' } as const

/** The refusal for what a provider's call rejected with; any other error stays as it is. */
export function toRefusal(services: Services, { settings }: OpenIdProvider, error: unknown): Refusal | unknown {
  if (!(error instanceof OpenIdFailure)) return error
  if (error.kind !== 'canceled')
    services.log.warn('a sign-in by OpenID failed', { provider: settings.id, kind: error.kind, reason: error.message })
  return refuse(codes[error.kind])
}
