/** Where to go after signing in: only to a page of the console. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  // `//host` and `/\host` lead elsewhere, also with signs in it that browsers leave out.
  return /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : '/'
}
