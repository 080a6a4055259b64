/** Chooses or drops the file, and says what is wrong with it. */
import { FileUp } from 'lucide-react'
import { useRef } from 'react'
import { Button, Card, Field, Notice, Select, Spinner } from '../../../design/index.ts'
import { t } from '../../../language/index.ts'
import { type Encoding, encodings } from './read-file.ts'
import type { ChosenFile } from './use-chosen-file.ts'

const accepted = '.json,.csv,.tsv,.txt,application/json,text/csv'

export function FileChoice({ chosen, isOver }: { readonly chosen: ChosenFile; readonly isOver: boolean }) {
  const { file, fault, isReading, read, choose } = chosen
  const picker = useRef<HTMLInputElement>(null)
  return (
    <Card>
      <div className="import-drop" data-over={isOver || undefined}>
        <FileUp aria-hidden="true" className="import-drop-icon" />
        <div className="grow">
          <p className="import-drop-title">{file === null ? t('Choose a file, or drop it here') : file.name}</p>
          <p className="subtle">
            {t(
              'Trello: the JSON export of a board. Jira and Linear: their CSV exports. Others: CSV, with the names of the columns in its first line. Up to 32 MiB. Nothing is created before you start.',
            )}
          </p>
        </div>
        <p role="status" className="unseen">
          {read !== null && t('{name} is read', { name: read.name })}
        </p>
        {isReading && <Spinner label={t('Reading {name}', { name: file?.name ?? t('the file') })} />}
        <input
          ref={picker}
          type="file"
          className="unseen"
          tabIndex={-1}
          aria-label={t('File to import')}
          accept={accepted}
          onChange={({ currentTarget }) => {
            choose(currentTarget.files?.[0])
            currentTarget.value = ''
          }}
        />
        <Button kind={read === null ? 'primary' : 'plain'} icon={FileUp} onClick={() => picker.current?.click()}>
          {file === null ? t('Choose file') : t('Choose another file')}
        </Button>
      </div>
      {fault !== null && (
        <div className="import-fault">
          <Notice tone="bad" title={t('This file cannot be imported')}>
            {fault.message}
          </Notice>
          {fault.isEncoding && <EncodingChoice chosen={chosen} />}
        </div>
      )}
    </Card>
  )
}

const encoding_names: Readonly<Record<Encoding, string>> = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16',
  'windows-1252': t('Western (Windows-1252)'),
  'iso-8859-15': t('Western (ISO-8859-15)'),
  macintosh: t('Western (Macintosh)'),
}

function EncodingChoice({ chosen: { file, encoding, choose } }: { readonly chosen: ChosenFile }) {
  return (
    <Field label={t('Encoding of the file')}>
      <Select
        value={encoding ?? 'utf-8'}
        choices={encodings.map((value) => ({ value, label: encoding_names[value] }))}
        onChange={(value) => choose(file ?? undefined, value)}
      />
    </Field>
  )
}
