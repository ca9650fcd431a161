/**
 * The pair panel: the fields that name the two objects, their relation and what was required, and
 * the command that computes it. Effort and raw text are folded.
 */
import { lengthText, printable } from '../../../base/printable.ts';
import type { Judged } from '../../judged.ts';
import { type FullAnswer, meetingText, type QuickAnswer } from '../../protocol.ts';
import { distanceText, headlineOf, missingText, requiredText } from '../../words.ts';
import type { Loaded } from '../parts.ts';
import {
  button,
  changed,
  counted,
  fill,
  labelled,
  make,
  milliseconds,
  type Panel,
  type Surroundings,
  section,
  take,
  write,
} from './elements.ts';

export interface PairPanel extends Panel {
  /** Stays visible: over the picture, or at the top of its panel. */
  readonly verdict: HTMLElement;
  setQuick(answer: QuickAnswer | null): void;
  setFull(answer: FullAnswer | null): void;
  swap(): void;
}

/** Milliseconds before a verdict is announced, since a drag passes through many. */
const SETTLED = 400;

export function createPair(surroundings: Surroundings): PairPanel {
  const { loaded, store, copy } = surroundings;
  const a = createObjectField('a', surroundings);
  const b = createObjectField('b', surroundings);
  const verdict = createVerdict(loaded.document.units);
  const text = make('pre', { tabindex: 0, 'aria-label': 'Answer of the command line' });
  const command = make('pre', { tabindex: 0, 'aria-label': 'Command' });
  const copyCommand = button('Copy command', () => copy(command.textContent ?? '', 'the command'));
  const report = make('div', { class: 'report', hidden: true }, command, copyCommand);
  const more = make('details', { class: 'more' }, make('summary', {}, 'Tests and raw text'), verdict.effort, text);
  const about = { a: make('p', { class: 'hint' }), b: make('p', { class: 'hint' }) };
  const swap = () => store.set({ a: store.state.b, b: store.state.a });
  return {
    element: section(
      'Pair',
      { isOpen: true },
      verdict.facts,
      make(
        'div',
        { class: 'two' },
        labelled('a', a.element, { class: 'field a' }),
        labelled('b', b.element, { class: 'field b' }),
        button('⇄', swap, { 'aria-label': 'Swap a and b', title: 'Swap a and b' }),
        about.a,
        about.b,
      ),
      report,
      more,
    ),
    verdict: verdict.element,
    swap,
    setQuick: verdict.setQuick,
    setFull(answer) {
      verdict.setFull(answer);
      // While something moves, the last words stay in gray, so that the page does not jump.
      for (const element of [report, more]) element.classList.toggle('old', answer === null);
      if (!answer) return;
      for (const element of [report, more]) element.hidden = answer.problem !== null;
      write(text, answer.text.trimEnd());
      write(command, answer.command);
    },
    follow(state, before) {
      if (!changed(state, before, 'a', 'b', 'finding')) return;
      a.show(state.a);
      b.show(state.b);
      for (const side of ['a', 'b'] as const) {
        const words = aboutOf(loaded, state[side]);
        write(about[side], inShort(words));
        about[side].title = words;
      }
      for (const element of [report, more]) element.hidden = true;
      const isPair = [state.a, state.b].every((name) => name !== null && loaded.numbers.has(name));
      verdict.wait(isPair && state.a !== state.b);
    },
  };
}

function aboutOf({ document, facts, numbers }: Loaded, name: string | null): string {
  const object = name === null ? undefined : numbers.get(name);
  if (object === undefined) return name === null ? '' : 'not in this view';
  const { asset } = document.objects[object];
  const { triangles, open } = facts[asset];
  const kind = printable(document.assets[asset].representation);
  const made = triangles > 0 ? `${kind}, ${counted(triangles, 'triangle')}` : kind;
  return open === null ? made : `${made}; no solid: ${printable(open)}`;
}

/** Omits the places of open borders, which the text and the tooltip have. */
const inShort = (words: string): string => words.replaceAll(/, one of them from [^;]*/g, '');

/** Time, tests and engine are those of the verdict; `in full` is the time of the whole raw text. */
const FACTS = ['class', 'thickness', 'distance', 'required', 'time', 'tests', 'engine', 'in full'] as const;
/** Visible facts; the others are folded. */
const SEEN = 4;
/** Unknown, and not known yet. */
const NONE = '–';
const SOON = '…';
type Fact = (typeof FACTS)[number];

