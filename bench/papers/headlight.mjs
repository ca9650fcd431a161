// A car's headlight by formula, 5,947 triangles, in place of the one of Raabe et al. 2006, section
// 6.2, whose shape the paper does not give: reflector, housing, lens, rim, bulb, socket, brackets
// and screws, thin shells inside each other. The lamp shines along x.
import { normalised, sheet } from '../inputs.mjs';

/** @typedef {(u: number, v: number) => number[]} At */
/** @typedef {{ positions: number[], triangles: number[] }} Parts */

/** Half the height of the lamp over half its width. */
const OVAL = 0.7;
const TURN = 2 * Math.PI;

/**
 * A surface of revolution round x, oval, raked back on one side as lamps are.
 *
 * @param {(u: number) => number[]} profile
 * @returns {At}
 */
const turned = (profile) => (u, v) => {
  const [x, r] = profile(u);
  const [y, z] = [r * Math.cos(TURN * v), r * OVAL * Math.sin(TURN * v)];
  return [x - 0.25 * y * Math.max(0, x), y, z];
};

/**
 * A bar of round section along x.
 *
 * @param {number} y
 * @param {number} z
 * @param {number} radius
 * @param {number} from
 * @param {number} to
 * @returns {At}
 */
const bar = (y, z, radius, from, to) => (u, v) => {
  const narrow = u === 0 || u === 1 ? 0.5 : 1;
  return [from + u * (to - from), y + narrow * radius * Math.cos(TURN * v), z + narrow * radius * Math.sin(TURN * v)];
};

/**
 * A box by its lowest and its highest corner.
 *
 * @param {Parts} mesh
 * @param {number[]} low
 * @param {number[]} high
 */
function addBox({ positions, triangles }, low, high) {
  const base = positions.length / 3;
  for (let i = 0; i < 8; i++) positions.push(...[0, 1, 2].map((c) => ((i >> c) & 1 ? high : low)[c]));
  for (const [a, b, c, d] of [
    [0, 2, 3, 1],
    [4, 5, 7, 6],
    [0, 1, 5, 4],
    [2, 6, 7, 3],
    [0, 4, 6, 2],
    [1, 3, 7, 5],
  ]) {
    triangles.push(base + a, base + b, base + c, base + a, base + c, base + d);
  }
}

/**
 * A disc of so many triangles.
 *
 * @param {Parts} mesh
 * @param {number} x
 * @param {number} radius
 * @param {number} count
 */
function addDisc({ positions, triangles }, x, radius, count) {
  const centre = positions.length / 3;
  positions.push(x, 0, 0);
  for (let i = 0; i < count; i++) {
    positions.push(x, radius * Math.cos((TURN * i) / count), radius * Math.sin((TURN * i) / count));
    triangles.push(centre, centre + 1 + i, centre + 1 + ((i + 1) % count));
  }
}

/** @param {Parts} mesh */
function addOptics(mesh) {
  // A paraboloid with a hole for the bulb, and the housing behind it.
  sheet(24, 40, turned((u) => [0.8 * (0.15 + 0.85 * u) ** 2, 0.15 + 0.85 * u]), mesh); // biome-ignore format: a surface a line
  sheet(14, 40, turned((u) => [0.82 - 1.15 * u, 1.05 - 0.75 * u ** 3]), mesh); // biome-ignore format: a surface a line
  // The lens: a square bent to an oval, without a pole.
  const lens = (/** @type {number} */ u, /** @type {number} */ v) => {
    const [s, t] = [2 * u - 1, 2 * v - 1];
    const [y, z] = [s * Math.sqrt(1 - (t * t) / 2), OVAL * t * Math.sqrt(1 - (s * s) / 2)];
    const ribs = 0.008 * Math.cos(14 * y);
    return [0.86 + 0.3 * (1 - y * y - (z / OVAL) ** 2) + ribs - 0.22 * y, y, z];
  };
  sheet(22, 20, lens, mesh);
  const rim = (/** @type {number} */ u) => [0.84 + 0.06 * Math.sin(TURN * u), 1.05 + 0.06 * Math.cos(TURN * u)];
  sheet(12, 40, turned(rim), mesh);
}

/** @param {Parts} mesh */
function addInside(mesh) {
  const glass = (/** @type {number} */ u) => 0.02 + 0.08 * Math.sin(Math.PI * (0.15 + 0.85 * u)) ** 0.5;
  const bulb = (/** @type {number} */ u, /** @type {number} */ v) => {
    const r = u === 1 ? 0.02 : glass(u);
    return [0.02 + 0.4 * u, r * Math.cos(TURN * v), r * Math.sin(TURN * v)];
  };
  sheet(12, 16, bulb, mesh);
  sheet(4, 16, bar(0, 0, 0.14, -0.5, 0.02), mesh);
  addDisc(mesh, -0.5, 0.07, 43);
}

/** @param {Parts} mesh */
function addFastenings(mesh) {
  // A plate behind the housing, wavy from its press.
  sheet(10, 10, (u, v) => [-0.36 + 0.01 * Math.sin(9 * u + 7 * v), 0.8 * (u - 0.5), 0.6 * (v - 0.5)], mesh);
  for (let i = 0; i < 6; i++) {
    const [y, z] = [1.05 * Math.cos((TURN * i) / 6 + 0.3), 1.05 * OVAL * Math.sin((TURN * i) / 6 + 0.3)];
    addBox(mesh, [0.3, y - 0.09, z - 0.05], [0.38, y + 0.09, z + 0.05]);
    sheet(2, 10, bar(y, z, 0.03, 0.2, 0.5), mesh);
  }
}

/**
 * Centred, with a diagonal of 1.
 *
 * @param {number} [share] 1: all 5,947 triangles; fewer for a quick look
 */
export function headlight(share = 1) {
  /** @type {Parts} */
  const mesh = { positions: [], triangles: [] };
  addOptics(mesh);
  addInside(mesh);
  addFastenings(mesh);
  if (share < 1) mesh.triangles.length = 3 * Math.floor((share * mesh.triangles.length) / 3);
  return normalised(mesh);
}
