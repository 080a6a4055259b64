/** Writing Markdown. The editor is a chunk of its own; until it is there, its place is kept. */
import './text-editor.css'
import { lazy, Suspense } from 'react'
import type { TextEditorProps } from './text-editor-props.ts'

export type { EditorHandle } from './text-editor-props.ts'

const Editor = lazy(() => import('./editor/editor.tsx').then((module) => ({ default: module.Editor })))

export function TextEditor(props: TextEditorProps) {
  return (
    <div className="text-editor" data-small={props.small || undefined}>
      <Suspense fallback={<div className="text-editor-wait" aria-busy="true" />}>
        <Editor {...props} />
      </Suspense>
    </div>
  )
}
