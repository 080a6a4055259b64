/** A collapsible JSON tree. Collapsed branches are not rendered. */
import './json-tree.css'
import { ChevronRight } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { t } from '../language/index.ts'

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json }

interface JsonTreeProps {
  readonly value: unknown
  /** The number of levels that are open initially. */
  readonly open?: number
  /** Renders a string, such as a link for an id. */
  readonly text?: (value: string, path: string) => ReactNode
  readonly label?: string
}

/** Entries of one object or array that are shown before a click on “more”. */
const shown_max = 200

export function JsonTree({ value, open = 2, text, label = 'JSON' }: JsonTreeProps) {
  return (
    <div className="json" role="group" aria-label={label}>
      <Node name={null} value={value as Json} depth={0} open={open} path="" text={text} />
    </div>
  )
}

interface NodeProps {
  readonly name: string | null
  readonly value: Json
  readonly depth: number
  readonly open: number
  readonly path: string
  readonly text: JsonTreeProps['text']
}

function Node(props: NodeProps) {
  const { name, value, path, text } = props
  if (typeof value === 'object' && value !== null) return <Branch {...props} value={value} />
  return (
    <div className="json-line">
      <Name name={name} />
      {typeof value === 'string' ? (
        <span className="json-string">{text?.(value, path) ?? JSON.stringify(value)}</span>
      ) : (
        <span className="json-plain">{String(value)}</span>
      )}
    </div>
  )
}

function Branch({ name, value, depth, open, path, text }: NodeProps & { readonly value: object }) {
  const [isOpen, setOpen] = useState(depth < open)
  const [max, setMax] = useState(shown_max)
  const isArray = Array.isArray(value)
  const entries = Object.entries(value) as [string, Json][]
  const [before, after] = isArray ? ['[', ']'] : ['{', '}']
  const summary =
    entries.length === 1
      ? isArray
        ? '1 item'
        : '1 field'
      : isArray
        ? t('{count} items', { count: entries.length })
        : t('{count} fields', { count: entries.length })
  if (entries.length === 0) {
    return (
      <div className="json-line">
        <Name name={name} />
        <span className="json-mark">{before + after}</span>
      </div>
    )
  }
  return (
    <div>
      <button type="button" className="json-line json-fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <ChevronRight aria-hidden="true" className="json-arrow" />
        <Name name={name} />
        <span className="json-mark">{isOpen ? before : `${before} ${summary} ${after}`}</span>
      </button>
      {isOpen && (
        <div className="json-children">
          {entries.slice(0, max).map(([key, child]) => (
            <Node
              key={key}
              name={isArray ? null : key}
              value={child}
              depth={depth + 1}
              open={open}
              path={path === '' ? key : `${path}.${key}`}
              text={text}
            />
          ))}
          {entries.length > max && (
            <button type="button" className="json-more link" onClick={() => setMax(max + shown_max)}>
              {t('{count} more', { count: entries.length - max })}
            </button>
          )}
        </div>
      )}
      {isOpen && <div className="json-line json-mark">{after}</div>}
    </div>
  )
}

function Name({ name }: { readonly name: string | null }) {
  if (name === null) return null
  return (
    <>
      <span className="json-name">{name}</span>
      <span className="json-mark">: </span>
    </>
  )
}
