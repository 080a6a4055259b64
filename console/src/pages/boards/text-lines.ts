/** Breaks text into lines, which SVG does not do. Widths are measured in the font of the drawing. */
export const line_height = 1.25
const drawing_font = 'ui-sans-serif, system-ui, sans-serif'
const measured_px = 20
const chars_max = 4000
const lines_max = 200

let context: CanvasRenderingContext2D | null | undefined

function widthOf(text: string, size: number): number {
  if (context === undefined) {
    context = document.createElement('canvas').getContext('2d')
    if (context !== null) context.font = `${measured_px}px ${drawing_font}`
  }
  return ((context?.measureText(text).width ?? text.length * measured_px * 0.55) * size) / measured_px
}

/** Breaks lines wider than `width` at spaces; with null, only at typed line breaks. */
export function linesOf(text: string, size: number, width: number | null): string[] {
  const typed = text.slice(0, chars_max).split('\n', lines_max)
  if (width === null) return typed
  return typed.flatMap((line) => wrap(line, size, width)).slice(0, lines_max)
}

function wrap(line: string, size: number, width: number): string[] {
  if (widthOf(line, size) <= width) return [line]
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    const longer = current === '' ? word : `${current} ${word}`
    if (current !== '' && widthOf(longer, size) > width) {
      lines.push(current)
      current = word
    } else current = longer
  }
  return [...lines, current]
}
