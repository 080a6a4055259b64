/** Opens the language, then the program: its texts are chosen when its modules run. */
import './design/tokens.css'
import './design/base.css'
import './design/page.css'
import { openLanguage } from './language/index.ts'

await openLanguage()
await import('./start.tsx')
