/**
 * Files that are wrong inside and right outside: sections, pages and headers changed, and every digest made good again, so that what is read
 * is what was changed.
 */
import { readBlob, type SectionArray, writeBlob } from '../../src/containers/blob.ts';
import { sha256 } from '../../src/containers/hash.ts';
import type { StoredMesh } from '../../src/containers/mesh-sections.ts';
import { sharpCodec } from '../../src/containers/pixels-sharp.ts';
import { readDirectories } from '../../src/containers/tiff-directory.ts';
import { asciiJson, isolatePage, joinPages } from '../../src/containers/tiff-writer.ts';
import { decodeFrep, encodeFrep } from '../../src/representations/frep/format.ts';
import type { FrepObject } from '../../src/representations/frep/tree/program.ts';
import { decodeGeometryImage, encodeGeometryImage } from '../../src/representations/gi/format/codec.ts';
import { oddRoles, PAGE_ROLES, type PageRole, rolesOf } from '../../src/representations/gi/format/pages.ts';
import { decodeKdopTree, encodeKdopTree } from '../../src/representations/kdop/format.ts';
import type { KdopTree } from '../../src/representations/kdop/tree/kdop-tree.ts';
import { decodeObbTree, encodeObbTree } from '../../src/representations/obb/format.ts';
import type { ObbTree } from '../../src/representations/obb/tree/obb-tree.ts';
import { decodeVoxels, encodeVoxels } from '../../src/representations/voxel/format.ts';
import type { VoxelSet } from '../../src/representations/voxel/tree/cube-set.ts';
import type { Random } from '../support/random.ts';
import type { Base } from './bases.ts';

type Json = Record<string, unknown>;
type Numbers = { [n: number]: number; readonly length: number; fill(x: number, from?: number, to?: number): unknown };

const INTEGERS = [0, 1, 2, 3, 127, 128, 255, 32767, 32768, 65535, 2 ** 24, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1];
const DOUBLES = [
  ...[0, -0, 1, -1, 0.5, 2, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.MIN_VALUE],
  ...[1e-300, 1e-160, 1e-100, 1e-60, 1e-20, 1e20, 1e60, 1e100, -1e100, 1e110, 1e150, 1e160, 1e300, Number.MAX_VALUE],
];
const STRANGE = [null, true, [], {}, '', '\u0000\n\u001b[31mgicollide', [[[]]], '__proto__', 'x'.repeat(300)];

/** A changed file; its digests are right, whatever it holds. */
export async function mutantOf(base: Base, random: Random): Promise<Uint8Array> {
  const how = random.below(20);
  if (how === 0) return scribbled(base.bytes, random);
  if (base.kind === 'gi') return imageMutant(base.bytes, random);
  return how < 14 ? plausible(base, random) : blobMutant(base, random);
}

/** Raw bytes changed: digests are wrong then, but for those parts of a TIFF that no digest is of. */
function scribbled(bytes: Uint8Array, random: Random): Uint8Array {
  const changed = bytes.slice();
  for (let k = 1 + random.below(4); k > 0; k--) changed[random.below(Math.min(600, bytes.length))] = random.below(256);
  return changed;
}

/** The name that a blob gives each kind. */
const BLOB_KINDS = { kdop: 'kdop', obb: 'obb', voxel: 'voxl', frep: 'frep', gi: 'src' };

/** What reading mostly takes for sound: every number is one that could stand there. */
async function plausible({ kind, bytes }: Base, random: Random): Promise<Uint8Array> {
  if (kind === 'kdop') {
    const { asset } = await decodeKdopTree(bytes.slice());
    changeKdopTree(asset, random);
    return encodeKdopTree(asset);
  }
  if (kind === 'obb') {
    const { asset } = await decodeObbTree(bytes.slice());
    changeObbTree(asset, random);
    return encodeObbTree(asset);
  }
  if (kind === 'voxel') {
    const { asset } = await decodeVoxels(bytes.slice());
    return encodeVoxels(changedVoxels(asset, random));
  }
  const { asset } = await decodeFrep(bytes.slice());
  changeFrep(asset, random);
  return encodeFrep(asset);
}

const COORDINATES = DOUBLES.filter((x) => Math.abs(x) <= 1e100);

