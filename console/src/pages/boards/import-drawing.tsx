/** Publishing a drawing: a file is dropped on the page or chosen. What is wrong with one is told with its place. */
import type { Board } from '@atrium/sdk'
import { ImageUp } from 'lucide-react'
import { type ReactNode, useRef, useState } from 'react'
import { useAppWrite, useMode } from '../../data/index.ts'
import { Spinner } from '../../design/index.ts'
import { useDropping } from './dropping.ts'
import { type Failure, FailureDialog } from './failure-dialog.tsx'

/** What the server takes, with what JSON adds to a text. */
const file_bytes_max = 4.5 * 1024 * 1024
const name_chars_max = 200

interface Importing {
  /** Into the page: what is under way, what failed, where to drop. */
  readonly surface: ReactNode
  readonly choose: () => void
  readonly busy: boolean
}

/** `board`: the next snapshot of this one; without it each file becomes a board of its own. */
export function useImport(
  board: Board | null,
  onDone: (board: { readonly id: string }) => void,
  enabled = true,
): Importing {
  const picker = useRef<HTMLInputElement>(null)
  const { take, name, busy, failure, forget } = usePublishing(board, onDone)
  const over = useDropping(enabled, take)
  const choose = () => picker.current?.click()
  const surface = (
    <>
      <input
        ref={picker}
        type="file"
        className="unseen"
        tabIndex={-1}
        aria-label="Drawing file"
        accept=".excalidraw,.json,application/json"
        onChange={({ currentTarget }) => {
          take(currentTarget.files)
          currentTarget.value = ''
        }}
      />
      {over && (
        <div className="board-drop">
          <ImageUp aria-hidden="true" />
          <p>{board === null ? 'Drop a drawing to make a board of it' : `Drop to publish it on ${board.name}`}</p>
        </div>
      )}
      {busy && (
        <div className="board-importing" role="status">
          <Spinner label="Importing" /> <span className="cut">Importing {name}</span>
        </div>
      )}
      {failure !== null && <FailureDialog failure={failure} onClose={forget} onAgain={choose} />}
    </>
  )
  return { surface, choose, busy }
}

interface Publishing {
  /** The first of the files; none while one is under way. */
  readonly take: (files: FileList | null) => void
  /** Of the file that was taken last. */
  readonly name: string
  readonly busy: boolean
  readonly failure: Failure | null
  readonly forget: () => void
}

function usePublishing(board: Board | null, onDone: (board: { readonly id: string }) => void): Publishing {
  const mode = useMode()
  const [name, setName] = useState('')
  const [busy, setBusy] = useState(false)
  const [unfit, setUnfit] = useState<unknown>(null)
  const publish = useAppWrite('POST boards/import', {
    nouns: ['board'],
    toastErrors: false,
    done: () => (board === null ? 'The drawing is a board now' : 'The drawing is published'),
  })
  const forget = () => {
    setUnfit(null)
    publish.reset()
  }
  const send = async (file: File) => {
    try {
      const scene = await textOf(file)
      const where = board === null ? { name: nameOf(file.name) } : { board: board.id }
      const done = await publish.run({ body: { mode, scene, ...where } })
      if (done !== undefined) onDone(done)
    } catch (error) {
      setUnfit(error)
    } finally {
      setBusy(false)
    }
  }
  const take = (files: FileList | null) => {
    const file = files?.[0]
    if (file === undefined || busy) return
    forget()
    setName(file.name)
    setBusy(true)
    void send(file)
  }
  const error = unfit ?? publish.error
  return { take, name, busy, failure: busy || error === null ? null : { file: name, error }, forget }
}

class UnfitFile extends Error {
  override readonly name = 'UnfitFile'
}

async function textOf(file: File): Promise<string> {
  if (file.size > file_bytes_max) {
    throw new UnfitFile(
      'The file is larger than 4.5 MB. Take large images out, or import it with “atrium board import”.',
    )
  }
  const text = await file.text()
  if (text.trim() === '') throw new UnfitFile('The file is empty.')
  return text
}

function nameOf(file: string): string {
  const name = file.replace(/\.(?:excalidraw|json)+$/gi, '').trim()
  return name.slice(0, name_chars_max) || 'Drawing'
}
