/**
 * Tells which columns of a trajectory hold a pose, by the names in its header, with a comment mark
 * or without: those of TUM, EuRoC, `rostopic echo -p`, bagpy, and others built of the same words.
 */
import { cellsOf } from '../../base/cells.ts';
import { FormatError } from '../../base/errors.ts';
import { nearest } from '../../base/nearest.ts';
import { quoted } from '../../base/printable.ts';
import type { Pose } from '../../math/pose.ts';
import { cosineSineOfDegrees, LARGEST_ANGLE, sineCosine } from '../../math/sine.ts';

export type AngleUnit = 'deg' | 'rad';

export interface Columns {
  /** For each column of a row its number in PLACE; null if the column is left out. */
  roles: readonly (number | null)[];
  /** The unit of roll, pitch and yaw; null for a quaternion, and for a position alone. */
  angles: AngleUnit | null;
  /** The unit of lengths in the header; null if it says none. */
  lengths: string | null;
  /** True without a header: the first row has three numbers. */
  isByCount?: boolean;
}

/** Rows of three numbers without a header. */
export const POSITIONS: Columns = { roles: [0, 1, 2], angles: null, lengths: null, isByCount: true };

/** What a pose is made of: a position, and a quaternion or angles. */
const PLACE = ['x', 'y', 'z', 'qx', 'qy', 'qz', 'qw', 'roll', 'pitch', 'yaw'];
const POSITION = [0, 1, 2];
const QUATERNION = [3, 4, 5, 6];
const ANGLES = [7, 8, 9];
const QUATERNIONS = PLACE.slice(0, 7).join(' ');

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));
const POSITION_WORDS = words('p pos position t trans translation loc location point');
const QUATERNION_WORDS = words('q quat quaternion orientation orient ori rotation rot attitude');
/** Words of names that hold no other quantity: pose.x is a position. */
const PLAIN_WORDS = words('field pose poses transform transforms data');
/** Quantities that are no pose. */
const OTHER_WORDS = words(
  'vel velocity twist linear angular acc accel acceleration bias gyro omega rate speed covariance cov std sigma var ' +
    'variance wrench force torque effort err error header',
);
/** As the first word alone: v_RS_R_x, b_w_RS_S_x; frames have such names, too. */
const OTHER_LETTERS = words('v w a b');
const TIME_WORDS = words('time timestamp stamp ts t secs nsecs sec nsec nanosec nanosecs');
const LEFT_OUT_WORDS = words('seq id name frame index idx');
const TIME_UNITS = words('s ms us ns');
const ANGLE_WORDS: Record<string, AngleUnit> = {
  deg: 'deg',
  degree: 'deg',
  degrees: 'deg',
  '°': 'deg',
  rad: 'rad',
  radian: 'rad',
  radians: 'rad',
};

/** Longer names are unknown. */
const LONGEST_NAME = 200;

/** A number in PLACE; null for a column that is left out; undefined for an unknown name. */
type Role = number | null | undefined;

/** @example roleOf('field.pose.orientation.w').role // 6 */
function roleOf(name: string): { role: Role; unit: string | null } {
  if (name.length > LONGEST_NAME) return { role: undefined, unit: null };
  const [, own, bracket] = /^(.*?)\s*(?:[[(]([^\])]*)[\])])?$/s.exec(name)!;
  const tokens = own
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map((token) => token.replace(/(?<=[a-z])\d+$/, ''))
    .filter((token) => token !== '');
  let unit = bracket?.trim().toLowerCase() || null;
  if (unit === null && tokens.length > 1 && Object.hasOwn(ANGLE_WORDS, tokens.at(-1)!)) unit = tokens.pop()!;
  return { role: roleOfTokens(tokens), unit };
}

