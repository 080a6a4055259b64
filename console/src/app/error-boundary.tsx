/** Replaces a page that threw while rendering. */
import { CircleAlert, WifiOff } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { isLost } from '../data/connection.ts'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'
import { t } from '../language/index.ts'

interface Props {
  readonly children: ReactNode
  /** A change of this value, the page's path, renders the page again. */
  readonly resetKey?: string
}

interface State {
  readonly error: unknown
  readonly resetKey: string | undefined
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, resetKey: undefined }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error('unknown') }
  }

  static getDerivedStateFromProps({ resetKey }: Props, state: State): Partial<State> | null {
    return resetKey === state.resetKey ? null : { resetKey, error: null }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    // An update of the server replaces the chunks that this page would load.
    const isUnloaded = error instanceof Error && /dynamically imported module|Importing a module/.test(error.message)
    if (isUnloaded && (isLost() || !navigator.onLine)) return <NotHere />
    const isOutdated = isUnloaded
    return (
      <div className="page" role="alert">
        <Empty
          icon={CircleAlert}
          title={isOutdated ? t('A new version is available') : t('Something went wrong')}
          actions={
            <Button kind="primary" onClick={() => location.reload()}>
              {t('Reload')}
            </Button>
          }
          plain
        >
          {isOutdated ? t('Reload to use the new version.') : t('Reload the page. Saved changes are not lost.')}
          {!isOutdated && error instanceof Error && <p className="mono subtle">{error.message}</p>}
        </Empty>
      </div>
    )
  }
}

/** The files of a page that this browser has not opened before. */
function NotHere() {
  return (
    <div className="page" role="alert">
      <Empty
        icon={WifiOff}
        title={t('This page needs a connection')}
        actions={
          <Button kind="primary" onClick={() => location.reload()}>
            {t('Reload')}
          </Button>
        }
        plain
      >
        {t('It was not opened in this browser before. Pages that were opened show what they showed last.')}
      </Empty>
    </div>
  )
}
