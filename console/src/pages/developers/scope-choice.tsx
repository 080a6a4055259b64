/** What a key may do: a preset for what most are made for, and each right by itself below. */
import { useId } from 'react'
import { Checkbox, FieldGroup, Segments } from '../../design/index.ts'

const nouns = [
  ['workspaces', 'Workspaces'],
  ['projects', 'Projects, portfolios, columns'],
  ['tasks', 'Tasks, filters, templates, exports'],
  ['comments', 'Comments'],
  ['time_entries', 'Time entries'],
  ['billing', 'Expenses, rates, invoices'],
  ['boards', 'Boards'],
  ['automations', 'Automations'],
  ['files', 'Files'],
] as const

const reads = nouns.map(([noun]) => `${noun}:read`)
const writes = nouns.map(([noun]) => `${noun}:write`)

export const presets = {
  read: ['api:read', ...reads],
  work: [
    'api:read',
    ...['workspaces', 'projects', 'tasks', 'comments', 'time_entries'].flatMap((noun) => [
      `${noun}:read`,
      `${noun}:write`,
    ]),
  ],
  all: ['api:read', 'api:manage', ...reads, ...writes],
} as const

const choices = [
  { value: 'read', label: 'Read only' },
  { value: 'work', label: 'Work' },
  { value: 'all', label: 'Everything' },
  { value: 'own', label: 'Own choice' },
] as const

interface ScopeChoiceProps {
  readonly value: readonly string[]
  readonly onChange: (scopes: readonly string[]) => void
}

export function ScopeChoice({ value, onChange }: ScopeChoiceProps) {
  const has = new Set(value)
  const put = (scope: string, on: boolean) => onChange(on ? [...value, scope] : value.filter((each) => each !== scope))
  return (
    <FieldGroup label="It may" hint="A key can be given less than you may yourself, never more. It keeps what it has.">
      <Segments
        label="Preset"
        value={presetOf(has)}
        choices={choices}
        onChange={(preset) => preset !== 'own' && onChange([...presets[preset]])}
      />
      <div className="scope-list">
        <ScopeLine title="Events, members, logs" noun="api" verbs={['read', 'manage']} has={has} put={put} />
        {nouns.map(([noun, title]) => (
          <ScopeLine key={noun} title={title} noun={noun} verbs={['read', 'write']} has={has} put={put} />
        ))}
      </div>
    </FieldGroup>
  )
}

function presetOf(has: ReadonlySet<string>): 'read' | 'work' | 'all' | 'own' {
  const same = (scopes: readonly string[]) => scopes.length === has.size && scopes.every((scope) => has.has(scope))
  return (['read', 'work', 'all'] as const).find((preset) => same(presets[preset])) ?? 'own'
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
          label={verb}
          checked={has.has(`${noun}:${verb}`)}
          onChange={(on) => put(`${noun}:${verb}`, on)}
        />
      ))}
    </div>
  )
}
