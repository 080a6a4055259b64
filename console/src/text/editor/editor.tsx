/**
 * The editor of Markdown texts. It edits blocks and gives back Markdown (`document.ts`), or the Markdown itself in source mode.
 * Texts that are too deep or too large to be drawn are edited as Markdown only.
 */
import '../markdown.css'
import './editor.css'
import type { AnyExtension, JSONContent, Range } from '@tiptap/core'
import { Placeholder } from '@tiptap/extensions'
import { EditorContent, type Editor as Tiptap, useEditor } from '@tiptap/react'
import { PenLine } from 'lucide-react'
import { type RefObject, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { describeError, isImage, seesProjects, uploadFile, useAtrium, useDirectory } from '../../data/index.ts'
import { IconButton } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { text_limits } from '../limits.ts'
import { objectAddress } from '../links.ts'
import { isExcessive, parse } from '../parse.ts'
import type { TextEditorProps } from '../text-editor-props.ts'
import { Behavior } from './behavior.ts'
import { Choices } from './choices.tsx'
import { EditedText } from './document.ts'
import { withStylesKept } from './office.ts'
import { schema_extensions } from './schema.ts'
import { type Choice, insertInPlace, type OpenChoices, type Suggesting, suggestions } from './suggest.ts'
import { Toolbar } from './toolbar.tsx'
import { imageView, itemView } from './views.tsx'

const choices_max = 8
/** Of the choices, those that teams may take from people. */
const team_choices_max = 3
/** Between the last key and the draft. */
const draft_ms = 300

const drawn: readonly AnyExtension[] = schema_extensions.map((extension) => {
  if (extension.name === 'image') return extension.extend({ addNodeView: () => imageView })
  if (extension.name === 'listItem') return extension.extend({ addNodeView: () => itemView })
  return extension
})

export function Editor(props: TextEditorProps) {
  const [text, setText] = useState(props.text)
  const [isSource, setSource] = useState(() => isExcessive(parse(props.text)))
  if (isSource) {
    const toRich = (next: string) => {
      setText(next)
      setSource(isExcessive(parse(next)))
    }
    return <SourceEditor {...props} text={text} onRich={toRich} />
  }
  const toSource = (next: string) => {
    setText(next)
    setSource(true)
  }
  return <RichEditor {...props} text={text} onSource={toSource} />
}

interface SourceEditorProps extends TextEditorProps {
  readonly onRich: (text: string) => void
}

function SourceEditor({ label, text: initial, handle, onText, onSubmit, onCancel, onRich }: SourceEditorProps) {
  const [text, setText] = useState(initial)
  useImperativeHandle(handle, () => ({ read: () => text }), [text])
  return (
    <>
      <div className="editor-tools" role="toolbar" aria-label={t('Formatting')}>
        <span className="editor-tools-end" />
        <IconButton icon={PenLine} label={t('Edit as formatted text')} size="s" onClick={() => onRich(text)} />
      </div>
      <textarea
        className="editor-text"
        aria-label={label}
        rows={10}
        maxLength={text_limits.chars_max}
        // biome-ignore lint/a11y/noAutofocus: the person has just asked for it
        autoFocus
        value={text}
        onChange={({ currentTarget }) => {
          setText(currentTarget.value)
          onText?.(currentTarget.value)
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape' && onCancel !== undefined) {
            event.stopPropagation()
            onCancel()
          }
          if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
          event.preventDefault()
          event.stopPropagation()
          onSubmit()
        }}
      />
    </>
  )
}

interface RichEditorProps extends TextEditorProps {
  readonly onSource: (text: string) => void
}

