/** What scopes allow, in words: a line for each kind of object. */
import './scope-words.css'
import { Check } from 'lucide-react'
import type { ReactNode } from 'react'
import { rich, t } from '../language/index.ts'

export const scope_nouns = [
  ['workspaces', t('Workspaces')],
  ['projects', t('Projects, portfolios, columns')],
  ['tasks', t('Tasks, filters, templates, exports')],
  ['comments', t('Comments')],
  ['time_entries', t('Time entries')],
  ['billing', t('Expenses, rates, invoices')],
  ['boards', t('Boards')],
  ['automations', t('Automations')],
  ['files', t('Files')],
] as const

export function ScopeWords({ scopes, label }: { readonly scopes: readonly string[]; readonly label: string }) {
  const has = new Set(scopes)
  return (
    <ul className="scope-words" aria-label={label}>
      {has.has('api:read') && <Line>{t('Read who belongs to the organization, and what happens in it')}</Line>}
      {has.has('api:manage') && <Line>{t('Manage API keys and webhooks, and read the logs')}</Line>}
      {scope_nouns.map(([noun, name]) => {
        const [reads, writes] = [has.has(`${noun}:read`), has.has(`${noun}:write`)]
        if (!reads && !writes) return null
        const strong = <strong>{name}</strong>
        return (
          <Line key={noun}>
            {reads && writes && rich('Read and change: {strong}', { strong })}
            {reads && !writes && rich('Read: {strong}', { strong })}
            {!reads && writes && rich('Change: {strong}', { strong })}
          </Line>
        )
      })}
    </ul>
  )
}

function Line({ children }: { readonly children: ReactNode }) {
  return (
    <li>
      <Check aria-hidden="true" />
      <span>{children}</span>
    </li>
  )
}
