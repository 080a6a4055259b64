/** The colors of a formula: CEL as far as its words and signs go. The server parses it. */
import { HighlightStyle, StreamLanguage, syntaxHighlighting } from '@codemirror/language'
import { tags } from '@lezer/highlight'

const language = StreamLanguage.define({
  name: 'formula',
  token(stream) {
    if (stream.eatSpace()) return null
    const quote = stream.match(/^(?:"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)/)
    if (quote) return 'string'
    if (stream.match(/^\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/)) return 'number'
    if (stream.match(/^(?:true|false|null)\b/)) return 'bool'
    if (stream.match(/^in\b/)) return 'keyword'
    if (stream.match(/^[A-Za-z_]\w*(?=\s*\()/)) return 'macroName'
    if (stream.match(/^[A-Za-z_]\w*/)) return 'variableName'
    stream.next()
    return 'operator'
  },
  languageData: { closeBrackets: { brackets: ['(', '[', "'", '"'] } },
})

const colors = HighlightStyle.define([
  { tag: tags.string, class: 'formula-string' },
  { tag: [tags.number, tags.bool], class: 'formula-literal' },
  { tag: tags.keyword, class: 'formula-keyword' },
  { tag: tags.macroName, class: 'formula-function' },
])

export const formulaLanguage = [language, syntaxHighlighting(colors)]