function changeMesh({ positions, triangles }: StoredMesh, random: Random): void {
  const vertices = positions.length / 3;
  const isAll = random.below(4) === 0;
  if (random.below(2) === 0) {
    for (let k = isAll ? positions.length : 1 + random.below(5); k > 0; k--) {
      const at = isAll ? k - 1 : random.below(positions.length);
      const x = random.below(3) === 0 ? random.between(-2, 2) : random.pick(COORDINATES);
      positions[at] = positions instanceof Float32Array ? Math.max(-1e38, Math.min(1e38, x)) : x;
    }
  } else {
    const same = random.below(vertices);
    for (let k = isAll ? triangles.length : 1 + random.below(5); k > 0; k--) {
      triangles[random.below(triangles.length)] = random.below(4) === 0 ? same : random.below(vertices);
    }
  }
}

function changeKdopTree(tree: KdopTree, random: Random): void {
  const { coefficients, k, bits, origin } = tree;
  const most = 2 ** (bits - 1) - 1;
  const whole = (): number =>
    Math.max(-most, Math.min(most, Math.round(random.pick([0, 1, -1, 100, most, -most, random.between(-most, most)]))));
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) {
    const kind = random.below(7);
    if (kind === 0) changeMesh(tree, random);
    else if (kind === 1) origin[random.below(3)] = random.pick(COORDINATES);
    else if (kind === 2)
      tree.exponent = random.pick([-900, 340, 0, tree.exponent + random.pick([-40, -3, -1, 1, 3, 40])]);
    else if (kind === 3)
      for (let i = 0; i < coefficients.length; i++) coefficients[i] = Math.floor(coefficients[i] / 2);
    else {
      // Slabs, each by its two ends: moved, as wide as can be, or of any place and width.
      const nodes = coefficients.length / k;
      const from = random.below(nodes);
      const to = random.below(3) === 0 ? nodes : from + 1;
      const shift = whole();
      for (let node = from; node < to; node++) {
        for (let i = 0; i < k / 2; i++) {
          if (random.below(3) === 0) continue;
          const at = k * node + i;
          const low = kind === 4 ? Math.max(-most, Math.min(most, shift - coefficients[at + k / 2])) : whole();
          const high = kind === 4 ? Math.max(-most, Math.min(most, shift + coefficients[at])) : whole();
          coefficients[at] = Math.max(low, high);
          coefficients[at + k / 2] = -Math.min(low, high);
        }
      }
    }
  }
}

function changeObbTree(tree: ObbTree, random: Random): void {
  const { nodes, nodeBytes, origin, scale } = tree;
  const { buffer, byteOffset, byteLength } = nodes;
  const floats = new Float32Array(buffer, byteOffset, byteLength / 4);
  const shorts = new Int16Array(buffer, byteOffset, byteLength / 2);
  const count = byteLength / nodeBytes;
  const isAll = random.below(4) === 0;
  for (let rounds = isAll ? count : 1 + random.below(4); rounds > 0; rounds--) {
    const node = isAll ? rounds - 1 : random.below(count);
    const kind = random.below(8);
    const size = random.pick([0, 1, 1e-40, 1e-10, 1e10, 1e30, 1e38, random.next()]);
    const axis = random.below(3);
    if (kind === 0) changeMesh(tree, random);
    else if (kind === 1 && !isAll) origin[axis] = random.pick(COORDINATES);
    else if (kind === 2 && nodeBytes === 20) scale[random.below(2)] = random.pick([1e-100, 1e100, 1e-20, 1, 1e20]);
    else if (nodeBytes === 40) {
      const at = 10 * node;
      if (kind < 4) for (let k = 0; k < 3; k++) floats[at + k] = random.pick([0, 0.5, -0.57, 1e-30, -0.1]);
      else if (kind < 6) floats[at + 3 + axis] = random.pick([1, -1]) * size;
      else floats[at + 6 + axis] = size;
    } else if (nodeBytes === 20) {
      const at = 10 * node;
      if (kind < 4) for (let k = 0; k < 3; k++) shorts[at + k] = random.pick([0, 18000, -18000, 1]);
      else if (kind < 6) shorts[at + 3 + axis] = random.below(65536) - 32768;
      else shorts[at + 6 + axis] = random.pick([0, -1, random.below(65536)]);
    } else if (kind < 4) floats[16 * node + 6 + axis] = random.pick([1, -1]) * size;
    else if (kind < 6) shorts[32 * node + 4 * axis + 3] = random.pick([0, 0x7e80, 0x3f80, random.below(0x7e80)]);
    else {
      const children = ((new Uint32Array(buffer, byteOffset + 64 * node + 36, 1)[0] >>> 1) & 3) + 1;
      nodes[64 * node + 40 + 4 * random.below(6) + random.below(children)] = random.below(256);
    }
  }
}

