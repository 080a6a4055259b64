import type { InvoiceDraft } from '@atrium/sdk'
import { Badge, type Tone } from '../../design/index.ts'

const tones: Readonly<Record<string, Tone>> = { draft: 'neutral', ready: 'info', finalized: 'good', void: 'bad' }

export function InvoiceStatus({ status }: Pick<InvoiceDraft, 'status'>) {
  return (
    <Badge tone={tones[status] ?? 'neutral'} dot>
      {status}
    </Badge>
  )
}