function RichEditor({ onSource, ...props }: RichEditorProps) {
  const { label, text, workspace, project = null, handle, onText, placeholder = '', autoFocus = false } = props
  const edited = useRef<EditedText>(null)
  const [isTouched, setTouched] = useState(autoFocus)
  const { open, active, suggesting } = useSuggesting(workspace, project)
  const latest = useRef({ ...props, suggesting, open })
  latest.current = { ...props, suggesting, open }
  const uploads = useUploads(workspace)
  const draft = useDraftTimer((editor) => {
    const written = textOf(editor, edited)
    onText?.(written)
    return written
  })
  const editor = useEditor({
    injectCSS: false,
    extensions: [
      ...drawn,
      Behavior,
      Placeholder.configure({ placeholder }),
      suggestions(() => latest.current.suggesting),
    ],
    autofocus: autoFocus ? 'end' : false,
    editorProps: {
      attributes: { class: 'editor-content markdown', role: 'textbox', 'aria-multiline': 'true', 'aria-label': label },
      handleKeyDown: (_, event) => handleKey(event, latest.current),
      transformPastedHTML: withStylesKept,
      handlePaste: (_, { clipboardData }) => !hasText(clipboardData) && uploads.take(clipboardData?.files),
      handleDrop: (_, event, __, isMoved) => !isMoved && uploads.takeDropped(event),
    },
    // The document consists of the very nodes of the text, by which unedited blocks are recognized.
    onBeforeCreate: ({ editor: made }) => {
      edited.current = new EditedText(made.schema, text)
      // Tiptap takes a node, which its type leaves out.
      made.options.content = edited.current.start as unknown as JSONContent
    },
    onFocus: () => setTouched(true),
    onUpdate: ({ editor: changed }) => draft.soon(changed),
  })
  uploads.into(editor)
  useImperativeHandle(handle, () => ({ read: () => draft.now() ?? textOf(editor, edited) }), [editor, draft])
  return (
    <>
      {(isTouched || !props.small) && (
        <Toolbar
          editor={editor}
          onFiles={workspace === null ? null : (files) => uploads.take(files)}
          onSource={() => onSource(textOf(editor, edited))}
        />
      )}
      <div className="editor-body">
        <EditorContent editor={editor} className="editor-frame" />
      </div>
      {uploads.states.length > 0 && (
        <p className="editor-uploads" role="status">
          {uploads.states.join(', ')}
        </p>
      )}
      {open !== null && <Choices open={open} active={active} />}
    </>
  )
}

function textOf(editor: Tiptap, edited: RefObject<EditedText | null>): string {
  return edited.current?.textOf(editor.state.doc) ?? ''
}

/** Office programs put a picture of the text beside the text. A browser puts the element of an image beside the image. */
function hasText(data: DataTransfer | null): boolean {
  if (data === null) return false
  return data.types.includes('text/html') && data.getData('text/plain').trim() !== ''
}

interface KeyContext extends TextEditorProps {
  readonly open: OpenChoices | null
}

function handleKey(event: KeyboardEvent, { open, onSubmit, onCancel }: KeyContext): boolean {
  if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
    event.stopPropagation()
    onSubmit()
    return true
  }
  if (event.key !== 'Escape' || open !== null || onCancel === undefined) return false
  event.stopPropagation()
  onCancel()
  return true
}

/** Saves a draft soon after the last change, and at once when the editor or the page goes. */
function useDraftTimer(save: (editor: Tiptap) => string) {
  const latest = useRef(save)
  latest.current = save
  const [timer] = useState(() => {
    let waiting: { readonly editor: Tiptap; readonly timeout: ReturnType<typeof setTimeout> } | null = null
    /** Saves what waits, and returns it. Null if nothing waits. */
    const now = (): string | null => {
      if (waiting === null) return null
      const { editor, timeout } = waiting
      clearTimeout(timeout)
      waiting = null
      return editor.isDestroyed ? null : latest.current(editor)
    }
    const soon = (editor: Tiptap) => {
      if (waiting !== null) clearTimeout(waiting.timeout)
      waiting = { editor, timeout: setTimeout(now, draft_ms) }
    }
    return { now, soon }
  })
  useEffect(() => {
    addEventListener('pagehide', timer.now)
    return () => {
      removeEventListener('pagehide', timer.now)
      timer.now()
    }
  }, [timer])
  return timer
}

