import './design/tokens.css'
import './design/base.css'
import './design/page.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App } from './app/app.tsx'
import { loadSession } from './data/app-api.ts'

// Under way while the page is put together.
loadSession().catch(() => {})

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no place for the console.')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
