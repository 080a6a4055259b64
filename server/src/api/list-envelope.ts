/** The list envelope (contract §2.6), and items that come as JSON already. */
import type { Page } from './page-shape.ts'
import { selectFields } from './select-fields.ts'

/**
 * An object of a page that is JSON already, exactly as `JSON.stringify` would spell it. For lists that are read most, in
 * the newest version and with all fields: everything else needs the object itself.
 */
export class JsonText {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }

  /** So that one is never spelt as something else, wherever it may stand. */
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
  }
}

/** The envelope of a page of `JsonText`, as JSON; null of any other page. */
export function envelopeText(path: string, { data, has_more, next_cursor }: Page): string | null {
  if (!(data[0] instanceof JsonText)) return null
  const items = (data as readonly JsonText[]).map((item) => item.text).join()
  return (
    `{"object":"list","url":${JSON.stringify(path)},"has_more":${has_more},` +
    `"next_cursor":${JSON.stringify(next_cursor)},"data":[${items}]}`
  )
}
