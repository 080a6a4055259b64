/** Why a drawing was not imported, and where in the file the damage is. */
import { FileWarning } from 'lucide-react'
import { told } from '../../data/index.ts'
import { Button, CopyText, Dialog, Notice } from '../../design/index.ts'

export interface Failure {
  readonly file: string
  readonly error: unknown
}

interface FailureProps {
  readonly failure: Failure
  readonly onClose: () => void
  readonly onAgain: () => void
}

export function FailureDialog({ failure, onClose, onAgain }: FailureProps) {
  const { file, error } = failure
  const { text, title, request_id } = told(error)
  const place = placeOf(error)
  const again = () => {
    onClose()
    onAgain()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title="The drawing was not imported"
      description="Nothing was changed: a file is checked whole before anything is written."
      actions={
        <>
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" onClick={again}>
            Choose another file
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="row">
          <FileWarning aria-hidden="true" size="1rem" /> <strong className="board-file">{file}</strong>
        </p>
        <Notice tone="bad" title={title}>
          {text}
        </Notice>
        {place !== null && (
          <p>
            Place: <code className="mono">{place}</code>
          </p>
        )}
        {request_id && <CopyText text={request_id} label="Copy the request’s id" />}
      </div>
    </Dialog>
  )
}

/** Where in the file the damage is; fields of the request are no places in it. */
function placeOf(error: unknown): string | null {
  const param = (error as { readonly param?: string | null }).param ?? null
  const ofRequest = ['name', 'scene', 'board', 'mode']
  return param === null || ofRequest.includes(param) ? null : param
}
