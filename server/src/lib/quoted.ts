/** A value in a message, cut to 60 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 59).toWellFormed()}…` : text)
}
