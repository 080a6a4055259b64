/** Finds the texts of a source file: those of the catalogue, `t('…')` and `rich('…')`, and those that bypass it. */
import ts from 'typescript'

/** Attributes and properties whose text people read or hear. */
const shown_names = new Set([
  ...[
    'alt',
    'aria-description',
    'aria-label',
    'aria-roledescription',
    'aria-valuetext',
    'description',
    'detail',
    'hint',
  ],
  ...['label', 'noneLabel', 'placeholder', 'summary', 'text', 'title'],
])
/** Content of these elements is code or a key. */
const code_elements = /^(?:code|kbd|pre|Kbd|CodeBlock)$/
/** The product, names of programs, and what is typed as it stands. */
const same_everywhere = /^(?:Atrium|JSON|GitHub|KiB|MiB|GiB|TiB|https?:\/\/\S*|\/\S+|[a-z]+\.[a-z.*_]+)$/

export interface FoundText {
  /** The key; null if it is not a literal. */
  readonly text: string | null
  readonly fault: string | null
  readonly line: number
}

export interface BareText {
  readonly text: string
  readonly line: number
}

function parse(file: string, code: string): ts.SourceFile {
  const kind = file.endsWith('x') ? ts.ScriptKind.TSX : ts.ScriptKind.TS
  return ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true, kind)
}

function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node)
  ts.forEachChild(node, (child) => walk(child, visit))
}

const lineOf = (node: ts.Node) => node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1

/** The calls of `t` and `rich` with their keys. */
export function textsOf(file: string, code: string): FoundText[] {
  const found: FoundText[] = []
  walk(parse(file, code), (node) => {
    if (!ts.isCallExpression(node) || !/^(?:t|rich)$/.test(node.expression.getText())) return
    const [key, given] = node.arguments
    const line = lineOf(node)
    if (key === undefined || !ts.isStringLiteralLike(key)) {
      found.push({ text: null, fault: 'the text is not a literal, so no catalogue can list it', line })
    } else found.push({ text: key.text, fault: faultOf(key.text, given), line })
  })
  return found
}

function faultOf(text: string, given: ts.Expression | undefined): string | null {
  if (given !== undefined && !ts.isObjectLiteralExpression(given)) return null
  const names = new Set(given?.properties.map((property) => property.name?.getText() ?? '') ?? [])
  const missing = [...parsePlaces(text)].filter((name) => !names.has(name))
  return missing.length === 0 ? null : `“${text}” has no value for ${missing.join(', ')}`
}

/** The names of the values in a text: `{count, plural, one {# task of {name}} other {…}}` has count and name. */
export function parsePlaces(text: string): Set<string> {
  const names = new Set<string>()
  for (const block of blocksOf(text)) {
    const [, name = '', cases] = /^(\w+)(?:,\s*plural,([\s\S]*))?$/.exec(block) ?? []
    if (name !== '') names.add(name)
    for (const each of blocksOf(cases ?? '')) for (const inner of parsePlaces(each)) names.add(inner)
  }
  return names
}

/** The contents of the outer braces. */
function blocksOf(text: string): string[] {
  const blocks: string[] = []
  let depth = 0
  let start = 0
  for (const [at, character] of [...text].entries()) {
    if (character === '{' && depth++ === 0) start = at + 1
    if (character === '}' && --depth === 0) blocks.push([...text].slice(start, at).join(''))
  }
  return blocks
}

/** Texts for people that are not in the catalogue: in JSX, in attributes that are shown, in labels, toasts and sentences. */
export function untranslated(file: string, code: string): BareText[] {
  const found: BareText[] = []
  const add = (node: ts.Node, text: string) => {
    if (isText(text)) found.push({ text: text.trim(), line: lineOf(node) })
  }
  walk(parse(file, code), (node) => {
    if (ts.isJsxText(node) && !isCode(node.parent)) add(node, node.text)
    else if (ts.isStringLiteralLike(node) && isShown(node)) add(node, node.text)
    else if (ts.isTemplateExpression(node) && isShown(node)) {
      add(node, [node.head.text, ...node.templateSpans.map(({ literal }) => literal.text)].join('…'))
    }
  })
  return found
}

function isCode(parent: ts.Node): boolean {
  return ts.isJsxElement(parent) && code_elements.test(parent.openingElement.tagName.getText())
}

/** Two letters in a row outside of what is written the same in every language. */
function isText(text: string): boolean {
  const trimmed = text.trim()
  return /\p{L}{2}/u.test(trimmed) && !same_everywhere.test(trimmed)
}

/** Whether a literal is the value of something shown, directly or as a branch of a condition. */
function isShown(node: ts.Node): boolean {
  const { parent } = node
  if (ts.isJsxAttribute(parent)) return shown_names.has(parent.name.getText())
  if (ts.isJsxExpression(parent)) return ts.isJsxAttribute(parent.parent) ? isShown(parent) : !isCode(parent.parent)
  if (ts.isPropertyAssignment(parent))
    return parent.initializer === node && isSentence(node) && isShownName(parent.name)
  if (ts.isConditionalExpression(parent)) return parent.condition !== node && isShown(parent)
  if (ts.isParenthesizedExpression(parent)) return isShown(parent)
  if (ts.isBinaryExpression(parent)) return /^(?:\?\?|\|\||&&)$/.test(parent.operatorToken.getText()) && isShown(parent)
  return false
}

const isShownName = (name: ts.PropertyName) => shown_names.has(name.getText().replaceAll("'", ''))

/** Properties also hold names of columns and fields, which begin with a small letter. */
function isSentence(node: ts.Node): boolean {
  const text = ts.isStringLiteralLike(node) ? node.text : node.getText()
  return /^[“`]?\p{Lu}|\p{L} \p{L}/u.test(text)
}
