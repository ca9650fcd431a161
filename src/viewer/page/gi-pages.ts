/**
 * The pages of the two geometry images, linked with their surfaces: pointing at one marks the
 * other.
 */

import { printable } from '../../base/printable.ts';
import { movePoint } from '../../math/pose.ts';
import type { Pages } from '../protocol.ts';
import { gridOf, type SampleGrid } from '../sample-grid.ts';
import { standingPose } from '../standing.ts';
import type { ViewState } from '../view-state.ts';
import { createImagePages, type ImagePages, placeOf } from './image-pages.ts';
import { make } from './panels/elements.ts';
import type { Engine, Loaded, Stage, Store } from './parts.ts';

interface Side {
  object: number;
  pages: Pages;
  view: ImagePages;
  grid?: SampleGrid;
}

/** The page places and shows the element. It is empty while no pages are shown. */
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