function roleOfTokens(tokens: readonly string[]): Role {
  const last = tokens.at(-1) ?? '';
  const before = tokens.slice(0, -1);
  if (tokens.some((token) => OTHER_WORDS.has(token))) return null;
  const angle = PLACE.indexOf(last, ANGLES[0]);
  if (angle >= 0) return angle;
  if (TIME_WORDS.has(last) || LEFT_OUT_WORDS.has(last)) return null;
  if (TIME_UNITS.has(last) && TIME_WORDS.has(before.at(-1) ?? '')) return null;
  const axis = 'xyzw'.indexOf(last.slice(-1));
  if (last === '' || axis < 0) return undefined;
  const start = last.slice(0, -1);
  if (start !== '' && !isQuantity(start)) return undefined;
  const quantity = quantityOf(start === '' ? before : [...before, start]);
  if (quantity === 'other') return null;
  if (quantity === 'quaternion') return QUATERNION[axis];
  return quantity === 'position' ? POSITION[axis] : undefined;
}

const isQuantity = (word: string): boolean =>
  POSITION_WORDS.has(word) || QUATERNION_WORDS.has(word) || OTHER_LETTERS.has(word);

function quantityOf(context: readonly string[]): 'position' | 'quaternion' | 'other' | null {
  const known = context.find(isQuantity);
  if (known === undefined) return context.every((word) => PLAIN_WORDS.has(word)) ? 'position' : null;
  if (OTHER_LETTERS.has(known)) return 'other';
  return POSITION_WORDS.has(known) ? 'position' : 'quaternion';
}

/** Marks of comments: `%` begins the header of rostopic. */
const MARKS = '#%';

/** True for blank lines and comments. */
export function isIdle(line: string): boolean {
  let i = 0;
  while (i < line.length && line.charCodeAt(i) <= 32) i++;
  return i === line.length || MARKS.includes(line[i]);
}

/** A unit belongs to the name before it, with blanks between them and within it. */
function namesOf(text: string): string[] {
  const parts = text.split(/(\[[^\][]*\]|\([^()]*\))/);
  const isUnit = (i: number): boolean => i % 2 === 1;
  return cellsOf(
    parts
      .map((part, i) => (isUnit(i) ? part.replaceAll(/\s/g, '') : i + 1 < parts.length ? part.trimEnd() : part))
      .join(''),
  );
}

/**
 * Returns null if the line is no header.
 *
 * @param angles the unit of roll, pitch and yaw, if the user says one
 * @throws FormatError for unknown, missing and repeated columns, and for angles without a unit
 */