/** The choices that are open, which of them is active, and where they come from. */
function useSuggesting(workspace: string | null, project: string | null) {
  const [open, setOpen] = useState<OpenChoices | null>(null)
  const [active, setActive] = useState(0)
  const { active: people, teams } = useDirectory()
  const atrium = useAtrium()
  const suggesting: Suggesting = {
    show: (next) => {
      setOpen(next)
      setActive((was) => (next === null ? 0 : Math.min(was, next.items.length - 1)))
    },
    onKey: ({ key }) => {
      if (open === null) return false
      if (key === 'Escape') setOpen(null)
      else if (key === 'ArrowDown' || key === 'ArrowUp') {
        const step = key === 'ArrowDown' ? 1 : open.items.length - 1
        setActive((active + step) % open.items.length)
      } else if (key === 'Enter' || key === 'Tab') open.choose(open.items[active] as Choice)
      else return false
      return true
    },
    people: (query) => {
      const text = query.toLowerCase()
      // A guest is offered only where the guest sees the task.
      const found = people.filter(
        (person) => seesProjects(person, [project]) && `${person.name} ${person.email}`.toLowerCase().includes(text),
      )
      const named = teams.filter(({ name }) => name.toLowerCase().includes(text))
      const room = choices_max - Math.min(named.length, team_choices_max)
      const persons = found.slice(0, room).map(({ id, name, email }) => mention({ id, name, hint: email ?? undefined }))
      const groups = named
        .slice(0, choices_max - persons.length)
        .map(({ id, name, people: { length: count } }) => mention({ id, name, hint: teamHint(count) }))
      return [...persons, ...groups]
    },
    tasks: async (query) => {
      if (!/[\p{L}\p{N}]/u.test(query)) return []
      const { data } = await atrium.search.list({
        query,
        types: ['task'],
        limit: choices_max,
        ...(workspace !== null && { workspace }),
      })
      return data.map(({ id, key, title }) => ({
        id,
        label: title ?? '',
        hint: key ?? '',
        apply: (editor, range) => {
          const marks = [{ type: 'link', attrs: { href: objectAddress(id) } }]
          insertInPlace(editor, range, { type: 'text', text: key ?? title ?? id, marks })
        },
      }))
    },
  }
  return { open, active, suggesting }
}

function mention({
  id,
  name,
  hint,
}: {
  readonly id: string
  readonly name: string
  readonly hint: string | undefined
}) {
  return {
    id,
    label: name,
    ...(hint === undefined ? {} : { hint }),
    apply: (editor: Tiptap, range: Range) =>
      insertInPlace(editor, range, { type: 'mention', attrs: { id, label: `@${name}` } }),
  }
}

function teamHint(count: number): string {
  return t('Team · {count, plural, one {# person} other {# people}}', { count })
}

/** Uploads files and puts references to them where the cursor is. */
function useUploads(workspace: string | null) {
  const [states, setStates] = useState<readonly string[]>([])
  const target = useRef<Tiptap | null>(null)
  const upload = async (file: File, into: string) => {
    const name = file.name || 'image'
    const show = (state: string) =>
      setStates((all) => [...all.filter((each) => !each.startsWith(`${name}: `)), `${name}: ${state}`])
    try {
      const onProgress = (part: number) => show(`${Math.round(part * 100)} %`)
      const made = await uploadFile(into, file, { onProgress })
      const src = `/v1/files/${made.id}`
      target.current
        ?.chain()
        .focus()
        .insertContent(
          isImage(made.content_type)
            ? { type: 'image', attrs: { src, alt: made.name } }
            : { type: 'text', text: made.name, marks: [{ type: 'link', attrs: { href: src } }] },
        )
        .run()
      setStates((all) => all.filter((each) => !each.startsWith(`${name}: `)))
    } catch (error) {
      show(describeError(error).title)
    }
  }
  const take = (files: ArrayLike<File> | null | undefined) => {
    const found = Array.from(files ?? [])
    if (workspace === null) return false
    for (const file of found) void upload(file, workspace)
    return found.length > 0
  }
  return {
    states,
    into: (editor: Tiptap) => {
      target.current = editor
    },
    /** Returns whether there was a file. */
    take,
    /** The same; the files go where they are dropped. */
    takeDropped: ({ dataTransfer, clientX, clientY }: DragEvent) => {
      const isTaken = take(dataTransfer?.files)
      const place = target.current?.view.posAtCoords({ left: clientX, top: clientY })
      if (isTaken && place) target.current?.commands.setTextSelection(place.pos)
      return isTaken
    },
  }
}
