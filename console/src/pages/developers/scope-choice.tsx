/** The scopes of a key or application: presets for common cases, and a checkbox for each scope. */
import { useId } from 'react'
import { scope_nouns as nouns } from '../../app/scope-words.tsx'
import { Checkbox, FieldGroup, inWords, Segments } from '../../design/index.ts'
import { t } from '../../language/index.ts'

const reads = nouns.map(([noun]) => `${noun}:read`)
const writes = nouns.map(([noun]) => `${noun}:write`)
const work_nouns = ['workspaces', 'projects', 'tasks', 'comments', 'time_entries']

export const presets = {
  read: ['api:read', ...reads],
  work: ['api:read', ...work_nouns.flatMap((noun) => [`${noun}:read`, `${noun}:write`])],
  all: ['api:read', 'api:manage', ...reads, ...writes],
} as const

const choices = [
  { value: 'read', label: t('Read only') },
  { value: 'work', label: t('Work') },
  { value: 'all', label: t('All') },
  { value: 'custom', label: t('Custom') },
] as const

interface ScopeChoiceProps {
  readonly value: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
}

export function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  const has = new Set(value)
  const put = (scope: string, on: boolean) => onChange(on ? [...value, scope] : value.filter((each) => each !== scope))
  return (
    <FieldGroup
      label={t('Scopes')}
      hint={t('You can grant only scopes that you have. They do not change with your role.')}
    >
      <Segments
        label={t('Preset')}
        value={presetOf(has)}
        choices={choices}
        onChange={(preset) => preset !== 'custom' && onChange([...presets[preset]])}
      />
      <div className="scope-list">
        <ScopeLine title={t('Events, members, logs')} noun={t('api')} verbs={['read', 'manage']} has={has} put={put} />
        {nouns.map(([noun, title]) => (
          <ScopeLine key={noun} title={title} noun={noun} verbs={['read', 'write']} has={has} put={put} />
        ))}
      </div>
    </FieldGroup>
  )
}

function presetOf(has: ReadonlySet<string>): keyof typeof presets | 'custom' {
  const same = (scopes: readonly string[]) => scopes.length === has.size && scopes.every((scope) => has.has(scope))
  return (['read', 'work', 'all'] as const).find((preset) => same(presets[preset])) ?? 'custom'
}

interface ScopeLineProps {
  readonly title: string
  readonly noun: string
  readonly verbs: readonly string[]
  readonly has: ReadonlySet<string>
  readonly put: (scope: string, on: boolean) => void
}

function ScopeLine({ title, noun, verbs, has, put }: ScopeLineProps) {
  const id = useId()
  return (
    <div className="scope-line" role="group" aria-labelledby={id}>
      <span id={id}>{title}</span>
      {verbs.map((verb) => (
        <Checkbox
          key={verb}
          label={inWords(verb)}
          checked={has.has(`${noun}:${verb}`)}
          onChange={(on) => put(`${noun}:${verb}`, on)}
        />
      ))}
    </div>
  )
}

export function ScopeList({ scopes }: { readonly scopes: readonly string[] }) {
  return (
    <ul className="key-scopes dev-mono">
      {scopes.map((scope) => (
        <li key={scope}>{scope}</li>
      ))}
    </ul>
  )
}

export function scopeCount(scopes: readonly string[]): string {
  const all = presets.all.length
  return scopes.length === all ? t('All') : t('{count} of {all}', { count: scopes.length, all })
}
