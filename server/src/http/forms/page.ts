/**
 * The page of a form as HTML, and the pages without a form. They need no script. Every text that a person wrote is escaped, and
 * the policy admits nothing but the one style below, which its hash names.
 */
import { hash } from 'node:crypto'
import type { FormField } from '../../automations/forms.ts'
import type { NodeOf } from '../../automations/schema.ts'
import { type AnswerFault, charsMax } from '../../resources/automation_runs/shared/form-answers.ts'
import { type Language, texts } from './texts.ts'

/** The names of the inputs that are not answers. A field's input has the prefix of answers, so no key collides with them. */
export const inputs = { page: 'page', trap: 'website', answer: 'answer_' } as const

const style = `:root{color-scheme:light dark;--ink:#1d2127;--soft:#59616d;--line:#8a929e;--ground:#f6f7f9;--card:#fff;--accent:#1f5fbf;--on:#fff;--bad:#b3261e}
@media(prefers-color-scheme:dark){:root{--ink:#eceef1;--soft:#aab2bd;--line:#77808d;--ground:#15181c;--card:#1d2127;--accent:#8ab4f8;--on:#10233f;--bad:#ff8a80}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--ground);color:var(--ink);font:1rem/1.5 system-ui,sans-serif}
main{max-width:38rem;margin:0 auto;padding:1.25rem;background:var(--card);border-radius:.75rem}
h1{margin:0 0 .75rem;font-size:1.5rem;line-height:1.25;overflow-wrap:anywhere}
p{margin:0 0 .75rem;overflow-wrap:anywhere}
.field{margin:0 0 1.25rem}
label{display:block;font-weight:600;overflow-wrap:anywhere}
.mark{color:var(--soft);font-weight:400}
.hint,.fault{margin:.125rem 0 .25rem}
.hint{color:var(--soft)}
.fault,.notice{color:var(--bad);font-weight:600}
input,select,textarea{display:block;width:100%;min-height:2.75rem;margin-top:.25rem;padding:.5rem .625rem;font:inherit;color:inherit;background:var(--card);border:1px solid var(--line);border-radius:.375rem}
textarea{min-height:8rem;resize:vertical}
[aria-invalid=true]{border:2px solid var(--bad)}
.check{display:flex;gap:.625rem;align-items:flex-start}
.check input{width:1.5rem;min-height:1.5rem;height:1.5rem;margin:0;flex:none}
button{width:100%;min-height:2.75rem;padding:.5rem 1rem;font:inherit;font-weight:600;color:var(--on);background:var(--accent);border:0;border-radius:.375rem;cursor:pointer}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.trap{position:absolute;left:-100vw;width:1px;height:1px;overflow:hidden}`

/** The headers of every page. */
export const page_headers: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': [
    "default-src 'none'",
    `style-src 'sha256-${hash('sha256', style, 'base64')}'`,
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Robots-Tag': 'noindex',
}

export interface FormPage {
  readonly language: Language
  readonly config: NodeOf<'trigger.form'>['config']
  /** The signed key of this load of the page. */
  readonly page: string
  /** What was sent, by the key of the field, if the page is shown again. */
  readonly sent?: ReadonlyMap<string, string>
  readonly faults?: ReadonlyMap<string, AnswerFault>
  /** Why the page is shown again. */
  readonly notice?: string
}

export function formPage(shown: FormPage): string {
  const { language, config, page, faults, notice } = shown
  const first = config.fields.find(({ key }) => faults?.has(key))?.key
  const fields = config.fields.map((field) => fieldHtml(field, shown, field.key === first)).join('\n')
  const trap = `<div class="trap" aria-hidden="true"><label>${texts[language].trap}<input name="${inputs.trap}" tabindex="-1" autocomplete="off"></label></div>`
  return whole(
    language,
    config.title,
    `${paragraphs(config.introduction ?? '')}${notice === undefined ? '' : `<p class="notice" role="alert">${escaped(notice)}</p>`}
<form method="post" action="?" novalidate>
<input type="hidden" name="${inputs.page}" value="${escaped(page)}">
${fields}
${trap}
<button>${texts[language].send}</button>
</form>`,
  )
}

