/**
 * The paint of an item, read from its `style`. Drawings are untrusted files, so only bounded numbers, valid colours and
 * https links reach the page.
 */
import type { BoardItem } from '@atrium/sdk'

export interface Paint {
  readonly stroke: string
  readonly fill: string
  readonly fillOpacity: number
  readonly strokeWidth: number
  readonly dashes: string | undefined
  readonly opacity: number
  readonly rounded: boolean
}

export interface TextPaint {
  readonly color: string
  readonly size: number
  readonly align: 'left' | 'center' | 'right'
  readonly vertical: 'top' | 'middle' | 'bottom'
}

const ink = '#1e1e1e'
const hex = /^#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})$/i
const word = /^[a-z]{3,24}$/i
const stroke_max = 64
const font_max = 2000

/** A hex colour or a colour name; `none` for transparent; null for anything else. */
function colorOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  if (value === 'transparent') return 'none'
  if (hex.test(value)) return value
  return word.test(value) && CSS.supports('color', value) ? value : null
}

function numberOf(value: unknown, fallback: number, least: number, most: number): number {
  return typeof value === 'number' && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : fallback
}

export function paintOf({ style, type }: BoardItem): Paint {
  const width = numberOf(style.stroke_width, 1, 0, stroke_max)
  const hatched = style.fill_style !== 'solid' && typeof style.fill_style === 'string'
  const ground = type === 'sticky_note' ? '#fff3bf' : 'none'
  return {
    stroke: colorOf(style.stroke_color) ?? ink,
    fill: colorOf(style.background_color) ?? ground,
    fillOpacity: hatched ? 0.6 : 1,
    strokeWidth: width,
    dashes: dashesOf(style.stroke_style, width),
    opacity: numberOf(style.opacity, 100, 0, 100) / 100,
    rounded: style.rounded === true,
  }
}

function dashesOf(style: unknown, width: number): string | undefined {
  if (style === 'dashed') return `${8 + width} ${6 + width}`
  return style === 'dotted' ? `${Math.max(1, width)} ${5 + width}` : undefined
}

export function textPaintOf({ style, type }: BoardItem): TextPaint {
  const { text_align: align, vertical_align: vertical } = style
  const color = colorOf(style.text_color) ?? colorOf(style.stroke_color)
  return {
    color: color === null || color === 'none' ? ink : color,
    size: numberOf(style.font_size, 16, 1, font_max),
    align: align === 'left' || align === 'right' || align === 'center' ? align : type === 'text' ? 'left' : 'center',
    vertical: vertical === 'top' || vertical === 'bottom' ? vertical : 'middle',
  }
}

/** An https URL; null for any other link. */
function webLink(value: unknown): URL | null {
  if (typeof value !== 'string' || !URL.canParse(value)) return null
  const url = new URL(value)
  return url.protocol === 'https:' ? url : null
}

/** The link of an item, if any. */
export function linkOf({ data, type }: BoardItem): URL | null {
  return webLink(type === 'embed' ? data.url : data.link)
}
