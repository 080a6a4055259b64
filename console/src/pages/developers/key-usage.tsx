import './keys.css'
import type { LogSummary } from '../../data/shapes.ts'
import { Sparkline } from '../../design/sparkline.tsx'

export type CredentialUsage = LogSummary['credentials'][number]

export function KeyUsage({ use }: { readonly use: CredentialUsage | undefined }) {
  if (use === undefined) return <span className="subtle key-use">No requests</span>
  return (
    <Sparkline
      values={use.hours}
      label={`${use.requests.toLocaleString('en')} requests in 24 hours, ${use.errors.toLocaleString('en')} errors`}
    />
  )
}
