/**
 * Edits a text in which variables are one piece each: `@` or the button offers them, Backspace removes one. A variable keeps its
 * source, so what is not edited keeps its bytes.
 */
import '../../../text/editor/editor.css'
import { type Editor, Extension, type JSONContent, Node, type Range } from '@tiptap/core'
import { Placeholder, UndoRedo } from '@tiptap/extensions'
import type { Node as Piece } from '@tiptap/pm/model'
import { PluginKey } from '@tiptap/pm/state'
import { EditorContent, useEditor } from '@tiptap/react'
import { Suggestion, type SuggestionProps } from '@tiptap/suggestion'
import { AtSign } from 'lucide-react'
import { useRef, useState } from 'react'
import { useControl } from '../../../design/field.tsx'
import { Button, Combobox } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { Choices } from '../../../text/editor/choices.tsx'
import type { Choice, OpenChoices } from '../../../text/editor/suggest.ts'
import { labelOf, piecesOf, type Variable } from './variables.ts'

interface VariableEditorProps {
  readonly label: string
  readonly text: string
  /** Whether Enter begins a new line. */
  readonly hasLines: boolean
  readonly isBad: boolean
  readonly variables: readonly Variable[]
  readonly onText: (text: string) => void
}

const Doc = Node.create({ name: 'doc', topNode: true, content: 'paragraph+' })
const Text = Node.create({ name: 'text', group: 'inline' })
const Paragraph = Node.create({
  name: 'paragraph',
  content: 'inline*',
  parseHTML: () => [{ tag: 'p' }, { tag: 'div' }],
  renderHTML: () => ['p', 0],
})

const VariableNode = Node.create({
  name: 'variable',
  group: 'inline',
  inline: true,
  atom: true,
  addAttributes: () => ({ source: { default: '', parseHTML: (element: HTMLElement) => element.dataset.source ?? '' } }),
  parseHTML: () => [{ tag: 'span[data-source]' }],
  renderHTML: ({ node }) => {
    const source = String(node.attrs.source)
    return ['span', { class: 'variable', 'data-source': source, title: source }, labelOf(source)]
  },
  renderText: ({ node }) => String(node.attrs.source),
})

export function VariableEditor(props: VariableEditorProps) {
  const { label, text, hasLines, isBad, variables, onText } = props
  const control = useControl()
  const choosing = useChoosing(variables)
  const latest = useRef({ onText, choosing })
  latest.current = { onText, choosing }
  const editor = useEditor({
    injectCSS: false,
    extensions: [
      Doc,
      Text,
      Paragraph,
      VariableNode,
      UndoRedo,
      Placeholder.configure({ placeholder: variables.length > 0 ? t('Text. @ inserts a variable.') : t('Text') }),
      suggestions(() => latest.current.choosing),
      ...(hasLines ? [] : [OneLine]),
    ],
    content: documentOf(text),
    editorProps: {
      attributes: {
        class: 'variable-content editor-content',
        role: 'textbox',
        'aria-multiline': String(hasLines),
        'aria-label': label,
        ...(control['aria-describedby'] && { 'aria-describedby': control['aria-describedby'] }),
        ...(isBad && { 'aria-invalid': 'true' }),
      },
    },
    onUpdate: ({ editor: changed }) => latest.current.onText(sourceOf(changed.state.doc)),
  })
  return (
    <>
      <EditorContent editor={editor} className="variable-frame" />
      {variables.length > 0 && (
        <Combobox
          label={t('Insert a variable')}
          options={variables.map(({ source, label: name, group }) => ({ value: source, label: name, group }))}
          value={[]}
          onChange={([source]) => {
            if (source !== undefined) insert(editor, editor.state.selection, source)
          }}
          trigger={
            <Button size="s" kind="quiet" icon={AtSign} aria-label={t('Insert a variable into {label}', { label })}>
              {t('Variable')}
            </Button>
          }
        />
      )}
      {choosing.open !== null && <Choices open={choosing.open} active={choosing.active} />}
    </>
  )
}

/** Enter is left to the form around the field. */
const OneLine = Extension.create({
  name: 'one_line',
  addKeyboardShortcuts: () => ({ Enter: () => true, 'Shift-Enter': () => true }),
})

function documentOf(text: string): JSONContent {
  const lines: JSONContent[][] = [[]]
  for (const piece of piecesOf(text)) {
    if (typeof piece !== 'string') {
      lines.at(-1)?.push({ type: 'variable', attrs: { source: piece.source } })
      continue
    }
    for (const [i, line] of piece.split('\n').entries()) {
      if (i > 0) lines.push([])
      if (line !== '') lines.at(-1)?.push({ type: 'text', text: line })
    }
  }
  return { type: 'doc', content: lines.map((content) => ({ type: 'paragraph', content })) }
}

function sourceOf(doc: Piece): string {
  const lines: string[] = []
  doc.forEach((paragraph) => {
    let line = ''
    paragraph.forEach((node) => {
      line += node.isText ? (node.text ?? '') : String(node.attrs.source)
    })
    lines.push(line)
  })
  return lines.join('\n')
}

function insert(editor: Editor, range: Range | { readonly from: number; readonly to: number }, source: string): void {
  editor
    .chain()
    .focus()
    .insertContentAt({ from: range.from, to: range.to }, [{ type: 'variable', attrs: { source } }])
    .run()
}

interface Choosing {
  readonly show: (open: OpenChoices | null) => void
  readonly onKey: (key: string) => boolean
  readonly find: (query: string) => Choice[]
}

function useChoosing(variables: readonly Variable[]) {
  const [open, setOpen] = useState<OpenChoices | null>(null)
  const [active, setActive] = useState(0)
  const choosing: Choosing = {
    show: (next) => {
      setOpen(next)
      setActive((was) => (next === null ? 0 : Math.min(was, next.items.length - 1)))
    },
    onKey: (key) => {
      if (open === null) return false
      if (key === 'Escape') setOpen(null)
      else if (key === 'ArrowDown' || key === 'ArrowUp') {
        const step = key === 'ArrowDown' ? 1 : open.items.length - 1
        setActive((active + step) % open.items.length)
      } else if (key === 'Enter' || key === 'Tab') open.choose(open.items[active] as Choice)
      else return false
      return true
    },
    find: (query) => {
      const wanted = query.toLowerCase()
      return variables
        .filter(({ label, group }) => `${label} ${group}`.toLowerCase().includes(wanted))
        .map(({ source, label, group }) => ({
          id: source,
          label,
          hint: group,
          apply: (editor, range) => insert(editor, range, source),
        }))
    },
  }
  return { ...choosing, open, active }
}

function suggestions(current: () => Choosing) {
  return Extension.create({
    name: 'variables',
    addProseMirrorPlugins() {
      const show = ({ items, clientRect, command }: SuggestionProps<Choice, Choice>) => {
        const shown = { name: t('Variables'), items, at: clientRect?.() ?? null, choose: command }
        current().show(items.length === 0 ? null : shown)
      }
      return [
        Suggestion<Choice, Choice>({
          editor: this.editor,
          char: '@',
          allowedPrefixes: null,
          pluginKey: new PluginKey('variables'),
          items: ({ query }) => current().find(query),
          command: ({ editor, range, props }) => props.apply(editor, range),
          render: () => ({
            onStart: show,
            onUpdate: show,
            onExit: () => current().show(null),
            onKeyDown: ({ event }) => current().onKey(event.key),
          }),
        }),
      ]
    },
  })
}
