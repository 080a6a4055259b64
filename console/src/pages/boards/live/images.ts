/** The images of a drawing: those that the page adds are sent to the server once, those that elements name are read from it. */

import type { ExcalidrawElement, FileId } from '@excalidraw/excalidraw/element/types'
import type { BinaryFileData, DataURL, ExcalidrawImperativeAPI } from '@excalidraw/excalidraw/types'
import { t } from '../../../language/index.ts'
import type { BoardHost } from './host.ts'

export class ImageStore {
  readonly #host: Pick<BoardHost, 'readImage' | 'storeImage'>
  readonly #api: ExcalidrawImperativeAPI
  /** Files that the server has, or that are on their way. */
  readonly #stored = new Set<string>()
  readonly #asked = new Set<string>()

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
      void this.#read(file)
    }
  }

  async #read(file: FileId): Promise<void> {
    try {
      const data_url = await this.#host.readImage(file)
      if (data_url === null) return
      this.#stored.add(file)
      const mimeType = data_url.slice('data:'.length, data_url.indexOf(';')) as BinaryFileData['mimeType']
      this.#api.addFiles([{ id: file, dataURL: data_url as DataURL, mimeType, created: Date.now() }])
    } catch {
      this.#asked.delete(file)
    }
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
