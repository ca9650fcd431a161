/**
 * Shows the pages of geometry images. Pages of one image are side by side, and a marked place
 * appears on all. The two images are linked with their surfaces.
 */

import { printable } from '../../base/printable.ts';
import { movePoint } from '../../math/pose.ts';
import {
  hasSample,
  middleOf,
  nodeAt,
  nodeOfSample,
  type PageNode,
  type Rectangle,
  rectangleOf,
  sampleAt,
} from '../page-places.ts';
import type { Pages } from '../protocol.ts';
import { gridOf, type SampleGrid } from '../sample-grid.ts';
import { standingPose } from '../standing.ts';
import type { ViewState } from '../view-state.ts';
import { make } from './panels/elements.ts';
import type { Engine, Loaded, Stage, Store } from './parts.ts';

interface ImagePages {
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
 * @param name of the object, ready to be shown
 * @param id unique on the page
 * @param onPoint receives the sample that is pointed at, or null
 */
function createImagePages(
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

/** While the canvas has the focus, its keys move the mark and have no other effect. */
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

export interface Pixel {
  x: number;
  y: number;
}

/** A page as a canvas, with a cross and a frame on top. */
interface PageCanvas {
  readonly element: HTMLElement;
  readonly canvas: HTMLCanvasElement;
  cross(pixels: Rectangle | null): void;
  frame(pixels: Rectangle | null): void;
}

function createPageCanvas(
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

interface Side {
  object: number;
  pages: Pages;
  view: ImagePages;
  grid?: SampleGrid;
}

/**
 * Makes the pages of the two geometry images, linked with their surfaces: pointing at one marks the
 * other. The page places and shows the element. It is empty while no pages are shown.
 */
export function createPages(loaded: Loaded, store: Store, engine: Engine, stage: Stage): { element: HTMLElement } {
  const element = make('section', { class: 'gi-pages', 'aria-label': 'Pages of geometry images' });
  let sides: Side[] = [];
  let marked: { side: Side; sample: number } | null = null;

  const mark = (): void => stage.setPointer(marked && placeInCommon(loaded, store.state, marked.side, marked.sample));
  const setMarked = (side: Side, sample: number | null): void => {
    marked = sample === null ? null : { side, sample };
    for (const other of sides) if (other !== side) other.view.show(null);
    mark();
  };

  const rebuild = async (state: ViewState): Promise<void> => {
    if (marked) setMarked(marked.side, null);
    sides = [];
    element.hidden = !state.showsPages;
    element.replaceChildren();
    if (!state.showsPages) return;
    const objects = imagesOf(loaded, state);
    if (objects.length === 0) return void element.append(note('Neither of the two is a geometry image.'));
    element.append(note('Reading the pages ...'));
    const isCurrent = (): boolean => isSame(state, store.state);
    try {
      const assets = [...new Set(objects.map((object) => loaded.document.objects[object].asset))];
      const all = await Promise.all(assets.map((asset) => engine.ask('pages', { asset })));
      if (!isCurrent()) return;
      sides = objects.map((object, i): Side => {
        const { name, asset } = loaded.document.objects[object];
        const pages = all[assets.indexOf(asset)];
        const show = (sample: number | null): void => setMarked(side, sample);
        const view = createImagePages(pages, printable(name), `gi-${i}`, show);
        const side: Side = { object, pages, view };
        view.setLevel(store.state.level);
        return side;
      });
      element.replaceChildren(...sides.map(({ view }) => view.element));
    } catch (error) {
      if (isCurrent()) element.replaceChildren(note(printable((error as Error).message)));
    }
  };

  store.follow((state, before) => {
    if (!isSame(state, before)) return void rebuild(state);
    if (state.level !== before.level) for (const { view } of sides) view.setLevel(state.level);
    if (marked && (state.poses !== before.poses || state.frame !== before.frame)) mark();
  });
  stage.onPoint((place) => {
    for (const side of sides) {
      if (side.object !== place?.object) continue;
      const sample = nearestTo(side, place.place);
      side.view.show(sample);
      return setMarked(side, sample);
    }
    if (!marked) return;
    marked.side.view.show(null);
    setMarked(marked.side, null);
  });
  rebuild(store.state);
  return { element };
}

const isSame = (p: ViewState, q: ViewState): boolean => p.showsPages === q.showsPages && p.a === q.a && p.b === q.b;

function imagesOf({ document, facts, numbers }: Loaded, { a, b }: ViewState): number[] {
  const both = [a, b].flatMap((name) => (name === null ? [] : (numbers.get(name) ?? [])));
  return [...new Set(both)].filter((object) => facts[document.objects[object].asset].hasPages);
}

function nearestTo(side: Side, [x, y, z]: readonly [number, number, number]): number | null {
  const { origin, places } = side.pages;
  side.grid ??= gridOf(places);
  const sample = side.grid.nearest(x - origin[0], y - origin[1], z - origin[2]);
  return sample < 0 ? null : sample;
}

function placeInCommon({ document }: Loaded, state: ViewState, { object, pages }: Side, sample: number): number[] {
  const [x, y, z] = placeOf(pages, sample);
  const moved = new Float64Array(3);
  movePoint(Float64Array.from(standingPose(document, state, object)), x, y, z, moved, 0);
  return [...moved];
}

const note = (text: string): HTMLElement => make('p', { class: 'gi-readout' }, text);
