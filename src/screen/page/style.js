// How this terminal's screen speaks to its customers, by its configuration.
export const style = await (await fetch('style.json')).json();

const { readerPosition = 'unknown', contrast, text = 'normal', colours = {}, logo } = style;
const root = document.documentElement;
const more = matchMedia('(prefers-contrast: more)');

function applyContrast() {
  root.dataset.contrast = contrast === 'high' || more.matches ? 'high' : 'normal';
}

Object.assign(root.dataset, { reader: readerPosition, text });
applyContrast();
more.addEventListener('change', applyContrast);
for (const [name, property] of [
  ['band', '--own-band'],
  ['accent', '--own-tone'],
]) {
  if (colours[name] !== undefined) root.style.setProperty(property, colours[name]);
}
if (logo !== undefined) {
  root.dataset.logo = 'shown';
  document.getElementById('logo').src = logo;
}
