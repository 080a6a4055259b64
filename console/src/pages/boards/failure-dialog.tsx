/** Why a drawing was not imported, with the location of the damage in the file. */
import { FileWarning } from 'lucide-react'
import { describeError } from '../../data/index.ts'
import { Button, CopyId, Dialog, Notice } from '../../design/index.ts'
import { rich, t } from '../../language/index.ts'

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
  const { text, title, request_id } = describeError(error)
  const location = locationOf(error)
  const again = () => {
    onClose()
    onAgain()
  }
  return (
    <Dialog
      open
      onClose={onClose}
      title={t('The drawing was not imported')}
      description={t('Nothing was changed. A file is checked completely before anything is written.')}
      actions={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <Button kind="primary" onClick={again}>
            {t('Choose another file')}
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
        {location !== null && (
          <p>{rich('Location in the file: {code}', { code: <code className="mono">{location}</code> })}</p>
        )}
        {request_id && <CopyId id={request_id} label={t('Copy request ID')} />}
      </div>
    </Dialog>
  )
}

const request_params = ['name', 'scene', 'board', 'mode']

/** The path of the damaged value; `null` if the error is about a parameter of the request instead. */
function locationOf(error: unknown): string | null {
  const param = (error as { readonly param?: string | null }).param ?? null
  return param === null || request_params.includes(param) ? null : param
}
