/** Colors of code, in a chunk of their own: loaded when a text contains code in a known language. */
import { common, createLowlight } from 'lowlight'
import { text_limits } from './limits.ts'
import { codeLanguage } from './parse.ts'

const lowlight = createLowlight(common)

/** A part of code with the class of its color. */
export interface Colored {
  readonly text: string
  readonly kind: string
}

interface Node {
  readonly type: string
  readonly value?: string
  readonly properties?: { readonly className?: unknown }
  readonly children?: readonly Node[]
}

/** The code in parts; one part if the language is unknown. */
export function highlight(code: string, language: string): Colored[] {
  if (!lowlight.registered(language)) return [{ text: code, kind: '' }]
  const parts: Colored[] = []
  collect(lowlight.highlight(language, code) as Node, '', parts)
  return parts
}

function collect(node: Node, kind: string, parts: Colored[]): void {
  if (node.type === 'text') parts.push({ text: node.value ?? '', kind })
  const own = node.properties?.className
  const inner = Array.isArray(own) ? String(own[0]) : kind
  for (const child of node.children ?? []) collect(child, inner, parts)
}

/**
 * The colors of the editor, which names a block's language by all that is behind the fence. A block in an unknown language or without one
 * is plain, as readers see it: the library's guess (`highlightAuto`) tries all languages, at each key, and is often wrong.
 */
export const editor_colors = {
  listLanguages: (): string[] => [],
  registered: (info: string) => lowlight.registered(codeLanguage(info)),
  highlight: (info: string, code: string) =>
    code.length > text_limits.highlighted_chars_max ? plain(code) : lowlight.highlight(codeLanguage(info), code),
  highlightAuto: plain,
}

function plain(code: string): Node {
  return { type: 'root', children: [{ type: 'text', value: code }] }
}
