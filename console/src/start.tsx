import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { whenIdle } from './data/idle.ts'
import { currentMode } from './data/mode.ts'
import { openSession, prepareOffline } from './data/offline.ts'
import { currentSession } from './data/session-store.ts'
import { fetchToken } from './data/tokens.ts'
import { App } from './shell/app.tsx'
import { preload } from './shell/router.tsx'
import { rememberScroll } from './shell/scroll-memory.ts'
import { keepTypedAhead } from './shell/typed-ahead.ts'

const prepare_ms_max = 5000

// Start the downloads of the page, the session and the token before the first render.
preload(location.pathname)
openSession()
  .then(async () => {
    if (currentSession()?.signed_in) await fetchToken(currentMode())
  })
  .catch(() => {})

if (import.meta.env.PROD) {
  const prepare = () => whenIdle(() => void prepareOffline().catch(() => {}), prepare_ms_max)
  // The page does not wait with its load event for this module, which another one imports.
  if (document.readyState === 'complete') prepare()
  else addEventListener('load', prepare)
}

rememberScroll()
keepTypedAhead()

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id root.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
