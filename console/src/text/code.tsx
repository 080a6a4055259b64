/** A block of code. Its colors come later and move nothing. */
import { useEffect, useState } from 'react'
import { CodeBlock } from '../design/index.ts'
import type { Colored } from './highlight.ts'
import { text_limits } from './limits.ts'

interface CodeProps {
  readonly code: string
  /** As written behind the fence; empty without one. */
  readonly language: string
}

export function Code({ code, language }: CodeProps) {
  const parts = useHighlight(code, language)
  return (
    <CodeBlock code={code} title={language || undefined}>
      {parts?.map(({ text, kind }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity
        <span className={kind} key={i}>
          {text}
        </span>
      ))}
    </CodeBlock>
  )
}

function useHighlight(code: string, language: string): readonly Colored[] | undefined {
  const [found, setFound] = useState<{ readonly code: string; readonly parts: readonly Colored[] }>()
  useEffect(() => {
    if (language === '' || code.length > text_limits.highlighted_chars_max) return
    let isCurrent = true
    void import('./highlight.ts').then(({ highlight }) => {
      if (isCurrent) setFound({ code, parts: highlight(code, language.toLowerCase()) })
    })
    return () => {
      isCurrent = false
    }
  }, [code, language])
  return found?.code === code ? found.parts : undefined
}
