/** The page to open after signing in. Anything but a path of the console is replaced by `/`. */
export function nextPath(search: string): string {
  const next = new URLSearchParams(search).get('next') ?? '/'
  // Refuses `//host` and `/\host`, which lead to another origin, and white space, which browsers strip before parsing.
  return /^\/(?![/\\])[^\\\s]*$/.test(next) ? next : '/'
}