/** Other bricks, or other cubes in them; the numbers of both are what they come to. */
function changedVoxels(set: VoxelSet, random: Random): VoxelSet {
  const { header, representation } = set;
  const precision = random.below(3) === 0 ? random.pick([1e-100, 1e100, 1e-20, 0.1, 1e20]) : set.precision;
  const bricks = new Map<bigint, [number, number]>();
  for (let at = 0; at < set.keys.length; at += 2) {
    if (random.below(8) === 0) continue;
    bricks.set((BigInt(set.keys[at + 1]) << 32n) | BigInt(set.keys[at]), [set.masks[at], set.masks[at + 1]]);
  }
  const word = (): number => random.pick([0, 1, 2 ** 30 - 1, random.below(2 ** 30), 2 ** random.below(30)]);
  for (let k = random.below(40); k >= 0; k--) {
    const mask = [random.below(2 ** 32), random.below(3) === 0 ? random.below(2 ** 32) : 2 ** random.below(32)];
    bricks.set((BigInt(word()) << 32n) | BigInt(word()), mask as [number, number]);
  }
  const sorted = [...bricks].sort(([a], [b]) => (a < b ? -1 : 1));
  const keys = Uint32Array.from(sorted.flatMap(([key]) => [Number(key & 0xffffffffn), Number(key >> 32n)]));
  return { representation, precision, keys, masks: Uint32Array.from(sorted.flatMap(([, mask]) => mask)), header };
}

function changeFrep(object: FrepObject, random: Random): void {
  const { ops, left, right, third, numbers } = object.program;
  const amounts = new Set([...ops.keys()].filter((i) => ops[i] === 4).map((i) => third[i]));
  for (let rounds = 1 + random.below(4); rounds > 0; rounds--) {
    const kind = random.below(8);
    if (kind === 0) object.half = random.pick([1e-60, 1e60, 1e-10, 1e10, 1]);
    else if (kind === 1) object.center[random.below(3)] = random.pick([1e60, -1e60, 1, 1e-60, 1e20]);
    else if (kind === 2) object.domain[random.below(3)] = random.pick([1, 1e-300, 0.5, 1e-10]);
    else if (kind === 3) {
      const i = random.below(ops.length);
      if (ops[i] === 5 || ops[i] === 6 || ops[i] === 3) ops[i] = random.pick([3, 5, 6]);
      else if (ops[i] > 2) left[i] = random.below(i);
    } else if (kind === 4) {
      const i = random.below(ops.length);
      if (ops[i] > 2) (random.below(2) === 0 ? left : right)[i] = random.below(i);
    } else {
      const all = random.below(4) === 0;
      for (let k = all ? numbers.length : 1 + random.below(4); k > 0; k--) {
        const at = all ? k - 1 : random.below(numbers.length);
        const x = random.pick([random.between(-1, 1), 0, 1e60, -1e60, 1e-60, 5e-324, 1e30, -1e20, 60000, -1]);
        numbers[at] = amounts.has(at) && x === 0 ? 1 : x;
      }
    }
  }
  if (Math.max(...object.domain) < 1) object.domain[random.below(3)] = 1;
}

async function blobMutant({ kind, bytes }: Base, random: Random): Promise<Uint8Array> {
  return blobChanged(bytes.slice(), BLOB_KINDS[kind], random);
}

async function blobChanged(bytes: Uint8Array, kind: string, random: Random): Promise<Uint8Array> {
  const { version, header, sections } = await readBlob(bytes, kind, [1, 2, 3]);
  const parts = new Map([...sections].map(([name, data]) => [name, data.slice() as SectionArray]));
  for (let rounds = 1 + random.below(2); rounds > 0; rounds--) {
    const shape = random.below(6);
    if (shape === 0) editJson(header, random);
    else if (shape === 1 && reshape(kind, header, parts, random)) continue;
    else {
      const name = random.pick([...parts.keys()]);
      const data = parts.get(name)!;
      if (random.below(24) === 0) parts.set(name, resized(data, random));
      else if (random.below(60) === 0) parts.delete(name);
      else scramble(data, random, name === 'links' || name === 'nodes');
    }
  }
  return writeBlob(
    kind,
    version,
    header,
    [...parts].map(([name, data]) => ({ name, data })),
  );
}

function resized(data: SectionArray, random: Random): SectionArray {
  const length = random.pick([0, 1, data.length - 1, data.length + 1, random.below(data.length + 1), 2 * data.length]);
  const other = new (data.constructor as new (n: number) => SectionArray)(Math.max(0, length));
  other.set(data.subarray(0, other.length) as never);
  return other;
}

