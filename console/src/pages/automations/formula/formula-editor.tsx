/** The code editor of a formula (CodeMirror). Tab moves on to the next control; completion opens while typing and by Ctrl+Space. */
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete'
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands'
import { bracketMatching } from '@codemirror/language'
import { Compartment, EditorState, type Extension } from '@codemirror/state'
import { EditorView, keymap } from '@codemirror/view'
import { useCallback, useEffect, useRef } from 'react'
import type { FormulaReading } from '../../../data/shapes.ts'
import { t } from '../../../language/index.ts'
import { formulaCompletion } from './completion.ts'
import { faultMark, markFault } from './fault-mark.ts'
import { formulaLanguage } from './formula-language.ts'
import { formulaTheme } from './formula-theme.ts'
import { typeOver } from './type-over.ts'

interface FormulaEditorProps {
  readonly label: string
  readonly value: string
  readonly reading: FormulaReading | null
  readonly fault: FormulaReading['fault']
  readonly describedBy: string | undefined
  readonly isBad: boolean
  readonly isRequired: boolean
  readonly onChange: (value: string) => void
  readonly onFocus: () => void
}

export function FormulaEditor(props: FormulaEditorProps) {
  const { label, value, fault, describedBy, isBad, isRequired } = props
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(null)
  const latest = useRef(props)
  latest.current = props
  const attributes = useRef(new Compartment())
  const offer = useFirst(props.reading)
  useEffect(() => {
    if (host.current === null) return
    const made = new EditorView({
      parent: host.current,
      doc: latest.current.value,
      extensions: [...extensionsFor(latest, offer), attributes.current.of([])],
    })
    view.current = made
    return () => made.destroy()
  }, [offer])
  useEffect(() => {
    const contentAttributes = EditorView.contentAttributes.of({
      'aria-label': label,
      ...(describedBy !== undefined && { 'aria-describedby': describedBy }),
      ...(isBad && { 'aria-invalid': 'true' }),
      ...(isRequired && { 'aria-required': 'true' }),
    })
    view.current?.dispatch({ effects: attributes.current.reconfigure(contentAttributes) })
  }, [label, describedBy, isBad, isRequired])
  useEffect(() => {
    const doc = view.current?.state.doc
    if (doc === undefined || doc.toString() === value) return
    view.current?.dispatch({ changes: { from: 0, to: doc.length, insert: value } })
  }, [value])
  useEffect(() => {
    view.current?.dispatch({ effects: markFault.of(fault?.start ?? null) })
  }, [fault])
  return <div className="formula-frame" ref={host} data-bad={isBad || undefined} />
}

type Offer = () => Promise<FormulaReading>

/** Returns the newest reading, and waits for the first one. */
function useFirst(reading: FormulaReading | null): Offer {
  const newest = useRef(reading)
  newest.current = reading
  const waiting = useRef<((reading: FormulaReading) => void)[]>([])
  useEffect(() => {
    if (reading !== null) for (const resolve of waiting.current.splice(0)) resolve(reading)
  }, [reading])
  return useCallback(
    () =>
      newest.current === null
        ? new Promise((resolve) => waiting.current.push(resolve))
        : Promise.resolve(newest.current),
    [],
  )
}

function extensionsFor(latest: { readonly current: FormulaEditorProps }, offer: Offer): readonly Extension[] {
  return [
    history(),
    formulaLanguage,
    bracketMatching(),
    closeBrackets(),
    // Enter takes an option as soon as it shows.
    autocompletion({
      override: [(context) => formulaCompletion(context, offer)],
      icons: false,
      interactionDelay: 0,
    }),
    typeOver,
    faultMark,
    formulaTheme,
    EditorView.lineWrapping,
    EditorState.phrases.of({ Completions: t('Completions') }),
    // Without a binding for Tab, so that it leaves the editor.
    keymap.of([...closeBracketsKeymap, ...completionKeymap, ...historyKeymap, ...defaultKeymap]),
    EditorView.updateListener.of(({ docChanged, state }) => {
      const text = state.doc.toString()
      if (docChanged && text !== latest.current.value) latest.current.onChange(text)
    }),
    EditorView.domEventHandlers({ focus: () => latest.current.onFocus() }),
  ]
}
