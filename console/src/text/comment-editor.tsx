/** A comment that is written or changed, with its buttons. An empty one is not saved. */
import { useRef } from 'react'
import { type EditorHandle, TextEditor } from './text-editor.tsx'
import { WritingButtons } from './writing-buttons.tsx'

interface CommentEditorProps {
  readonly label: string
  readonly action: string
  /** At the beginning. */
  readonly text: string
  /** Whose tasks can be mentioned; null for text outside of workspaces. */
  readonly workspace: string | null
  readonly project?: string | null
  readonly busy: boolean
  /** Whether to take the focus; otherwise one that can be canceled does. */
  readonly autoFocus?: boolean
  readonly onText?: (text: string) => void
  readonly onSave: (text: string) => void
  /** With the text as it is. */
  readonly onCancel?: (text: string) => void
}

export function CommentEditor({
  label,
  action,
  text,
  workspace,
  project = null,
  busy,
  onText,
  onSave,
  onCancel,
  autoFocus = onCancel !== undefined,
}: CommentEditorProps) {
  const editor = useRef<EditorHandle>(null)
  const save = () => {
    const next = editor.current?.read() ?? text
    if (next.trim() !== '') onSave(next)
  }
  const cancel = onCancel && (() => onCancel(editor.current?.read() ?? text))
  return (
    <div className="stack text-writing">
      <TextEditor
        label={label}
        placeholder={label}
        small
        autoFocus={autoFocus}
        text={text}
        workspace={workspace}
        project={project}
        handle={editor}
        {...(onText === undefined ? {} : { onText })}
        onSubmit={save}
        onCancel={cancel}
      />
      <WritingButtons action={action} busy={busy} onSave={save} onCancel={cancel} />
    </div>
  )
}
