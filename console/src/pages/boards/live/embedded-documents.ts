/**
 * Elements of the type `iframe` carry a whole document, which Excalidraw puts into a frame of the page. The policy of the page
 * blocks that, and the error would close the canvas for everybody on the board. So these frames stay empty.
 */

const sink_of_frames = 'HTMLIFrameElement srcdoc'

interface Policies {
  createPolicy(
    name: 'default',
    rules: { createHTML: (html: string, type: string, sink: string) => string | null },
  ): unknown
}

/** To be called once in a page. Null blocks every other place where text would become HTML, as without this policy. */
export function emptyEmbeddedDocuments(): void {
  const { trustedTypes } = globalThis as { readonly trustedTypes?: Policies }
  trustedTypes?.createPolicy('default', { createHTML: (_html, _type, sink) => (sink === sink_of_frames ? '' : null) })
}
