/** A small surface next to its trigger: filters, a color, a note. */
import './popover.css'
import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { KeyLayer } from './key-layer.tsx'

interface PopoverProps {
  readonly trigger: ReactNode
  readonly children: ReactNode
  readonly label: string
  readonly open?: boolean
  readonly onOpenChange?: (open: boolean) => void
  /** Called when a click beside the surface is about to close it; Escape closes it without. */
  readonly onClickBeside?: () => void
  readonly align?: 'start' | 'center' | 'end'
  /** Without padding, for lists up to the edge. */
  readonly flush?: boolean
}

export function Popover({ trigger, children, label, open, onOpenChange, align = 'start', flush, ...on }: PopoverProps) {
  return (
    <Radix.Root {...(open === undefined ? {} : { open })} {...(onOpenChange ? { onOpenChange } : {})}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          className="popover"
          data-flush={flush || undefined}
          aria-label={label}
          align={align}
          sideOffset={4}
          collisionPadding={8}
          onPointerDownOutside={() => on.onClickBeside?.()}
        >
          <KeyLayer>{children}</KeyLayer>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
