/** Text to copy: CodeBlock for code and secrets, CopyText and CopyButton for values in a line. */
import './code-block.css'
import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../language/index.ts'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'

const shown_ms = 1500

/** Returns whether the text was just copied, and the function that copies it. */
function useCopy(text: string): [boolean, () => void] {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shown_ms)
    return () => clearTimeout(timer)
  }, [copied])
  return [
    copied,
    () => {
      navigator.clipboard.writeText(text).then(
        () => setCopied(true),
        () => setCopied(false),
      )
    },
  ]
}

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

/** Copies an ID that is not shown. */
export function CopyId({ id, label = t('Copy ID') }: { readonly id: string; readonly label?: string }) {
  return (
    <CopyText text={id} label={label}>
      {label}
    </CopyText>
  )
}

interface CopyTextProps {
  readonly text: string
  /** Shown instead of the text. */
  readonly children?: ReactNode
  readonly label?: string
  readonly className?: string
}

/** A text that is copied on click. */
export function CopyText({ text, children, label = t('Copy {text}', { text }), className }: CopyTextProps) {
  const [copied, copy] = useCopy(text)
  const Icon = copied ? Check : Copy
  return (
    <button type="button" className={classes('copy-text', className)} onClick={copy} aria-label={label} title={text}>
      <span className="mono cut">{children ?? text}</span>
      <Icon aria-hidden="true" className="copy-icon" />
      <span className="unseen" role="status">
        {copied ? t('Copied') : ''}
      </span>
    </button>
  )
}
