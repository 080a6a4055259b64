/** A person's initials on a color derived from the id. External pictures are not loaded. */
import './avatar.css'

interface AvatarProps {
  readonly name: string
  /** Determines the color; default: the name. */
  readonly id?: string
  readonly size?: 's' | 'm' | 'l'
}

export function Avatar({ name, id, size = 'm' }: AvatarProps) {
  return (
    <span
      className="avatar"
      data-size={size}
      data-hue={hueOf(id ?? name)}
      data-initials={initialsOf(name)}
      aria-hidden="true"
    />
  )
}

function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').split(/[\s._-]+/).filter(Boolean)
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map((word) => [...(word ?? '')][0] ?? '')
  return letters.join('').toUpperCase() || '?'
}

/** A stable hue from 0 to 7. */
function hueOf(text: string): number {
  let sum = 0
  for (const letter of text) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 65_521
  return sum % 8
}
