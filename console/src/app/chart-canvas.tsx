/**
 * Draws a chart on a canvas with Chart.js. A chunk of its own, loaded where a chart is shown. Nothing is animated, and colors are
 * those of the theme, read from the page because a canvas knows no custom properties.
 */
import {
  BarController,
  BarElement,
  CategoryScale,
  Chart as ChartJs,
  type ChartOptions,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  PointElement,
  Tooltip,
} from 'chart.js'
import { useEffect, useRef, useState } from 'react'
import type { ChartPicture, ChartTone } from './chart-types.ts'

ChartJs.register(
  ...[BarController, BarElement, CategoryScale, Filler, Legend, LinearScale],
  ...[LineController, LineElement, PointElement, Tooltip],
)

interface CanvasProps extends ChartPicture {
  readonly onPick: (index: number, series: number) => void
}

export function ChartCanvas(props: CanvasProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const theme = useThemeChanges()
  const latest = useRef(props)
  latest.current = props
  const text = JSON.stringify([props.labels, props.series, props.isStacked, props.isSideways, props.unit, theme])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the text holds everything that is drawn
  useEffect(() => {
    const element = canvas.current
    if (element === null) return
    const chart = draw(element, latest.current, (index, series) => latest.current.onPick(index, series))
    return () => chart.destroy()
  }, [text])
  return <canvas ref={canvas} role="img" aria-label={`${props.title}. ${props.summary}`} />
}

/** Rises when the colors of the page change. */
function useThemeChanges(): number {
  const [changes, setChanges] = useState(0)
  useEffect(() => {
    const change = () => setChanges((count) => count + 1)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const observer = new MutationObserver(change)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    scheme.addEventListener('change', change)
    return () => {
      observer.disconnect()
      scheme.removeEventListener('change', change)
    }
  }, [])
  return changes
}

function draw(
  element: HTMLCanvasElement,
  picture: CanvasProps,
  onPick: (index: number, series: number) => void,
): { destroy(): void } {
  const { labels, series, isSideways = false } = picture
  const colorOf = colorReader(element)
  return new ChartJs(element, {
    type: 'bar',
    data: {
      labels: [...labels],
      datasets: series.map(({ name, values, tone, kind = 'bar' }) => {
        const color = colorOf(tones[tone])
        return {
          ...{ type: kind, label: name, data: [...values], backgroundColor: color, borderColor: color },
          ...{
            hoverBackgroundColor: color,
            hoverBorderColor: color,
            maxBarThickness: 36,
            borderWidth: kind === 'line' ? 2 : 0,
          },
          ...{ pointRadius: labels.length > 40 ? 0 : 2, pointHitRadius: 12, borderRadius: 2 },
        }
      }),
    },
    options: optionsOf(picture, isSideways, colorOf, onPick),
  } as ConstructorParameters<typeof ChartJs>[1])
}

function optionsOf(
  { isStacked = false, unit = '' }: ChartPicture,
  isSideways: boolean,
  colorOf: (variable: string) => string,
  onPick: (index: number, series: number) => void,
): ChartOptions {
  const [text, line] = [colorOf('--text-muted'), colorOf('--line')]
  const values = {
    stacked: isStacked,
    beginAtZero: true,
    ticks: { color: text, precision: 0 },
    grid: { color: line },
    border: { display: false },
    title: { display: unit !== '', text: unit, color: text },
  }
  const names = {
    stacked: isStacked,
    ticks: { color: text, maxRotation: 0, autoSkip: true, autoSkipPadding: 12 },
    grid: { display: false },
    border: { color: line },
  }
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    indexAxis: isSideways ? 'y' : 'x',
    interaction: { mode: 'index', axis: isSideways ? 'y' : 'x', intersect: false },
    scales: isSideways ? { x: values, y: names } : { x: names, y: values },
    plugins: {
      legend: { position: 'bottom', labels: { color: text, boxWidth: 10, boxHeight: 10 } },
      tooltip: { animation: false },
    },
    onClick: (event, _, chart) => {
      // Chart.js types its own event here; it reads the same properties of it.
      const [hit] = chart.getElementsAtEventForMode(
        event as typeof event & Event,
        'nearest',
        { intersect: false },
        false,
      )
      if (hit !== undefined) onPick(hit.index, hit.datasetIndex)
    },
  }
}

const tones: Readonly<Record<ChartTone, string>> = {
  accent: '--accent',
  good: '--good',
  warn: '--warn',
  bad: '--bad',
  info: '--info',
  muted: '--line-control',
}

/** Resolves a color of the theme. A canvas does not understand `light-dark()`. */
function colorReader(element: HTMLElement): (variable: string) => string {
  return (variable) => {
    element.style.color = `var(${variable})`
    const { color } = getComputedStyle(element)
    element.style.color = ''
    return color
  }
}
