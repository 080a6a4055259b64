/** The thread that makes previews (`previewer.ts`): one image at a time, from bytes to bytes. */
import { parentPort } from 'node:worker_threads'
import { Transformer } from '@napi-rs/image'
import { file_limits } from './limits.ts'

const port = parentPort
if (port === null) throw new Error('this file is run as a thread')

/** The library's `ResizeFit.Inside`, which exists in its types only. */
const inside = 2

port.on('message', (content: Uint8Array) => {
  make(content).then(
    (preview) => port.postMessage(preview),
    () => port.postMessage(null),
  )
})

/** Rejects for anything that is not an image, whose header is over the limits, or that is damaged. */
async function make(content: Uint8Array): Promise<Uint8Array | null> {
  const image = new Transformer(content)
  // The header alone is read here: an image that would fill the memory is never decoded.
  const { width, height, format } = image.metadataSync()
  if (!['png', 'jpeg', 'webp'].includes(format) || width * height > file_limits.preview_pixels_max) return null
  const side = file_limits.preview_side_pixels
  const upright = image.rotate()
  const sized = Math.max(width, height) <= side ? upright : upright.resize({ width: side, height: side, fit: inside })
  return await sized.webp(file_limits.preview_quality)
}
