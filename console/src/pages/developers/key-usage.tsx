import './keys.css'
import type { LogSummary } from '../../data/shapes.ts'
import { Sparkline } from '../../design/sparkline.tsx'
import { t, textLanguage } from '../../language/index.ts'

export type CredentialUsage = LogSummary['credentials'][number]

export function KeyUsage({ use }: { readonly use: CredentialUsage | undefined }) {
  if (use === undefined) return <span className="subtle key-use">{t('No requests')}</span>
  return (
    <Sparkline
      values={use.hours}
      label={t('{requests} requests in 24 hours, {errors} errors', {
        requests: use.requests.toLocaleString(textLanguage()),
        errors: use.errors.toLocaleString(textLanguage()),
      })}
    />
  )
}
