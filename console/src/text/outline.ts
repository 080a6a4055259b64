/** The parsed text as a tree, which is easier to draw than the parser's list of opening and closing tokens. */
import type { Token } from './parse.ts'

export interface Part {
  readonly token: Token
  readonly parts: readonly Part[]
}

/** Joins each opening token with what stands before its closing one. */
export function outline(tokens: readonly Token[]): Part[] {
  const root: Part[] = []
  const open: Part[][] = [root]
  for (const token of tokens) {
    if (token.nesting < 0) {
      if (open.length > 1) open.pop()
      continue
    }
    const parts = token.type === 'inline' ? outline(token.children ?? []) : []
    open.at(-1)?.push({ token, parts })
    if (token.nesting > 0) open.push(parts)
  }
  return root
}

/** The words of a text without its Markdown, in one line. */
export function plainText(parts: readonly Part[]): string {
  const words = parts.map(({ token, parts: inner }) => {
    if (inner.length > 0) return plainText(inner)
    if (token.type === 'image') return token.content
    return token.content
  })
  return words.join(' ').replaceAll(/\s+/g, ' ').trim()
}
