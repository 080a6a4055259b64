/** What is shown instead of a page that failed while it was drawn. */
import { CircleAlert } from 'lucide-react'
import { Component, type ReactNode } from 'react'
import { Button } from '../design/button.tsx'
import { Empty } from '../design/empty.tsx'

interface Props {
  readonly children: ReactNode
  /** With another value the page is tried again: its path. */
  readonly of?: string
}

interface State {
  readonly error: unknown
  readonly of: string | undefined
}

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { error: null, of: undefined }

  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error: error ?? new Error('unknown') }
  }

  static getDerivedStateFromProps({ of }: Props, state: State): Partial<State> | null {
    return of === state.of ? null : { of, error: null }
  }

  override render(): ReactNode {
    const { error } = this.state
    if (error === null) return this.props.children
    // After an update of the server the pages of before are gone.
    const isOld = error instanceof Error && /dynamically imported module|Importing a module/.test(error.message)
    return (
      <div className="page" role="alert">
        <Empty
          icon={CircleAlert}
          title={isOld ? 'The console has been updated' : 'This page could not be shown'}
          actions={
            <Button kind="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
          plain
        >
          {isOld ? 'Reload to go on with the new version.' : 'Reload it. What you saved is safe.'}
          {!isOld && error instanceof Error && <p className="mono subtle">{error.message}</p>}
        </Empty>
      </div>
    )
  }
}
