/**
 * Reads and checks an Excalidraw file: its elements without the deleted ones, in drawing order, and the images that they
 * show. A fault anywhere refuses the whole file.
 */
import { hash } from 'node:crypto'
import { limits } from '../../api/limits.ts'
import { parseStrictJson } from '../../lib/strict-json.ts'
import {
  damagedAt,
  type FileObject,
  flagIn,
  objectIn,
  readObject,
  requiredWordIn,
  textIn,
  wordIn,
} from './excalidraw/fields.ts'
import { withoutEnd } from './scene/frames.ts'

export interface Element extends FileObject {
  readonly id: string
  readonly type: string
}

/** An image, identified by its bytes. */
export interface Asset {
  readonly sha256: string
  readonly media_type: string
  readonly size_bytes: number
  /** Base64; null if the image is stored already. */
  readonly bytes: string | null
}

export interface Drawing {
  readonly elements: readonly Element[]
  /** Images by the id of their file. */
  readonly assets: ReadonlyMap<string, Asset>
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

export function readDrawing(bytes: Uint8Array): Drawing {
  if (bytes.length > limits.board_import_bytes_max) {
    throw damagedAt('', `is over the limit of ${limits.board_import_bytes_max} bytes`)
  }
  let text: string
  try {
    text = utf8.decode(bytes)
  } catch {
    throw damagedAt('', 'is not valid UTF-8')
  }
  const parsed = parseStrictJson(text, { depth_max: limits.json_depth_max })
  if (!parsed.ok) throw damagedAt(parsed.path, `is not valid JSON: ${parsed.message}`)
  const file = readObject(parsed.value, '')
  if (file.raw.type !== 'excalidraw') throw damagedAt('type', 'must be "excalidraw"')
  if (!Array.isArray(file.raw.elements)) throw damagedAt('elements', 'must be an array')
  const elements = readElements(file.raw.elements.map((value, i) => readObject(value, `elements[${i}]`)))
  return { elements, assets: readAssets(elements, objectIn(file, 'files')) }
}

function readElements(all: readonly FileObject[]): Element[] {
  const found = new Map<string, Element>()
  for (const each of all) {
    if (flagIn(each, 'isDeleted')) continue
    const id = requiredWordIn(each, 'id')
    const earlier = found.get(id)
    if (earlier !== undefined) throw damagedAt(`${each.path}.id`, `is also the id of ${earlier.path}`)
    found.set(id, { ...each, id, type: requiredWordIn(each, 'type') })
  }
  if (found.size > limits.board_elements_max) {
    throw damagedAt('elements', `has more than ${limits.board_elements_max} elements`)
  }
  const endless = withoutEnd(found.keys(), (id) => frameIdOf(found.get(id)))
  if (endless !== undefined) {
    throw damagedAt(`${found.get(endless)?.path}.frameId`, 'leads back to the element itself')
  }
  return [...found.values()]
}

function frameIdOf(element: Element | undefined): string | null {
  return element === undefined ? null : wordIn(element, 'frameId')
}

/** The images that elements show. An element whose file is missing shows nothing, as in the editor. */
function readAssets(elements: readonly Element[], files: FileObject | null): Map<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const element of elements) {
    const id = element.type === 'image' ? wordIn(element, 'fileId') : null
    if (id === null || files === null || !Object.hasOwn(files.raw, id) || assets.has(id)) continue
    assets.set(
      id,
      readAsset(readObject(files.raw[id], /^[\w$-]+$/.test(id) ? `files.${id}` : `files[${JSON.stringify(id)}]`)),
    )
  }
  return assets
}

/** The image of a `dataURL`. */
export function readAsset(file: FileObject): Asset {
  const path = `${file.path}.dataURL`
  const url = textIn(file, 'dataURL') ?? ''
  const comma = url.indexOf(',')
  const head = url.slice(0, comma)
  const bytes = url.slice(comma + 1)
  if (!head.startsWith('data:') || !head.endsWith(';base64') || bytes.length % 4 !== 0) {
    throw damagedAt(path, 'must be an image in base64')
  }
  const image = Buffer.from(bytes, 'base64')
  // Buffer skips characters that are not base64, so the comparison finds them.
  if (image.toString('base64') !== bytes) throw damagedAt(path, 'must be an image in base64')
  if (image.length > limits.board_asset_bytes_max) {
    throw damagedAt(path, `is over the limit of ${limits.board_asset_bytes_max} bytes per image`)
  }
  const media_type = mediaTypeOf(image)
  if (media_type === null) throw damagedAt(path, 'is not a PNG, JPEG, WebP or GIF image')
  return { sha256: hash('sha256', image), media_type, size_bytes: image.length, bytes }
}

/** Determined by the first bytes; the type that the file declares is not trusted. */
function mediaTypeOf(image: Buffer): string | null {
  const start = image.toString('latin1', 0, 12)
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png'
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'image/webp'
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif'
  return null
}
