/** The changes of a step as a diff: each field with its value before and after. */
import { Link } from 'wouter'
import { useDirectory } from '../../data/index.ts'
import { dateTime, formatLanguage, inWords } from '../../design/index.ts'
import { t } from '../../language/index.ts'

interface ChangeListProps {
  readonly changes: readonly {
    /** The type of the event: `workflow.task.updated`. */
    readonly type: string
    readonly object: string
    readonly id: string
    readonly fields: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
  }[]
}

const id_form = /^[a-z]+_[0-9A-Z]{26}$/

/** The workspace is that of the flow, the number is in the key, and a position is a number without a meaning to people. */
const hidden = new Set(['workspace', 'number', 'position'])

/** A new object has most of its fields so; they say nothing about what a step does. */
function isNothing(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0
  return value === null || value === undefined || value === '' || value === false || value === 0
}

export function ChangeList({ changes }: ChangeListProps) {
  if (changes.length === 0) return null
  return (
    <ul className="change-list">
      {changes.map(({ type, id, fields }) => (
        <li key={`${type} ${id}`}>
          <ChangeTitle type={type} id={id} />
          {Object.entries(fields)
            .filter(([name, { from, to }]) => !hidden.has(name) && !(isNothing(from) && isNothing(to)))
            .map(([name, { from, to }]) => (
              <div key={name} className="change-field">
                <span>{inWords(name)}</span>
                <span>
                  {from !== null && from !== undefined && (
                    <del className="change-from">
                      <Value name={name} value={from} />
                    </del>
                  )}{' '}
                  <ins className="change-to">
                    <Value name={name} value={to} />
                  </ins>
                </span>
              </div>
            ))}
        </li>
      ))}
    </ul>
  )
}

/** `workflow.comment.created` reads "Comment created". A preview changes objects that do not exist, so they have no link. */
function ChangeTitle({ type, id }: { readonly type: string; readonly id: string }) {
  const title = inWords(type.split('.').slice(1).join(' '))
  return id_form.test(id) ? <Link href={`/open/${id}`}>{title}</Link> : <span>{title}</span>
}

interface ValueProps {
  readonly name: string
  readonly value: unknown
}

function Value({ name, value }: ValueProps) {
  const { nameOf } = useDirectory()
  if (value === null || value === undefined || value === '') return <>{t('None')}</>
  if (typeof value === 'boolean') return <>{value ? t('Yes') : t('No')}</>
  if (typeof value === 'number')
    return <>{name.endsWith('_at') ? dateTime(value) : value.toLocaleString(formatLanguage())}</>
  if (Array.isArray(value)) return <>{value.map(String).join(', ') || t('None')}</>
  if (typeof value === 'object') return <ObjectValue value={value} />
  const text = String(value)
  if (!id_form.test(text)) return <>{name === 'status' || name === 'priority' ? inWords(text) : text}</>
  return nameOf(text) === text ? <Link href={`/open/${text}`}>{t('Open {name}', { name })}</Link> : nameOf(text)
}

/** An actor by name, anything else as its pairs: custom fields, for example. */
function ObjectValue({ value }: { readonly value: object }) {
  const { nameOf } = useDirectory()
  if ('id' in value && 'type' in value) return <>{nameOf(String(value.id))}</>
  const pairs = Object.entries(value).map(([key, each]) => `${inWords(key)}: ${String(each ?? 'none')}`)
  return <>{pairs.join(', ') || t('None')}</>
}
