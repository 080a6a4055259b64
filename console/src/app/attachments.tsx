/**
 * The files of an object: shown as tiles, added by choosing, dropping, pasting or taking a picture, opened in a viewer. Files
 * that are uploaded at the same time are attached one after the other, so that none replaces another one's list.
 */
import './attachments.css'
import type { File as AtriumFile } from '@atrium/sdk'
import { Camera, File as FileIcon, Paperclip, X } from 'lucide-react'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { contentUrl, isImage, previewUrl, useFile } from '../data/index.ts'
import { Button, IconButton, Progress, Skeleton } from '../design/index.ts'
import { t } from '../language/index.ts'
import { sizeText } from '../lib/size-text.ts'
import { FileViewer } from './file-viewer.tsx'
import { hasFiles } from './stray-files.ts'
import { toast } from './toasts.ts'
import { type Upload, type Uploads, useUploads } from './use-uploads.ts'

interface AttachmentsProps {
  /** Names the list for assistive technology: Files, Receipts. */
  readonly label: string
  readonly workspace: string
  readonly ids: readonly string[]
  readonly max: number
  /** Stores a new list. Absent: the list cannot be changed. */
  readonly onChange?: (ids: readonly string[]) => Promise<unknown>
  /** Offers the camera, and accepts images and PDFs only. */
  readonly isReceipt?: boolean
  /** False: files pasted outside of texts, or dropped beside the list, go to another list of the page. */
  readonly pastes?: boolean
}

export function Attachments({
  label,
  workspace,
  ids,
  max,
  onChange,
  isReceipt = false,
  pastes = true,
}: AttachmentsProps) {
  const [open, setOpen] = useState<string | null>(null)
  const change = useChangesInTurn(ids, onChange)
  const uploading = useUploads(workspace, ({ id }) => change((now) => [...now, id]))
  const room = max - ids.length - uploading.uploads.length
  const add = (files: readonly File[]) => {
    uploading.add(files.slice(0, Math.max(0, room)))
    if (files.length > room) toast({ text: notAdded(files.length - room, max) })
  }
  const canAdd = onChange !== undefined && room > 0
  const zone = useRef<HTMLDivElement>(null)
  const isOver = useDrop(canAdd, zone, pastes, add)
  usePaste(canAdd && pastes, add)
  return (
    <div className="attachments stack" ref={zone} data-over={isOver || undefined} data-drop={t('Drop files here')}>
      {ids.length > 0 && (
        <ul className="attachment-list" aria-label={label}>
          {ids.map((id) => (
            <Tile
              key={id}
              id={id}
              onOpen={() => setOpen(id)}
              {...(onChange && { onRemove: () => void change((now) => now.filter((each) => each !== id)) })}
            />
          ))}
        </ul>
      )}
      <UploadList uploading={uploading} />
      {onChange && <AddButtons onAdd={add} isReceipt={isReceipt} disabled={!canAdd} max={max} />}
      {open !== null && <FileViewer ids={ids} id={open} onShow={setOpen} onClose={() => setOpen(null)} />}
    </div>
  )
}

const notAdded = (count: number, max: number) =>
  t('{count, plural, one {1 file was} other {# files were}} not added: at most {max} fit here.', { count, max })

/** Each change is based on the list that the one before it stored. */
function useChangesInTurn(ids: readonly string[], onChange: AttachmentsProps['onChange']) {
  const known = useRef(ids)
  const running = useRef<Promise<unknown>>(Promise.resolve())
  const waiting = useRef(0)
  if (waiting.current === 0) known.current = ids
  return (edit: (now: readonly string[]) => readonly string[]): Promise<unknown> => {
    waiting.current += 1
    const done = running.current.then(async () => {
      known.current = edit(known.current)
      await onChange?.(known.current)
    })
    running.current = done
      .catch(() => {})
      .finally(() => {
        waiting.current -= 1
      })
    return done
  }
}

function Tile({
  id,
  onOpen,
  onRemove,
}: {
  readonly id: string
  readonly onOpen: () => void
  readonly onRemove?: () => void
}) {
  const { data: file, error } = useFile(id)
  const name = file?.name ?? (error ? t('File not available') : t('File'))
  return (
    <li className="attachment">
      <button type="button" className="attachment-open" onClick={onOpen} disabled={file === undefined}>
        <span className="attachment-picture">
          {file === undefined && !error ? <Skeleton /> : <Picture file={file} />}
        </span>
        <span className="attachment-text">
          <span className="cut">{name}</span>
          <span className="subtle">{file === undefined ? '' : sizeText(file.bytes)}</span>
        </span>
      </button>
      {onRemove && (
        <span className="attachment-remove">
          <IconButton icon={X} label={t('Remove {name}', { name })} size="s" onClick={onRemove} />
        </span>
      )}
    </li>
  )
}

