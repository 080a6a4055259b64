/** Theme, density and shortcuts of this browser. */
import './settings.css'
import { openShortcuts } from '../../app/overlays.ts'
import { Button, Card, Page, Radios, Section, Switch, setAppearance, useAppearance } from '../../design/index.ts'
import { t } from '../../language/index.ts'

export function AppearancePage() {
  const { theme, density, shortcuts } = useAppearance()
  return (
    <Page title={t('Appearance')} width="narrow" description={t('Saved in this browser, for all organizations.')}>
      <Card>
        <div className="stack" style={{ '--gap': 'var(--s-6)' }}>
          <Radios
            label={t('Theme')}
            cards
            value={theme}
            onChange={(next) => setAppearance({ theme: next })}
            options={[
              { value: 'system', label: t('System'), hint: t('Matches your device') },
              { value: 'light', label: t('Light') },
              { value: 'dark', label: t('Dark') },
            ]}
          />
          <Radios
            label={t('Density')}
            cards
            value={density}
            onChange={(next) => setAppearance({ density: next })}
            options={[
              { value: 'comfortable', label: t('Comfortable'), hint: t('More space') },
              { value: 'compact', label: t('Compact'), hint: t('More rows on the screen') },
            ]}
          />
        </div>
      </Card>
      <Section title={t('Keyboard')} actions={<Button onClick={openShortcuts}>{t('All shortcuts')}</Button>}>
        <Card>
          <Switch
            label={t('Single-key shortcuts')}
            hint={t(
              'Letters and symbols such as c or ?. Turn them off if you dictate text or trigger them by accident. Shortcuts with Ctrl or ⌘ stay on.',
            )}
            checked={shortcuts}
            onChange={(next) => setAppearance({ shortcuts: next })}
          />
        </Card>
      </Section>
    </Page>
  )
}
