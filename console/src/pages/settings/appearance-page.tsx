/** How the console looks in this browser. */
import './settings.css'
import { openShortcuts } from '../../app/shortcuts-dialog.tsx'
import { Button, Card, Page, Radios, Section, Switch, setAppearance, useAppearance } from '../../design/index.ts'

export function AppearancePage() {
  const { theme, density, shortcuts } = useAppearance()
  return (
    <Page title="Appearance" width="narrow" description="Kept in this browser, for every organization.">
      <Card>
        <div className="stack" style={{ '--gap': 'var(--s-6)' } as object}>
          <Radios
            label="Theme"
            cards
            value={theme}
            onChange={(next) => setAppearance({ theme: next })}
            options={[
              { value: 'system', label: 'System', hint: 'As your device is set' },
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
              { value: 'comfortable', label: 'Comfortable', hint: 'Room around everything' },
              { value: 'compact', label: 'Compact', hint: 'More rows at once' },
            ]}
          />
        </div>
      </Card>
      <Section title="Keyboard" actions={<Button onClick={openShortcuts}>All shortcuts</Button>}>
        <Card>
          <Switch
            label="Shortcuts of a single key"
            hint="Letters and signs such as c or ?. Switch them off if you dictate, or set them off by accident. Those with Ctrl or ⌘ stay."
            checked={shortcuts}
            onChange={(next) => setAppearance({ shortcuts: next })}
          />
        </Card>
      </Section>
    </Page>
  )
}
