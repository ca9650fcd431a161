/**
 * A robot in a scene: shapes of links are objects, joints give their poses, some pairs may touch.
 * Also reads states of its joints from text.
 */
import { cellsOf, mixedSeparators } from '../base/cells.ts';
import { FormatError, OptionError, type Place } from '../base/errors.ts';
import { shortNumber } from '../base/json-messages.ts';
import { parseJson } from '../base/json-text.ts';
import { nearest } from '../base/nearest.ts';
import { quoted } from '../base/printable.ts';
import { compose, type Pose } from '../math/pose.ts';
import {
  follow,
  isDriven,
  isOfOneValue,
  LARGEST_VALUE,
  linkPoses,
  type NamedValues,
  namesOfValues,
  type Robot,
  restValues,
} from '../readers/robot/robot.ts';
import type { LinkPair, NamedState, RobotSemantics } from '../readers/robot/srdf.ts';
import { partNames } from '../readers/robot/urdf.ts';
import {
  type JointPositions,
  jointStateFields,
  positionsOf,
  positionsOfRow,
  requireMessage,
  shown,
} from './joint-messages.ts';
import type { Allowance } from './rules.ts';

export interface Part {
  name: string;
  link: number;
  /** From the shape's frame to the link's. */
  origin: Pose;
}

/** Smaller violations of a limit are ignored: printed limits are rounded. */
const LIMIT_SLACK = 1e-9;

const MOST_ALLOWANCES = 1_000_000;

export class MovingRobot {
  readonly parts: readonly Part[];
  readonly values: Float64Array;

  /**
   * @param prefix of the names of its objects
   * @param absent names of objects that could not be made
   * @param names of its shapes in its file, which has no virtual joint
   */
  constructor(
    readonly robot: Robot,
    prefix = '',
    absent: ReadonlySet<string> = new Set(),
    names: readonly string[] = partNames(robot),
  ) {
    const shapes = robot.links.flatMap(({ shapes }, link) => shapes.map(({ origin }) => ({ link, origin })));
    const parts = shapes.map((shape, n) => ({ name: prefix + names[n], ...shape }));
    this.parts = parts.filter(({ name }) => !absent.has(name));
    this.values = restValues(robot);
    follow(robot, this.values);
  }

  /**
   * @param values by their numbers, of driven joints; the others stay
   * @throws OptionError as `follow`
   */
  move(values: ReadonlyMap<number, number>): void {
    for (const [n, value] of values) this.values[n] = value;
    follow(this.robot, this.values);
  }

  poses(): Record<string, Pose> {
    const links = linkPoses(this.robot, this.values);
    // A link may be called __proto__.
    return Object.fromEntries(this.parts.map(({ name, link, origin }) => [name, compose(links[link], origin)]));
  }

  beyondLimits(): string | null {
    for (const { name, type, first, lower, upper } of this.robot.joints) {
      const value = this.values[first];
      const isWithin = (x: number): boolean => x >= lower - LIMIT_SLACK && x <= upper + LIMIT_SLACK;
      if (!isOfOneValue(type) || isWithin(value)) continue;
      const problem = `joint ${name}: ${value} is beyond its limits, ${lower} to ${upper}`;
      if (type === 'prismatic') return problem;
      const radians = value * (Math.PI / 180);
      const meant = isWithin(radians) ? `; ${value} degrees are ${Number(radians.toPrecision(4))}` : '';
      return `${problem} radians${meant}`;
    }
    return null;
  }
}

/**
 * Reads names of states and joint=value, separated by commas and applied in turn. A joint of
 * several values has spaces between them.
 *
 * @param states a name in several groups means all of them; group/name means one
 * @throws OptionError for unknown names, invalid numbers, and a name by which two groups mean
 *   different values of a joint
 */
export function parseState(text: string, robot: Robot, states: readonly NamedState[]): Map<number, number> {
  const values = new Map<number, number>();
  for (const item of text.split(',').map((part) => part.trim())) {
    const equals = item.lastIndexOf('=');
    const some = equals < 0 ? namedValues(item, robot, states) : jointValues(item, equals, robot);
    for (const [n, value] of some) values.set(n, value);
  }
  return values;
}

