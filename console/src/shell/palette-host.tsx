/** Opens the palette with ⌘K or /. Its code is loaded after the page; letters typed before are kept (`typed-ahead.ts`). */
import { lazy, Suspense, useEffect, useState } from 'react'
import { openPalette, paletteIsOpen } from '../app/overlays.ts'
import { useShortcut } from '../app/shortcuts.ts'
import { whenIdle } from '../data/idle.ts'
import { t } from '../language/index.ts'
import { useStore } from '../lib/store.ts'

const load = () => import('./palette.tsx')
const Palette = lazy(async () => ({ default: (await load()).Palette }))

/** By then the page has been drawn, also on a slow connection. */
const idle_ms_max = 5000

export function PaletteHost() {
  const open = useStore(paletteIsOpen)
  const [wasOpen, setWasOpen] = useState(false)
  if (open && !wasOpen) setWasOpen(true)
  useShortcut('mod+k', t('Search or go to…'), openPalette, { group: t('General') })
  useShortcut('/', t('Search or go to…'), openPalette, { group: t('General') })
  useEffect(() => whenIdle(() => void load().catch(() => {}), idle_ms_max), [])
  if (!wasOpen) return null
  return (
    <Suspense fallback={null}>
      <Palette open={open} />
    </Suspense>
  )
}
