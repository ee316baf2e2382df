// Languages, colours and sounds of this terminal's screen, by its configuration.
import { partOf } from './element.js';
import { style } from './style-answer.js';

export { style };

const { readerPosition = 'unknown', contrast, text = 'normal', colours = {}, logo } = style;
const root = document.documentElement;
const more = matchMedia('(prefers-contrast: more)');

function applyContrast() {
  root.dataset.contrast = contrast === 'high' || more.matches ? 'high' : 'normal';
}

Object.assign(root.dataset, { reader: readerPosition, text });
applyContrast();
more.addEventListener('change', applyContrast);
for (const [property, colour] of [
  ['--own-band', colours.band],
  ['--own-tone', colours.accent],
]) {
  if (property !== undefined && colour !== undefined) root.style.setProperty(property, colour);
}
if (logo !== undefined) {
  root.dataset.logo = 'shown';
  partOf('logo', HTMLImageElement).src = logo;
}