function namedValues(name: string, robot: Robot, states: readonly NamedState[]): Map<number, number> {
  const found = states.filter((state) => state.name === name || `${state.group}/${state.name}` === name);
  if (found.length === 0) {
    const known = states.map((state) => state.name);
    const near = nearest(name, known);
    const rest =
      near !== null
        ? `did you mean ${near}?`
        : known.length > 0
          ? `known: ${[...new Set(known)].join(', ')}`
          : 'no --srdf names one';
    throw new OptionError(`--state: no state ${quoted(name)}; ${rest}`);
  }
  const values = new Map<number, number>();
  for (const state of found) {
    for (const [n, value] of state.values) {
      if ((values.get(n) ?? value) !== value) {
        const joint = robot.joints.findLast(({ first }) => first <= n)!;
        throw new OptionError(
          `--state: groups have different values of joint ${quoted(joint.name)} as ${quoted(name)}; use ${state.group}/${name}`,
        );
      }
      values.set(n, value);
    }
  }
  return values;
}

function jointValues(item: string, equals: number, robot: Robot): [number, number][] {
  const [name, text] = [item.slice(0, equals).trim(), item.slice(equals + 1).trim()];
  const names = namesOfValues(robot);
  const own = names.get(name);
  const isSet = ({ joint }: NamedValues): boolean => isDriven(robot.joints[joint]);
  if (!own || !isSet(own)) {
    const driven = [...names].flatMap(([known, values]) => (isSet(values) ? [known] : []));
    const near = own ? null : nearest(name, driven);
    const problem = own ? `joint ${quoted(name)} is moved by no state` : `no joint ${quoted(name)}`;
    throw new OptionError(`--state: ${problem}${near === null ? '' : `; did you mean ${near}?`}`);
  }
  const { first, count } = own;
  const numbers = text.split(/\s+/).map((word) => (word === '' ? Number.NaN : Number(word)));
  if (numbers.length !== count || !numbers.every(Number.isFinite)) {
    const many = count === 1 ? 'a number' : `${count} numbers, separated by spaces`;
    throw new OptionError(`--state: expected ${many} for joint ${name}, found ${quoted(text)}`);
  }
  return numbers.map((value, k) => [first + k, value]);
}

/** Each link with shapes, and the nearest such link above it. */
export function adjacentLinks({ links, joints }: Robot): LinkPair[] {
  const pairs: LinkPair[] = [];
  /** For each link: itself or the nearest above it that has shapes; -1 if none has. */
  const shaped: number[] = [];
  for (const [b, { shapes }] of links.entries()) {
    const above = b === 0 ? -1 : shaped[joints[b - 1].parent];
    if (shapes.length > 0 && above >= 0) pairs.push({ a: above, b, reason: 'adjacent' });
    shaped.push(shapes.length > 0 ? b : above);
  }
  return pairs;
}

/**
 * Pairs of one link, and of links by the SRDF, or else adjacent ones.
 *
 * @throws OptionError for an object's name that contains wildcards
 */
export function allowancesOf({ robot, parts }: MovingRobot, semantics: RobotSemantics | null): Allowance[] {
  const ofLink: string[][] = robot.links.map(() => []);
  for (const { name, link } of parts) {
    if (/[*?]/.test(name)) throw new OptionError(`${name}: a robot's name has no * and no ?`);
    ofLink[link].push(name);
  }
  const pairs: LinkPair[] = semantics?.mayTouch ?? adjacentLinks(robot);
  const own = ofLink.map((names) => (names.length * (names.length - 1)) / 2);
  const count = [...own, ...pairs.map(({ a, b }) => ofLink[a].length * ofLink[b].length)].reduce((n, m) => n + m, 0);
  if (count > MOST_ALLOWANCES)
    throw new OptionError(`expected at most ${MOST_ALLOWANCES} pairs of shapes that may touch, found ${count}`);
  const allowed: Allowance[] = [];
  for (const names of ofLink) {
    for (const [n, a] of names.entries())
      for (const b of names.slice(n + 1)) allowed.push({ a, b, reason: 'one link' });
  }
  for (const { a, b, reason } of pairs) {
    for (const first of ofLink[a]) for (const second of ofLink[b]) allowed.push({ a: first, b: second, reason });
  }
  return allowed;
}

