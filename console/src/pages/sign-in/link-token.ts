/** The token of a link from a mail: the fragment of the URL, which the page removes from the address bar at once. */

/** Kept outside of components: when a page is mounted again, or opened after signing in, the fragment is already removed. */
const read = new Map<string, string>()

/** The token with which the page at this path was opened; empty without one. */
export function linkToken(): string {
  const token = location.hash.slice(1)
  if (token !== '') {
    read.set(location.pathname, token)
    history.replaceState(history.state, '', location.pathname + location.search)
  }
  return read.get(location.pathname) ?? ''
}

export function forgetLinkToken(): void {
  read.delete(location.pathname)
}
