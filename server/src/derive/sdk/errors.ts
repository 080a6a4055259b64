/** The error codes as types, with their meaning and whether the request may be retried. */
import type { ErrorAdvice } from '../error-guide.ts'
import { docComment } from './doc-comment.ts'
import { type Document, knownWords } from './document.ts'
import { quoted } from './names.ts'

type Guide = Readonly<Record<string, ErrorAdvice>>

export function errorsFile(head: string, document: Document, guide: Guide): string {
  const { type, code } = document.components.schemas.Error?.properties?.error?.properties ?? {}
  const codes = knownWords(code)
  const types = knownWords(type)
  return `${head}/** \`error.type\`: the class of an error. */
export type ErrorType = ${types.map(quoted).join(' | ')}

/** \`error.code\`: branch on it. Codes may be added later. */
export type ErrorCode =
${codes.map((each) => `${docComment(`${guide[each]?.meaning ?? ''} ${guide[each]?.remedy ?? ''}`, '  ')}  | ${quoted(each)}\n`).join('')}
/** Whether a request that was refused with a code may be retried unchanged. */
export const retryAdvice: Readonly<Record<ErrorCode, 'never' | 'after Retry-After' | 'with back-off'>> = {
${codes.map((each) => `  ${each}: ${quoted(guide[each]?.retry ?? 'never')},\n`).join('')}}
`
}
