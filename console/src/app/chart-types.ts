/** What a chart shows. */

export type ChartTone = 'accent' | 'good' | 'warn' | 'bad' | 'info' | 'muted'

export interface ChartSeries {
  readonly name: string
  readonly tone: ChartTone
  /** Null: unknown. */
  readonly values: readonly (number | null)[]
  readonly kind?: 'bar' | 'line'
  /** The page that shows what a value counts; null without one. */
  readonly hrefOf?: (index: number) => string | null
}

export interface ChartPicture {
  readonly title: string
  /** The numbers in a sentence, for those who do not see the picture. */
  readonly summary: string
  readonly labels: readonly string[]
  readonly series: readonly ChartSeries[]
  readonly isStacked?: boolean
  /** Bars from left to right, for long names. */
  readonly isSideways?: boolean
  readonly unit?: string
  /** The table begins with the last label. */
  readonly isNewestFirst?: boolean
}
