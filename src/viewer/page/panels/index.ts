/**
 * All panels and their places. On wide pages, the header is at the top, and findings and objects
 * are at the left. The picture is in the middle with the findings bar below it, the pair at the
 * right, the time line and messages at the foot. On narrow pages, the sides are drawers, and the
 * verdict is over the picture.
 */
import { printable } from '../../../base/printable.ts';
import type { ViewState } from '../../view-state.ts';
import type { Loaded, Panels, Store, Wishes } from '../parts.ts';
import { createDrawers, type Drawer } from './drawers.ts';
import { button, make, type Panel, type Surroundings, write } from './elements.ts';
import { createFindings, type FindingsPanel } from './findings.ts';
import { createHeader, type Header, listen } from './header.ts';
import { createLook, type LookPanel } from './look.ts';
import { createNames } from './names.ts';
import { createObjects } from './objects.ts';
import { createPair, type PairPanel } from './pair.ts';
import { createPose, type PosePanel } from './pose.ts';
import { createSheet } from './print-sheet.ts';
import { createTouching } from './rows.ts';
import { createTimeLine, type TimeLine } from './time-line.ts';

export function createPanels(loaded: Loaded, store: Store, wishes: Wishes): Panels {
  const messages = createMessages();
  const { say } = messages;
  const names = createNames(loaded.document);
  const reveal = (part: HTMLElement) => drawers.show(part);
  const surroundings: Surroundings = { loaded, store, wishes, names, say, reveal, copy: copier(say) };
  const folding = { isOpen: true };
  const { objects, findings: found, baseline, summary } = loaded.document;
  const header = createHeader(surroundings);
  const findings = createFindings(surroundings, folding);
  const tree = createObjects(surroundings, folding);
  const touching = createTouching(surroundings, folding);
  const pair = createPair(surroundings);
  const pose = createPose(surroundings, folding);
  const look = createLook(surroundings, folding);
  const time = createTimeLine(surroundings);
  // The single finding of a pair only repeats the panel beside it.
  const isScene = objects.length > 2 || found.length > 1 || baseline !== null || summary !== null;
  const places = createPlaces();
  const pages = { parts: [places.pages], onOpen: () => store.set({ showsPages: true }) };
  const all = drawersOf({ findings, touching, tree, pair, pose, look }, pages, isScene);
  const drawers = createDrawers(all, { isScene });
  const lists = [findings.element, touching.element, tree.element];
  const left = make('aside', { class: 'left', 'aria-label': 'Findings and objects' }, ...lists);
  const right = make('aside', { class: 'right', 'aria-label': 'The pair' }, pair.element, pose.element, look.element);
  const foot = make('footer', {}, time.element);
  const element = make(
    'div',
    { class: isScene ? 'page scene' : 'page' },
    header.element,
    make('main', { 'aria-label': 'View' }, places.picture, ...(isScene ? [findings.bar] : []), places.pages),
    drawers.element,
    ...[right, ...(isScene ? [left] : [])],
    foot,
    createSheet(surroundings, { findings: findings.listed, verdict: pair.verdict }),
  );
  drawers.follow(placer(element, places.over, [right, pair.verdict], [foot, messages.element]));
  const parts: Panel[] = [findings, tree, touching, pair, pose, look, time];
  const follow = (state: ViewState, before: ViewState | null) => {
    for (const part of parts) part.follow(state, before);
  };
  follow(store.state, null);
  store.follow(follow);
  listenTo({ ...surroundings, header, findings, tree, pair, pose, look, time });
  document.title = `${printable(loaded.document.title)} · gicollide`;
  findings.setFindings(found, {});
  touching.setFindings(found, {});
  return {
    ...{ element, stagePlace: places.stage, pagesPlace: places.pages },
    ...{ toolsPlace: places.tools, cubePlace: places.cube },
    setFindings: (...all) => {
      findings.setFindings(...all);
      touching.setFindings(...all);
    },
    ...{ setQuick: pair.setQuick, setFull: pair.setFull, setVisits: look.setVisits },
    setTouching: touching.setTouching,
    say: (text, kind) => messages.say(printable(text), kind),
  };
}

/** The verdict and messages: over the picture on narrow pages, otherwise in their places. */
const placer =
  (page: HTMLElement, over: HTMLElement, [side, verdict]: HTMLElement[], [foot, messages]: HTMLElement[]) =>
  (isNarrow: boolean): void => {
    page.classList.toggle('narrow', isNarrow);
    (isNarrow ? over : side).prepend(verdict);
    (isNarrow ? over : foot).append(messages);
  };

type Drawn = 'findings' | 'touching' | 'tree' | 'pair' | 'pose' | 'look';

function drawersOf(
  { findings, touching, tree, pair, pose, look }: Record<Drawn, { element: HTMLElement }>,
  pages: Omit<Drawer, 'label'>,
  isScene: boolean,
): Drawer[] {
  const scene: Drawer[] = [
    { label: 'Findings', parts: [findings.element, touching.element] },
    { label: 'Objects', parts: [tree.element] },
  ];
  return [
    ...(isScene ? scene : []),
    { label: 'Pair', parts: [pair.element] },
    { label: 'Pose', parts: [pose.element] },
    { label: 'Look', parts: [look.element] },
    { label: 'Pages', ...pages },
  ];
}

/** The middle of the page: the picture with parts over it, and the parts below it. */
function createPlaces() {
  const stage = make('div', { class: 'stage' });
  const [over, cube, tools] = ['upper left', 'upper right', 'lower left'].map((place) =>
    make('div', { class: `over ${place}` }),
  );
  const picture = make('div', { class: 'picture' }, stage, over, cube, tools);
  return { picture, stage, over, cube, tools, pages: make('div', { class: 'pages' }) };
}

interface Parts extends Surroundings {
  header: Header;
  findings: FindingsPanel;
  tree: Panel & { search(): void };
  pair: PairPanel;
  pose: PosePanel;
  look: LookPanel;
  time: TimeLine;
}

function listenTo(parts: Parts): void {
  const { reveal, store, loaded, wishes, header, findings, tree, pair, pose, look, time } = parts;
  const hasFrames = loaded.document.frames.length > 0;
  listen(
    {
      help: header.help,
      search() {
        const list = findings.isEmpty ? tree : findings;
        reveal(list.element);
        list.search();
      },
      next: () => findings.step(1),
      previous: () => findings.step(-1),
      accept: findings.accept,
      note: findings.note,
      play: () => hasFrames && time.toggle(),
      back: () => hasFrames && time.step(-1),
      on: () => hasFrames && time.step(1),
      fit: () => wishes.fit(),
      isolate: look.nextOthers,
      swap: pair.swap,
      move: () => wishes.gizmo('move'),
      turn: () => wishes.gizmo('turn'),
      none: () => wishes.gizmo('none'),
      orthographic: () => store.set({ isOrthographic: !store.state.isOrthographic }),
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
      say(`the browser does not allow copying here; ${what}: ${printable(text)}`, 'problem');
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
