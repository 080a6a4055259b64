/**
 * Text typed over a selection is inserted by the editor, not by the browser. Chromium keeps the color of the replaced text in a
 * style attribute, which the console's Content-Security-Policy refuses and reports.
 */
import { EditorView } from '@codemirror/view'

export const typeOver = EditorView.domEventHandlers({
  beforeinput({ inputType, data }, view) {
    const { from, to, empty } = view.state.selection.main
    if (inputType !== 'insertText' || data === null || empty || view.composing) return false
    const insert = () =>
      view.state.update(view.state.replaceSelection(data), { userEvent: 'input.type', scrollIntoView: true })
    // Brackets and quotes close, as in text that the browser inserts.
    const isHandled = view.state.facet(EditorView.inputHandler).some((handle) => handle(view, from, to, data, insert))
    if (!isHandled) view.dispatch(insert())
    return true
  },
})
