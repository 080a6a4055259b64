/**
 * Text typed over a selection is inserted by the editor, not by the browser. Chromium keeps the color of the replaced text in a
 * style attribute, which the console's Content-Security-Policy refuses and reports.
 */
import { EditorView } from '@codemirror/view'

export const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    if (inputType !== 'insertText' || data === null || view.composing) return false
    const { from, to } = replaced(view)
    if (from === to) return false
    const change = { changes: { from, to, insert: data }, selection: { anchor: from + data.length } }
    const insert = () => view.state.update({ ...change, userEvent: 'input.type', scrollIntoView: true })
    // Brackets and quotes close, as in text that the browser inserts.
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})

/** What the browser has selected: the editor learns of it later. */
function replaced(view: EditorView): { readonly from: number; readonly to: number } {
  const selection = view.dom.ownerDocument.getSelection()
  if (selection === null || selection.rangeCount === 0) return view.state.selection.main
  const { startContainer, startOffset, endContainer, endOffset } = selection.getRangeAt(0)
  return { from: view.posAtDOM(startContainer, startOffset), to: view.posAtDOM(endContainer, endOffset) }
}
