/** What a form gives to an editor of Markdown, and gets from it. */
import type { RefObject } from 'react'

/** How the form around an editor reads it. */
export interface EditorHandle {
  /** The Markdown as it is now: byte for byte the initial text if nothing was edited. `onText` has it, too. */
  readonly read: () => string
}

export interface TextEditorProps {
  readonly label: string
  /** The Markdown at the beginning. Later changes of it are ignored. */
  readonly text: string
  /** Where pasted and dropped files are uploaded to; null: the text takes no files. */
  readonly workspace: string | null
  /** The project of the text's task: guests who see it can be mentioned. Without it, no guest is offered. */
  readonly project?: string | null
  readonly handle: RefObject<EditorHandle | null>
  /** Called soon after changes, for drafts. */
  readonly onText?: (text: string) => void
  /** Ctrl+Enter. */
  readonly onSubmit: () => void
  /** Escape; without it Escape is left to the panel around. */
  readonly onCancel?: (() => void) | undefined
  readonly placeholder?: string
  readonly autoFocus?: boolean
  /** A comment begins with few lines. */
  readonly small?: boolean
}
