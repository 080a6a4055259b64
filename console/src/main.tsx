import './design/tokens.css'
import './design/base.css'
import './design/page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { preload } from './app/router.tsx'
import { loadSession } from './data/app-api.ts'
import { currentMode } from './data/mode.ts'
import { currentSession } from './data/session-store.ts'
import { fetchToken } from './data/tokens.ts'

// All of it under way while the page is put together.
preload(location.pathname)
loadSession()
  .then(async () => {
    if (currentSession()?.signed_in) await fetchToken(currentMode())
  })
  .catch(() => {})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the console.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
