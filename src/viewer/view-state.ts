/**
 * The view state in the address behind its #: enough to restore the view, on the page or by
 * `gicollide picture`. Its text has the differences from the first view, as names and values:
 * `a=left&b=right&pose.right=1,0,0,2,...&level=3`.
 */

import { printable } from '../base/printable.ts';
import { isRigid } from '../math/pose.ts';

/** A level of the hierarchies, from 0, or the nodes at which the search stopped. */
export type VisitedLevel = number | 'front';

/** A plane that cuts away what lies beyond `at` on the axis, in the common frame. */
export interface Section {
  axis: 'x' | 'y' | 'z';
  at: number;
  /** True to cut away what lies below instead. */
  isFlipped: boolean;
}

/** Lengths and places are in the common frame, in doubles. */
export interface ViewState {
  a: string | null;
  b: string | null;
  /** Poses of objects moved by hand: 16 numbers, row-major 4x4, rigid. */
  poses: Readonly<Record<string, readonly number[]>>;
  /** Null: everything is in view, from the initial side. */
  camera: { eye: readonly [number, number, number]; target: readonly [number, number, number] } | null;
  isOrthographic: boolean;
  frame: number | null;
  finding: string | null;
  /** True if only a and b are drawn in full. */
  isIsolated: boolean;
  /** If isolated: true if the others are ghosts, false if they are hidden. */
  showsGhosts: boolean;
  /** If isolated: the name of one of the two that is translucent, since it hides the contact. */
  through: string | null;
  surface: 'solid' | 'wire' | 'glass' | 'hidden';
  level: number | null;
  /** Level of the visited pairs of nodes to draw, or where the search stopped; null: none. */
  visits: VisitedLevel | null;
  showsContacts: boolean;
  showsDistance: boolean;
  showsPages: boolean;
  section: Section | null;
  theme: 'auto' | 'light' | 'dark';
}

export const FIRST_VIEW: ViewState = {
  a: null,
  b: null,
  poses: {},
  camera: null,
  isOrthographic: false,
  frame: null,
  finding: null,
  isIsolated: false,
  showsGhosts: true,
  through: null,
  surface: 'solid',
  level: null,
  visits: null,
  showsContacts: true,
  showsDistance: true,
  showsPages: false,
  section: null,
  theme: 'auto',
};

/** Returns a pose set by hand. Names may be anything, such as `constructor`. */
export const poseOf = ({ poses }: Pick<ViewState, 'poses'>, name: string): readonly number[] | undefined =>
  Object.hasOwn(poses, name) ? poses[name] : undefined;

/**
 * Writes a view as text for the address, without the #; empty for the first view.
 *
 * @example writeView({ ...FIRST_VIEW, a: 'left wing', level: 3 }) // 'a=left%20wing&level=3'
 */
export function writeView(state: ViewState): string {
  const parts: string[] = [];
  for (const { key, write } of FIELDS) {
    const text = write(state);
    if (text !== null) parts.push(`${key}=${text}`);
  }
  for (const [name, pose] of Object.entries(state.poses)) parts.push(`${POSE}${encoded(name)}=${listed(pose)}`);
  return parts.join('&');
}

/**
 * Reads a view from the output of `writeView`, or from an address that ends with it. Invalid parts
 * stay as in the first view.
 *
 * @param onProblem receives one line for each part left out
 * @example readView('http://127.0.0.1:8080/#level=3').level // 3
 */
export function readView(text: string, onProblem: (problem: string) => void = () => {}): ViewState {
  if (text.length > LONGEST) {
    onProblem(`expected a view of at most ${LONGEST} characters, found ${text.length}`);
    return FIRST_VIEW;
  }
  const changes: Partial<ViewState> = {};
  const poses = new Map<string, readonly number[]>();
  for (const part of stateIn(text).split('&')) {
    if (part === '') continue;
    const end = part.includes('=') ? part.indexOf('=') : part.length;
    const key = decoded(part.slice(0, end));
    const value = decoded(part.slice(end + 1));
    if (key === null || value === null) onProblem(`${shown(part)}: a % without two digits after it`);
    else if (key === TOKEN) continue;
    else if (key.startsWith(POSE)) readPose(key.slice(POSE.length), value, poses, onProblem);
    else readField(key, value, changes, onProblem);
  }
  // From entries, `__proto__` becomes an ordinary name.
  return { ...FIRST_VIEW, ...changes, poses: Object.fromEntries(poses) };
}

const LONGEST = 1_000_000;

const TOKEN = 'token';

const POSE = 'pose.';

function stateIn(text: string): string {
  const hash = text.indexOf('#');
  if (hash >= 0) return text.slice(hash + 1);
  return /^(https?|file):/i.test(text) ? '' : text;
}

function readPose(
  name: string,
  value: string,
  poses: Map<string, readonly number[]>,
  onProblem: (problem: string) => void,
): void {
  const pose = numbersOf(value, 16);
  if (pose && isRigid(Float64Array.from(pose))) poses.set(name, pose);
  else
    onProblem(
      `${POSE}${shown(name)}: expected 16 numbers, a row-major 4x4 matrix that is rigid, found ${shown(value)}`,
    );
}

function readField(
  key: string,
  value: string,
  changes: Partial<ViewState>,
  onProblem: (problem: string) => void,
): void {
  const field = FIELDS.find((field) => field.key === key);
  if (!field) {
    const keys = FIELDS.map(({ key }) => key).join(', ');
    onProblem(`${shown(key)}: expected one of ${keys}, ${POSE}<object>`);
  } else if (!field.read(value, changes)) onProblem(`${key}: expected ${field.form}, found ${shown(value)}`);
}

