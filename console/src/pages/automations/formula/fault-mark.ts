/** Underlines the place of a fault. */
import { StateEffect, StateField } from '@codemirror/state'
import { Decoration, EditorView } from '@codemirror/view'

/** The position of the fault, in UTF-16 units; null without a fault. */
export const markFault = StateEffect.define<number | null>()

const mark = Decoration.mark({ class: 'formula-fault' })

export const faultMark = StateField.define({
  create: () => Decoration.none,
  update(marks, { effects, state, changes }) {
    let next = marks.map(changes)
    for (const effect of effects) {
      if (!effect.is(markFault)) continue
      const text = state.doc.toString()
      next = effect.value === null || text === '' ? Decoration.none : Decoration.set(rangeAt(text, effect.value))
    }
    return next
  },
  provide: (field) => EditorView.decorations.from(field),
})

/** The word at the position, or one character; the last one if the fault is at the end. */
function rangeAt(text: string, start: number) {
  const from = Math.min(start, text.length - 1)
  const word = /^[\w.]+/.exec(text.slice(from))?.[0].length ?? 1
  return mark.range(from, from + word)
}
