/**
 * Messages of ROS and MoveIt that hold positions of joints: JointState, JointTrajectory,
 * RobotState, RobotTrajectory, DisplayTrajectory, and goals of actions with one of these. They are
 * read from JSON and YAML; a JointState also from CSV of `rostopic echo -p` and bagpy.
 */
import { FormatError, type Place } from '../base/errors.ts';
import { quoted } from '../base/printable.ts';

/** Joints at one time; later parts stand for the same joints of earlier ones. */
export interface JointPositions {
  /** Seconds. */
  time: number | null;
  parts: readonly Part[];
}

interface Part {
  names: readonly unknown[];
  positions: readonly unknown[];
  /** Its place in the message, for errors: ' at points[2]'. */
  at: string;
}

type Message = Record<string, unknown>;

const isList = (value: unknown): value is unknown[] => Array.isArray(value);
const isMessage = (value: unknown): value is Message => typeof value === 'object' && value !== null && !isList(value);
const within = (at: string, key: string): string => `${at === '' ? ' at ' : `${at}.`}${key}`;

export interface MessageAsker {
  warn(problem: string): void;
  hasJoint(name: string): boolean;
}

/** Maximum depth of messages in other messages, including the goals of actions. */
const DEEPEST = 8;
const HOLDERS = ['joint_trajectory', 'trajectory', 'joint_state', 'goal', 'state'];

/**
 * Returns the positions of a message, in order; null if it is no such message.
 *
 * @param asker is told about parts that are left out
 * @throws FormatError for a message that breaks its format, and for one that moves the robot's base
 */
export function positionsOf(
  message: Message,
  place: Place,
  asker: MessageAsker,
  at = '',
  depth = 0,
): JointPositions[] | null {
  if (depth > DEEPEST) return null;
  if (isList(message.joint_names) && isList(message.points))
    return message.points.map((point, n) =>
      pointOf(message.joint_names as unknown[], point, place, within(at, `points[${n}]`)),
    );
  if (isList(message.name) && isList(message.position)) {
    const { name: names, position: positions } = message;
    requireCount(names, positions, place, at);
    const { stamp } = isMessage(message.header) ? message.header : {};
    const time = stamp === undefined || stamp === null ? null : secondsOf(stamp, place, within(at, 'header.stamp'));
    return [{ time, parts: [{ names, positions, at }] }];
  }
  for (const key of HOLDERS) {
    const inner = message[key];
    const all = isList(inner) && key === 'trajectory' ? inner : isMessage(inner) ? [inner] : [];
    const found = all.map((part, n) =>
      isMessage(part)
        ? positionsOf(part, place, asker, within(at, isList(inner) ? `${key}[${n}]` : key), depth + 1)
        : null,
    );
    if (all.length === 0 || found.some((positions) => positions === null)) continue;
    requireFixedBase(message, place, asker, at);
    const attached = message.attached_collision_objects;
    if (isList(attached) && attached.length > 0) asker.warn('objects attached to the robot are left out');
    return afterStart(
      message,
      found.flatMap((positions) => positions!),
      place,
      asker,
      at,
      depth,
    );
  }
  return null;
}

function pointOf(names: unknown[], point: unknown, place: Place, at: string): JointPositions {
  const { positions, time_from_start: since } = requireMessage(point, place, at);
  requireCount(names, positions, place, at);
  const time = since === undefined || since === null ? null : secondsOf(since, place, `${at}.time_from_start`);
  return { time, parts: [{ names, positions: positions as unknown[], at }] };
}

function requireCount(names: readonly unknown[], positions: unknown, place: Place, at: string): void {
  if (!isList(positions) || positions.length !== names.length)
    throw new FormatError(
      place,
      `${names.length} positions${at}`,
      isList(positions) ? `${positions.length}` : shown(positions),
    );
}

/** Joints that a DisplayTrajectory does not move keep the positions of its start. */
function afterStart(
  message: Message,
  all: JointPositions[],
  place: Place,
  asker: MessageAsker,
  at: string,
  depth: number,
): JointPositions[] {
  const start = message.trajectory_start;
  if (isMessage(start)) requireFixedBase(start, place, asker, within(at, 'trajectory_start'));
  const before = isMessage(start) ? positionsOf(start, place, asker, within(at, 'trajectory_start'), depth + 1) : null;
  if (!before) return all;
  const parts = before.flatMap(({ parts }) => parts);
  const [first, ...others] = all;
  return first ? [{ time: first.time, parts: [...parts, ...first.parts] }, ...others] : before;
}

/**
 * Joints of several degrees of freedom are not read. There must be none of the robot, and all must
 * be at the identity.
 */
