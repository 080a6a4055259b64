/**
 * Templates: text with `{{ expression }}` placeholders. Text values are inserted as they are, null as nothing, and all
 * other values as JSON. A literal `{{` is written `{{ '{{' }}`.
 */

import { ExpressionFailure } from './expressions/failure.ts'
import type { Expression, Variables } from './expressions.ts'
import { automation_limits } from './limits.ts'

type TemplatePart = { readonly text: string } | { readonly source: string; readonly start: number }

export type SplitTemplate =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly message: string; readonly start: number }

/** Splits a template into its texts and expressions, in order. `start` counts UTF-16 units from 0. */
export function splitTemplate(template: string): SplitTemplate {
  const parts: TemplatePart[] = []
  let expressions = 0
  for (let from = 0; from < template.length; ) {
    const open = template.indexOf('{{', from)
    if (open !== from) parts.push({ text: template.slice(from, open < 0 ? undefined : open) })
    if (open < 0) break
    const close = endOf(template, open + 2)
    if (close === undefined) return { ok: false, message: 'The template has {{ without }}', start: open }
    if (++expressions > automation_limits.automation_template_expressions_max) {
      return { ok: false, message: 'The template has too many expressions', start: open }
    }
    parts.push(expressionAt(template, open + 2, close))
    from = close + 2
  }
  return { ok: true, parts }
}

function expressionAt(template: string, start: number, end: number): TemplatePart {
  const source = template.slice(start, end)
  return { source: source.trim(), start: start + source.length - source.trimStart().length }
}

/** Delimiters of CEL strings, which may contain braces, and braces. */
const token = /(?:"""|''')|["'{}]/g

/** The position of the closing `}}`: not in a string literal and not the end of a map literal. */
function endOf(template: string, from: number): number | undefined {
  let depth = 0
  token.lastIndex = from
  for (let found = token.exec(template); found !== null; found = token.exec(template)) {
    const [mark] = found
    if (mark === '{') depth++
    else if (mark === '}') {
      if (depth === 0) return template[found.index + 1] === '}' ? found.index : undefined
      depth--
    } else {
      const end = textEnd(template, token.lastIndex, mark)
      if (end === undefined) return undefined
      token.lastIndex = end
    }
  }
  return undefined
}

/** The position after the delimiter that ends a string literal. */
function textEnd(template: string, from: number, mark: string): number | undefined {
  for (let i = from; i < template.length; i++) {
    if (template[i] === '\\') i++
    else if (template.startsWith(mark, i)) return i + mark.length
  }
  return undefined
}

/** Renders a template with some data; throws ExpressionFailure. */
export function renderTemplate(
  parts: readonly ({ readonly text: string } | { readonly expression: Expression })[],
  variables: Variables,
): string {
  let rendered = ''
  for (const part of parts) {
    rendered += 'text' in part ? part.text : written(part.expression.evaluate(variables))
    if (rendered.length > automation_limits.automation_value_chars_max) {
      throw new ExpressionFailure('too_large', 'The text that the template gives is too long')
    }
  }
  return rendered
}

function written(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
