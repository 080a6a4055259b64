/** Signed URLs of files that were changed: each must answer as if it had never existed. */
import type { Dice } from '../dice.ts'

/** The parts of a URL of a file. */
export interface Link {
  readonly file: string
  readonly kind: 'content' | 'preview'
  readonly realm: string
  readonly expires: string
  readonly signature: string
}

export function readLink(url: string): Link {
  const { pathname, searchParams } = new URL(url)
  const [, , , file = '', kind = ''] = pathname.split('/')
  const part = (name: string) => searchParams.get(name) ?? ''
  return {
    ...{ file, kind: kind as Link['kind'] },
    ...{ realm: part('realm'), expires: part('expires'), signature: part('signature') },
  }
}

export function pathOf({ file, kind, realm, expires, signature }: Link): string {
  return `/v1/files/${file}/${kind}?realm=${realm}&expires=${expires}&signature=${signature}`
}

/** A path that differs from the link in something that the signature covers. `others`: valid links, also of other files. */
export function tampered(dice: Dice, link: Link, others: readonly Link[]): { what: string; path: string } {
  const other = dice.pick(others.filter(({ file }) => file !== link.file))
  const changed = (what: string, part: Partial<Link>) => ({ what, path: pathOf({ ...link, ...part }) })
  const kinds = [
    () => changed('a changed character of the signature', { signature: flipped(dice, link.signature) }),
    () => changed('a shorter signature', { signature: link.signature.slice(0, dice.int(0, 42)) }),
    () => changed('a longer signature', { signature: link.signature + dice.pick(['=', 'A', '%00', '%20']) }),
    () => changed('the signature of another file', { signature: other.signature }),
    () => changed('the id of another file', { file: other.file }),
    () => changed('the id in lower case', { file: link.file.toLowerCase() }),
    () => changed('an id with more behind it', { file: link.file + dice.pick(['%00', '%20', '.', '%2f..', ';a']) }),
    () => changed('another realm', { realm: String(Number(link.realm) + dice.pick([-1, 1, 2])) }),
    () => changed('no realm', { realm: dice.pick(['', '-1', '0x1', '1e0', 'null']) }),
    () => changed('a later end', { expires: String(Number(link.expires) + dice.pick([1, 60, 86_400, 10 ** 9])) }),
    () =>
      changed('another form of the end', { expires: dice.pick(['', 'Infinity', '9e9', '-1', `${link.expires}.5`]) }),
    () => changed('the other kind', { kind: link.kind === 'content' ? 'preview' : 'content' }),
    () => ({ what: 'a detour in the path', path: detour(dice, link) }),
  ]
  return dice.pick(kinds)()
}

function flipped(dice: Dice, signature: string): string {
  const at = dice.int(0, signature.length - 1)
  const letters = 'ABCDEFabcdef0123_-'.replaceAll(signature.charAt(at), '')
  return signature.slice(0, at) + dice.pick([...letters]) + signature.slice(at + 1)
}

function detour(dice: Dice, link: Link): string {
  const path = pathOf(link)
  return dice.pick([
    path.replace('/v1/', '/v1//'),
    path.replace('/v1/files', '/v1/tasks/../files'),
    path.replace('/v1/files', '/v1/files/..%2ffiles'),
    path.replace('?', '/?'),
    path.replace('?', '/..?'),
    path.replace('?', '%3f'),
    path.replace('/files/', '/files/%2e%2e/files/'),
  ])
}
