/** Files one at a time: images, PDF, video, audio and text are shown, others are downloaded. The arrow keys go through the files. */
import type { File as AtriumFile } from '@atrium/sdk'
import { useQuery } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight, Download } from 'lucide-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { contentUrl, isImage, useFile } from '../data/index.ts'
import { Button, Dialog, SkeletonLines } from '../design/index.ts'
import { t } from '../language/index.ts'
import { sizeText } from '../lib/size-text.ts'
import { ErrorState } from './error-state.tsx'

const PdfPages = lazy(async () => ({ default: (await import('./pdf/pages.tsx')).PdfPages }))

/** A longer text is shown up to here. */
const text_bytes_max = 262_144

interface FileViewerProps {
  readonly ids: readonly string[]
  /** The file that is shown. */
  readonly id: string
  readonly onShow: (id: string) => void
  readonly onClose: () => void
}

export function FileViewer({ ids, id, onShow, onClose }: FileViewerProps) {
  const { data: file, error, refetch } = useFile(id)
  const at = ids.indexOf(id)
  const [before, behind] = [ids[at - 1], at < 0 ? undefined : ids[at + 1]]
  useArrowKeys(before, behind, onShow)
  const url = file === undefined ? null : contentUrl(file)
  return (
    <Dialog
      open
      size="l"
      onClose={onClose}
      title={file?.name ?? t('File')}
      description={
        file === undefined
          ? ''
          : t('{at} of {count}, {bytes}', { at: at + 1, count: ids.length, bytes: sizeText(file.bytes) })
      }
      actions={
        <>
          <Button icon={ChevronLeft} disabled={before === undefined} onClick={() => before && onShow(before)}>
            {t('Previous')}
          </Button>
          <Button icon={ChevronRight} disabled={behind === undefined} onClick={() => behind && onShow(behind)}>
            {t('Next')}
          </Button>
          {file && url !== null && (
            <a className="button" data-kind="primary" data-size="m" href={url} download={file.name}>
              <Download aria-hidden="true" className="button-icon" />
              <span className="button-text">{t('Download')}</span>
            </a>
          )}
        </>
      }
    >
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} plain />
      ) : (
        <div className="viewer-stage">
          {file === undefined || url === null ? (
            <SkeletonLines lines={6} />
          ) : (
            <Content key={id} file={file} url={url} />
          )}
        </div>
      )}
    </Dialog>
  )
}

function Content({ file, url }: { readonly file: AtriumFile; readonly url: string }) {
  const [isBroken, setBroken] = useState(false)
  const { content_type: type, name } = file
  const onError = () => setBroken(true)
  if (isBroken) return <p className="subtle">{t('This browser cannot show the file. Download it.')}</p>
  if (isImage(type)) return <img src={url} alt={name} onError={onError} />
  if (type.startsWith('video/')) return <Media kind="video" url={url} name={name} onError={onError} />
  if (type.startsWith('audio/')) return <Media kind="audio" url={url} name={name} onError={onError} />
  if (type === 'application/pdf')
    return (
      <Suspense fallback={<SkeletonLines lines={6} />}>
        <PdfPages url={url} onError={onError} />
      </Suspense>
    )
  if (type.startsWith('text/')) return <TextContent file={file} url={url} />
  return <p className="subtle">{t('This kind of file is not shown here. Download it.')}</p>
}

interface MediaProps {
  readonly kind: 'video' | 'audio'
  readonly url: string
  readonly name: string
  readonly onError: () => void
}

function Media({ kind: Kind, url, name, onError }: MediaProps) {
  return <Kind src={url} controls preload="metadata" aria-label={name} onError={onError} />
}

function TextContent({ file: { id, bytes }, url }: { readonly file: AtriumFile; readonly url: string }) {
  const { data, error } = useQuery({
    queryKey: ['file text', id],
    queryFn: ({ signal }) => readText(url, bytes, signal),
  })
  if (error) return <ErrorState error={error} plain />
  return data === undefined ? <SkeletonLines lines={6} /> : <pre className="viewer-text">{data}</pre>
}

async function readText(url: string, bytes: number, signal: AbortSignal): Promise<string> {
  if (bytes === 0) return ''
  const response = await fetch(url, { signal, headers: { range: `bytes=0-${text_bytes_max - 1}` } })
  if (!response.ok) throw new Error(t('The text cannot be read.'))
  const text = await response.text()
  return bytes > text_bytes_max ? `${text}\n…` : text
}

/** The arrow keys of a video belong to the video. */
function useArrowKeys(before: string | undefined, behind: string | undefined, onShow: (id: string) => void): void {
  const latest = useRef({ before, behind, onShow })
  latest.current = { before, behind, onShow }
  useEffect(() => {
    const onKey = ({ key, target, defaultPrevented }: KeyboardEvent) => {
      if (defaultPrevented || (target as HTMLElement | null)?.closest('video, audio')) return
      const { before, behind, onShow } = latest.current
      const next = key === 'ArrowLeft' ? before : key === 'ArrowRight' ? behind : undefined
      if (next !== undefined) onShow(next)
    }
    // A dialog keeps its keys from what is behind it.
    document.addEventListener('keydown', onKey, true)
    return () => document.removeEventListener('keydown', onKey, true)
  }, [])
}