/** Elements changed here and there, or a stretch of them, or two exchanged. */
function scramble(data: Numbers, random: Random, isSwapped = false): void {
  const { length } = data;
  if (length === 0) return;
  const isFloat = data instanceof Float64Array || data instanceof Float32Array;
  const value = (old: number): number => {
    const how = random.below(6);
    if (how === 0) return old + random.pick([-1, 1, 2, -2]);
    if (how === 1) return isFloat ? old * random.pick([0, -1, 2, 1e3, 1e-3, 1e30, 1 + 2 ** -50]) : -old;
    if (how === 2) return data[random.below(length)];
    if (how === 3 && isFloat) return random.between(-2, 2);
    if (how === 4) return random.below(2 ** 32);
    return random.pick(isFloat ? DOUBLES : INTEGERS);
  };
  const kind = random.below(isSwapped ? 8 : 6);
  if (kind <= 1) {
    for (let k = 1 + random.below(4); k > 0; k--) {
      const at = random.below(length);
      data[at] = value(data[at]);
    }
  } else if (kind === 2) {
    const from = random.below(length);
    data.fill(random.below(2) === 0 ? 0 : value(data[from]), from, from + 1 + random.below(length - from));
  } else if (kind === 3) {
    // Every element of a stretch, by the same factor or by noise.
    const from = random.below(length);
    const to = from + 1 + random.below(length - from);
    const factor = random.pick([0, 0.5, -1, 2, 1e-3, 1e3, 0.999]);
    const isNoise = random.below(2) === 0;
    for (let i = from; i < to; i++) data[i] = isNoise ? value(data[i]) : data[i] * factor;
  } else if (kind === 4) {
    const from = random.below(length);
    const to = random.below(length);
    const count = random.below(Math.min(length - from, length - to));
    for (let i = 0; i < count; i++) data[to + i] = data[from + i];
  } else {
    for (let k = 1 + random.below(3); k > 0; k--) {
      const [i, j] = [random.below(length), random.below(length)];
      const old = data[i];
      data[i] = data[j];
      data[j] = old;
    }
  }
}

/** Trees of another shape that are trees still: chains, and random ones; whether this kind has such. */
function reshape(kind: string, header: Json, parts: Map<string, SectionArray>, random: Random): boolean {
  const triangles = header.triangles as number;
  const links = kind === 'kdop' ? (parts.get('links') as Uint32Array) : null;
  const nodes = kind === 'obb' && header.nodeBytes === 40 ? (parts.get('nodes') as Uint32Array) : null;
  if (!(links ?? nodes)) return false;
  const setLink = (node: number, link: number): void => {
    if (links) links[node] = link;
    else nodes![10 * node + 9] = link;
  };
  const isChain = random.below(2) === 0;
  const order = Array.from({ length: triangles }, (_, t) => t);
  // Nodes that wait to become a branch or a leaf.
  const open = [0];
  let made = 1;
  let placed = 0;
  const left = (): number => triangles - placed - open.length;
  while (open.length > 0) {
    const node = open.splice(isChain ? 0 : random.below(open.length), 1)[0];
    // A branch has to come after its parent, and before its children: take the lowest numbers first.
    if (left() > 0) {
      setLink(node, (made << 1) >>> 0);
      if (isChain) {
        setLink(made + 1, ((order[placed++] << 1) | 1) >>> 0);
        open.push(made);
      } else open.push(made, made + 1);
      made += 2;
    } else setLink(node, ((order[placed++] << 1) | 1) >>> 0);
  }
  return true;
}

function editJson(json: Json | unknown[], random: Random): void {
  const record = json as Json;
  const keys = Object.keys(record);
  if (keys.length === 0) return;
  const key = random.pick(keys);
  const value = record[key];
  if (typeof value === 'object' && value !== null && Object.keys(value).length > 0 && random.below(8) !== 0) {
    editJson(value as Json, random);
    return;
  }
  if (random.below(12) === 0) delete record[key];
  else if (typeof value === 'number' && random.below(10) < 9) {
    const finite = DOUBLES.filter(Number.isFinite);
    record[key] = random.pick([
      value * random.pick([0.5, 2, -1, 1 + 2 ** -40, 1e3, 1e-3]),
      value + random.pick([1, -1]),
      random.pick(finite),
      random.pick(INTEGERS),
      random.between(-10, 10),
      -random.pick(finite),
    ]);
  } else record[key] = random.pick(STRANGE);
}

