/** The tools above the text. */
import type { Editor } from '@tiptap/core'
import { addColumnAfter, addRowAfter, deleteColumn, deleteRow, deleteTable } from '@tiptap/pm/tables'
import { useEditorState } from '@tiptap/react'
import {
  Bold,
  Code,
  CodeXml,
  FileCode2,
  Heading,
  ImagePlus,
  Italic,
  Link as LinkIcon,
  List,
  ListChecks,
  ListOrdered,
  type LucideIcon,
  Strikethrough,
  Table,
  TextQuote,
} from 'lucide-react'
import { useRef, useState } from 'react'
import { Button, IconButton, Input, Menu } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { linkTarget } from '../links.ts'
import { insertTable, toggleChecklist } from './suggest.ts'

interface ToolbarProps {
  readonly editor: Editor
  /** Null: the text takes no files. */
  readonly onFiles: ((files: readonly File[]) => void) | null
  readonly onSource: () => void
}

interface Tool {
  readonly icon: LucideIcon
  readonly label: string
  readonly keys?: string
  /** The node or mark that the tool makes. */
  readonly name: string
  readonly run: (editor: Editor) => void
}

const tools: readonly Tool[] = [
  {
    icon: Bold,
    label: t('Bold'),
    keys: 'mod+b',
    name: 'bold',
    run: (editor) => editor.chain().focus().toggleBold().run(),
  },
  {
    icon: Italic,
    label: t('Italic'),
    keys: 'mod+i',
    name: 'italic',
    run: (editor) => editor.chain().focus().toggleItalic().run(),
  },
  {
    icon: Strikethrough,
    label: t('Strikethrough'),
    name: 'strike',
    run: (editor) => editor.chain().focus().toggleStrike().run(),
  },
  {
    icon: Code,
    label: t('Code'),
    keys: 'mod+e',
    name: 'code',
    run: (editor) => editor.chain().focus().toggleCode().run(),
  },
  {
    icon: List,
    label: t('Bullet list'),
    name: 'bulletList',
    run: (editor) => editor.chain().focus().toggleBulletList().run(),
  },
  {
    icon: ListOrdered,
    label: t('Numbered list'),
    name: 'orderedList',
    run: (editor) => editor.chain().focus().toggleOrderedList().run(),
  },
  { icon: ListChecks, label: t('Checklist'), name: 'checklist', run: toggleChecklist },
  {
    icon: TextQuote,
    label: t('Quote'),
    name: 'blockquote',
    run: (editor) => editor.chain().focus().toggleBlockquote().run(),
  },
  {
    icon: CodeXml,
    label: t('Code block'),
    name: 'codeBlock',
    run: (editor) => editor.chain().focus().toggleCodeBlock().run(),
  },
]

export function Toolbar({ editor, onFiles, onSource }: ToolbarProps) {
  const [isLinking, setLinking] = useState(false)
  const files = useRef<HTMLInputElement>(null)
  const active = useEditorState({
    editor,
    selector: ({ editor: current }) => {
      const names = tools.map(({ name }) => name).filter((name) => current.isActive(name))
      if (current.isActive('listItem') && typeof current.getAttributes('listItem').checked === 'boolean') {
        names.push('checklist')
      }
      return [...names, ...(current.isActive('link') ? ['link'] : []), ...(current.isActive('table') ? ['table'] : [])]
    },
  })
  return (
    <>
      <div className="editor-tools" role="toolbar" aria-label={t('Formatting')}>
        <HeadingMenu editor={editor} />
        {tools.map(({ icon, label, keys, name, run }) => (
          <IconButton
            key={name}
            icon={icon}
            label={label}
            size="s"
            pressed={active.includes(name)}
            {...(keys === undefined ? {} : { keys })}
            // The text keeps the focus, and gets what is typed right after the click.
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => run(editor)}
          />
        ))}
        <IconButton
          icon={LinkIcon}
          label={t('Link')}
          keys="mod+k"
          size="s"
          pressed={active.includes('link')}
          onClick={() => setLinking(!isLinking)}
        />
        <TableMenu editor={editor} isInside={active.includes('table')} />
        {onFiles !== null && (
          <IconButton icon={ImagePlus} label={t('Image or file')} size="s" onClick={() => files.current?.click()} />
        )}
        <span className="editor-tools-end" />
        <IconButton icon={FileCode2} label={t('Edit as Markdown')} size="s" onClick={onSource} />
        <input
          type="file"
          multiple
          hidden
          ref={files}
          aria-label={t('Files')}
          onChange={({ currentTarget }) => {
            onFiles?.([...(currentTarget.files ?? [])])
            currentTarget.value = ''
          }}
        />
      </div>
      {isLinking && <LinkForm editor={editor} onClose={() => setLinking(false)} />}
    </>
  )
}

function HeadingMenu({ editor }: { readonly editor: Editor }) {
  const levels = [1, 2, 3] as const
  return (
    <Menu
      label={t('Heading')}
      align="start"
      trigger={<IconButton icon={Heading} label={t('Heading')} size="s" />}
      items={[
        { label: t('Text'), onSelect: () => editor.chain().focus().setParagraph().run() },
        ...levels.map((level) => ({
          label: t('Heading {level}', { level }),
          onSelect: () => {
            editor.chain().focus().setHeading({ level }).run()
          },
        })),
      ]}
    />
  )
}

function TableMenu({ editor, isInside }: { readonly editor: Editor; readonly isInside: boolean }) {
  if (!isInside) return <IconButton icon={Table} label={t('Table')} size="s" onClick={() => insertTable(editor)} />
  const run = (command: typeof addRowAfter) => () => {
    command(editor.state, editor.view.dispatch)
    editor.commands.focus()
  }
  return (
    <Menu
      label={t('Table')}
      align="start"
      trigger={<IconButton icon={Table} label={t('Table')} size="s" pressed />}
      items={[
        { label: t('Add row'), onSelect: run(addRowAfter) },
        { label: t('Add column'), onSelect: run(addColumnAfter) },
        { label: t('Delete row'), onSelect: run(deleteRow) },
        { label: t('Delete column'), onSelect: run(deleteColumn) },
        { label: t('Delete table'), danger: true, onSelect: run(deleteTable) },
      ]}
    />
  )
}

/** Sets the address of the selected text, or puts the address into the text. */
function LinkForm({ editor, onClose }: { readonly editor: Editor; readonly onClose: () => void }) {
  const [href, setHref] = useState(String(editor.getAttributes('link').href ?? ''))
  const full = /^[a-z][a-z0-9+.-]*:/i.test(href) || href === '' ? href : `https://${href}`
  const isAllowed = full === '' || linkTarget(full).kind !== 'none'
  const save = () => {
    if (!isAllowed) return
    const chain = editor.chain().focus().extendMarkRange('link')
    if (full === '') chain.unsetMark('link').run()
    else if (editor.state.selection.empty && !editor.isActive('link')) {
      chain.insertContent({ type: 'text', text: full, marks: [{ type: 'link', attrs: { href: full } }] }).run()
    } else chain.setMark('link', { href: full }).run()
    onClose()
  }
  return (
    <div className="editor-link">
      <Input
        aria-label={t('Address of the link')}
        placeholder="https://"
        autoFocus
        value={href}
        aria-invalid={!isAllowed || undefined}
        onChange={({ currentTarget }) => setHref(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          event.stopPropagation()
          save()
        }}
      />
      <Button size="s" disabled={!isAllowed} onClick={save}>
        {t('Set link')}
      </Button>
    </div>
  )
}