export function columnsOf(text: string, line: number, angles?: AngleUnit): Columns | null {
  if (!/^\s*["']?[a-z_/]/i.test(text)) return null;
  return columnsNamed(namesOf(text), line, angles);
}

function columnsNamed(names: readonly string[], line: number, angles?: AngleUnit): Columns {
  const found = names.map(roleOf);
  for (const [i, { role }] of found.entries()) {
    if (role !== undefined) continue;
    const near = nearest(names[i], PLACE.slice(0, 7));
    const meant = near === null ? '' : `: did you mean ${near}?`;
    throw new FormatError({ line }, `columns of ${QUATERNIONS}, and time`, quoted(names[i]) + meant);
  }
  const named = (role: number): string[] => names.filter((_, i) => found[i].role === role);
  const hasSome = (roles: readonly number[]): boolean => roles.some((role) => named(role).length > 0);
  // Loggers write angles beside the quaternion, which says the same without a unit.
  const hasQuaternion = hasSome(QUATERNION);
  const isOfAngles = hasSome(ANGLES) && !hasQuaternion;
  const needed = hasQuaternion ? [...POSITION, ...QUATERNION] : POSITION;
  const missing = needed.flatMap((role) => (named(role).length === 0 ? [PLACE[role]] : []));
  if (missing.length > 0)
    throw new FormatError({ line }, `${missing.length === 1 ? 'one column' : 'columns'} ${missing.join(', ')}`, 'none');
  for (const role of isOfAngles ? [...POSITION, ...ANGLES] : needed) {
    const own = named(role);
    if (own.length < 2) continue;
    const many = `${own.length} of them: ${own.slice(0, 4).map(quoted).join(', ')}`;
    throw new FormatError({ line }, `one column ${PLACE[role]}`, many);
  }
  if (!hasQuaternion && !isOfAngles) requireNoTurn(names, line);
  const lengths = oneUnit(found, POSITION, line, 'lengths');
  const roles = found.map(({ role }) => (!isOfAngles && ANGLES.includes(role ?? -1) ? null : role!));
  if (isOfAngles) return { roles, angles: angleUnit(oneUnit(found, ANGLES, line, 'angles'), line, angles), lengths };
  if (angles) {
    const other = hasQuaternion ? 'those of a quaternion' : 'none';
    throw new FormatError({ line }, 'columns roll, pitch and yaw, for --angles', other);
  }
  return { roles, angles: null, lengths };
}

/** Beside a position alone, ax and wx may be a rotation, and no acceleration or rate. */
function requireNoTurn(names: readonly string[], line: number): void {
  const other = names.find((name) => /(?:^|[._/])[abw][._]?[xyz]\d*$/i.test(name.replace(/\s*[[(].*$/, '')));
  if (other === undefined) return;
  const wanted = `columns of ${QUATERNIONS}, or roll, pitch and yaw, or no rotation`;
  throw new FormatError({ line }, wanted, quoted(other));
}

function oneUnit(
  found: readonly { role: Role; unit: string | null }[],
  roles: readonly number[],
  line: number,
  what: string,
): string | null {
  const units = found.flatMap(({ role, unit }) => (roles.includes(role ?? -1) ? [unit ?? ''] : []));
  const other = units.find((unit) => unit !== units[0]);
  if (other !== undefined) throw new FormatError({ line }, `one unit of ${what}`, units.map(quoted).join(', '));
  return units[0] || null;
}

function angleUnit(unit: string | null, line: number, angles: AngleUnit | undefined): AngleUnit {
  const own = unit === null ? angles : Object.hasOwn(ANGLE_WORDS, unit) ? ANGLE_WORDS[unit] : undefined;
  if (own === undefined && unit === null)
    throw new FormatError({ line }, '--angles deg or --angles rad, the unit of roll, pitch and yaw', 'neither');
  if (own === undefined) throw new FormatError({ line }, 'roll, pitch and yaw in deg or rad', quoted(unit!));
  if (angles && own !== angles)
    throw new FormatError({ line }, `angles in ${angles}, as --angles says`, `a header with ${own}`);
  return own;
}

// --------------------------------------------------------------------------------------- comments

/** A comment that names columns. */
export interface HeaderComment {
  line: number;
  text: string;
  /** Names of all columns; null if some are unknown. */
  names: readonly string[] | null;
  /** Names without a quaternion or all angles: columns if a row has as many numbers, or prose. */
  few: readonly string[] | null;
  /** Words or cells of the comment. */
  count: number;
  /** True if it speaks of a quaternion's or of angles' columns. */
  isOfTurn: boolean;
}

/**
 * Reads a comment as a header: words up to the last unknown one are prose, as in `# columns: x y z
 * ...`. Null for a comment about anything else.
 */
export function headerComment(text: string, line: number): HeaderComment | null {
  const own = text.trim().replace(/^[#%\s]+/, '');
  const all = namesOf(own);
  const roles = all.map((name) => roleOf(name).role);
  const begin = 1 + roles.lastIndexOf(undefined);
  const named = roles.slice(begin);
  const hasAll = (some: readonly number[]): boolean => some.every((role) => named.includes(role));
  if (hasAll(POSITION) && (hasAll(QUATERNION) || hasAll(ANGLES)))
    return { line, text: own, names: all.slice(begin), few: null, count: all.length, isOfTurn: true };
  const count = (some: readonly number[]): number => roles.filter((role) => some.includes(role ?? -1)).length;
  const few = hasAll(POSITION) && count(QUATERNION) === 0 ? all.slice(begin) : null;
  const isOfTurn = count(QUATERNION) > 1 || count(ANGLES) > 1;
  if (!isOfTurn && count([...POSITION, ...QUATERNION]) < 3 && !W_FIRST.test(own)) return null;
  return { line, text: own, names: null, few, count: all.length, isOfTurn: isOfTurn || W_FIRST.test(own) };
}

/** @param count numbers in a row */
const namesFor = ({ names, few }: HeaderComment, count: number): readonly string[] | null =>
  names ?? (few?.length === count ? few : null);

const W_FIRST = /(?<![a-z])(?:q_?)?w[^a-z]+(?:q_?)?x[^a-z]+(?:q_?)?y[^a-z]+(?:q_?)?z(?![a-z])|wxyz/i;

/**
 * Returns the columns that the comments before the first row name; three numbers need none.
 *
 * @param count numbers in the row
 * @throws FormatError for comments that contradict each other, or that name columns in other words;
 *   and as `columnsOf`
 */
export function columnsOfComments(
  comments: readonly HeaderComment[],
  count: number,
  angles?: AngleUnit,
): Columns | undefined {
  const headers = comments.flatMap((comment) => {
    const { line, text } = comment;
    const names = namesFor(comment, count);
    return names ? [{ line, text, columns: columnsNamed(names, line, angles) }] : [];
  });
  const [first, ...others] = headers;
  const other = others.find(({ columns }) => !areSame(columns, first.columns));
  if (other) throw new FormatError({ line: other.line }, `the columns of line ${first.line}`, quoted(other.text));
  if (first) return first.columns;
  // Prose may speak of x, y and z. It is meant as a header if it has as many words as numbers. The
  // columns of a matrix have other names, and in another order it is not rigid.
  const isMatrix = count === 12 || count === 16;
  const doubt = comments.find(({ isOfTurn, count: own }) =>
    isMatrix ? isOfTurn && own === count : isOfTurn || own === count,
  );
  if (!doubt) return count === POSITIONS.roles.length ? POSITIONS : undefined;
  const wanted = `a header of ${QUATERNIONS}, in the order of the columns, or a comment that names none`;
  throw new FormatError({ line: doubt.line }, wanted, quoted(doubt.text));
}

const areSame = (a: Columns, b: Columns): boolean => a.angles === b.angles && a.roles.join() === b.roles.join();

/** Refuses a comment between rows that names their columns in another order. */
export function requireSameColumns(text: string, line: number, columns: Columns | undefined): void {
  const comment = headerComment(text, line);
  // Beside a quaternion, a position alone is prose.
  const count = columns && !columns.roles.includes(QUATERNION[0]) ? columns.roles.length : 0;
  const names = comment && namesFor(comment, count);
  if (!names) return;
  const time = names.length === 8 ? [null] : [];
  const expected = columns ?? { roles: [...time, ...POSITION, ...QUATERNION], angles: null, lengths: null };
  const found = columnsNamed(names, line, expected.angles ?? undefined);
  if (!areSame(found, expected)) throw new FormatError({ line }, 'the columns of the rows above', quoted(text.trim()));
}

// ------------------------------------------------------------------------------------------- rows

/** Position and quaternion or angles of a row: numbers by PLACE. Missing ones turn nothing. */
export function placeOfRow(numbers: readonly number[], { roles }: Columns): number[] {
  const place = new Array<number>(PLACE.length).fill(0);
  place[PLACE.indexOf('qw')] = 1;
  roles.forEach((role, i) => {
    if (role !== null) place[role] = numbers[i];
  });
  return place;
}

/**
 * Returns the pose at x, y, z after roll about x, then pitch about y, then yaw about z of the fixed
 * frame, as URDF and ROS have it. The sines are the same on every machine.
 */
export function poseOfAngles(place: readonly number[], unit: AngleUnit, line: number): Pose {
  const [x, y, z] = place;
  const [[cr, sr], [cp, sp], [cy, sy]] = ANGLES.map((role) => cosineSineOf(place[role], unit, line));
  return Float64Array.of(
    ...[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x],
    ...[sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y],
    ...[-sp, cp * sr, cp * cr, z],
    ...[0, 0, 0, 1],
  );
}

const sineAndCosine = new Float64Array(2);

function cosineSineOf(angle: number, unit: AngleUnit, line: number): [number, number] {
  if (!(Math.abs(angle) <= LARGEST_ANGLE))
    throw new FormatError({ line }, `angles of size at most ${LARGEST_ANGLE}`, `${angle}`);
  if (unit === 'deg') return cosineSineOfDegrees(angle);
  sineCosine(angle, sineAndCosine);
  return [sineAndCosine[1], sineAndCosine[0]];
}
