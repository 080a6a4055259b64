/** One file: its picture, what is known of it, where it is attached, and its content. */
import './search.css'
import type { File as AtriumFile } from '@atrium/sdk'
import { Download } from 'lucide-react'
import { Link, useParams } from 'wouter'
import { ObjectPage } from '../../app/object-page.tsx'
import { contentUrl, isImage, useDirectory, useFile, useObject } from '../../data/index.ts'
import { Fact, Facts, RelativeTime } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { sizeText } from '../../lib/size-text.ts'

export function FilePage() {
  const { id = '' } = useParams()
  const file = useFile(id)
  return (
    <ObjectPage
      query={file}
      title={file.data?.name ?? t('File')}
      trail={<Link href="/search">{t('Search')}</Link>}
      alwaysHasActions
      actions={(found) => <DownloadLink file={found} />}
    >
      {(found) => (
        <div className="stack">
          <Picture file={found} />
          <FileFacts file={found} />
        </div>
      )}
    </ObjectPage>
  )
}

function DownloadLink({ file }: { readonly file: AtriumFile }) {
  const url = contentUrl(file)
  if (url === null) return null
  return (
    <a className="button" href={url} download={file.name}>
      <Download aria-hidden="true" />
      {t('Download')}
    </a>
  )
}

function Picture({ file }: { readonly file: AtriumFile }) {
  const url = contentUrl(file)
  if (url === null || !isImage(file.content_type)) return null
  const { width, height, name } = file
  return (
    <img
      className="search-picture"
      src={url}
      alt={name}
      {...(width !== null && height !== null && { width, height })}
    />
  )
}

function FileFacts({ file }: { readonly file: AtriumFile }) {
  const { nameOf } = useDirectory()
  return (
    <Facts>
      <Fact name={t('Kind')}>{file.content_type}</Fact>
      <Fact name={t('Size')}>{sizeText(file.bytes)}</Fact>
      {file.width !== null && file.height !== null && (
        <Fact name={t('Dimensions')}>{t('{width} × {height} pixels', { width: file.width, height: file.height })}</Fact>
      )}
      <Fact name={t('Added')}>
        <RelativeTime at={file.created} />
        {file.creator.id !== null && t(' by {name}', { name: nameOf(file.creator.id) })}
      </Fact>
      <Fact name={t('Attached to')}>
        {file.attached_to.length === 0 ? (
          <span className="subtle">{t('Nothing')}</span>
        ) : (
          <ul className="search-places">
            {file.attached_to.map(({ object, id }) => (
              <li key={id}>
                {object === 'task' ? <TaskLink id={id} /> : <Link href={`/open/${id}`}>{nameOfKind(object)}</Link>}
              </li>
            ))}
          </ul>
        )}
      </Fact>
    </Facts>
  )
}

function TaskLink({ id }: { readonly id: string }) {
  const { data } = useObject('task', id, (atrium) => atrium.tasks.retrieve(id))
  return <Link href={`/work/tasks/${id}`}>{data === undefined ? t('A task') : `${data.key} ${data.title}`}</Link>
}

function nameOfKind(object: string): string {
  return object === 'comment' ? t('A comment') : object === 'expense' ? t('An expense') : object
}
