/** The pages of a PDF file, below each other. A page is drawn when it comes into view, and forgotten when it is far from it. */
import { useEffect, useRef, useState } from 'react'
import { SkeletonLines } from '../../design/index.ts'
import { t } from '../../language/index.ts'
import { openPdf, type PDFDocumentProxy } from './document.ts'
import './pages.css'

/** Pages that are shown; the rest is there after a download. */
const pages_max = 200
/** Pixels of a page on the screen, in each direction: sharp on a phone, and bounded in memory. */
const scale_max = 2
const side_pixels_max = 4096
/** Pages this far from the view are drawn already. */
const near = '600px'

interface PdfPagesProps {
  readonly url: string
  readonly onError: () => void
}

export function PdfPages({ url, onError }: PdfPagesProps) {
  const [pdf, setPdf] = useState<PDFDocumentProxy>()
  const latest = useRef(onError)
  latest.current = onError
  useEffect(() => {
    const { opened, close } = openPdf(url)
    let isOver = false
    opened.then(
      (found) => !isOver && setPdf(found),
      () => !isOver && latest.current(),
    )
    return () => {
      isOver = true
      close()
    }
  }, [url])
  if (pdf === undefined) return <SkeletonLines lines={6} />
  const count = Math.min(pdf.numPages, pages_max)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by keyboard
    <section className="pdf" aria-label={t('Pages')} tabIndex={0}>
      {Array.from({ length: count }, (_, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a page is its number
        <PdfPage key={i} pdf={pdf} number={i + 1} onError={onError} />
      ))}
      {pdf.numPages > count && (
        <p className="subtle">{t('The first {count} pages are shown. Download the file to read all.', { count })}</p>
      )}
    </section>
  )
}

interface PdfPageProps {
  readonly pdf: PDFDocumentProxy
  readonly number: number
  readonly onError: () => void
}

function PdfPage({ pdf, number, onError }: PdfPageProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const isNear = useNear(canvas)
  const latest = useRef(onError)
  latest.current = onError
  useEffect(() => {
    const { current } = canvas
    if (!isNear || current === null) return
    const drawing = draw(pdf, number, current)
    drawing.done.catch(() => {
      if (!drawing.isCanceled()) latest.current()
    })
    return () => {
      drawing.cancel()
      // A canvas without pixels holds no memory.
      current.width = 0
    }
  }, [pdf, number, isNear])
  return (
    <canvas
      ref={canvas}
      className="pdf-page"
      role="img"
      aria-label={t('Page {number} of {count}', { number, count: pdf.numPages })}
    />
  )
}

function useNear(element: { readonly current: Element | null }): boolean {
  const [isNear, setNear] = useState(false)
  useEffect(() => {
    const { current } = element
    if (current === null) return
    const observer = new IntersectionObserver((entries) => setNear(entries.at(-1)?.isIntersecting === true), {
      root: current.parentElement,
      rootMargin: near,
    })
    observer.observe(current)
    return () => observer.disconnect()
  }, [element])
  return isNear
}

function draw(pdf: PDFDocumentProxy, number: number, canvas: HTMLCanvasElement) {
  let isCanceled = false
  let stop = () => {}
  const run = async () => {
    const page = await pdf.getPage(number)
    if (isCanceled) return
    const { width, height } = page.getViewport({ scale: 1 })
    const wanted = (canvas.clientWidth / width) * Math.min(scale_max, devicePixelRatio)
    const viewport = page.getViewport({ scale: Math.min(wanted, side_pixels_max / Math.max(width, height)) })
    canvas.width = Math.floor(viewport.width)
    canvas.height = Math.floor(viewport.height)
    canvas.style.aspectRatio = `${width} / ${height}`
    const task = page.render({ canvas, viewport })
    stop = () => task.cancel()
    await task.promise
    canvas.dataset.drawn = ''
  }
  const cancel = () => {
    isCanceled = true
    delete canvas.dataset.drawn
    stop()
  }
  return { done: run(), cancel, isCanceled: () => isCanceled }
}
