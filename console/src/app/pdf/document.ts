/** Reads PDF files by PDF.js. Its worker has a policy of its own, by which it runs no text as a program. */
import { getDocument, type PDFDocumentProxy, PDFWorker } from 'pdfjs-dist'
import workerPath from 'pdfjs-dist/build/pdf.worker.min.mjs?worker&url'
import { scriptAddress } from '../../lib/script-address.ts'

export type { PDFDocumentProxy } from 'pdfjs-dist'

/** An image with more pixels is left out: it is held in memory whole. */
const image_pixels_max = 33_554_432

let worker: PDFWorker | undefined

/** One worker for all documents of the page. */
function workerOfPage(): PDFWorker {
  worker ??= PDFWorker.create({ port: new Worker(scriptAddress('pdf', workerPath), { type: 'module' }) })
  return worker
}

interface OpenPdf {
  readonly opened: Promise<PDFDocumentProxy>
  close(): void
}

/** Reads the parts of the file that are needed for the pages that are drawn. */
export function openPdf(url: string): OpenPdf {
  const task = getDocument({
    url,
    worker: workerOfPage(),
    maxImageSize: image_pixels_max,
    disableAutoFetch: true,
    disableStream: true,
    enableXfa: false,
    useWasm: false,
  })
  return { opened: task.promise, close: () => void task.destroy() }
}
