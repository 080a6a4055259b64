/** Text inputs. A Field labels them; outside a Field they need an aria-label. */
import './input.css'
import { Eye, EyeOff, Search, X } from 'lucide-react'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { t } from '../language/index.ts'
import { IconButton } from './button.tsx'
import { classes } from './classes.ts'
import { useControl } from './field.tsx'

type InputProps = ComponentProps<'input'> & { readonly lead?: ReactNode; readonly trail?: ReactNode }

export function Input({ lead, trail, className, ...props }: InputProps) {
  const control = useControl()
  if (lead === undefined && trail === undefined) {
    return <input type="text" className={classes('input', className)} {...control} {...props} />
  }
  return (
    <span className={classes('input-frame', className)}>
      {lead}
      <input type="text" className="input-inner" {...control} {...props} />
      {trail}
    </span>
  )
}

export function TextArea({ className, ...props }: ComponentProps<'textarea'>) {
  return <textarea rows={4} className={classes('input', 'text-area', className)} {...useControl()} {...props} />
}

/** A password with a button to show it. */
export function PasswordInput(props: ComponentProps<'input'>) {
  const [seen, setSeen] = useState(false)
  const label = seen ? t('Hide password') : t('Show password')
  return (
    <Input
      {...props}
      type={seen ? 'text' : 'password'}
      autoCapitalize="none"
      spellCheck={false}
      trail={<IconButton icon={seen ? EyeOff : Eye} label={label} size="s" onClick={() => setSeen(!seen)} />}
    />
  )
}

type SearchProps = Omit<ComponentProps<'input'>, 'onChange' | 'value'> & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly label: string
}

export function SearchInput({ value, onChange, label, ...props }: SearchProps) {
  return (
    <Input
      placeholder={label}
      {...props}
      type="search"
      aria-label={label}
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      lead={<Search aria-hidden="true" className="input-icon" />}
      trail={value !== '' && <IconButton icon={X} label={t('Clear')} size="s" onClick={() => onChange('')} />}
    />
  )
}
