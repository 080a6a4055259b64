/** A chart with its numbers: a picture, a table beside it, links to what is behind each number, and an export as CSV. */
import './chart.css'
import { Download, Table2 } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { Button, formatLanguage, IconButton, Skeleton } from '../design/index.ts'
import { t } from '../language/index.ts'
import type { ChartPicture, ChartSeries } from './chart-types.ts'
import { csvCell, saveCsv } from './csv.ts'

const ChartCanvas = lazy(() => import('./chart-canvas.tsx').then((module) => ({ default: module.ChartCanvas })))

export function Chart(picture: ChartPicture) {
  const { title, summary, labels, series, isNewestFirst = false } = picture
  const order = isNewestFirst ? [...labels.keys()].toReversed() : [...labels.keys()]
  const [hasTable, setTable] = useState(true)
  const [, navigate] = useLocation()
  const pick = (index: number, number: number) => {
    const href = series[number]?.hrefOf?.(index)
    if (href) navigate(href)
  }
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        <div className="grow">
          <h2 className="chart-title">{title}</h2>
          <p className="subtle">{summary}</p>
        </div>
        <IconButton
          icon={Table2}
          label={t('Table of {title}', { title })}
          size="s"
          pressed={hasTable}
          onClick={() => setTable(!hasTable)}
        />
        <Button size="s" kind="quiet" icon={Download} onClick={() => saveCsv(title, csvOf(picture))}>
          {t('CSV')}
        </Button>
      </figcaption>
      <div className="chart-body" data-table={hasTable || undefined}>
        <div className="chart-picture">
          <Suspense fallback={<Skeleton height="100%" />}>
            <ChartCanvas {...picture} onPick={pick} />
          </Suspense>
        </div>
        {hasTable && (
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard
          <div className="chart-table" role="region" aria-label={t('Numbers of {title}', { title })} tabIndex={0}>
            <table>
              <thead>
                <tr>
                  <th scope="col">
                    <span className="unseen">{title}</span>
                  </th>
                  {series.map(({ name }) => (
                    <th key={name} scope="col">
                      {name}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {order.map((index) => (
                  <tr key={index}>
                    <th scope="row">{labels[index]}</th>
                    {series.map((each) => (
                      <td key={each.name} className="numbers">
                        <Value series={each} index={index} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </div>
    </figure>
  )
}

function Value({ series: { values, hrefOf }, index }: { readonly series: ChartSeries; readonly index: number }) {
  const value = values[index] ?? null
  const text = value === null ? '–' : value.toLocaleString(formatLanguage(), { maximumFractionDigits: 1 })
  const href = value === null || value === 0 ? null : hrefOf?.(index)
  return href ? <Link href={href}>{text}</Link> : text
}

function csvOf({ title, labels, series }: ChartPicture): string {
  const head = [title, ...series.map(({ name }) => name)]
  const rows = labels.map((label, index) => [label, ...series.map(({ values }) => values[index] ?? '')])
  return [head, ...rows].map((cells) => cells.map((cell) => csvCell(String(cell))).join(',')).join('\r\n')
}
