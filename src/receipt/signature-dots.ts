import { type Signature, signatureGrid } from '../base/domain/signature.ts';
import { Dots } from './dots.ts';

/** 0.4 mm at 203 dpi: as a pen writes. */
const penDots = 3;

/** A drawn signature, a dot of paper for each point of its grid. */
export function signatureDots(signature: Signature): Dots {
  const dots = new Dots(signatureGrid.width, signatureGrid.height);
  for (const stroke of signature) drawStroke(dots, stroke);
  return dots;
}

function drawStroke(dots: Dots, stroke: readonly number[]): void {
  const [startX = 0, startY = 0] = stroke;
  let [x, y] = [startX, startY];
  press(dots, x, y);
  for (let at = 2; at < stroke.length; at += 2) {
    const [toX = 0, toY = 0] = [stroke[at], stroke[at + 1]];
    const steps = Math.max(Math.abs(toX - x), Math.abs(toY - y));
    for (let step = 1; step <= steps; step++) {
      press(dots, Math.round(x + ((toX - x) * step) / steps), Math.round(y + ((toY - y) * step) / steps));
    }
    [x, y] = [toX, toY];
  }
}

function press(dots: Dots, x: number, y: number): void {
  const half = Math.floor(penDots / 2);
  dots.fill(x - half, y - half, penDots, penDots);
}