function Picture({ file }: { readonly file: AtriumFile | undefined }) {
  const [isBroken, setBroken] = useState(false)
  const url = file === undefined || !isImage(file.content_type) ? null : (previewUrl(file) ?? contentUrl(file))
  if (url === null || isBroken) return <FileIcon size={24} aria-hidden="true" />
  return <img src={url} alt="" loading="lazy" decoding="async" onError={() => setBroken(true)} />
}

function UploadList({ uploading: { uploads, cancel, retry } }: { readonly uploading: Uploads }) {
  return (
    <div className="stack" role="status">
      {uploads.map((upload) => (
        <UploadRow
          key={upload.key}
          upload={upload}
          onCancel={() => cancel(upload.key)}
          onRetry={() => retry(upload.key)}
        />
      ))}
    </div>
  )
}

interface UploadRowProps {
  readonly upload: Upload
  readonly onCancel: () => void
  readonly onRetry: () => void
}

function UploadRow({ upload: { name, part, fault }, onCancel, onRetry }: UploadRowProps) {
  return (
    <div className="attachment-upload">
      <div className="row">
        <span className="cut grow">{name}</span>
        {fault !== null && (
          <Button size="s" onClick={onRetry}>
            {t('Try again')}
          </Button>
        )}
        <IconButton
          icon={X}
          label={fault === null ? t('Cancel {name}', { name }) : t('Dismiss {name}', { name })}
          size="s"
          onClick={onCancel}
        />
      </div>
      {fault === null ? <Progress label={t('Uploading {name}', { name })} value={part} /> : <span>{fault}</span>}
    </div>
  )
}

interface AddButtonsProps {
  readonly onAdd: (files: readonly File[]) => void
  readonly isReceipt: boolean
  readonly disabled: boolean
  readonly max: number
}

function AddButtons({ onAdd, isReceipt, disabled, max }: AddButtonsProps) {
  const input = useRef<HTMLInputElement>(null)
  const camera = useRef<HTMLInputElement>(null)
  const take = (element: HTMLInputElement) => {
    onAdd([...(element.files ?? [])])
    // The same file can be chosen again.
    element.value = ''
  }
  const accept = isReceipt ? 'image/*,application/pdf' : undefined
  const shared = { type: 'file', hidden: true, tabIndex: -1 } as const
  return (
    <div className="row">
      <Button size="s" icon={Paperclip} disabled={disabled} onClick={() => input.current?.click()}>
        {t('Add files')}
      </Button>
      <input {...shared} ref={input} multiple accept={accept} onChange={({ currentTarget }) => take(currentTarget)} />
      {isReceipt && (
        <>
          <Button size="s" icon={Camera} disabled={disabled} onClick={() => camera.current?.click()}>
            {t('Take a picture')}
          </Button>
          <input
            {...shared}
            ref={camera}
            accept="image/*"
            capture="environment"
            onChange={({ currentTarget }) => take(currentTarget)}
          />
        </>
      )}
      <span className="subtle">{disabled ? t('At most {max} files.', { max }) : t('Or drop or paste them.')}</span>
    </div>
  )
}

/**
 * Takes files that are dropped on the list or, if `isMain`, anywhere on its task or sheet: a list is small, and often not in
 * sight. Returns whether files are held above it. A text, and a list inside, take theirs before.
 */
function useDrop(
  isActive: boolean,
  zone: RefObject<HTMLElement | null>,
  isMain: boolean,
  add: (files: readonly File[]) => void,
): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    const area = isMain ? zone.current?.closest<HTMLElement>('.task, [role="dialog"]') : null
    const target = area ?? zone.current
    if (!isActive || target === null) return
    const over = (event: DragEvent) => {
      if (!hasFiles(event) || event.defaultPrevented) return setOver(false)
      event.preventDefault()
      setOver(true)
    }
    const leave = ({ relatedTarget }: DragEvent) => {
      if (!(relatedTarget instanceof Node && target.contains(relatedTarget))) setOver(false)
    }
    const drop = (event: DragEvent) => {
      setOver(false)
      if (!hasFiles(event) || event.defaultPrevented) return
      event.preventDefault()
      latest.current([...(event.dataTransfer?.files ?? [])])
    }
    target.addEventListener('dragover', over)
    target.addEventListener('dragleave', leave)
    target.addEventListener('drop', drop)
    return () => {
      target.removeEventListener('dragover', over)
      target.removeEventListener('dragleave', leave)
      target.removeEventListener('drop', drop)
      setOver(false)
    }
  }, [isActive, isMain, zone])
  return isOver
}

/** Pasting into a text belongs to the text. */
function usePaste(isActive: boolean, add: (files: readonly File[]) => void): void {
  const latest = useRef(add)
  latest.current = add
  useEffect(() => {
    if (!isActive) return
    const onPaste = (event: ClipboardEvent) => {
      const files = [...(event.clipboardData?.files ?? [])]
      const target = event.target as HTMLElement | null
      if (files.length === 0 || target?.closest('input, textarea, [contenteditable="true"]')) return
      event.preventDefault()
      latest.current(files)
    }
    document.addEventListener('paste', onPaste)
    return () => document.removeEventListener('paste', onPaste)
  }, [isActive])
}
