import { Compass } from 'lucide-react'
import { useLocation } from 'wouter'
import { openPalette } from '../app/overlays.ts'
import { Button, ButtonLink, Empty, Page } from '../design/index.ts'
import { rich, t } from '../language/index.ts'

export function NotFoundPage() {
  const [path] = useLocation()
  return (
    <Page title={t('Page not found')}>
      <Empty
        icon={Compass}
        title={t('This page does not exist')}
        actions={
          <>
            <ButtonLink to="/" kind="primary">
              {t('Home')}
            </ButtonLink>
            <Button onClick={openPalette}>{t('Search')}</Button>
          </>
        }
      >
        {rich('There is no page at {span}. The link may be incomplete, or the page has moved.', {
          span: <span className="mono">{path}</span>,
        })}
      </Empty>
    </Page>
  )
}
