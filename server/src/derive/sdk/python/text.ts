/** Names, literals and docstrings of Python. */

const keywords = new Set(
  'False None True and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield'.split(
    ' ',
  ),
)

/** A name of the API as a Python name: a keyword gets an underscore. */
export function identifier(name: string): string {
  return keywords.has(name) ? `${name}_` : name
}

/** Whether a field can be declared as `name: type`. */
export function isDeclarable(name: string): boolean {
  return /^[A-Za-z_]\w*$/.test(name) && !name.startsWith('__') && !keywords.has(name)
}

export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`
}

const width = 116

/** An indented docstring; empty without text. */
export function docstring(text: string | undefined, indent: string): string {
  if (text === undefined || text.trim() === '') return ''
  const lines = text
    .trim()
    .replaceAll('\\', '\\\\')
    .replaceAll('"""', '\\"\\"\\"')
    .split('\n')
    .flatMap((line) => wrapped(line, width - indent.length))
  const [first = ''] = lines
  // A quotation mark at the end would join the closing ones.
  if (lines.length === 1 && first.length + indent.length < width - 6 && !first.endsWith('"'))
    return `${indent}"""${first}"""\n`
  return `${indent}"""\n${lines.map((line) => `${indent}${line}`.trimEnd()).join('\n')}\n${indent}"""\n`
}

function wrapped(line: string, max: number): string[] {
  const hang = /^ */.exec(line)?.[0] ?? ''
  const lines: string[] = []
  let current = ''
  for (const word of line.trim().split(' ')) {
    if (current !== '' && hang.length + current.length + word.length + 1 > max) {
      lines.push(hang + current)
      current = ''
    }
    current += current === '' ? word : ` ${word}`
  }
  return [...lines, hang + current]
}

/** `from module import A, B`, for the names that a text uses; empty without any. */
export function importOf(module: string, names: Iterable<string>, text: string): string {
  const code = text.replaceAll(/"""[\s\S]*?"""/g, '')
  const used = [...names].filter((name) => new RegExp(String.raw`\b${name}\b`).test(code)).sort()
  if (used.length === 0) return ''
  const line = `from ${module} import ${used.join(', ')}\n`
  return line.length <= 121 ? line : `from ${module} import (\n${used.map((name) => `    ${name},\n`).join('')})\n`
}
