/**
 * Templates: text in which `{{ expression }}` stands for the expression's value. Text is put in as it is, null as nothing,
 * numbers and booleans as JSON writes them, lists and objects as JSON. A literal `{{` is written `{{ '{{' }}`.
 */
import { limits } from '../lib/limits.ts'
import { ExpressionFailure } from './expression-failure.ts'
import type { Expression, Variables } from './expressions.ts'

export type TemplatePart = { readonly text: string } | { readonly source: string; readonly start: number }

export type SplitTemplate =
  | { readonly ok: true; readonly parts: readonly TemplatePart[] }
  | { readonly ok: false; readonly message: string; readonly start: number }

/** The texts and the expressions of a template in their order. `start` counts UTF-16 units from 0. */
export function splitTemplate(template: string): SplitTemplate {
  const parts: TemplatePart[] = []
  let expressions = 0
  for (let from = 0; from < template.length; ) {
    const open = template.indexOf('{{', from)
    if (open !== from) parts.push({ text: template.slice(from, open < 0 ? undefined : open) })
    if (open < 0) break
    const close = endOf(template, open + 2)
    if (close === undefined) return { ok: false, message: 'The template does not close what {{ opens', start: open }
    if (++expressions > limits.automation_template_expressions_max) {
      return { ok: false, message: 'The template holds too many expressions', start: open }
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

/** Texts of CEL, which may hold braces; then braces themselves. */
const token = /(?:"""|''')|["'{}]/g

/** Where the `}}` stands that is neither in a text nor the end of a map. */
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

/** Behind the mark that ends a text. */
function textEnd(template: string, from: number, mark: string): number | undefined {
  for (let i = from; i < template.length; i++) {
    if (template[i] === '\\') i++
    else if (template.startsWith(mark, i)) return i + mark.length
  }
  return undefined
}

/** The text that a template gives with some data; throws ExpressionFailure. */
export function renderTemplate(
  parts: readonly ({ readonly text: string } | { readonly expression: Expression })[],
  variables: Variables,
): string {
  let rendered = ''
  for (const part of parts) {
    rendered += 'text' in part ? part.text : written(part.expression.evaluate(variables))
    if (rendered.length > limits.automation_value_chars_max) {
      throw new ExpressionFailure('too_large', 'The text that the template gives is too long')
    }
  }
  return rendered
}

function written(value: unknown): string {
  if (value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
