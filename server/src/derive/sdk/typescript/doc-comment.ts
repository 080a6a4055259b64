/** Documentation comments. */

const width = 116

/** An indented comment; empty without text. */
export function docComment(text: string | undefined, indent = ''): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text
    .trim()
    .replaceAll('*/', '*\\/')
    .split('\n')
    .flatMap((line) => wrapped(line, width - indent.length))
  if (lines.length === 1 && (lines[0] as string).length + indent.length < width - 4)
    return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

function wrapped(line: string, max: number): string[] {
  const lines: string[] = []
  let current = ''
  for (const word of line.split(' ')) {
    if (current !== '' && current.length + word.length + 1 > max) {
      lines.push(current)
      current = ''
    }
    current += current === '' ? word : ` ${word}`
  }
  return [...lines, current]
}