async function imageMutant(bytes: Uint8Array, random: Random): Promise<Uint8Array> {
  const kind = random.below(7);
  if (kind === 0) return headerChanged(bytes, random);
  if (kind === 2) return pagesChanged(bytes, random);
  const { asset: image } = await decodeGeometryImage(bytes.slice(), sharpCodec);
  if (kind === 1 && image.source) return sourceChanged(bytes, random);
  for (let rounds = 1 + random.below(3); rounds > 0; rounds--) {
    const group = random.pick(image.groups);
    const { tree, deviation } = group;
    const arrays: Numbers[] = [group.geometry, tree.page, tree.page, tree.radiusSteps];
    if (group.normals) arrays.push(group.normals);
    if (tree.slabs) arrays.push(tree.slabs);
    if (deviation) arrays.push(deviation.page);
    if (image.source) arrays.push(image.source.positions, image.source.items, image.source.triangles);
    const which = random.below(10);
    if (which === 0) image.origin[random.below(3)] = random.pick(DOUBLES);
    else if (which === 1) image.step = random.pick([...DOUBLES, image.step * random.pick([1e-3, 1e3, 1e30, 1e-30])]);
    else scramble(random.pick(arrays), random);
  }
  if (random.below(6) === 0) image.tolerance = { missing: random.pick(DOUBLES), excess: random.pick(DOUBLES) };
  const compression = random.pick(['none', 'deflate', 'lzw'] as const);
  const roles = rolesOf(image);
  const isWhole = image.source !== null || random.below(2) === 0;
  const pages = isWhole ? roles : roles.slice(0, 1 + random.below(roles.length));
  const written = await encodeGeometryImage(image, sharpCodec, { compression, pages: soundRoles(pages) });
  return random.below(8) === 0 ? headerChanged(written, random) : written;
}

/** Those that a file may have: what is measured from spheres goes where they do. */
const soundRoles = (roles: PageRole[]): PageRole[] => (oddRoles(roles) === null ? roles : ['geometry']);

/** Pages in another order, doubled, left out, or called what they are not. */
function pagesChanged(bytes: Uint8Array, random: Random): Promise<Uint8Array> {
  const order = readDirectories(bytes).map((_, i) => i);
  for (let rounds = 1 + random.below(2); rounds > 0; rounds--) {
    const at = random.below(order.length);
    const how = random.below(3);
    if (how === 0) order.splice(random.below(order.length), 0, ...order.splice(at, 1));
    else if (how === 1) order.splice(random.below(order.length + 1), 0, order[at]);
    else if (order.length > 1) order.splice(at, 1);
  }
  const edit = (json: Json): void => {
    const pages = json.pages as Json[];
    json.pages = order.map((i) => ({ ...pages[i] }));
    for (const page of json.pages as Json[]) if (random.below(9) === 0) page.role = random.pick([...PAGE_ROLES]);
    if (random.below(3) === 0)
      for (const group of (json.groups as Json[] | undefined) ?? [])
        delete group[random.pick(['radiusSteps', 'deviationStep'])];
  };
  return withHeader(bytes, edit, undefined, order);
}

/** The same file with another header, another source, and the pages in this order. */
async function withHeader(
  bytes: Uint8Array,
  edit: (json: Json) => void,
  attachment?: Uint8Array,
  order?: readonly number[],
): Promise<Uint8Array> {
  const pages = readDirectories(bytes);
  const { sha256: _, ...json } = JSON.parse(pages[0].description as string) as Json;
  edit(json);
  const digest = await sha256(new TextEncoder().encode(JSON.stringify(json)));
  const isolated = (order ?? [...pages.keys()]).map((i) => isolatePage(bytes, pages[i]));
  return joinPages(isolated, asciiJson({ ...json, sha256: digest }), attachment ?? pages[0].attachment);
}

const headerChanged = (bytes: Uint8Array, random: Random): Promise<Uint8Array> =>
  withHeader(bytes, (json) => {
    for (let k = 1 + random.below(3); k > 0; k--) editJson(json, random);
  });

async function sourceChanged(bytes: Uint8Array, random: Random): Promise<Uint8Array> {
  const attachment = readDirectories(bytes)[0].attachment!.slice();
  const changed = await blobChanged(attachment, 'src', random);
  const digest = await sha256(changed);
  return withHeader(bytes, (json) => Object.assign(json, { embedded: { sha256: digest } }), changed);
}
