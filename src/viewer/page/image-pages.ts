/** The pages of one geometry image side by side; a marked place appears on all. */
import { hasSample, middleOf, nodeAt, nodeOfSample, type PageNode, rectangleOf, sampleAt } from '../page-places.ts';
import type { Pages } from '../protocol.ts';
import { createPageCanvas, type PageCanvas, type Pixel } from './page-canvas.ts';
import { make } from './panels/elements.ts';

export interface ImagePages {
  readonly element: HTMLElement;
  show(sample: number | null): void;
  setLevel(level: number | null): void;
}

const STRIDE = 16;
const ARROWS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};
const TITLES = { geometry: 'geometry', normals: 'normals', spheres: 'centres', radii: 'radii' };

/**
 * @param name of the object, fit to be shown
 * @param id unique on the page
 * @param onPoint receives the sample that is pointed at, or null
 */
export function createImagePages(
  pages: Pages,
  name: string,
  id: string,
  onPoint: (sample: number | null) => void,
): ImagePages {
  const first = pages.pages[0];
  const title = make('h2', { class: 'gi-name', id: `${id}-name` }, name);
  const readout = make('p', { class: 'gi-readout', id: `${id}-readout` });
  let at: Pixel | null = null;
  let node: PageNode | null = null;
  let level: number | null = null;

  const draw = (): void => {
    const isThere = at !== null && hasSample(pages, at.y * first.width + at.x);
    const framed = isThere ? (node ?? (level === null ? null : nodeOfSample(pages, at!.x, at!.y, level))) : null;
    canvases.forEach((canvas, i) => {
      const { role } = pages.pages[i];
      canvas.cross(at && crossed(pages, role, at, node));
      canvas.frame(framed && rectangleOf(pages, role, framed));
    });
    readout.textContent = at ? textOf(pages, at, framed) : hintOf(pages);
  };
  const point = (pixel: Pixel | null, pointed: PageNode | null = null): void => {
    at = pixel;
    node = pointed;
    draw();
    const sample = at ? at.y * first.width + at.x : -1;
    onPoint(sample >= 0 && hasSample(pages, sample) ? sample : null);
  };
  const canvases = pages.pages.map((page): PageCanvas => {
    const isOfTree = page.role === 'spheres' || page.role === 'radii';
    return createPageCanvas(page, `${TITLES[page.role]} of ${name}`, (pixel) => {
      const pointed = pixel && isOfTree ? nodeAt(pages, pixel.x, pixel.y) : null;
      if (!isOfTree) point(pixel);
      else point(pointed && middleOf(pages, pointed), pointed);
    });
  });
  takeKeys(canvases[0].canvas, name, readout, (change) => point(change(at ?? middleOfPage(first), first)));
  const grid = make('div', { class: 'gi-canvases' }, ...canvases.map((canvas, i) => figureOf(canvas, pages, i)));
  draw();
  return {
    element: make('section', { class: 'gi-image', 'aria-labelledby': title.id }, title, grid, readout),
    show(sample) {
      at = sample === null ? null : { x: sample % first.width, y: Math.floor(sample / first.width) };
      node = null;
      draw();
    },
    setLevel(wanted) {
      level = wanted;
      draw();
    },
  };
}

const middleOfPage = ({ width, height }: Pages['pages'][number]): Pixel => ({ x: width >> 1, y: height >> 1 });

function crossed(pages: Pages, role: keyof typeof TITLES, at: Pixel, node: PageNode | null) {
  if (role === 'geometry' || role === 'normals') return { ...at, width: 1, height: 1 };
  const there = node ?? nodeOfSample(pages, at.x, at.y, Number.POSITIVE_INFINITY);
  return there && rectangleOf(pages, role, there);
}

/** While the canvas has the focus, its keys move the mark and go no further. */
function takeKeys(
  canvas: HTMLCanvasElement,
  name: string,
  readout: HTMLElement,
  move: (change: (from: Pixel, page: { width: number; height: number }) => Pixel | null) => void,
): void {
  canvas.tabIndex = 0;
  canvas.setAttribute('role', 'application');
  canvas.setAttribute('aria-label', `geometry of ${name}: the arrow keys move over its samples`);
  canvas.setAttribute('aria-describedby', readout.id);
  // Screen readers speak after keys, not after pointer moves.
  canvas.addEventListener('focus', () => readout.setAttribute('aria-live', 'polite'));
  canvas.addEventListener('blur', () => readout.removeAttribute('aria-live'));
  canvas.addEventListener('keydown', (event) => {
    const arrow = Object.hasOwn(ARROWS, event.key) ? ARROWS[event.key] : undefined;
    if ((!arrow && event.key !== 'Escape') || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    event.stopPropagation();
    const by = event.shiftKey ? STRIDE : 1;
    move((from, { width, height }) => {
      if (!arrow) return null;
      const clamp = (value: number, count: number): number => Math.max(0, Math.min(count - 1, value));
      return { x: clamp(from.x + by * arrow[0], width), y: clamp(from.y + by * arrow[1], height) };
    });
  });
}

function figureOf({ element }: PageCanvas, { pages, stride }: Pages, index: number): HTMLElement {
  const { role, width, height } = pages[index];
  const left = stride > 1 ? `, one sample of ${stride} each way` : '';
  const caption = make('figcaption', {}, `${TITLES[role]}, ${width} x ${height}${left}`);
  return make('figure', { class: 'gi-figure' }, element, caption);
}

const hintOf = ({ charts }: Pages): string =>
  `Point at a page or at the surface${charts.length > 4 ? ` (${charts.length / 4} charts)` : ''}.`;

/** Describes a pixel: `row 3, column 40: x 0.5 y 1 z -0.25; node of level 2: row 1, column 3`. */
function textOf(pages: Pages, at: Pixel, node: PageNode | null): string {
  const pixel = at.y * pages.pages[0].width + at.x;
  if (!hasSample(pages, pixel)) return 'No sample is here.';
  const { chart, row, column } = sampleAt(pages, at.x, at.y);
  const place = placeOf(pages, pixel).map((value, k) => `${'xyz'[k]} ${Number(value.toPrecision(7))}`);
  const where = `row ${row}, column ${column}: ${place.join(' ')}`;
  const of = pages.charts.length > 4 ? `chart ${chart}, ` : '';
  if (!node) return of + where;
  // The image's levels begin above the roots of its charts.
  const level = node.level + pages.charts[4 * node.chart + 3];
  return `${of}${where}; node of level ${level}: row ${node.row}, column ${node.column}`;
}

export const placeOf = ({ places, origin }: Pages, sample: number): [number, number, number] => [
  origin[0] + places[3 * sample],
  origin[1] + places[3 * sample + 1],
  origin[2] + places[3 * sample + 2],
];
