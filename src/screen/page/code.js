import { element } from './element.js';
/** @import { DrawnCode } from './types.ts' */

const svg = 'http://www.w3.org/2000/svg';

/**
 * The QR code, or its placeholder while it is being requested.
 * @type {(modules: DrawnCode | undefined) => HTMLElement}
 */
export function code(modules) {
  const place = element('div', { id: 'code' });
  if (modules === undefined) {
    place.append(element('span', { class: 'spinner' }));
    return place;
  }
  const drawing = document.createElementNS(svg, 'svg');
  drawing.setAttribute('viewBox', `0 0 ${modules.size} ${modules.size}`);
  drawing.setAttribute('shape-rendering', 'crispEdges');
  const path = document.createElementNS(svg, 'path');
  path.setAttribute('d', modules.path);
  drawing.append(path);
  place.append(drawing);
  return place;
}

/** Every module gets the same number of display pixels, because scanners read uneven modules badly. */
export function fitCode() {
  const drawing = document.querySelector('#code svg');
  const place = drawing?.parentElement;
  if (!place || !(drawing instanceof SVGSVGElement)) return;
  const { width, height } = place.getBoundingClientRect();
  const modules = drawing.viewBox.baseVal.width;
  const dots = Math.min(width, height) * devicePixelRatio;
  const side = Math.max(1, Math.floor(dots / modules)) * (modules / devicePixelRatio);
  drawing.setAttribute('width', String(side));
  drawing.setAttribute('height', String(side));
}
