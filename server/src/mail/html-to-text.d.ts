/** The part of html-to-text that is used; the package brings no types. */
declare module 'html-to-text' {
  interface Selector {
    readonly selector: string
    readonly format?: string
    readonly options?: Readonly<Record<string, unknown>>
  }
  interface Options {
    readonly wordwrap: false
    readonly limits: Readonly<Record<string, number>>
    readonly selectors: readonly Selector[]
  }
  export function convert(html: string, options: Options): string
}
