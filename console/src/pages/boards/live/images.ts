/** The images of a drawing: those that the page adds are sent to the server once, those that elements name are read from it. */

import type { ExcalidrawElement, FileId } from '@excalidraw/excalidraw/element/types'
import type { BinaryFileData, DataURL, ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import { t } from '../../../language/index.ts'
import type { BoardHost } from './host.ts'

/** Further attempts to read an image that the server does not have yet, and the wait before the first one, which doubles. */
const attempts_max = 7
const wait_ms = 500

export class ImageStore {
  readonly #host: Pick<BoardHost, 'readImage' | 'storeImage'>
  readonly #api: ExcalidrawImperativeAPI
  /** Files that the server has, or that are on their way. */
  readonly #stored = new Set<string>()
  readonly #asked = new Set<string>()
  #isEnded = false

  constructor(host: Pick<BoardHost, 'readImage' | 'storeImage'>, api: ExcalidrawImperativeAPI) {
    this.#host = host
    this.#api = api
  }

  /** Reads the images of elements that the page does not have. One that cannot be read stays a placeholder. */
  load(elements: readonly ExcalidrawElement[]): void {
    const files = this.#api.getFiles()
    for (const file of filesOf(elements)) {
      if (files[file] !== undefined || this.#asked.has(file)) continue
      this.#asked.add(file)
      void this.#read(file, 0)
    }
  }

  end(): void {
    this.#isEnded = true
  }

  /** An element comes before its image, which its page sends meanwhile: the image is asked for again. */
  async #read(file: FileId, attempt: number): Promise<void> {
    try {
      const data_url = await this.#host.readImage(file)
      if (data_url === null) {
        if (attempt < attempts_max) setTimeout(() => this.#readAgain(file, attempt + 1), wait_ms * 2 ** attempt)
        return
      }
      this.#stored.add(file)
      const mimeType = data_url.slice('data:'.length, data_url.indexOf(';')) as BinaryFileData['mimeType']
      this.#api.addFiles([{ id: file, dataURL: data_url as DataURL, mimeType, created: Date.now() }])
    } catch {
      this.#asked.delete(file)
    }
  }

  #readAgain(file: FileId, attempt: number): void {
    if (!this.#isEnded && this.#api.getFiles()[file] === undefined) void this.#read(file, attempt)
  }

  /** Sends images that the server does not have. */
  store(elements: readonly ExcalidrawElement[]): void {
    if (this.#host.storeImage === null) return
    const files = this.#api.getFiles()
    for (const file of filesOf(elements)) {
      const data = files[file]
      if (data === undefined || this.#stored.has(file)) continue
      this.#stored.add(file)
      void this.#send(file, data.dataURL)
    }
  }

  async #send(file: string, data_url: string): Promise<void> {
    try {
      await this.#host.storeImage?.(file, data_url)
    } catch (error) {
      this.#stored.delete(file)
      this.#api.setToast({ message: error instanceof Error ? error.message : t('The image was not stored.') })
    }
  }
}

function filesOf(elements: readonly ExcalidrawElement[]): FileId[] {
  return elements.flatMap((element) =>
    element.type === 'image' && element.fileId !== null && !element.isDeleted ? [element.fileId] : [],
  )
}
