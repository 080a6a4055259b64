/** The list envelope (contract/06#list-envelope), also for items that are JSON text already. */
import type { Page } from '../declare/page-shape.ts'
import { selectFields } from './select-fields.ts'

/**
 * An item that is JSON text already, spelled exactly as `JSON.stringify` would. Used by the most frequent lists in the
 * newest version with all fields; every other answer needs the object.
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }

  /** Serializes correctly even where an object is expected. */
  toJSON(): unknown {
    return JSON.parse(this.text)
  }
}

/** The envelope of a page. */
export function envelope(path: string, page: Page, fields: readonly string[] | undefined): object {
  return {
    object: 'list',
    url: path,
    has_more: page.has_more,
    next_cursor: page.next_cursor,
    data: fields === undefined ? page.data : page.data.map((item) => selectFields(item, fields)),
    ...(fields === undefined ? {} : { fields_selected: true }),
    ...page.more,
  }
}

/** The envelope of a page of `JsonText` as JSON; null for any other page. */
export function envelopeText(path: string, { data, has_more, next_cursor }: Page): string | null {
  if (!(data[0] instanceof JsonText)) return null
  const texts = (data as readonly JsonText[]).map((item) => item.text)
  const head =
    `{"object":"list","url":${JSON.stringify(path)},"has_more":${has_more},` +
    `"next_cursor":${JSON.stringify(next_cursor)},"data":[`
  // Into the first and the last item, because the items are copied as they are joined, and what is added later is copied again.
  texts[0] = head + texts[0]
  texts[texts.length - 1] += ']}'
  return texts.join()
}
