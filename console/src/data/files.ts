/**
 * Files in text and on pages. Text refers to a file by its path in the API, `![plan.png](/v1/files/fil_…)`: the signed URL of
 * the content is valid for an hour only, so readers look it up (docs/decisions/files.md).
 */
import type { File as AtriumFile } from '@atrium/sdk'
import { useObject } from './read.ts'

/** A URL is replaced by a new one this long before it expires. */
const renew_before_ms = 600_000

/** Images that a browser shows and that run no scripts. */
export function isImage(type: string): boolean {
  return /^image\/(png|jpeg|gif|webp|avif|bmp)$/.test(type)
}

/** A file; `null` as id reads nothing. */
export function useFile(id: string | null) {
  return useObject<AtriumFile>('file', id, (atrium) => atrium.files.retrieve(id as string))
}

/** URLs by file, because each answer signs a new one: an image would be loaded again whenever its file is read again. */
const urls = new Map<string, string>()
const urls_max = 2000

/** The URL of a file's content on this page's own origin; null while it is not known. */
export function contentUrl(file: Pick<AtriumFile, 'id' | 'url'>): string | null {
  return stableUrl(`content ${file.id}`, file.url)
}

/** The URL of the smaller image, on this page's own origin; null without one. */
export function previewUrl(file: Pick<AtriumFile, 'id' | 'preview_url'>): string | null {
  return stableUrl(`preview ${file.id}`, file.preview_url)
}

function stableUrl(name: string, url: string | null): string | null {
  const known = urls.get(name)
  if (known !== undefined && expiresAt(known) - renew_before_ms > Date.now()) return known
  if (url === null) return null
  const { pathname, search } = new URL(url)
  if (urls.size >= urls_max) urls.clear()
  urls.set(name, pathname + search)
  return pathname + search
}

/** Milliseconds since the epoch. */
function expiresAt(url: string): number {
  return Number(new URLSearchParams(url.slice(url.indexOf('?'))).get('expires')) * 1000
}