function createVerdict(units: string | null) {
  const word = make('p', { class: 'verdict none' }, 'no pair');
  const problem = make('p', { class: 'problem' });
  const spoken = make('p', { class: 'unseen', role: 'status', 'aria-live': 'polite' });
  const values = Object.fromEntries(FACTS.map((fact) => [fact, make('dd', {}, NONE)])) as Record<Fact, HTMLElement>;
  const listOf = (facts: readonly Fact[]): HTMLElement =>
    make('dl', { class: 'facts' }, ...facts.flatMap((fact) => [make('dt', {}, fact), values[fact]]));
  const list = listOf(FACTS.slice(0, SEEN));
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const announce = () => {
    clearTimeout(waiting);
    const said = [word, values.class].map(({ textContent }) => textContent ?? '');
    const words = [...new Set(said)].filter(
      (text) => text !== NONE && text !== SOON && !said[0].startsWith(`${text},`),
    );
    waiting = setTimeout(() => write(spoken, words.join(', ')), SETTLED);
  };
  const show = (said: string, kind: string, reason: string | null) => {
    write(word, said);
    word.className = `verdict ${kind}`;
    write(problem, reason ? printable(reason) : '');
    list.hidden = reason !== null || kind === 'none';
  };
  const unit = units ? ` ${printable(units)}` : '';
  const showFound = (found: Parameters<typeof headlineOf>[0], judged: Judged, reason: string | null) => {
    const { words, kind } = headlineOf(found, judged, unit);
    if (reason === null) show(words, kind, null);
    else show('no answer', 'none', reason);
    const missing = kind === 'near' ? [missingText(found, judged.clearance, unit)] : [];
    write(values.distance, [distanceText(found, unit) ?? NONE, ...missing].join(', '));
    write(values.required, requiredText(judged, unit));
    announce();
  };
  return {
    element: make('div', { class: 'answer' }, word, problem, spoken),
    facts: list,
    effort: listOf(FACTS.slice(SEEN)),
    wait(isPair: boolean) {
      if (isPair) show('checking', 'waits', null);
      else show('no pair', 'none', null);
      for (const value of Object.values(values)) write(value, isPair ? SOON : NONE);
    },
    setQuick(answer: QuickAnswer | null) {
      if (!answer) return show('no pair', 'none', null);
      const { problem: reason, ms, tests, engine, bracket = null, judged } = answer;
      showFound({ ...answer, bracket }, judged, reason);
      write(values.time, milliseconds(ms));
      write(values.tests, `${counted(tests.bounds, 'bound')}, ${counted(tests.hulls, 'hull')}`);
      write(values.engine, engine);
    },
    setFull(answer: FullAnswer | null) {
      if (!answer) {
        for (const fact of ['class', 'thickness', 'in full'] as const) write(values[fact], SOON);
        return;
      }
      const { report, problem: reason, judged } = answer;
      write(values.class, [classOf(report), meetingText(answer)].join(' ').trim());
      write(values.thickness, report.thickness ? `${lengthText(report.thickness)}${unit}` : NONE);
      write(values['in full'], milliseconds(report.ms.query));
      showFound(report, judged, reason);
    },
  };
}

function classOf({ class: found, closed, inner, reason }: FullAnswer['report']): string {
  if (found === undefined) return NONE;
  const what = inner ? `${inner} is inside ${inner === 'a' ? 'b' : 'a'}` : found;
  // An object that is no solid has a note below its name.
  const isSaid = closed?.includes(false) ?? false;
  return reason && !isSaid ? `${what}, ${printable(reason)}` : what;
}

interface ObjectField {
  element: HTMLElement;
  show(name: string | null): void;
}

const FEW = 60;

/** A list if there are few objects, otherwise text with suggestions. */
function createObjectField(side: 'a' | 'b', surroundings: Surroundings): ObjectField {
  return surroundings.loaded.document.objects.length <= FEW
    ? listField(side, surroundings)
    : textField(side, surroundings);
}

function listField(side: 'a' | 'b', { loaded, store, names }: Surroundings): ObjectField {
  const { objects } = loaded.document;
  const element = make('select');
  fill(element, [['', '(none)'], ...objects.map(({ name }, k): [string, string] => [String(k), names.label(name)])]);
  element.addEventListener('change', () => {
    take(store, side, element.value === '' ? null : objects[Number(element.value)].name);
  });
  return {
    element,
    show(name) {
      const object = name === null ? undefined : loaded.numbers.get(name);
      element.value = object === undefined ? '' : String(object);
      element.title = printable(name ?? '');
    },
  };
}

let fields = 0;

function textField(side: 'a' | 'b', { loaded, store, names, say }: Surroundings): ObjectField {
  const { objects } = loaded.document;
  const labels = objects.map(({ name }) => names.label(name));
  const whole = objects.map(({ name }) => printable(name));
  const plain = whole.map((name, k) => `${labels[k]}\n${name}`.toLowerCase());
  const options = make('datalist', { id: `names${fields++}` });
  const control = make('input', { type: 'text', list: options.id, autocomplete: 'off', spellcheck: 'false' });
  const element = make('span', { class: 'names' }, control, options);
  const show = (name: string | null) => {
    control.value = name === null ? '' : names.label(name);
    control.title = printable(name ?? '');
  };
  control.addEventListener('input', () => {
    const part = control.value.toLowerCase();
    const offered: string[] = [];
    for (let k = 0; k < plain.length && offered.length < FEW; k++) if (plain[k].includes(part)) offered.push(labels[k]);
    options.replaceChildren(...offered.map((value) => make('option', { value })));
  });
  control.addEventListener('change', () => {
    const text = control.value.trim();
    const object = [labels, whole].map((each) => each.indexOf(text)).find((k) => k >= 0);
    if (text === '') take(store, side, null);
    else if (object !== undefined) take(store, side, objects[object].name);
    else {
      say(`no object is called ${text}`, 'problem');
      show(store.state[side]);
    }
  });
  return { element, show };
}
