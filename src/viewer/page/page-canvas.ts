/** A page of a geometry image as a canvas, with a cross and a frame on top. */
import type { Rectangle } from '../page-places.ts';
import type { Pages } from '../protocol.ts';
import { make } from './panels/elements.ts';

export interface Pixel {
  x: number;
  y: number;
}

export interface PageCanvas {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  cross(pixels: Rectangle | null): void;
  frame(pixels: Rectangle | null): void;
}

export function createPageCanvas(
  page: Pages['pages'][number],
  label: string,
  onPoint: (pixel: Pixel | null) => void,
): PageCanvas {
  const { width, height, rgba } = page;
  const canvas = make('canvas', { class: 'gi-pixels', width, height, role: 'img', 'aria-label': label });
  canvas.getContext('2d')?.putImageData(new ImageData(rgba as Uint8ClampedArray<ArrayBuffer>, width, height), 0, 0);
  const [row, column, node] = ['row', 'column', 'node'].map((name) =>
    make('div', { class: `gi-${name}`, hidden: true }),
  );
  const point = (event: PointerEvent): void => onPoint(pixelAt(canvas, event));
  canvas.addEventListener('pointermove', point);
  canvas.addEventListener('pointerdown', point);
  canvas.addEventListener('pointerleave', () => onPoint(null));
  const percent = (part: number, whole: number): string => `${(100 * part) / whole}%`;
  return {
    element: make('div', { class: 'gi-page' }, canvas, row, column, node),
    canvas,
    cross(pixels) {
      row.hidden = column.hidden = pixels === null;
      if (!pixels) return;
      row.style.top = percent(pixels.y + pixels.height / 2, height);
      column.style.left = percent(pixels.x + pixels.width / 2, width);
    },
    frame(pixels) {
      node.hidden = pixels === null;
      if (!pixels) return;
      node.style.left = percent(pixels.x, width);
      node.style.top = percent(pixels.y, height);
      node.style.width = percent(pixels.width, width);
      node.style.height = percent(pixels.height, height);
    },
  };
}

function pixelAt(canvas: HTMLCanvasElement, { clientX, clientY }: PointerEvent): Pixel {
  const { left, top, width, height } = canvas.getBoundingClientRect();
  const within = (part: number, count: number): number => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
  return {
    x: within((clientX - left) / width, canvas.width),
    y: within((clientY - top) / height, canvas.height),
  };
}
