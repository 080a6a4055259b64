/** Values in a line that are copied on click. */
import './copy.css'
import { Check, Copy } from 'lucide-react'
import { type ReactNode, useEffect, useState } from 'react'
import { t } from '../language/index.ts'
import { classes } from './classes.ts'

const shown_ms = 1500

/** Returns whether the text was just copied, and the function that copies it. */
export function useCopy(text: string): [boolean, () => void] {
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
