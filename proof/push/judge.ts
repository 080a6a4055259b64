/** What a notice may show, and what a push service may see of it. */
import type { Shown } from '../../server/test/push-server.ts'

/** An entry of the inbox, as the person reads it. */
export interface Entry {
  readonly kind: string
  readonly subject: string
  readonly key: string | null
  readonly title: string
  readonly excerpt: string | null
}

/** The API service user, who acts here, has no name. */
const sentences: Readonly<Record<string, string>> = {
  assigned: 'A colleague assigned this task to you.',
  mentioned: 'A colleague mentioned you.',
  comment: 'A colleague commented:',
}

const title_chars = 120
const body_chars = 200
const bytes_max = 4096
/** A shorter text may be in encrypted bytes by chance. */
const telling_chars = 8

function oneLine(text: string, most: number): string {
  const chars = [...text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').trim()]
  return chars.length <= most ? chars.join('') : `${chars.slice(0, most - 1).join('')}…`
}

/** What is wrong with a notice about an entry; null if nothing is. `secrets` are words that the push service may not see. */
export function faultOfNotice(
  shown: Shown,
  entry: Entry,
  organization: string,
  secrets: readonly string[],
): string | null {
  const { title, body, path, tag, topic } = shown
  const place = `/work/tasks/${entry.key ?? entry.subject}?organization=${organization}`
  const expected = {
    title: oneLine(entry.key === null ? entry.title : `${entry.key} ${entry.title}`, title_chars),
    body: oneLine(`${sentences[entry.kind]} ${entry.excerpt ?? ''}`, body_chars),
    path: place,
    tag: topic,
  }
  if (JSON.stringify({ title, body, path, tag }) !== JSON.stringify(expected))
    return `says ${shown.text} instead of ${JSON.stringify(expected)}`
  const fields = Object.keys(JSON.parse(shown.text)).toSorted().join()
  if (fields !== 'body,path,tag,title') return `has the fields ${fields}`
  if (!/^[\w-]{32}$/.test(topic)) return `has the topic ${topic}`
  if (shown.bytes > bytes_max) return `has ${shown.bytes} bytes`
  const told = [entry.title, entry.excerpt ?? '', entry.subject, ...secrets].find(
    (word) => word.length >= telling_chars && shown.seen.includes(word),
  )
  return told === undefined ? null : `shows the push service ${told}`
}
