// Before anything is drawn: the appearance that was chosen in this browser. What it means is in src/design/appearance.ts.
{
  let chosen = {}
  try {
    chosen = JSON.parse(localStorage.getItem('atrium.appearance') ?? '{}')
  } catch {}
  const { dataset } = document.documentElement
  if (chosen.theme === 'light' || chosen.theme === 'dark') dataset.theme = chosen.theme
  if (chosen.density === 'compact') dataset.density = 'compact'
}
