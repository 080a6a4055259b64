/** Theme, density and shortcuts of this browser. */
import './settings.css'
import { openShortcuts } from '../../app/overlays.ts'
import { Button, Card, Page, Radios, Section, Switch, setAppearance, useAppearance } from '../../design/index.ts'

export function AppearancePage() {
  const { theme, density, shortcuts } = useAppearance()
  return (
    <Page title="Appearance" width="narrow" description="Saved in this browser, for all organizations.">
      <Card>
        <div className="stack" style={{ '--gap': 'var(--s-6)' }}>
          <Radios
            label="Theme"
            cards
            value={theme}
            onChange={(next) => setAppearance({ theme: next })}
            options={[
              { value: 'system', label: 'System', hint: 'Matches your device' },
              { value: 'light', label: 'Light' },
              { value: 'dark', label: 'Dark' },
            ]}
          />
          <Radios
            label="Density"
            cards
            value={density}
            onChange={(next) => setAppearance({ density: next })}
            options={[
              { value: 'comfortable', label: 'Comfortable', hint: 'More space' },
              { value: 'compact', label: 'Compact', hint: 'More rows on the screen' },
            ]}
          />
        </div>
      </Card>
      <Section title="Keyboard" actions={<Button onClick={openShortcuts}>All shortcuts</Button>}>
        <Card>
          <Switch
            label="Single-key shortcuts"
            hint="Letters and symbols such as c or ?. Turn them off if you dictate text or trigger them by accident. Shortcuts with Ctrl or ⌘ stay on."
            checked={shortcuts}
            onChange={(next) => setAppearance({ shortcuts: next })}
          />
        </Card>
      </Section>
    </Page>
  )
}
