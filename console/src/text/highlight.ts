/** Colors of code, in a chunk of their own: loaded when a text contains code in a known language. */
import { common, createLowlight } from 'lowlight'

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
