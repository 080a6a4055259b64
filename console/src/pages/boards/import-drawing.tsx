/** Imports a drawing from a file that is dropped on the page or chosen. A damaged file is refused with the location. */
import type { Board } from '@atrium/sdk'
import { ImageUp } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useFileDrop } from '../../app/file-drop.ts'
import { useAppWrite, useMode } from '../../data/index.ts'
import { Spinner } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { type Failure, FailureDialog } from './failure-dialog.tsx'

/** The server's limit less what escaping the text in JSON adds. */
const file_bytes_max = 4.5 * 1024 * 1024
const name_chars_max = 200

interface Importing {
  /** To render in the page: the drop area, the progress and the failure. */
  readonly surface: ReactNode
  readonly choose: () => void
  readonly busy: boolean
}

/** With `board`, a file becomes its next snapshot; without it, a new board, which is attached to `project`. */
export function useImport(
  board: Board | null,
  onDone: (board: { readonly id: string }) => void,
  enabled = true,
  project?: string,
): Importing {
  const picker = useRef<HTMLInputElement>(null)
  const { publish, name, busy, failure, reset } = usePublishing(board, onDone, project)
  const isOver = useFileDrop(enabled, publish)
  const choose = () => picker.current?.click()
  const surface = (
    <>
      <input
        ref={picker}
        type="file"
        className="unseen"
        tabIndex={-1}
        aria-label={t('Drawing file')}
        accept=".excalidraw,.json,application/json"
        onChange={({ currentTarget }) => {
          publish(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      {isOver && (
        <div className="board-drop">
          <ImageUp aria-hidden="true" />
          <p>
            {board === null
              ? t('Drop a drawing to create a board')
              : t('Drop a drawing to publish it on {name}', { name: board.name })}
          </p>
        </div>
      )}
      {busy && (
        <div className="board-importing" role="status">
          <Spinner label={t('Importing')} /> <span className="cut">{t('Importing {name}', { name })}</span>
        </div>
      )}
      {failure !== null && <FailureDialog failure={failure} onClose={reset} onAgain={choose} />}
    </>
  )
  return { surface, choose, busy }
}

interface Publishing {
  /** Publishes the first file; does nothing while another is being published. */
  readonly publish: (files: FileList | null) => void
  /** The name of the last file. */
  readonly name: string
  readonly busy: boolean
  readonly failure: Failure | null
  readonly reset: () => void
}

function usePublishing(
  board: Board | null,
  onDone: (board: { readonly id: string }) => void,
  project?: string,
): Publishing {
  const mode = useMode()
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [fileError, setFileError] = useState<unknown>(null)
  const write = useAppWrite('POST boards/import', {
    nouns: ['board'],
    toastErrors: false,
    done: () => (board === null ? t('Board created') : t('Drawing published')),
  })
  const reset = () => {
    setFileError(null)
    write.reset()
  }
  const send = async (file: File) => {
    try {
      const scene = await textOf(file)
      const target = board === null ? { name: nameOf(file.name), ...(project && { project }) } : { board: board.id }
      const done = await write.run({ body: { mode, scene, ...target } })
      if (done !== undefined) onDone(done)
    } catch (error) {
      setFileError(error)
    } finally {
      setBusy(false)
    }
  }
  const publish = (files: FileList | null) => {
    const file = files?.[0]
    if (file === undefined || busy) return
    reset()
    setName(file.name)
    setBusy(true)
    void send(file)
  }
  const error = fileError ?? write.error
  return { publish, name, busy, failure: busy || error === null ? null : { file: name, error }, reset }
}

class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
}

async function textOf(file: File): Promise<string> {
  if (file.size > file_bytes_max) {
    throw new UnusableFile(
      t('The file is larger than 4.5 MiB. Remove large images, or import it with “atrium board import”.'),
    )
  }
  const text = await file.text()
  if (text.trim() === '') throw new UnusableFile(t('The file is empty. Choose a file saved by Excalidraw.'))
  return text
}

function nameOf(file: string): string {
  const name = file.replace(/\.(?:excalidraw|json)+$/gi, '').trim()
  return name.slice(0, name_chars_max) || t('Drawing')
}
