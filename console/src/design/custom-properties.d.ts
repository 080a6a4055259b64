/** Lets `style` set custom properties (`--least`), which React passes on as they are. */
import 'react'

declare module 'react' {
  interface CSSProperties {
    [name: `--${string}`]: string
  }
}
