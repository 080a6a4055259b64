/** Choices that open while typing: people and teams behind `@`, tasks behind `#`, blocks behind `/`. */
import { type Editor, Extension, type JSONContent, type Range } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { Suggestion, type SuggestionProps } from '@tiptap/suggestion'
import { t } from '../../language/index.ts'

export interface Choice {
  readonly id: string
  readonly label: string
  readonly hint?: string
  /** Puts the choice in place of what was typed. */
  readonly apply: (editor: Editor, range: Range) => void
}

/** What is open, and where. */
export interface OpenChoices {
  readonly name: string
  readonly items: readonly Choice[]
  readonly at: DOMRect | null
  readonly choose: (choice: Choice) => void
}

export interface Suggesting {
  readonly show: (open: OpenChoices | null) => void
  /** A key while choices are open; returns whether it is used. */
  readonly onKey: (event: KeyboardEvent) => boolean
  /** People and teams. */
  readonly people: (query: string) => Choice[]
  readonly tasks: (query: string) => Promise<Choice[]>
}

/** `current` is read on each use, because the choices change while the editor is open. */
export function suggestions(current: () => Suggesting) {
  const plugin = (
    editor: Editor,
    char: string,
    name: string,
    find: (query: string) => Choice[] | Promise<Choice[]>,
  ) => {
    const open = ({ items, clientRect, command }: SuggestionProps<Choice, Choice>) => {
      const shown = { name, items, at: clientRect?.() ?? null, choose: command }
      current().show(items.length === 0 ? null : shown)
    }
    return Suggestion<Choice, Choice>({
      editor,
      char,
      pluginKey: new PluginKey(`suggest ${name}`),
      startOfLine: char === '/',
      items: ({ query }) => find(query),
      allow: ({ state, range }) => !state.doc.resolve(range.from).parent.type.spec.code,
      command: ({ props, range }) => props.apply(editor, range),
      render: () => ({
        onStart: open,
        onUpdate: open,
        onExit: () => current().show(null),
        onKeyDown: ({ event }) => current().onKey(event),
      }),
    })
  }
  return Extension.create({
    name: 'suggestions',
    addProseMirrorPlugins() {
      const { editor } = this
      return [
        plugin(editor, '@', t('People and teams'), (query) => current().people(query)),
        plugin(editor, '#', t('Tasks'), (query) => current().tasks(query)),
        plugin(editor, '/', t('Blocks@@editor'), (query) => blockChoices(query)),
      ]
    },
  })
}

/** Puts nodes and a space in place of the typed text. */
export function insertInPlace(editor: Editor, range: Range, node: JSONContent): void {
  editor
    .chain()
    .focus()
    .insertContentAt(range, [node, { type: 'text', text: ' ' }])
    .run()
}

const block_commands: readonly [label: string, hint: string, run: (editor: Editor) => void][] = [
  [t('Heading 1'), '#', (editor) => editor.commands.setHeading({ level: 1 })],
  [t('Heading 2'), '##', (editor) => editor.commands.setHeading({ level: 2 })],
  [t('Heading 3'), '###', (editor) => editor.commands.setHeading({ level: 3 })],
  [t('Bullet list'), '-', (editor) => editor.commands.toggleBulletList()],
  [t('Numbered list'), '1.', (editor) => editor.commands.toggleOrderedList()],
  [t('Checklist'), '[ ]', (editor) => toggleChecklist(editor)],
  [t('Quote'), '>', (editor) => editor.commands.toggleBlockquote()],
  [t('Code block'), '```', (editor) => editor.commands.toggleCodeBlock()],
  [t('Table'), '', (editor) => insertTable(editor)],
  [t('Line'), '---', (editor) => editor.commands.setHorizontalRule()],
]

function blockChoices(query: string): Choice[] {
  const text = query.toLowerCase()
  return block_commands
    .filter(([label]) => label.toLowerCase().includes(text))
    .map(([label, hint, run]) => ({
      id: label,
      label,
      hint,
      apply: (editor, range) => {
        editor.chain().focus().deleteRange(range).run()
        run(editor)
      },
    }))
}

/** Gives the items of the selection boxes, or takes them away. A paragraph becomes a list first. */
export function toggleChecklist(editor: Editor): void {
  if (!editor.isActive('listItem')) editor.chain().focus().toggleBulletList().run()
  else editor.commands.focus()
  const { state, view } = editor
  const { from, to } = state.selection
  const has = editor.getAttributes('listItem').checked !== null
  const isNew = !has || editor.isActive('listItem', { checked: null })
  const tr = state.tr
  state.doc.nodesBetween(from, to, (node, at) => {
    if (node.type.name === 'listItem') tr.setNodeAttribute(at, 'checked', isNew ? (node.attrs.checked ?? false) : null)
  })
  view.dispatch(tr)
}

/** Inserts a table and puts the caret into its first cell. */
export function insertTable(editor: Editor): void {
  const row = (type: string) => ({
    type: 'tableRow',
    content: Array.from({ length: 3 }, () => ({ type, content: [{ type: 'paragraph' }] })),
  })
  const content = [row('tableHeader'), row('tableCell'), row('tableCell')]
  editor.chain().focus().insertContent({ type: 'table', content }).run()
  const { $from } = editor.state.selection
  for (let depth = $from.depth; depth > 0; depth -= 1) {
    if ($from.node(depth).type.name !== 'table') continue
    // Into the first row, its first cell, and the paragraph of that.
    editor.commands.setTextSelection($from.start(depth) + 3)
    return
  }
}
