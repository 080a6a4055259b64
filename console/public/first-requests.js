// Sends the requests that a page begins with while the program is still loading: the session, the token of its reads, the
// position in the log after which its events begin, and the first reads of a project's board. src/data/first-requests.ts
// hands out the answers.
{
  const timeout_ms = 30_000
  const answers = new Map()
  const accept = { accept: 'application/json' }
  const ask = (path, init) => {
    const signal = AbortSignal.timeout(timeout_ms)
    return fetch(path, { credentials: 'same-origin', signal, ...init, headers: { ...accept, ...init?.headers } })
  }
  const read = (answer) => answer.clone().json()
  const mode = new URLSearchParams(location.search).get('mode') === 'test' ? 'test' : 'live'
  // What fails here is asked for again by the program.
  const keep = (name, answer) => {
    answer.catch(() => {})
    answers.set(name, answer)
    return answer
  }

  const session = keep('GET /app/api/session', ask('/app/api/session'))
  const who = session.then(read)
  const body = JSON.stringify({ mode, manage: false })
  const token = keep(
    `POST /app/api/token ${body}`,
    who.then(({ signed_in, csrf }) => {
      const headers = { 'content-type': 'application/json', 'x-csrf': csrf }
      return signed_in ? ask('/app/api/token', { method: 'POST', headers, body }) : undefined
    }),
  )
  const secret = token.then(read).then((answer) => answer.token)
  secret.catch(() => {})
  const get = (path, after = secret) =>
    keep(
      `${mode} GET ${path}`,
      after.then(() => secret).then((value) => ask(path, { headers: { authorization: `Bearer ${value}` } })),
    )

  // An address with more than the project says what else to show.
  const [, project] = /^\/work\/projects\/(prj_\w+)$/.exec(location.pathname) ?? []
  if (project !== undefined && /^(?:\?mode=\w+)?$/.test(location.search)) {
    // What is read before the position is known could miss a change. Guests follow no events.
    const position = who.then(({ role }) => (role === 'guest' ? undefined : get('/v1/events?limit=1')))
    get(`/v1/projects/${project}`, position)
    const counts = `/app/api/projects/${project}/task-counts?mode=${mode}`
    keep(
      `GET ${counts}`,
      position.then(() => ask(counts)),
    )
    get(`/v1/columns?project=${project}&limit=100`, position)
      .then(read)
      .then(({ data }) => {
        const shown = Math.ceil(innerWidth / 224)
        // The lane of what is done waits for the counts: it may hide old tasks.
        for (const { id, status } of data.slice(0, shown)) {
          const of = new URLSearchParams({
            filter: `column = ${id}`,
            is_archived: 'false',
            sort: 'position',
            limit: '50',
          })
          if (status !== 'done') get(`/v1/tasks?${of}`)
        }
      })
      .catch(() => {})
  }
  globalThis.firstAnswers = answers
}
