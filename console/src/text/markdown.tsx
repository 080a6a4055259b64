/**
 * Shows a Markdown text. Every part becomes a React element of a fixed list, so no text can bring elements, attributes or
 * styles of its own; HTML is shown as it is written. Images of other hosts are links, because loading them would tell
 * their host who reads.
 */
import './markdown.css'
import { memo, type ReactNode, useMemo } from 'react'
import { Link } from 'wouter'
import { useDirectory } from '../data/index.ts'
import { classes } from '../design/index.ts'
import { rich, t } from '../language/index.ts'
import { Code } from './code.tsx'
import { FileImage, FileLink } from './file-image.tsx'
import { isMentioned, isTeam, linkTarget, pageOf } from './links.ts'
import { outline, type Part, plainText } from './outline.ts'
import { codeLanguage, isExcessive, parse, type TaskBox } from './parse.ts'

interface MarkdownProps {
  readonly text: string
  /** Without it the boxes of task lists cannot be ticked. */
  readonly onTick?: ((box: TaskBox, checked: boolean) => void) | undefined
  readonly className?: string
}

/** What the parts of one text share. */
interface Reading {
  readonly nameOf: (id: string) => string
  readonly onTick: MarkdownProps['onTick']
  /** The depth of each heading in the outline. */
  readonly depths: ReadonlyMap<Part, number>
}

export const Markdown = memo(function Markdown({ text, onTick, className }: MarkdownProps) {
  const { nameOf } = useDirectory()
  const parts = useMemo(() => {
    const tokens = parse(text)
    return isExcessive(tokens) ? null : outline(tokens)
  }, [text])
  const depths = useMemo(() => headingDepths(parts ?? []), [parts])
  return (
    <div className={classes('markdown', className)} dir="auto">
      {parts === null ? <p className="markdown-plain">{text}</p> : blocks(parts, { nameOf, onTick, depths })}
    </div>
  )
})

/** Headings of texts stand below those of the page, and never skip a level. */
function headingDepths(parts: readonly Part[], open: number[] = [], depths = new Map<Part, number>()) {
  for (const part of parts) {
    if (part.token.type === 'heading_open') {
      const level = Number(part.token.tag.slice(1))
      while (open.length > 0 && (open.at(-1) as number) >= level) open.pop()
      open.push(level)
      depths.set(part, open.length)
    } else if (part.token.type !== 'inline') headingDepths(part.parts, open, depths)
  }
  return depths
}

const headings = ['h3', 'h4', 'h5', 'h6'] as const

function blocks(parts: readonly Part[], reading: Reading): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
  return parts.map((part, i) => <Block part={part} reading={reading} key={i} />)
}

interface BlockProps {
  readonly part: Part
  readonly reading: Reading
}

function Block({ part, reading }: BlockProps): ReactNode {
  const { token, parts } = part
  const inner = () => blocks(parts, reading)
  switch (token.type) {
    case 'inline':
      return inlines(parts, reading)
    case 'paragraph_open':
      return token.hidden ? inner() : <p>{inner()}</p>
    case 'heading_open': {
      const Heading = headings[(reading.depths.get(part) ?? 1) - 1] ?? 'h6'
      return <Heading data-level={token.tag.slice(1)}>{inner()}</Heading>
    }
    case 'bullet_list_open':
      return <ul>{inner()}</ul>
    case 'ordered_list_open':
      return <ol start={Number(token.attrGet('start') ?? 1)}>{inner()}</ol>
    case 'list_item_open':
      return <Item part={part} reading={reading} />
    case 'blockquote_open':
      return <blockquote>{inner()}</blockquote>
    case 'hr':
      return <hr />
    case 'fence':
    case 'code_block':
      return <Code code={token.content.replace(/\n$/, '')} language={codeLanguage(token.info)} />
    case 'html_block':
      return <pre className="markdown-html">{token.content.trimEnd()}</pre>
    case 'table_open':
      return (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it
        <div className="markdown-table" role="group" aria-label={t('Table')} tabIndex={0}>
          <table>{inner()}</table>
        </div>
      )
    case 'thead_open':
      return <thead>{inner()}</thead>
    case 'tbody_open':
      return <tbody>{inner()}</tbody>
    case 'tr_open':
      return <tr>{inner()}</tr>
    case 'th_open':
    case 'td_open':
      return <Cell part={part} reading={reading} />
    default:
      return token.content
  }
}

