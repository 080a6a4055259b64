/** The name of an icon button and its shortcut. Never the only place of important information. */
import './tooltip.css'
import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Kbd } from './kbd.tsx'

interface TooltipProps {
  readonly text: ReactNode
  readonly keys?: string | undefined
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  readonly children: ReactNode
}

export function Tooltip({ text, keys, side = 'bottom', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tooltip" side={side} sideOffset={6} collisionPadding={8}>
          {text}
          {keys && <Kbd keys={keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

export function TooltipProvider({ children }: { readonly children: ReactNode }) {
  return (
    <Radix.Provider delayDuration={500} skipDelayDuration={200} disableHoverableContent={false}>
      {children}
    </Radix.Provider>
  )
}
