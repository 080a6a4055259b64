/** The error codes as types, with their meaning and whether the request may be retried. */
import type { Model } from '../model/model.ts'
import { docComment } from './doc-comment.ts'
import { quoted } from './names.ts'

export function errorsFile(head: string, { errors, errorTypes }: Model): string {
  return `${head}/** \`error.type\`: the class of an error. */
export type ErrorType = ${errorTypes.map(quoted).join(' | ')}

/** \`error.code\`: branch on it. Codes may be added later. */
export type ErrorCode =
${errors.map(({ code, text }) => `${docComment(text, '  ')}  | ${quoted(code)}\n`).join('')}
/** Whether a request that was refused with a code may be retried unchanged. */
export const retryAdvice: Readonly<Record<ErrorCode, 'never' | 'after Retry-After' | 'with back-off'>> = {
${errors.map(({ code, retry }) => `  ${code}: ${quoted(retry)},\n`).join('')}}
`
}