function Cell({ part: { token, parts }, reading }: BlockProps) {
  const align = /text-align:(left|center|right)/.exec(String(token.attrGet('style')))?.[1]
  const Tag = token.type === 'th_open' && parts.length > 0 && hasText(parts) ? 'th' : 'td'
  return <Tag data-align={align}>{blocks(parts, reading)}</Tag>
}

/** A header cell without text is no header. */
function hasText(parts: readonly Part[]): boolean {
  return parts.some(({ parts: inner }) => inner.length > 0)
}

function Item({ part: { token, parts }, reading }: BlockProps) {
  const task = token.meta as TaskBox | null
  if (task === null) return <li>{blocks(parts, reading)}</li>
  const { onTick } = reading
  return (
    <li className="markdown-task" data-done={task.checked || undefined}>
      <input
        type="checkbox"
        className="markdown-box"
        aria-label={plainText(parts.slice(0, 1)) || t('Done')}
        checked={task.checked}
        disabled={onTick === undefined}
        onChange={({ currentTarget }) => onTick?.(task, currentTarget.checked)}
      />
      <div className="markdown-task-text">{blocks(parts, reading)}</div>
    </li>
  )
}

function inlines(parts: readonly Part[], reading: Reading): ReactNode[] {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
  return parts.map((part, i) => <Inline part={part} reading={reading} key={i} />)
}

function Inline({ part, reading }: BlockProps): ReactNode {
  const { token, parts } = part
  const inner = () => inlines(parts, reading)
  switch (token.type) {
    case 'softbreak':
    case 'hardbreak':
      return <br />
    case 'em_open':
      return <em>{inner()}</em>
    case 'strong_open':
      return <strong>{inner()}</strong>
    case 's_open':
      return <s>{inner()}</s>
    case 'code_inline':
      return <code className="markdown-code">{token.content}</code>
    case 'html_inline':
      return <span className="markdown-html">{token.content}</span>
    case 'link_open':
      return <Reference part={part} reading={reading} />
    case 'image':
      return <Picture part={part} />
    default:
      return token.content
  }
}

function Reference({ part: { token, parts }, reading }: BlockProps) {
  const href = String(token.attrGet('href') ?? '')
  const target = linkTarget(href)
  if (target.kind === 'none') return <bdi title={href}>{inlines(parts, reading)}</bdi>
  if (target.kind === 'outside') {
    return (
      <a
        href={target.href}
        target="_blank"
        rel="noopener noreferrer nofollow ugc"
        title={String(token.attrGet('title') ?? href)}
      >
        <bdi>{inlines(parts, reading)}</bdi>
      </a>
    )
  }
  const { id } = target
  if (target.kind === 'file') return <FileLink id={id}>{inlines(parts, reading)}</FileLink>
  if (!isMentioned(id)) return <Link href={pageOf(id)}>{inlines(parts, reading)}</Link>
  // The name in the text is that of the day it was written. Guests read it: they see no team.
  const name = reading.nameOf(id)
  return (
    <bdi className="markdown-person" title={isTeam(id) ? t('Team') : undefined}>
      {name === id ? inlines(parts, reading) : `@${name}`}
    </bdi>
  )
}

function Picture({ part: { token } }: { readonly part: Part }) {
  const src = String(token.attrGet('src') ?? '')
  const target = linkTarget(src)
  const alt = token.content
  if (target.kind === 'file') return <FileImage id={target.id} alt={alt} />
  if (target.kind !== 'outside') return <bdi title={src}>{alt || t('Image')}</bdi>
  return (
    <a href={target.href} target="_blank" rel="noopener noreferrer nofollow ugc" title={src}>
      {rich('{bdi} (image)', { bdi: <bdi>{alt || target.href}</bdi> })}
    </a>
  )
}
