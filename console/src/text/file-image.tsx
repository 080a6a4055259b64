/** An image of Atrium's own files. Its signed address is read when the text is shown. */
import { contentUrl, isImage, previewUrl, useFile } from '../data/index.ts'
import { t } from '../language/index.ts'

export function FileImage({ id, alt }: { readonly id: string; readonly alt: string }) {
  const { data: file } = useFile(id)
  const url = file === undefined ? null : contentUrl(file)
  // A file that is deleted, or that the reader may not see, is shown by its name alone.
  if (file === undefined || url === null) return <span className="markdown-lost">{alt || t('Image')}</span>
  const { width, height, name } = file
  const label = alt || name
  if (!isImage(file.content_type)) return <FileLink id={id}>{label}</FileLink>
  // The size reserves the place, so nothing moves when the image arrives.
  const size = width && height ? { width, height } : {}
  return (
    <a href={url} target="_blank" rel="noopener noreferrer" className="markdown-image">
      <img src={previewUrl(file) ?? url} alt={label} loading="lazy" {...size} />
    </a>
  )
}

interface FileLinkProps {
  readonly id: string
  readonly children: React.ReactNode
}

/** A link to the content of a file. */
export function FileLink({ id, children }: FileLinkProps) {
  const { data: file } = useFile(id)
  const url = file === undefined ? null : contentUrl(file)
  if (url === null) return <bdi>{children}</bdi>
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      <bdi>{children}</bdi>
    </a>
  )
}
