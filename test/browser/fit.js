// Run in the page: what of it is cut off, too small, lies over something else, or is hard to read. Returns sentences.
(() => {
  /** @type {string[]} */
  const faults = [];
  const slack = 1;
  const { innerWidth: width, innerHeight: height } = window;

  /** @typedef {Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>} Box */

  /** @type {(element: Element) => string} */
  const name = (element) =>
    `${element.tagName.toLowerCase()}${element.id ? `#${element.id}` : ''} "${(element.textContent ?? '').trim().slice(0, 30)}"`;
  /** @type {(element: Element) => boolean} */
  const visible = (element) => element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true });
  /** @type {(inner: Box, outer: Box) => boolean} */
  const within = (inner, outer) =>
    inner.left >= outer.left - slack &&
    inner.right <= outer.right + slack &&
    inner.top >= outer.top - slack &&
    inner.bottom <= outer.bottom + slack;
  const page = { left: 0, top: 0, right: width, bottom: height };

  for (const root of [document.documentElement, document.body]) {
    if (root.scrollWidth > width) faults.push(`${root.tagName} is ${root.scrollWidth} wide`);
    if (root.scrollHeight > height) faults.push(`${root.tagName} is ${root.scrollHeight} high`);
  }

  for (const button of document.querySelectorAll('button')) {
    if (!visible(button)) continue;
    const box = button.getBoundingClientRect();
    if (box.height < 63.9 || box.width < 63.9) faults.push(`${name(button)} is ${box.width} × ${box.height}`);
    if (!within(box, page)) faults.push(`${name(button)} leaves the page`);
  }

  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const holder = text.parentElement;
    if (!holder || !text.textContent?.trim() || !visible(holder)) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    const regions = [
      holder.closest('button, #reported, #hint, #sides, #sums, main, header'),
      holder.closest('main, header'),
    ].filter((region) => region !== null);
    for (const rect of range.getClientRects()) {
      // A line of a font is higher than its letters.
      const spare = rect.height * 0.18;
      const letters = { left: rect.left, right: rect.right, top: rect.top + spare, bottom: rect.bottom - spare };
      for (const region of regions) {
        if (!within(letters, region.getBoundingClientRect())) faults.push(`${name(holder)} leaves ${name(region)}`);
      }
      if (!within(letters, page)) faults.push(`${name(holder)} leaves the page`);
    }
    if (Number.parseFloat(getComputedStyle(holder).fontSize) < 16) faults.push(`${name(holder)} is small`);
    const ratio = contrast(holder);
    // WCAG 2.2, 1.4.3; a test may want that of 1.4.6.
    const { contrastLeast = 4.5 } = /** @type {{ contrastLeast?: number }} */ (window);
    if (ratio < contrastLeast) faults.push(`${name(holder)} has a contrast of ${ratio.toFixed(2)}`);
  }

  const parts = [
    ...document.querySelectorAll(
      'button, #title, #reported p, #hint, #mark, #sums > div, #sides p, #code, #currency, #amount, #included, #language, #kind',
    ),
  ].filter((part) => visible(part) && part.getBoundingClientRect().height > 0);
  parts.forEach((part, at) => {
    const one = part.getBoundingClientRect();
    if (!within(one, page)) faults.push(`${name(part)} leaves the page`);
    for (const other of parts.slice(at + 1)) {
      if (part.contains(other) || other.contains(part)) continue;
      const two = other.getBoundingClientRect();
      const wide = Math.min(one.right, two.right) - Math.max(one.left, two.left);
      const high = Math.min(one.bottom, two.bottom) - Math.max(one.top, two.top);
      if (wide > slack && high > slack) faults.push(`${name(part)} and ${name(other)} lie over each other`);
    }
  });

  const mark = document.getElementById('mark');
  if (mark && visible(mark) && mark.getBoundingClientRect().height < 40) faults.push('the drawing is small');

  /** @typedef {[red: number, green: number, blue: number, alpha?: number]} Colour */

  /**
   * WCAG 2.2, "contrast ratio", of a text on what lies beneath it.
   * @type {(element: Element) => number}
   */
  function contrast(element) {
    /** @type {Colour[]} */
    const layers = [];
    let opacity = 1;
    for (let each = /** @type {Element | null} */ (element); each; each = each.parentElement) {
      const style = getComputedStyle(each);
      // What a held button looks like for a moment is not judged.
      if (each.id !== 'controls') opacity *= Number(style.opacity);
      const [red, green, blue, alpha = 1] = channels(style.backgroundColor);
      if (alpha > 0) layers.push([red, green, blue]);
      if (alpha === 1) break;
    }
    const beneath = layers[0] ?? [255, 255, 255];
    const [red, green, blue] = channels(getComputedStyle(element).color);
    /** @type {(ink: number, ground: number) => number} */
    const mix = (ink, ground) => ink * opacity + ground * (1 - opacity);
    const ink = luminance([mix(red, beneath[0]), mix(green, beneath[1]), mix(blue, beneath[2])]);
    const ground = luminance(beneath);
    return (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
  }

  /** @type {(color: string) => Colour} */
  function channels(color) {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (color.match(/[\d.]+/g) ?? []).map(Number);
    return [red, green, blue, alpha];
  }

  /** @type {(color: Colour) => number} */
  function luminance([red, green, blue]) {
    /** @type {(channel: number) => number} */
    const linear = (channel) => {
      const part = channel / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    };
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }

  return faults;
})();
