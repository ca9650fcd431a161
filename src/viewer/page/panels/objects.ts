/** The tree of objects: a click makes one b, with Alt a. */
import { grouped, printable } from '../../../base/printable.ts';
import { changed, type Folding, labelled, make, type Panel, type Surroundings, section, take } from './elements.ts';
import { type Branch, groupsOf, rowsOf, type TreeRow, treeOf } from './names.ts';
import { createRows } from './rows.ts';

const FEW = 60;

export function createObjects({ loaded, store, names }: Surroundings, folding: Folding): Panel & { search(): void } {
  const { objects } = loaded.document;
  const root = treeOf(
    objects.map(({ name }) => name),
    names.label,
  );
  const open = new Set(objects.length <= FEW ? objects.flatMap(({ name }) => groupsOf(name)) : []);
  let rows: TreeRow[] = [];
  /** True if this panel changed a or b; then the list does not scroll. */
  let isOurs = false;
  const search = make('input', { type: 'search', placeholder: 'part of a name', autocomplete: 'off' });
  const list = createRows({
    ...{ role: 'tree', label: 'Objects', height: matchMedia('(pointer: coarse)').matches ? 44 : 28 },
    draw: (index, row) =>
      drawBranch(rows[index], row, store.state, search.value !== '' || open.has(rows[index].branch.path)),
    onChoose: (index, event) => choose(rows[index].branch, event),
    onKey: (index, key) => onKey(index, key),
  });
  const refresh = () => {
    rows = rowsOf(root, open, search.value);
    list.show(rows.length);
  };
  const fold = ({ path }: Branch, isOpened: boolean) => {
    if (isOpened) open.add(path);
    else open.delete(path);
    refresh();
  };
  const makeIt = (side: 'a' | 'b', { object }: Branch) => {
    if (object === null) return;
    const before = store.state;
    take(store, side, objects[object].name);
    isOurs = store.state !== before;
  };
  const choose = (branch: Branch, event: MouseEvent | KeyboardEvent) => {
    const target = event.target as HTMLElement;
    const { side } = target.dataset;
    if (branch.object === null || (target.classList.contains('fold') && branch.parts.length > 0))
      fold(branch, !open.has(branch.path));
    else makeIt(side === 'a' || event.altKey ? 'a' : 'b', branch);
  };
  const onKey = (index: number, key: string): boolean => {
    const { branch, depth } = rows[index];
    if (key === 'a' || key === 'b') makeIt(key, branch);
    else if (key === 'ArrowRight' && branch.parts.length > 0) {
      if (open.has(branch.path)) list.activate(index + 1);
      else fold(branch, true);
    } else if (key === 'ArrowLeft') {
      if (branch.parts.length > 0 && open.has(branch.path)) fold(branch, false);
      else list.activate(rows.slice(0, index).findLastIndex((row) => row.depth < depth));
    } else return key === 'ArrowRight';
    return true;
  };
  search.addEventListener('input', refresh);
  return {
    element: section(
      `Objects (${grouped(objects.length)})`,
      folding,
      labelled('Search', search),
      list.element,
      make('p', { class: 'hint' }, 'Click an object to make it b, or Alt-click it to make it a.'),
    ),
    search: () => search.focus(),
    follow(state, before) {
      if (!changed(state, before, 'a', 'b')) return;
      const shown = state.b !== before?.b ? state.b : state.a;
      if (!isOurs && shown !== null) for (const group of groupsOf(shown)) open.add(group);
      refresh();
      const at = isOurs ? -1 : rows.findIndex(({ branch }) => branch.object !== null && branch.path === shown);
      if (at >= 0) list.activate(at);
      isOurs = false;
    },
  };
}

function drawBranch(
  { branch, depth }: TreeRow,
  row: HTMLElement,
  { a, b }: { a: string | null; b: string | null },
  isOpen: boolean,
): void {
  const { label, path, object, count, parts } = branch;
  row.setAttribute('aria-level', String(depth));
  if (parts.length > 0) row.setAttribute('aria-expanded', String(isOpen));
  row.style.paddingInlineStart = `${Math.min(depth - 1, 10) * 14 + 4}px`;
  const side = object === null ? null : path === a ? 'a' : path === b ? 'b' : null;
  if (side) {
    row.classList.add(`is-${side}`);
    row.setAttribute('aria-selected', 'true');
  }
  row.title = printable(path);
  row.append(
    make('span', { class: parts.length > 0 ? 'fold' : 'fold leaf', 'aria-hidden': 'true' }, isOpen ? '▾' : '▸'),
    make('span', { class: 'name' }, printable(label) || '(no name)'),
  );
  if (object === null || parts.length > 0) row.append(make('span', { class: 'count' }, grouped(count)));
  if (object === null) return;
  for (const each of ['a', 'b'] as const) {
    const mark = make('span', { class: `side ${each}`, 'aria-hidden': String(side !== each) }, each);
    mark.dataset.side = each;
    row.append(mark);
  }
}