export function thanksPage(language: Language, { thanks }: NodeOf<'trigger.form'>['config']): string {
  const [heading, sentence] = texts[language].thanks
  return whole(language, heading, paragraphs(thanks === undefined || thanks.trim() === '' ? sentence : thanks))
}

/** A page without a form. */
export function notePage(
  language: Language,
  note: 'missing' | 'closed' | 'busy' | 'unreadable' | 'unavailable',
): string {
  const [heading, sentence] = texts[language][note]
  return whole(language, heading, `<p>${escaped(sentence)}</p>`)
}

function whole(language: Language, heading: string, content: string): string {
  return `<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(heading)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(heading)}</h1>
${content}
</main>
</body>
</html>
`
}

function fieldHtml(field: FormField, { language, sent, faults }: FormPage, isFirstFault: boolean): string {
  const { key, label, hint = '', required = false } = field
  const id = `${inputs.answer}${key}`
  const fault = faults?.get(key)
  const named = [...(hint === '' ? [] : [`${id}_hint`]), ...(fault === undefined ? [] : [`${id}_fault`])]
  const attributes = [
    `id="${id}" name="${id}"`,
    ...(required ? ['aria-required="true"'] : []),
    ...(fault === undefined ? [] : ['aria-invalid="true"']),
    ...(named.length === 0 ? [] : [`aria-describedby="${named.join(' ')}"`]),
    ...(isFirstFault ? ['autofocus'] : []),
  ].join(' ')
  const mark = required ? ` <span class="mark">(${texts[language].required})</span>` : ''
  const title = `<label for="${id}">${escaped(label)}${mark}</label>`
  const control = controlHtml(field, attributes, sent?.get(key) ?? '', language)
  return [
    '<div class="field">',
    field.kind === 'checkbox' ? `<div class="check">${control}${title}</div>` : title,
    ...(hint === '' ? [] : [`<p class="hint" id="${id}_hint">${lines(hint)}</p>`]),
    ...(fault === undefined ? [] : [`<p class="fault" id="${id}_fault">${faultText(field, fault, language)}</p>`]),
    ...(field.kind === 'checkbox' ? [] : [control]),
    '</div>',
  ].join('\n')
}

function faultText(field: FormField, fault: AnswerFault, language: Language): string {
  return escaped(texts[language].faults[fault].replace('{most}', String(charsMax(field))))
}

function controlHtml(field: FormField, attributes: string, value: string, language: Language): string {
  const most = `maxlength="${charsMax(field)}"`
  if (field.kind === 'long_text') return `<textarea ${attributes} ${most} rows="5">\n${escaped(value)}</textarea>`
  if (field.kind === 'checkbox') {
    return `<input type="checkbox" ${attributes} value="yes"${value === '' ? '' : ' checked'}>`
  }
  if (field.kind === 'select') {
    const options = (field.options ?? []).map((option) => {
      const text = escaped(option)
      return `<option value="${text}"${option === value ? ' selected' : ''}>${text}</option>`
    })
    return `<select ${attributes}><option value="">${texts[language].choose}</option>${options.join('')}</select>`
  }
  return `<input ${input_types[field.kind]} ${attributes} ${most} value="${escaped(value)}">`
}

/** A number is an input of text, because browsers drop what they cannot read as a number instead of sending it. */
const input_types = {
  short_text: 'type="text"',
  number: 'type="text" inputmode="decimal" autocomplete="off"',
  date: 'type="date"',
  email: 'type="email" autocomplete="email"',
} as const

function paragraphs(text: string): string {
  const parts = text.replaceAll('\r\n', '\n').split(/\n\s*\n/)
  return parts.flatMap((part) => (part.trim() === '' ? [] : [`<p>${lines(part.trim())}</p>`])).join('\n')
}

function lines(text: string): string {
  return escaped(text).replaceAll('\n', '<br>')
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (char) => entities[char] ?? char)
}
