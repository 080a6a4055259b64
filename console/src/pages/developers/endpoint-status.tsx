import type { WebhookEndpoint } from '@atrium/sdk'
import { Badge, StatusBadge } from '../../design/index.ts'
import { t } from '../../language/index.ts'

/** An enabled endpoint whose last deliveries failed is shown as failing. */
export function EndpointStatus({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { status, consecutive_failures } = endpoint
  if (status !== 'enabled' || consecutive_failures === 0) return <StatusBadge status={status} />
  return (
    <Badge tone="warn" dot>
      {t('Failing')}
    </Badge>
  )
}
