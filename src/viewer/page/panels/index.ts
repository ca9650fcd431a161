/**
 * All panels: the header, objects and findings beside the stage, the pair on the other side, the
 * time line below, and the status line. On narrow pages they are stacked.
 */
import { printable } from '../../../base/printable.ts';
import type { Loaded, Panels, Store, Wishes } from '../parts.ts';
import { button, make, type Panel, type Surroundings, write } from './elements.ts';
import { createFindings, type FindingsPanel } from './findings.ts';
import { createHeader, type Header, listen } from './header.ts';
import { createLook, type LookPanel } from './look.ts';
import { createNames } from './names.ts';
import { createObjects } from './objects.ts';
import { createPair, type PairPanel } from './pair.ts';
import { createPose, type PosePanel } from './pose.ts';
import { createTouching } from './rows.ts';
import { createTimeLine, type TimeLine } from './time-line.ts';

/** Narrow pages fold most parts at first; style.css has the same limit. */
const NARROW = '(max-width: 760px)';

export function createPanels(loaded: Loaded, store: Store, wishes: Wishes): Panels {
  const messages = createMessages();
  const { say } = messages;
  const names = createNames(loaded.document);
  const surroundings: Surroundings = { loaded, store, wishes, names, say, copy: copier(say) };
  const folding = { isOpen: !matchMedia(NARROW).matches };
  const { objects, findings: found, baseline, summary } = loaded.document;
  const header = createHeader(surroundings);
  const findings = createFindings(surroundings, folding);
  const tree = createObjects(surroundings, folding);
  const touching = createTouching(surroundings, folding);
  const pair = createPair(surroundings);
  const pose = createPose(surroundings, folding);
  const look = createLook(surroundings, folding);
  const time = createTimeLine(surroundings);
  const stagePlace = make('div', { class: 'stage' });
  const pagesPlace = make('div', { class: 'pages' });
  // The single finding of a pair only repeats the panel beside it.
  const isScene = objects.length > 2 || found.length > 1 || baseline !== null || summary !== null;
  tree.element.hidden = !isScene;
  const left = make('aside', { class: 'left', 'aria-label': 'Findings and objects' });
  left.append(findings.element, touching.element, tree.element);
  const right = make('aside', { class: 'right', 'aria-label': 'The pair' }, pair.element, pose.element, look.element);
  const parts: Panel[] = [header, findings, tree, touching, pair, pose, look, time];
  const element = make(
    'div',
    { class: isScene ? 'page scene' : 'page' },
    header.element,
    make('main', { 'aria-label': 'View' }, stagePlace, ...(isScene ? [findings.bar] : []), pagesPlace),
    right,
    left,
    make('footer', {}, time.element, messages.element),
  );
  for (const part of parts) part.follow(store.state, null);
  store.follow((state, before) => {
    for (const part of parts) part.follow(state, before);
  });
  listenTo({ ...surroundings, header, findings, tree, pair, pose, look, time });
  document.title = `${printable(loaded.document.title)} · gicollide`;
  findings.setFindings(found);
  return {
    ...{ element, stagePlace, pagesPlace, setFindings: findings.setFindings },
    ...{ setQuick: pair.setQuick, setFull: pair.setFull, setVisits: look.setVisits },
    setTouching: touching.setTouching,
    say: (text, kind) => messages.say(printable(text), kind),
  };
}

interface Parts extends Surroundings {
  header: Header;
  findings: FindingsPanel;
  tree: { search(): void };
  pair: PairPanel;
  pose: PosePanel;
  look: LookPanel;
  time: TimeLine;
}

function listenTo({ store, loaded, wishes, header, findings, tree, pair, pose, look, time }: Parts): void {
  const hasFrames = loaded.document.frames.length > 0;
  listen(
    {
      help: header.help,
      search: () => (findings.isEmpty ? tree : findings).search(),
      next: () => findings.step(1),
      previous: () => findings.step(-1),
      accept: findings.accept,
      note: findings.note,
      play: () => hasFrames && time.toggle(),
      back: () => hasFrames && time.step(-1),
      on: () => hasFrames && time.step(1),
      fit: () => wishes.fit(),
      isolate: () => store.set({ isIsolated: !store.state.isIsolated }),
      swap: pair.swap,
      move: () => pose.gizmo('move'),
      turn: () => pose.gizmo('turn'),
      none: () => pose.gizmo('none'),
      reset: pose.reset,
      surface: look.nextSurface,
      coarser: () => look.stepLevel(-1),
      finer: () => look.stepLevel(1),
      contacts: () => store.set({ showsContacts: !store.state.showsContacts }),
      distance: () => store.set({ showsDistance: !store.state.showsDistance }),
      link: header.copyLink,
    },
    () => header.hasKeys,
  );
}

/** Copies if the browser allows it; otherwise shows the text to be copied by hand. */
function copier(say: Surroundings['say']): Surroundings['copy'] {
  return async (text, what) => {
    try {
      await navigator.clipboard.writeText(text);
      say(`copied ${what}`, 'status');
    } catch {
      say(`the browser lets nobody copy here; ${what}: ${printable(text)}`, 'problem');
    }
  };
}

/** Milliseconds that an event stays. */
const OLD = 8000;

/** The status line: recent events and problems. */
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
