/** The list of choices below the cursor. The text keeps the focus; the keys of the list work from there. */
import { useLayoutEffect, useRef } from 'react'
import type { OpenChoices } from './suggest.ts'

interface ChoicesProps {
  readonly open: OpenChoices
  readonly active: number
}

const height_max = 256

export function Choices({ open: { name, items, at, choose }, active }: ChoicesProps) {
  const list = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' })
  }, [active])
  if (at === null) return null
  const isAbove = at.bottom + height_max > innerHeight && at.top > height_max
  const style = {
    left: Math.max(8, Math.min(at.left, innerWidth - 336)),
    ...(isAbove ? { bottom: innerHeight - at.top + 4 } : { top: at.bottom + 4 }),
  }
  return (
    <div className="editor-choices" role="listbox" aria-label={name} id="editor-choices" style={style} ref={list}>
      {items.map((choice, i) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the editor handles the keys
        // biome-ignore lint/a11y/useFocusableInteractive: the text keeps the focus
        <div
          className="editor-choice"
          role="option"
          aria-selected={i === active}
          key={choice.id}
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => choose(choice)}
        >
          <span className="grow cut">{choice.label}</span>
          {choice.hint && <span className="subtle cut">{choice.hint}</span>}
        </div>
      ))}
    </div>
  )
}
