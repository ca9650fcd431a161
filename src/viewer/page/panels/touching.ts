/** The pairs that touch now; a click shows one. */
import { printable } from '../../../base/printable.ts';
import type { ViewState } from '../../view-state.ts';
import { type Folding, make, section, write } from './elements.ts';
import { counted, milliseconds } from './numbers.ts';
import { changed, type Surroundings } from './panel.ts';
import { createRows } from './rows.ts';

type Pair = { a: string; b: string; class: string };

export function createTouching({ store }: Surroundings, folding: Folding) {
  let pairs: Pair[] = [];
  const output = make('p', { class: 'hint' });
  const list = createRows({
    ...{ role: 'listbox', label: 'Pairs that touch now', height: 66 },
    draw: (index, row) => {
      const { a, b, class: found } = pairs[index];
      const isChosen = a === store.state.a && b === store.state.b;
      row.classList.toggle('chosen', isChosen);
      row.setAttribute('aria-selected', String(isChosen));
      row.append(
        make('div', { class: 'head' }, make('span', { class: `level ${levelOf(found)}` }, printable(found))),
        make('div', { class: 'name' }, printable(a)),
        make('div', { class: 'name' }, printable(b)),
      );
    },
    onChoose: (index) => store.set({ a: pairs[index].a, b: pairs[index].b, finding: null }),
  });
  const element = section('Touching now', folding, output, list.element);
  element.hidden = true;
  return {
    element,
    setTouching(all: Pair[], ms: number): void {
      pairs = all;
      element.hidden = false;
      const words = counted(all.length, 'pair');
      write(output, `${words}, ${milliseconds(ms)}`);
      list.show(all.length);
    },
    follow(state: ViewState, before: ViewState | null): void {
      if (changed(state, before, 'a', 'b')) list.show(pairs.length);
    },
  };
}

const levelOf = (found: string): string => (found === 'undecided' ? 'warning' : found === 'near' ? 'note' : 'error');
