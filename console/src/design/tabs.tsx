/** Tabs switch views inside a panel. */
import './tabs.css'
import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface Tab<T extends string = string> {
  readonly value: T
  readonly label: ReactNode
  readonly count?: number | undefined
}

interface TabsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly tabs: readonly Tab<T>[]
  readonly onChange: (value: T) => void
  /** The content of the selected tab. */
  readonly children: ReactNode
}

export function Tabs<T extends string>({ label, value, tabs, onChange, children }: TabsProps<T>) {
  return (
    <Radix.Root value={value} onValueChange={(next) => onChange(next as T)}>
      <Radix.List className="tabs" aria-label={label}>
        {tabs.map((tab) => (
          <Radix.Trigger className="tab" key={tab.value} value={tab.value}>
            {tab.label}
            {tab.count !== undefined && <span className="tab-count numbers">{tab.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      <Radix.Content className="tab-content" value={value}>
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly choices: readonly { readonly value: T; readonly label: ReactNode; readonly disabled?: boolean }[]
  readonly onChange: (value: T) => void
}

/** A segmented control for two to four options: list or board; hour, day or week. */
export function Segments<T extends string>({ label, value, choices, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="segments" aria-label={label}>
      {choices.map((choice) => (
        <button
          type="button"
          className="segment"
          key={choice.value}
          aria-pressed={choice.value === value}
          disabled={choice.disabled}
          onClick={() => onChange(choice.value)}
        >
          {choice.label}
        </button>
      ))}
    </fieldset>
  )
}