function requireFixedBase(message: Message, place: Place, asker: MessageAsker, at: string): void {
  for (const key of ['multi_dof_joint_state', 'multi_dof_joint_trajectory']) {
    const several = isMessage(message[key]) ? message[key] : {};
    const names = isList(several.joint_names) ? several.joint_names : [];
    const known = names.find((name) => asker.hasJoint(String(name)));
    if (known !== undefined)
      throw new FormatError(place, `joints of one value each${at}`, `${quoted(String(known))} in ${key}`);
    const points = isList(several.points) ? several.points : [];
    for (const some of [several, ...points]) {
      const transforms = isMessage(some) && isList(some.transforms) ? some.transforms : [];
      if (!transforms.every(isIdentity))
        throw new FormatError(place, `joints of one value each${at}`, `a transform other than the identity in ${key}`);
    }
  }
}

function isIdentity(transform: unknown): boolean {
  const { translation, rotation } = isMessage(transform) ? transform : {};
  const { x = 0, y = 0, z = 0 } = isMessage(translation) ? translation : {};
  const { x: qx = 0, y: qy = 0, z: qz = 0 } = isMessage(rotation) ? rotation : {};
  return [x, y, z, qx, qy, qz].every((part) => part === 0);
}

/** Seconds, or a duration or time of ROS: whole seconds and billionths. */
export function secondsOf(value: unknown, place: Place, at: string): number {
  if (typeof value === 'number') return value;
  const { sec, secs = sec, nanosec, nsecs = nanosec } = requireMessage(value, place, at);
  if (typeof secs === 'number' && typeof nsecs === 'number') return secs + nsecs / 1e9;
  throw new FormatError(place, `seconds${at}`, shown(value));
}

export function requireMessage(value: unknown, place: Place, at: string): Message {
  if (isMessage(value)) return value;
  throw new FormatError(place, `an object of joints' values${at}`, shown(value));
}

export function shown(value: unknown): string {
  if (typeof value === 'string') return quoted(value);
  if (value === undefined) return 'nothing';
  return isList(value) ? 'a list' : typeof value === 'object' && value ? 'an object' : String(value);
}

// -------------------------------------------------------------------------------------------- CSV

/** The content of a column of a JointState in CSV; null: left out. */
type Field = { kind: 'time'; perSecond: number } | { kind: 'names' } | { kind: 'name' | 'position'; n: number } | null;

const FIELD = /^(?:field\.)?(\w+?)[._]?\[?(\d*)\]?$/;
const TIME = /^(%?)time$/i;
const LEFT_OUT = /^(?:field\.)?(?:header\.|seq$|(?:velocity|effort)(?:[._]?\[?\d+\]?)?$)/;

/**
 * Returns the content of the columns if the header is that of a JointState: `field.name0`,
 * `field.position0` (rostopic echo -p), or `name`, `position_0` (bagpy). Null for another header.
 *
 * @throws FormatError for a column that a JointState does not have
 */
export function jointStateFields(cells: readonly string[], place: Place): Field[] | null {
  const fields = cells.map((cell): Field | undefined => {
    const time = TIME.exec(cell);
    // rostopic writes billionths.
    if (time) return { kind: 'time', perSecond: time[1] === '%' ? 1e9 : 1 };
    if (LEFT_OUT.test(cell)) return null;
    const [, word, number] = FIELD.exec(cell) ?? [];
    if (word === 'name' && number === '') return { kind: 'names' };
    return (word === 'name' || word === 'position') && number !== '' ? { kind: word, n: Number(number) } : undefined;
  });
  const has = (...kinds: string[]): boolean => fields.some((field) => field && kinds.includes(field.kind));
  if (!has('position') || !has('names', 'name')) return null;
  const unknown = fields.indexOf(undefined);
  if (unknown >= 0)
    throw new FormatError(
      place,
      'a column of a JointState: time, name, position, velocity, effort',
      quoted(cells[unknown]),
    );
  return fields as Field[];
}

export function positionsOfRow(cells: readonly string[], fields: readonly Field[], place: Place): JointPositions {
  let time: number | null = null;
  let names: unknown[] = [];
  const positions: unknown[] = [];
  for (const [i, field] of fields.entries()) {
    const cell = cells[i];
    if (field === null) continue;
    const value = cell === '' ? Number.NaN : Number(cell);
    if (field.kind === 'time') {
      if (!Number.isFinite(value)) throw new FormatError(place, 'a number as time', quoted(cell));
      time = value / field.perSecond;
    } else if (field.kind === 'names') names = listOf(cell);
    else if (field.kind === 'name') names[field.n] = cell;
    else positions[field.n] = Number.isNaN(value) ? cell : value;
  }
  requireCount(names, positions, place, '');
  if (names.includes(undefined) || positions.includes(undefined))
    throw new FormatError(place, 'names and positions of all joints, from 0 on', 'a number left out');
  return { time, parts: [{ names, positions, at: '' }] };
}

/** "['a', 'b']", as Python prints a list of words. */
const listOf = (cell: string): string[] =>
  cell
    .replace(/^\[(.*)\]$/s, '$1')
    .split(',')
    .map((word) => word.trim().replace(/^(['"])(.*)\1$/, '$2'));
