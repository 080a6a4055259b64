/** Attachments as exports name them: most have their links only, and the content lies elsewhere. */
export interface DraftAttachment {
  /** The name of the file. */
  readonly name: string
  /** Where the source keeps it; readers need an account there. */
  readonly url: string
  /** Its id in the source; empty if the export has none. */
  readonly id: string
}

/** The links as a list in Markdown, as they stand in a description; empty without attachments. */
export function linksOf(attachments: readonly Pick<DraftAttachment, 'name' | 'url'>[]): string {
  if (attachments.length === 0) return ''
  const lines = attachments.map(({ name, url }) => `- [${inBrackets(name || url)}](${inParentheses(url)})`)
  return ['**Attachments**', ...lines].join('\n')
}

const inBrackets = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[[\]\\]/g, '\\$&')
const inParentheses = (url: string): string =>
  url.replaceAll(/[\s()<>]/g, (mark) => encodeURIComponent(mark).replace('(', '%28').replace(')', '%29'))

/** What is said of attachments whose content the export does not have; null without attachments. */
export function withoutContent(
  attachments: readonly DraftAttachment[],
): { readonly column: string; readonly reason: string } | null {
  const { length } = attachments
  if (length === 0) return null
  const what = length === 1 ? 'The content of 1 attachment' : `The content of ${length} attachments`
  return { column: 'attachments', reason: `${what} is not in the export. The description has the links.` }
}
