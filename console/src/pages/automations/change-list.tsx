/** What a step changes, as a diff: field by field, before and after. */
import { Link } from 'wouter'
import { useDirectory } from '../../data/index.ts'

interface ChangeListProps {
  readonly changes: readonly {
    readonly type: string
    readonly object: string
    readonly id: string
    readonly fields: Readonly<Record<string, { readonly from: unknown; readonly to: unknown }>>
  }[]
}

export function ChangeList({ changes }: ChangeListProps) {
  if (changes.length === 0) return null
  return (
    <ul className="change-list">
      {changes.map(({ type, object, id, fields }) => (
        <li key={`${type} ${id}`}>
          <span className="subtle">{type} </span>
          {/^[a-z]+_[0-9A-Z]{26}$/.test(id) ? <Link href={`/open/${id}`}>{object}</Link> : object}
          {Object.entries(fields).map(([name, { from, to }]) => (
            <div key={name} className="change-field">
              <span>{name}</span>
              <span>
                {from !== null && from !== undefined && <del className="change-from">{<Value value={from} />}</del>}{' '}
                <ins className="change-to">
                  <Value value={to} />
                </ins>
              </span>
            </div>
          ))}
        </li>
      ))}
    </ul>
  )
}

function Value({ value }: { readonly value: unknown }) {
  const { nameOf } = useDirectory()
  if (value === null || value === undefined) return <>nothing</>
  if (typeof value === 'string') return <>{nameOf(value)}</>
  return <>{JSON.stringify(value)}</>
}
