/** Describes an object: sizes, domain, and its program as an indented tree. */

import { printable } from '../../../base/printable.ts';
import type { Description } from '../../../engine/representation.ts';
import { type FrepObject, isAnalytic, isBlend, isFunction, isLeaf, OP, OP_NAMES } from './program.ts';

const MOST_LINES = 200;

/**
 * @param bytes the file, null for an object in memory
 * @param levels number of levels in the hierarchy of cells
 */
export async function describeFrep(object: FrepObject, bytes: Uint8Array | null, levels: number): Promise<Description> {
  const { program, center, half, domain } = object;
  const { tool, source, units, options } = object.header;
  const counts = new Array<number>(OP_NAMES.length).fill(0);
  const degrees = new Set<number>();
  let waves = 0;
  program.ops.forEach((op, i) => {
    counts[op]++;
    if (op === OP.POLYNOMIAL) degrees.add(program.right[i]);
    if (op === OP.WAVES) waves += program.right[i];
  });
  return {
    representation: 'frep',
    instructions: program.ops.length,
    quadrics: counts[OP.QUADRIC],
    polynomials: counts[OP.POLYNOMIAL],
    ...(degrees.size > 0 && { degrees: [...degrees].sort((a, b) => a - b) }),
    waves,
    perturbations: counts[OP.PERTURBATION],
    ...(counts[OP.JOIN] + counts[OP.MEET] > 0 && { blends: counts[OP.JOIN] + counts[OP.MEET] }),
    ...(program.ops.some(isAnalytic) && { functions: program.ops.filter(isAnalytic).length }),
    domain: {
      min: center.map((c, axis) => c - half * domain[axis]),
      max: center.map((c, axis) => c + half * domain[axis]),
    },
    ...(object.span && { time: { begin: object.span[0], end: object.span[1] } }),
    levels,
    tolerance: { missing: 0, excess: 0 },
    bytes: {
      ops: program.ops.byteLength,
      arguments: program.left.byteLength + program.right.byteLength + program.third.byteLength,
      numbers: program.numbers.byteLength,
    },
    fileBytes: bytes?.length ?? null,
    // The file's final checksum covers all of its content.
    contentHash: bytes ? Array.from(bytes.subarray(-32), (byte) => byte.toString(16).padStart(2, '0')).join('') : null,
    source,
    units,
    options,
    tool,
    tree: treeOf(object),
  };
}

/**
 * Returns the program as lines, the root first, each instruction indented below its reader. Nested
 * unnamed instructions of one kind merge; a shared one appears once, then by its number. After
 * MOST_LINES a last line counts the rest.
 *
 * @example treeOf(object) // ['intersection of 2', '  sphere (quadric)', '  lid (half-space)']
 */
export function treeOf(object: FrepObject): string[] {
  const { ops, left, right, third, numbers } = object.program;
  const uses = new Uint32Array(ops.length);
  for (let i = 0; i < ops.length; i++) {
    if (isLeaf(ops[i])) continue;
    uses[left[i]]++;
    if (!isUnary(ops[i])) uses[right[i]]++;
  }
  const isTold = new Uint8Array(ops.length);
  const lines: string[] = [];
  let more = 0;
  const say = (depth: number, text: () => string) => {
    if (lines.length < MOST_LINES) lines.push(`${'  '.repeat(depth)}${text()}`);
    else more++;
  };
  // Pairs, last first: depth, and instruction, or ~i between the base of perturbation i and its
  // bump.
  const pending = [0, ops.length - 1];
  while (pending.length > 0) {
    const i = pending.pop() as number;
    const depth = pending.pop() as number;
    if (i < 0) {
      const amount = numbers[third[~i]];
      say(depth, () => `${amount < 0 ? '-' : '+'} ${Math.abs(amount)} max(., 0)^2 of`);
      continue;
    }
    if (isTold[i] === 1) {
      say(depth, () => `${labelOf(object, i, 0)}, as #${i} above`);
      continue;
    }
    isTold[i] = 1;
    const first = pending.length;
    if (ops[i] === OP.PERTURBATION) pushPerturbations(object, uses, i, depth + 1, pending);
    else if (!isLeaf(ops[i])) pushMembers(object, uses, i, depth + 1, pending);
    const members = (pending.length - first) / 2;
    say(depth, () => `${labelOf(object, i, members)}${uses[i] > 1 ? ` #${i}` : ''}`);
  }
  if (more > 0) lines.push(`... and ${more} more`);
  return lines;
}

const isUnary = (op: number): boolean => op === OP.TIMED || isFunction(op);

const joins = ({ program, names }: FrepObject, uses: Uint32Array, i: number, op: number): boolean =>
  program.ops[i] === op && !isUnary(op) && !isBlend(op) && uses[i] === 1 && names[i] === '';

/** Pushes the leaves of a tree of sums, minima or maxima, the first on top. */
function pushMembers(object: FrepObject, uses: Uint32Array, root: number, depth: number, pending: number[]): void {
  const { ops, left, right } = object.program;
  const open = isUnary(ops[root]) ? [left[root]] : [left[root], right[root]];
  while (open.length > 0) {
    const i = open.pop() as number;
    if (joins(object, uses, i, ops[root])) open.push(left[i], right[i]);
    else pending.push(depth, i);
  }
}

/** Pushes the base of a chain of perturbations, then the bumps, the first on top. */
function pushPerturbations(
  object: FrepObject,
  uses: Uint32Array,
  root: number,
  depth: number,
  pending: number[],
): void {
  const { left, right } = object.program;
  let i = root;
  for (;;) {
    pending.push(depth + 1, right[i], depth, ~i);
    if (!joins(object, uses, left[i], OP.PERTURBATION)) break;
    i = left[i];
  }
  pending.push(depth, left[i]);
}

function labelOf({ program, names }: FrepObject, i: number, members: number): string {
  const op = program.ops[i];
  const size = program.right[i];
  let kind: string = OP_NAMES[op];
  const isTimed = op === OP.WAVES && program.third[i] !== 0;
  if (op === OP.POLYNOMIAL) kind = `polynomial of degree ${size}`;
  else if (op === OP.WAVES) kind = `${size === 1 ? '1 wave' : `${size} waves`}${isTimed ? ' in time' : ''}`;
  else if (isFunction(op)) kind = functionLabel(program, i);
  else if (members > 2 && op !== OP.PERTURBATION && !isBlend(op)) kind = `${kind} of ${members}`;
  const name = printable(names[i]);
  return name === '' || name === OP_NAMES[op] ? kind : `${name} (${kind})`;
}

function functionLabel({ ops, third, numbers }: FrepObject['program'], i: number): string {
  const amount = numbers[third[i]];
  const kind = ops[i] === OP.POWER ? `${OP_NAMES[ops[i]]} ${numbers[third[i] + 1]}` : OP_NAMES[ops[i]];
  return amount === 1 ? kind : `${amount} times the ${kind}`;
}
