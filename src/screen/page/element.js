/** `attributes`: by their HTML names, including data-…. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value);
  made.append(...children);
  return made;
}

/** A drawing of index.html, by the name of its symbol. */
export function icon(name) {
  const drawing = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
  drawing.setAttribute('class', 'icon');
  drawing.setAttribute('aria-hidden', 'true');
  const use = document.createElementNS('http://www.w3.org/2000/svg', 'use');
  use.setAttribute('href', `#icon-${name}`);
  drawing.append(use);
  return drawing;
}

export function button(attributes, onPress, ...children) {
  const made = element('button', { type: 'button', ...attributes }, ...children);
  made.addEventListener('click', onPress);
  return made;
}

/** `keeps`: what would look the same stays, and with it the finger that rests on it, and the keyboard's place. */
export function fill(place, children, keeps) {
  const same = children.length === place.children.length;
  if (keeps && same && children.every((each, index) => each.isEqualNode(place.children[index]))) return;
  place.replaceChildren(...children);
}
