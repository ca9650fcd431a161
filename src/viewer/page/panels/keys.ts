/** Keyboard commands of the page; fields keep their keys. */

export const KEYS = [
  { name: 'help', keys: ['?'], does: 'this help' },
  { name: 'search', keys: ['/'], does: 'search findings, or objects where there are none' },
  { name: 'next', keys: ['j'], does: 'next finding' },
  { name: 'previous', keys: ['k'], does: 'previous finding' },
  { name: 'play', keys: ['Space'], does: 'play or pause' },
  { name: 'back', keys: [','], does: 'one frame back' },
  { name: 'on', keys: ['.'], does: 'one frame on' },
  { name: 'fit', keys: ['f'], does: 'everything in view' },
  { name: 'isolate', keys: ['i'], does: 'only a and b, or all' },
  { name: 'swap', keys: ['x'], does: 'swap a and b' },
  { name: 'move', keys: ['m'], does: 'handles that move' },
  { name: 'turn', keys: ['t'], does: 'handles that turn' },
  { name: 'none', keys: ['Escape'], does: 'no handles' },
  { name: 'reset', keys: ['r'], does: 'put the object back' },
  { name: 'surface', keys: ['w'], does: 'surface: solid, wire, glass, hidden' },
  { name: 'coarser', keys: ['['], does: 'bounds one level up' },
  { name: 'finer', keys: [']'], does: 'bounds one level down' },
  { name: 'contacts', keys: ['c'], does: 'contacts, or none' },
  { name: 'distance', keys: ['d'], does: 'the line of the distance, or none' },
  { name: 'link', keys: ['l'], does: 'copy the link' },
] as const;

export type Command = (typeof KEYS)[number]['name'];

const FIELDS = 'input, select, textarea, [contenteditable]';
const SPACE_WORKS = `${FIELDS}, button, summary, a, [role=tree], [role=listbox]`;

export function listen(handlers: Record<Command, () => void>, isOn: () => boolean): void {
  const commands = new Map<string, Command>(
    KEYS.flatMap(({ name, keys }) => keys.map((key): [string, Command] => [key === 'Space' ? ' ' : key, name])),
  );
  document.addEventListener('keydown', (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !isOn()) return;
    const { key } = event;
    const command = commands.get(key);
    const target = event.target instanceof Element ? event.target : null;
    if (!command || document.querySelector('dialog[open]')) return;
    if (target?.matches(key === ' ' ? SPACE_WORKS : FIELDS) && !isSlider(target, key)) return;
    event.preventDefault();
    handlers[command]();
  });
}

/** Check boxes and sliders use few keys, so letters are commands there too. */
const isSlider = (target: Element, key: string): boolean =>
  key !== ' ' && target.matches('input[type=range], input[type=checkbox]');
