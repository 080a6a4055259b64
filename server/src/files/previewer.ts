/**
 * Makes previews in a thread of its own, one at a time, so that decoding blocks no request. An image is bounded by its bytes, its
 * pixels and the time it takes; a thread that is out of time is ended, and the image has no preview.
 */
import { Worker } from 'node:worker_threads'
import { threadFile } from '../lib/project-file.ts'
import { file_limits } from './limits.ts'
import { type PixelSize, sizeOfImage, sniffType } from './sniff.ts'

const types: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp'])

/** Whether a file may have a preview, by its first bytes: an image whose header is within the limits. */
export function isPreviewable(head: Buffer, bytes: number): boolean {
  const type = sniffType(head)
  if (!types.has(type) || bytes > file_limits.preview_bytes_max) return false
  const size: PixelSize | null = sizeOfImage(type, head)
  return size !== null && size.width * size.height <= file_limits.preview_pixels_max
}

export class Previewer {
  private thread: Worker | null = null
  private last: Promise<unknown> = Promise.resolve()
  private readonly wait_ms: number

  constructor(wait_ms: number = file_limits.preview_ms) {
    this.wait_ms = wait_ms
  }

  /** A smaller image as WebP; null if the content cannot be shown as one. Calls run one after the other. */
  make(content: Uint8Array<ArrayBuffer>): Promise<Buffer | null> {
    const made = this.last.then(() => this.makeNow(content))
    this.last = made
    return made
  }

  /** Ends the thread. */
  async close(): Promise<void> {
    await this.last
    await this.end()
  }

  private async makeNow(content: Uint8Array<ArrayBuffer>): Promise<Buffer | null> {
    const thread = this.thread ?? this.start()
    thread.ref()
    let timer: NodeJS.Timeout | undefined
    const found = await new Promise<Uint8Array | null>((resolve) => {
      timer = setTimeout(resolve, this.wait_ms, null)
      thread.once('message', resolve)
      thread.once('exit', () => resolve(null))
      thread.postMessage(content, [content.buffer])
    })
    clearTimeout(timer)
    thread.removeAllListeners('message')
    thread.unref()
    // What the thread still works on must not answer the next call.
    if (found === null) await this.end()
    return found === null ? null : Buffer.from(found)
  }

  private start(): Worker {
    const thread = new Worker(threadFile('server/src/files/preview-thread.ts'), {
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
    })
    thread.on('error', () => {})
    thread.on('exit', () => {
      if (this.thread === thread) this.thread = null
    })
    this.thread = thread
    return thread
  }

  private async end(): Promise<void> {
    const { thread } = this
    this.thread = null
    await thread?.terminate()
  }
}
