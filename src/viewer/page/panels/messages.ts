/** The status line: recent events and problems. */
import { button, make, write } from './elements.ts';

/** Milliseconds that an event stays. */
const OLD = 8000;

export function createMessages() {
  const status = make('p', { class: 'status', role: 'status' });
  const problem = make('p', { role: 'alert' });
  const close = button('×', () => show(''), { 'aria-label': 'Close this message' });
  const box = make('div', { class: 'alert', hidden: true }, problem, close);
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const show = (text: string) => {
    box.hidden = text === '';
    write(problem, text);
  };
  return {
    element: make('div', { class: 'messages' }, box, status, make('span', { class: 'hint' }, '? shows the keys')),
    say(text: string, kind: 'status' | 'problem') {
      if (kind === 'problem') return show(text);
      write(status, text);
      clearTimeout(waiting);
      waiting = setTimeout(() => write(status, ''), OLD);
    },
  };
}
