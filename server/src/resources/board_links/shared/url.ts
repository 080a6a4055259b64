/** The address of a link for guests. Its fragment is the secret: browsers do not send it, and logs do not contain it. */
export function urlOfLink(publicUrl: string, secret: string): string {
  return `${publicUrl}/b#${secret}`
}
