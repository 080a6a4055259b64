/** The parts of the editor that draw themselves: images of Atrium's files, and items with boxes. */
import type { NodeViewRendererProps } from '@tiptap/core'
import type { Node } from '@tiptap/pm/model'
import { NodeViewWrapper, type ReactNodeViewProps, ReactNodeViewRenderer } from '@tiptap/react'
import { t } from '../../language/index.ts'
import { FileImage } from '../file-image.tsx'
import { linkTarget } from '../links.ts'

function ImageView({ node }: ReactNodeViewProps) {
  const { src, alt } = node.attrs
  const target = linkTarget(String(src))
  return (
    <NodeViewWrapper as="span">
      {target.kind === 'file' ? (
        <FileImage id={target.id} alt={String(alt)} />
      ) : (
        <span className="markdown-lost">{t('{alt} (image)', { alt: alt || src })}</span>
      )}
    </NodeViewWrapper>
  )
}

export const imageView = ReactNodeViewRenderer(ImageView)

/** An item with a box before its text; one without a box is a plain item. */
export function itemView({ node, editor, getPos }: NodeViewRendererProps) {
  const dom = document.createElement('li')
  const box = document.createElement('input')
  box.type = 'checkbox'
  box.className = 'markdown-box'
  box.contentEditable = 'false'
  box.setAttribute('aria-label', 'Done')
  const contentDOM = document.createElement('div')
  contentDOM.className = 'markdown-task-text'
  dom.append(box, contentDOM)
  box.addEventListener('change', () => {
    const at = getPos()
    if (at !== undefined) editor.view.dispatch(editor.state.tr.setNodeAttribute(at, 'checked', box.checked))
  })
  const draw = ({ attrs }: Node) => {
    const isTask = attrs.checked !== null
    dom.className = isTask ? 'markdown-task' : ''
    dom.toggleAttribute('data-done', attrs.checked === true)
    box.hidden = !isTask
    box.checked = attrs.checked === true
  }
  draw(node)
  return {
    dom,
    contentDOM,
    update: (next: Node) => {
      if (next.type !== node.type) return false
      draw(next)
      return true
    },
    ignoreMutation: (mutation: { readonly target: globalThis.Node }) => !contentDOM.contains(mutation.target),
    stopEvent: (event: Event) => event.target === box,
  }
}
