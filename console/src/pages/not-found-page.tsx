import { Compass } from 'lucide-react'
import { useLocation } from 'wouter'
import { openPalette } from '../app/palette-host.tsx'
import { Button, ButtonLink, Empty, Page } from '../design/index.ts'

export function NotFoundPage() {
  const [path] = useLocation()
  return (
    <Page title="Not found">
      <Empty
        icon={Compass}
        title="There is no such page"
        actions={
          <>
            <ButtonLink to="/" kind="primary">
              Home
            </ButtonLink>
            <Button onClick={openPalette}>Search</Button>
          </>
        }
      >
        Nothing is at <span className="mono">{path}</span>. The link may be incomplete, or the page has moved.
      </Empty>
    </Page>
  )
}