/*
 * Reads states of a robot from text: CSV under a header of joints' names, a JSON object a line, one
 * JSON value, or documents of YAML. Values may be messages of ROS: see joint-messages.ts.
 */

export interface JointState {
  time: number | null;
  /** Radians or meters, by their numbers in the robot; the other values stay. */
  values: ReadonlyMap<number, number>;
  /** The line in the text; null within a JSON value; the first one of a document of YAML. */
  line: number | null;
}

const LONGEST = 2 ** 26;

const TIME = 'time';
const TIMES = /^(?:time|timestamp|t)$/i;

type ParseYaml = typeof import('../base/yaml-text.ts').parseYaml;

export class JointStateReader {
  private readonly names: Map<string, NamedValues>;
  private readonly told = new Set<number | string>();
  private kind: 'unknown' | 'csv' | 'objects' | 'document' | 'yaml' = 'unknown';
  private header: readonly string[] = [];
  private columns: Column[] = [];
  /** The columns if each row is a JointState. */
  private fields: ReturnType<typeof jointStateFields> = null;
  /** Lines of a document, and the number of the first. */
  private document: string[] = [];
  private first = 1;
  private length = 0;
  private parseYaml: ParseYaml | null = null;

  constructor(
    private readonly robot: Robot,
    private readonly warn: (problem: string) => void,
  ) {
    this.names = namesOfValues(robot);
  }

  /**
   * @param line its number in the text, from 1; blank lines may be left out
   * @throws FormatError with the line, for unknown joints and invalid numbers
   */
  read(text: string, line: number): JointState[] {
    if (this.kind === 'document') return this.keep(text, line);
    if (this.kind === 'yaml') return this.readYaml(text, line);
    const trimmed = text.trim();
    if (trimmed === '') return [];
    if (this.kind === 'unknown') {
      const header = /^#/.test(trimmed) ? trimmed.replace(/^[#\s]+/, '') : trimmed;
      if (header !== trimmed && !this.areKnown(cellsOf(header))) return [];
      this.kind = kindOf(header);
      if (this.kind === 'document') return this.keep(text, line);
      if (this.kind === 'yaml') return this.readYaml(text, line);
      if (this.kind === 'csv') {
        this.takeHeader(cellsOf(header), line);
        return [];
      }
    }
    if (this.kind === 'csv' && trimmed.startsWith('#')) return this.skip(trimmed, line);
    if (this.kind === 'csv') return [this.ofCells(trimmed, line)];
    return this.ofLine(trimmed, line);
  }

  /** True until `prepare` has loaded the parser of YAML, which `read` needs. */
  get isWaiting(): boolean {
    return this.kind === 'yaml' && this.parseYaml === null;
  }

  async prepare(): Promise<void> {
    this.parseYaml = (await import('../base/yaml-text.ts')).parseYaml;
  }

  end(): JointState[] {
    if (this.kind === 'yaml') return this.endYaml();
    if (this.kind !== 'document') return [];
    const value = parseJson(this.document.join('\n'));
    this.document = [];
    if (Array.isArray(value))
      return value.flatMap((item, n) => this.ofObject(requireMessage(item, null, ` at [${n}]`), null, ` at [${n}]`));
    const found = positionsOf(requireMessage(value, null, ''), null, this.asker);
    if (found === null)
      throw new FormatError(
        null,
        'a list of states, or a trajectory: joint_names and points',
        'an object without these',
      );
    return found.map((positions) => this.ofPositions(positions, null));
  }

