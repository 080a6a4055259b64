import { Compass } from 'lucide-react'
import { useLocation } from 'wouter'
import { openPalette } from '../app/overlays.ts'
import { Button, ButtonLink, Empty, Page } from '../design/index.ts'

export function NotFoundPage() {
  const [path] = useLocation()
  return (
    <Page title="Page not found">
      <Empty
        icon={Compass}
        title="This page does not exist"
        actions={
          <>
            <ButtonLink to="/" kind="primary">
              Home
            </ButtonLink>
            <Button onClick={openPalette}>Search</Button>
          </>
        }
      >
        There is no page at <span className="mono">{path}</span>. The link may be incomplete, or the page has moved.
      </Empty>
    </Page>
  )
}
