/**
 * Pairs names that denote the same thing on both engines: ids, keys, cursors and tags differ between installations. They are
 * paired where they first appear, and from then on each must appear where the other does.
 */

/** Names that may differ: ids, tokens, secrets, digests, tags, and the server's address. */
const token = /whsec_[A-Za-z0-9+/=]+|127\.0\.0\.1:\d+|[A-Za-z0-9_-]{16,}/g

export class Pairs {
  private readonly there = new Map<string, string>()
  private readonly back = new Map<string, string>()

  bind(one: string, other: string): void {
    this.there.set(one, other)
    this.back.set(other, one)
  }

  /** Replaces names of the first engine by those of the second. */
  translate(text: string): string {
    return text.replace(token, (found) => this.there.get(found) ?? found)
  }

  /** Where two texts differ in more than names; `null` if nowhere. */
  differs(one: string, other: string): string | null {
    if (one === other) return null
    if (one.split(token).join('~') !== other.split(token).join('~')) return `${excerpt(one, other)}`
    const [ones, others] = [one.match(token) ?? [], other.match(token) ?? []]
    for (const [i, first] of ones.entries()) {
      const second = others[i] as string
      const [known, knownBack] = [this.there.get(first), this.back.get(second)]
      if (known === undefined && knownBack === undefined) {
        if (first !== second) this.bind(first, second)
      } else if (known !== second || knownBack !== first) {
        return `${first} here and ${second} there, which is paired with ${knownBack ?? 'nothing'}`
      }
    }
    return null
  }
}

/** Both texts around the first difference. */
function excerpt(one: string, other: string): string {
  let at = 0
  const [ones, others] = [one.replaceAll(token, '~'), other.replaceAll(token, '~')]
  while (at < ones.length && ones[at] === others[at]) at++
  const from = Math.max(0, at - 60)
  return `…${ones.slice(from, at + 160)} there …${others.slice(from, at + 160)}`
}
