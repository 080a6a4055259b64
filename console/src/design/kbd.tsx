/** Shows the keys of a shortcut: `mod+k`, `g t`, `shift+?`. A Mac has signs for its keys, others have words: `mod` is ⌘ or Ctrl. */
import './kbd.css'
import { t } from '../language/index.ts'

const isMac = /Mac|iPhone|iPad/.test(navigator.platform)

const names: Readonly<Record<string, string>> = {
  mod: isMac ? '⌘' : t('Ctrl'),
  alt: isMac ? '⌥' : t('Alt'),
  shift: isMac ? '⇧' : t('Shift'),
  enter: isMac ? '↵' : t('Enter'),
  escape: t('Esc'),
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
  space: t('Space'),
  backspace: isMac ? '⌫' : t('Backspace'),
  delete: t('Delete@@key'),
}

export function Kbd({ keys }: { readonly keys: string }) {
  const parts = keys.split(' ').flatMap((chord) => [
    chord
      .split('+')
      .map(nameOf)
      .join(isMac ? '' : ' '),
  ])
  return (
    <span className="kbds" aria-hidden="true">
      {parts.map((part, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a key can repeat, as in `g g`
        <kbd className="kbd" key={i}>
          {part}
        </kbd>
      ))}
    </span>
  )
}

function nameOf(key: string): string {
  return names[key] ?? key.toUpperCase()
}
