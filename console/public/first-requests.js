// Sends the requests that every page begins with while the program is still loading: the session, and the token of its
// reads. src/data/first-requests.ts hands out the answers.
{
  const headers = { accept: 'application/json' }
  const session = fetch('/app/api/session', { headers, credentials: 'same-origin' })
  const mode = new URLSearchParams(location.search).get('mode') === 'test' ? 'test' : 'live'
  const body = JSON.stringify({ mode, manage: false })
  const token = session
    .then((answer) => answer.clone().json())
    .then(({ signed_in, csrf }) => {
      if (!signed_in) return undefined
      const written = { ...headers, 'content-type': 'application/json', 'x-csrf': csrf }
      return fetch('/app/api/token', { method: 'POST', headers: written, credentials: 'same-origin', body })
    })
  // Without an answer the program asks again.
  token.catch(() => {})
  session.catch(() => {})
  globalThis.firstAnswers = new Map([
    ['GET /app/api/session', session],
    [`POST /app/api/token ${body}`, token],
  ])
}
