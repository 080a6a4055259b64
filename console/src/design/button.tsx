/** Buttons. A `busy` button keeps its width and ignores clicks; an icon button requires a `label`. */
import './button.css'
import type { LucideIcon } from 'lucide-react'
import type { ComponentProps, ReactNode } from 'react'
import { Link } from 'wouter'
import { t } from '../language/index.ts'
import { classes } from './classes.ts'
import { useKeptFocus } from './kept-focus.ts'
import { Tooltip } from './tooltip.tsx'

export interface ButtonLook {
  /** `primary`: at most one per page. `danger`: actions that cannot be undone. */
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly size?: 'm' | 's'
  readonly icon?: LucideIcon
}

type ButtonProps = ButtonLook & ComponentProps<'button'> & { readonly busy?: boolean }

export function Button({ kind = 'plain', size = 'm', icon: Icon, busy = false, ...rest }: ButtonProps) {
  const { children, className, ...props } = rest
  const kept = useKeptFocus(props, busy)
  return (
    <button
      type="button"
      className={classes('button', className)}
      data-kind={kind}
      data-size={size}
      data-busy={busy || undefined}
      {...props}
      {...kept}
    >
      {Icon && <Icon aria-hidden="true" className="button-icon" />}
      {children !== undefined && <span className="button-text">{children}</span>}
      {busy && <span className="button-busy" role="progressbar" aria-label={t('In progress')} />}
    </button>
  )
}

type IconButtonProps = Omit<ComponentProps<'button'>, 'children'> &
  Pick<ButtonLook, 'kind' | 'size'> & {
    readonly icon: LucideIcon
    /** The accessible name and tooltip. */
    readonly label: string
    readonly keys?: string
    readonly pressed?: boolean
  }

export function IconButton({
  icon: Icon,
  label,
  keys,
  kind = 'quiet',
  size = 'm',
  pressed,
  ...props
}: IconButtonProps) {
  return (
    <Tooltip text={label} keys={keys}>
      <button
        type="button"
        aria-label={label}
        aria-pressed={pressed}
        data-kind={kind}
        data-size={size}
        {...props}
        className={classes('button', 'icon-button', props.className)}
      >
        <Icon aria-hidden="true" className="button-icon" />
      </button>
    </Tooltip>
  )
}

type ButtonLinkProps = ButtonLook & {
  readonly to: string
  readonly children: ReactNode
  readonly className?: string
  readonly external?: boolean
}

/** A link styled as a button. `external` opens a page outside the console in a new tab. */
export function ButtonLink({
  kind = 'plain',
  size = 'm',
  icon: Icon,
  to,
  external,
  children,
  ...rest
}: ButtonLinkProps) {
  const props = { ...rest, className: classes('button', rest.className), 'data-kind': kind, 'data-size': size }
  const content = (
    <>
      {Icon && <Icon aria-hidden="true" className="button-icon" />}
      <span className="button-text">{children}</span>
    </>
  )
  return external ? (
    <a href={to} target="_blank" rel="noreferrer" {...props}>
      {content}
    </a>
  ) : (
    <Link href={to} {...props}>
      {content}
    </Link>
  )
}
