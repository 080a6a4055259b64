/** JSON for files that people read and compare: values that fit are written on one line. */
const width = 120

export function jsonText(value: unknown, indent = 0, before = 0): string {
  const short = oneLine(value)
  if (indent + before + short.length < width || typeof value !== 'object' || value === null) return short
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return filled(value, indent)
  const inner = ' '.repeat(indent + 2)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((item) => `${inner}${jsonText(item, indent + 2)}`)
    : Object.entries(value).flatMap(([name, item]) => {
        if (item === undefined) return []
        const label = `${JSON.stringify(name)}: `
        return [`${inner}${label}${jsonText(item, indent + 2, label.length)}`]
      })
  return `${open}\n${parts.join(',\n')}\n${' '.repeat(indent)}${close}`
}

function oneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(oneLine).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).flatMap(([name, item]) =>
    item === undefined ? [] : [`${JSON.stringify(name)}: ${oneLine(item)}`],
  )
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

/** Strings and numbers, filled into lines. */
function filled(items: readonly unknown[], indent: number): string {
  const inner = ' '.repeat(indent + 2)
  const lines: string[] = []
  let line = ''
  for (const item of items.map(oneLine)) {
    if (line !== '' && inner.length + line.length + item.length + 3 > width) {
      lines.push(line)
      line = ''
    }
    line += line === '' ? item : `, ${item}`
  }
  return `[\n${[...lines, line].map((each) => inner + each).join(',\n')}\n${' '.repeat(indent)}]`
}