const shown = (text: string): string => {
  const most = 60;
  const clean = printable(text);
  return `"${clean.length > most ? `${clean.slice(0, most)}...` : clean}"`;
};

interface Field {
  key: string;
  form: string;
  /** Null if it is as in the first view. */
  write(state: ViewState): string | null;
  /** Stores a valid value in `changes`; returns false for an invalid one. */
  read(text: string, changes: Partial<ViewState>): boolean;
}

function field<K extends keyof ViewState>(
  key: string,
  name: K,
  form: string,
  write: (value: NonNullable<ViewState[K]>) => string,
  read: (text: string) => ViewState[K] | undefined,
): Field {
  return {
    key,
    form,
    write: (state) => {
      const value = state[name];
      return value === null || value === undefined || value === FIRST_VIEW[name] ? null : write(value);
    },
    read: (text, changes) => {
      const value = read(text);
      if (value !== undefined) changes[name] = value;
      return value !== undefined;
    },
  };
}

const nameField = <K extends 'a' | 'b' | 'finding' | 'through'>(key: K): Field =>
  field(key, key, 'a name', encoded, (text) => text);

const countField = <K extends 'frame' | 'level'>(key: K): Field =>
  field(key, key, 'a whole number from 0', String, (text) =>
    /^\d{1,15}$/.test(text) ? (Number(text) as ViewState[K]) : undefined,
  );

const choiceField = <K extends 'surface' | 'theme'>(key: K, choices: readonly ViewState[K][]): Field =>
  field(key, key, choices.join(', '), String, (text) => choices.find((choice) => choice === text));

const switchField = <
  K extends 'isOrthographic' | 'isIsolated' | 'showsGhosts' | 'showsContacts' | 'showsDistance' | 'showsPages',
>(
  key: string,
  name: K,
): Field =>
  field(
    key,
    name,
    '0 or 1',
    (value) => (value ? '1' : '0'),
    (text) => (/^[01]$/.test(text) ? ((text === '1') as ViewState[K]) : undefined),
  );

const FIELDS: readonly Field[] = [
  nameField('a'),
  nameField('b'),
  nameField('finding'),
  countField('frame'),
  switchField('isolated', 'isIsolated'),
  switchField('ghosts', 'showsGhosts'),
  nameField('through'),
  choiceField('surface', ['solid', 'wire', 'glass', 'hidden']),
  countField('level'),
  field('visits', 'visits', 'a whole number from 0, or front', String, (text) => {
    if (text === 'front') return text;
    return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
  }),
  switchField('contacts', 'showsContacts'),
  switchField('distance', 'showsDistance'),
  switchField('pages', 'showsPages'),
  field('section', 'section', 'x,1.5 or y,1.5 or z,1.5, optionally with ,flipped', writeSection, readSection),
  field(
    'camera',
    'camera',
    'six numbers: the position of the camera, then another place that it looks at',
    ({ eye, target }) => listed([...eye, ...target]),
    readCamera,
  ),
  switchField('orthographic', 'isOrthographic'),
  choiceField('theme', ['auto', 'light', 'dark']),
];

function writeSection({ axis, at, isFlipped }: Section): string {
  return `${axis},${listed([at])}${isFlipped ? ',flipped' : ''}`;
}

function readSection(text: string): Section | undefined {
  const [, axis, number = '', flipped] = /^([xyz]),([^,]+)(,flipped)?$/.exec(text) ?? [];
  const at = numbersOf(number, 1);
  return at ? { axis: axis as Section['axis'], at: at[0]!, isFlipped: flipped !== undefined } : undefined;
}

function readCamera(text: string): NonNullable<ViewState['camera']> | undefined {
  const numbers = numbersOf(text, 6);
  if (!numbers) return undefined;
  const [ex, ey, ez, tx, ty, tz] = numbers as [number, number, number, number, number, number];
  if (ex === tx && ey === ty && ez === tz) return undefined;
  return { eye: [ex, ey, ez], target: [tx, ty, tz] };
}

const LARGEST = 1e150;

function numbersOf(text: string, count: number): number[] | undefined {
  const parts = text.split(',');
  if (parts.length !== count || !parts.every((part) => NUMBER.test(part))) return undefined;
  const numbers = parts.map(Number);
  return numbers.every((number) => Math.abs(number) <= LARGEST) ? numbers : undefined;
}

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** The shortest digits that give the same doubles, including -0. */
const listed = (numbers: readonly number[]): string =>
  numbers.map((number) => (Object.is(number, -0) ? '-0' : String(number))).join();

/**
 * Escapes text with % for addresses and shell quotes. Half of a surrogate pair, which has no UTF-8,
 * becomes %u and four digits.
 */
function encoded(text: string): string {
  const parts = text.split(/(\p{Cs})/u);
  const halves = parts.map((part, i) =>
    i % 2 === 0
      ? encodeURIComponent(part).replaceAll("'", '%27')
      : `%u${part.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return halves.join('');
}

function decoded(text: string): string | null {
  const parts = text.split(/%u([0-9a-f]{4})/i);
  try {
    const halves = parts.map((part, i) =>
      i % 2 === 0 ? decodeURIComponent(part) : String.fromCharCode(Number.parseInt(part, 16)),
    );
    return halves.join('');
  } catch {
    return null;
  }
}