  private readonly asker = {
    warn: (problem: string): void => {
      if (!this.told.has(problem)) this.warn(problem);
      this.told.add(problem);
    },
    hasJoint: (name: string): boolean => this.names.has(name),
  };

  private keep(text: string, line: number): JointState[] {
    // Keeps line numbers those of the whole text.
    while (this.first + this.document.length < line) this.document.push('');
    this.length += text.length + 1;
    if (this.length > LONGEST)
      throw new FormatError(null, `states of at most ${LONGEST} characters in a document, or a line each`, 'more');
    this.document.push(text);
    return [];
  }

  private readYaml(text: string, line: number): JointState[] {
    if (!/^(---|\.\.\.)(\s|$)/.test(text)) {
      if (this.document.length === 0) this.first = line;
      return this.keep(text, line);
    }
    const states = this.endYaml();
    const rest = text.slice(3).trim();
    if (rest === '' || text.startsWith('...')) return states;
    this.first = line;
    this.keep(`   ${text.slice(3)}`, line);
    return states;
  }

  private endYaml(): JointState[] {
    if (this.document.length === 0) return [];
    const value = this.parseYaml!(this.document.join('\n'), this.first);
    [this.document, this.length] = [[], 0];
    const place = { line: this.first };
    if (value === null) return [];
    const items = Array.isArray(value) ? value : [value];
    const at = (n: number): string => (Array.isArray(value) ? ` at [${n}]` : '');
    return items.flatMap((item, n) => this.ofObject(requireMessage(item, place, at(n)), this.first, at(n)));
  }

