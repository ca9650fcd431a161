/** The plane that cuts away a part of the view. */
import { type Box, boxAround } from '../../camera.ts';
import { standingPose } from '../../standing.ts';
import { FIRST_VIEW, type Section } from '../../view-state.ts';
import type { Loaded } from '../parts.ts';
import { button, buttons, labelled, make, write } from './elements.ts';
import { changed, type Panel, type Surroundings } from './panel.ts';

const AXES = ['x', 'y', 'z'] as const;
const STEPS = 1000;

export function createSection({ loaded, store }: Surroundings): Panel {
  const box = boxOf(loaded);
  const axes = buttons<'off' | Section['axis']>(
    'Section',
    [['off', 'off'], ...AXES.map((axis): [Section['axis'], string] => [axis, axis])],
    (axis) => {
      if (axis === 'off') return store.set({ section: null });
      const k = AXES.indexOf(axis);
      const { section } = store.state;
      const at = section?.axis === axis ? section.at : placeOf(STEPS / 2, box.low[k], box.high[k]);
      store.set({ section: { axis, at, isFlipped: section?.isFlipped ?? false } });
    },
  );
  const slider = make('input', { type: 'range', min: 0, max: STEPS, step: 1 });
  const output = make('output');
  const flip = button('Flip', () => {
    const { section } = store.state;
    if (section) store.set({ section: { ...section, isFlipped: !section.isFlipped } });
  });
  slider.addEventListener('input', () => {
    const { section } = store.state;
    if (!section) return;
    const k = AXES.indexOf(section.axis);
    store.set({ section: { ...section, at: placeOf(Number(slider.value), box.low[k], box.high[k]) } });
  });
  const where = make('div', { class: 'slider' }, labelled('Cut at', slider), output, flip);
  return {
    element: make(
      'div',
      {},
      make('div', { class: 'line' }, make('span', { class: 'hint' }, 'Section'), axes.element),
      where,
    ),
    follow(state, before) {
      if (!changed(state, before, 'section')) return;
      const { section } = state;
      axes.press(section?.axis ?? 'off');
      where.hidden = section === null;
      if (!section) return;
      const k = AXES.indexOf(section.axis);
      const words = `${section.axis} ${section.isFlipped ? '<' : '>'} ${section.at}`;
      slider.value = String((STEPS * (section.at - box.low[k])) / (box.high[k] - box.low[k] || 1));
      slider.setAttribute('aria-valuetext', words);
      flip.setAttribute('aria-pressed', String(section.isFlipped));
      write(output, words);
    },
  };
}

/** Rounds a position to as few digits as distinguish it, since addresses hold it. */
function placeOf(step: number, low: number, high: number): number {
  const size = (high - low) / STEPS;
  const digits = Math.max(0, Math.min(100, Math.ceil(-Math.log10(size)))) || 0;
  return Number((low + step * size).toFixed(digits));
}

/** The least box of all objects as they were placed, with the axes of the common frame. */
function boxOf({ document, facts }: Loaded): Box {
  const placed = document.objects.map(
    ({ asset }, object) => [facts[asset], standingPose(document, FIRST_VIEW, object)] as const,
  );
  return boxAround(placed) ?? { low: [0, 0, 0], high: [1, 1, 1] };
}
