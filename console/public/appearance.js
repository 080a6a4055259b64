// Applies the stored appearance before the first paint. src/design/appearance.ts defines its values.
{
  let stored = {}
  try {
    stored = JSON.parse(localStorage.getItem('atrium.appearance') ?? '{}')
  } catch {}
  const { dataset } = document.documentElement
  if (stored.theme === 'light' || stored.theme === 'dark') dataset.theme = stored.theme
  if (stored.density === 'compact') dataset.density = 'compact'
}