  /** Skips a comment between rows, unless it names their columns in another order. */
  private skip(text: string, line: number): JointState[] {
    const cells = cellsOf(text.replace(/^[#\s]+/, ''));
    if (cells.length === this.header.length && this.areKnown(cells) && cells.join() !== this.header.join())
      throw new FormatError({ line }, 'the columns of the rows above', quoted(text));
    return [];
  }

  private areKnown(cells: readonly string[]): boolean {
    return cells.every((cell) => this.names.has(cell) || TIMES.test(cell));
  }

  private takeHeader(cells: readonly string[], line: number): void {
    this.header = cells;
    if (!this.areKnown(cells)) this.fields = jointStateFields(cells, { line });
    if (this.fields) return;
    this.columns = cells.map((name) => this.columnOf(name, { line }));
    const taken = new Set<number>();
    for (const [n, column] of this.columns.entries()) {
      if (column === null) continue;
      // The time has no number.
      const own = column === TIME ? [-1] : Array.from({ length: column.count }, (_, k) => column.first + k);
      if (own.some((number) => taken.has(number)))
        throw new FormatError({ line }, 'each joint once', `${quoted(cells[n])} again`);
      for (const number of own) taken.add(number);
    }
  }

  /** Null for a joint that states can't move; its values are left out. */
  private columnOf(name: string, place: Place, at = ''): Column {
    const own = this.names.get(name);
    if (own === undefined) {
      if (TIMES.test(name)) return TIME;
      const near = nearest(name, [...this.names.keys()]);
      const meant = near === null ? '' : `: did you mean ${near}?`;
      throw new FormatError(place, `a joint of the robot, or time${at}`, quoted(name) + meant);
    }
    const joint = this.robot.joints[own.joint];
    if (isDriven(joint)) return own;
    if (!this.told.has(own.joint)) {
      this.told.add(own.joint);
      const why = joint.mimic ? `mimics ${this.robot.joints[joint.mimic.joint].name}` : `is ${joint.type}`;
      this.warn(`joint ${name} ${why}; its values in states are left out`);
    }
    return null;
  }

  private ofCells(text: string, line: number): JointState {
    const { columns, fields } = this;
    // Blanks within a cell separate the values of one joint.
    const hasLists = columns.some((column) => column !== null && column !== TIME && column.count > 1);
    const cells = hasLists && columns.length === 1 ? [text.trim()] : cellsOf(text);
    const mixed = hasLists ? null : mixedSeparators(text);
    const count = fields?.length ?? columns.length;
    if (cells.length !== count) {
      if (mixed) throw new FormatError({ line }, ...mixed);
      throw new FormatError({ line }, `${count} values, as the header has names`, `${cells.length}`);
    }
    if (fields) return this.ofPositions(positionsOfRow(cells, fields, { line }), line);
    let time: number | null = null;
    const values = new Map<number, number>();
    for (const [n, cell] of cells.entries()) {
      const column = columns[n];
      if (cell === '' || column === null) continue;
      const value = Number(cell);
      if (Number.isNaN(value) && mixed) throw new FormatError({ line }, ...mixed);
      if (column === TIME) time = requireNumber(value, cell, { line }, '', Number.MAX_VALUE);
      else this.set(values, column, column.count > 1 ? cell.split(/\s+/).map(Number) : value, cell, { line });
    }
    return { time, values, line };
  }

  /** For a joint of several values, a list. */
  private set(
    values: Map<number, number>,
    { joint, first, count }: NamedValues,
    given: unknown,
    found: unknown,
    place: Place,
    at = '',
  ): void {
    const of = ` of joint ${this.robot.joints[joint].name}${at}`;
    if (count > 1 && !(Array.isArray(given) && given.length === count))
      throw new FormatError(place, `${count} numbers${of}`, shown(found));
    const list: readonly unknown[] = count > 1 ? (given as unknown[]) : [given];
    for (const [k, value] of list.entries())
      values.set(first + k, requireNumber(value, count > 1 ? value : found, place, of));
  }

  private ofLine(text: string, line: number): JointState[] {
    let value: unknown;
    try {
      value = parseJson(text);
    } catch (error) {
      if (error instanceof FormatError) throw new FormatError({ line }, error.expected, error.found);
      throw error;
    }
    return this.ofObject(requireMessage(value, { line }, ''), line, '');
  }

  private ofObject(record: Record<string, unknown>, line: number | null, at: string): JointState[] {
    const place = line === null ? null : { line };
    const found = positionsOf(record, place, this.asker, at);
    if (found) return found.map((positions) => this.ofPositions(positions, line));
    let time: number | null = null;
    const values = new Map<number, number>();
    for (const [name, value] of Object.entries(record)) {
      const column = this.columnOf(name, place, at);
      if (column === TIME) time = value === null ? null : requireNumber(value, value, place, at, Number.MAX_VALUE);
      else if (column !== null) this.set(values, column, value, value, place, at);
    }
    return [{ time, values, line }];
  }

  private ofPositions({ time, parts }: JointPositions, line: number | null): JointState {
    const place = line === null ? null : { line };
    const values = new Map<number, number>();
    for (const { names, positions, at } of parts) {
      if (new Set(names).size < names.length) throw new FormatError(place, `each joint once${at}`, 'one again');
      for (const [k, name] of names.entries()) {
        const column = this.columnOf(String(name), place, at);
        if (column !== null && column !== TIME) this.set(values, column, positions[k], positions[k], place, at);
      }
    }
    return { time, values, line };
  }
}

type Column = NamedValues | typeof TIME | null;

/** Lines that begin a document: a mark, a list, or a key. */
const YAML = /^(?:---(?:\s|$)|%YAML\s|-(?:\s|$)|[^\s,;]+:(?:\s|$))/;

function kindOf(text: string): 'csv' | 'objects' | 'document' | 'yaml' {
  if (text.startsWith('[')) return 'document';
  if (!text.startsWith('{')) return YAML.test(text) ? 'yaml' : 'csv';
  try {
    JSON.parse(text);
    return 'objects';
  } catch {
    // An object that fits a line ends with a brace. This one continues, or fails as a line.
    return text.endsWith('}') ? 'objects' : 'document';
  }
}

function requireNumber(
  value: unknown,
  found: unknown,
  place: Place,
  of: string,
  largest: number = LARGEST_VALUE,
): number {
  if (typeof value === 'number' && Math.abs(value) <= largest) return value;
  throw new FormatError(place, `a number of size at most ${shortNumber(largest)}${of}`, shown(found));
}
