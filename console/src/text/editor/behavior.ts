/** What the editor does besides holding text: boxes of checklists, tables, pasting and copying Markdown. */
import { type Editor, Extension, InputRule } from '@tiptap/core'
import { DOMParser, type Node, type ParseOptions, Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { addRowAfter, goToNextCell, isInTable, tableEditing } from '@tiptap/pm/tables'
import { divide } from './from-markdown.ts'
import { readStyles } from './office.ts'
import { blockText } from './to-markdown.ts'

function toNextCell(editor: Editor): boolean {
  return goToNextCell(1)(editor.state, editor.view.dispatch)
}

/** What was copied in this editor says what it is; everything else may come from an office program. */
class PastedParser extends DOMParser {
  override parseSlice(pasted: globalThis.Node, options?: ParseOptions): Slice {
    const root = pasted as Element
    if (root.querySelector('[data-pm-slice]') === null) readStyles(root)
    return super.parseSlice(root, options)
  }
}

export const Behavior = Extension.create({
  name: 'behavior',
  priority: 200,
  addKeyboardShortcuts() {
    const { editor } = this
    return {
      // The next item of a checklist is not done yet.
      Enter: () =>
        editor.isActive('listItem', { checked: true }) && editor.commands.splitListItem('listItem', { checked: false }),
      'Shift-Enter': () => editor.commands.insertContent({ type: 'hardBreak' }),
      // Behind the last cell a new row begins.
      Tab: () =>
        toNextCell(editor) ||
        (isInTable(editor.state) && addRowAfter(editor.state, editor.view.dispatch) && toNextCell(editor)),
      'Shift-Tab': () => goToNextCell(-1)(editor.state, editor.view.dispatch),
    }
  },
  addInputRules: () => [
    new InputRule({
      find: /^\s*\[([ xX]?)\]\s$/,
      handler: ({ state, range, match, chain }) => {
        const { $from } = state.selection
        const checked = (match[1] ?? '').toLowerCase() === 'x'
        if ($from.depth > 1 && $from.node(-1).type.name === 'listItem') {
          chain().deleteRange(range).updateAttributes('listItem', { checked }).run()
        } else chain().deleteRange(range).toggleBulletList().updateAttributes('listItem', { checked }).run()
      },
    }),
  ],
  addProseMirrorPlugins() {
    const { schema } = this.editor
    return [
      tableEditing(),
      new Plugin({
        props: {
          clipboardParser: new PastedParser(schema, DOMParser.fromSchema(schema).rules),
          clipboardTextParser: (text, context, plain) => {
            const isCode = context.parent.type.spec.code === true
            if (plain || isCode) return plainSlice(text)
            const nodes = divide(text).blocks.map(({ node, source }) =>
              schema.nodeFromJSON(node ?? { type: 'source', content: [{ type: 'text', text: source }] }),
            )
            const doc = schema.topNodeType.create(null, nodes)
            return nodes.length === 1 && nodes[0]?.type.name === 'paragraph'
              ? new Slice(doc.content, 1, 1)
              : new Slice(doc.content, 0, 0)
          },
          clipboardTextSerializer: ({ content }) => {
            const texts: string[] = []
            content.forEach((node) => void texts.push(node.isBlock ? blockText(node) : node.textContent))
            return texts.join('\n\n')
          },
        },
      }),
    ]
    function plainSlice(text: string): Slice {
      const nodes: Node[] = text.split(/\r\n|\n|\r/).map((line) => {
        return schema.node('paragraph', null, line === '' ? [] : [schema.text(line)])
      })
      return Slice.maxOpen(schema.topNodeType.create(null, nodes).content)
    }
  },
})
