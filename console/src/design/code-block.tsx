/** Code and secrets, with a button that copies them. */
import './code-block.css'
import { Check, Copy } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '../language/index.ts'
import { IconButton } from './button.tsx'
import { useCopy } from './copy.tsx'

interface CopyButtonProps {
  readonly text: string
  /** Names the value: Copy secret. */
  readonly label?: string
  readonly size?: 'm' | 's'
}

function CopyButton({ text, label = t('Copy'), size = 's' }: CopyButtonProps) {
  const [copied, copy] = useCopy(text)
  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={copied ? t('Copied') : label} size={size} onClick={copy} />
      <span className="unseen" role="status">
        {copied ? t('Copied') : ''}
      </span>
    </>
  )
}

interface CodeBlockProps {
  readonly code: string
  /** curl, TypeScript, Secret. */
  readonly title?: ReactNode
  /** Breaks long lines instead of scrolling. */
  readonly wrap?: boolean
  /** The code with colors; the plain code without it. */
  readonly children?: ReactNode
}

export function CodeBlock({ code, title, wrap, children }: CodeBlockProps) {
  return (
    <figure className="code-block">
      <figcaption className="code-head" data-bare={title === undefined || undefined}>
        {title}
        <CopyButton text={code} label={t('Copy code')} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre className="code" data-wrap={wrap || undefined} tabIndex={0}>
        <code>{children ?? code}</code>
      </pre>
    </figure>
  )
}
