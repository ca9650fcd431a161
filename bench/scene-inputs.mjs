// Files of scenes for the command line: boxes, and an apartment house with its fixtures.
import { makeBuilding } from '../scripts/make-building.mjs';
import { direction, seeded } from './inputs.mjs';

/** Boxes strewn over a cube, about one overlap each. @param {number} count */
export function strewnBoxes(count) {
  const random = seeded(count);
  const side = Math.cbrt(count / 0.3);
  const boxes = new Float64Array(6 * count);
  for (let i = 0; i < count; i++) {
    for (let k = 0; k < 3; k++) {
      boxes[6 * i + k] = side * random();
      boxes[6 * i + 3 + k] = boxes[6 * i + k] + 0.5 + random();
    }
  }
  return boxes;
}

const FACES = ['1 3 4 2', '5 6 8 7', '1 2 6 5', '3 7 8 4', '1 5 7 3', '2 4 8 6'];

/** An OBJ of as many boxes, an object each. @param {Float64Array} boxes */
export function objOf(boxes) {
  const lines = [];
  for (let i = 0; i < boxes.length; i += 6) {
    lines.push(`o box-${i / 6}`);
    for (let v = 0; v < 8; v++) lines.push(`v ${[0, 1, 2].map((k) => boxes[i + k + 3 * ((v >> k) & 1)]).join(' ')}`);
    for (const face of FACES) lines.push(`f ${face.replaceAll(/\d/g, (v) => String(Number(v) - 9))}`);
  }
  return `${lines.join('\n')}\n`;
}

/** A scene file of one box many times, turned. @param {Float64Array} boxes */
export function sceneOf(boxes) {
  const random = seeded(1);
  return JSON.stringify({
    gicollide: 'scene/1',
    assets: { box: 'box.obj' },
    instances: Array.from({ length: boxes.length / 6 }, (_, i) => ({
      name: `box-${i}`,
      asset: 'box',
      translate: Array.from(boxes.subarray(6 * i, 6 * i + 3)),
      rotate: { axis: direction(random), degrees: 360 * random() },
    })),
  });
}

/**
 * @typedef {{ name: string, points: number[][], faces: number[][] }} Solid closed; numbers from 0
 */

/**
 * A solid of revolution about z: a profile of radii and heights from the lower pole to the upper.
 *
 * @param {string} name @param {readonly [number, number][]} profile @param {number} sides
 * @param {readonly number[]} place
 * @returns {Solid}
 */
function lathe(name, profile, sides, place) {
  const [low, high] = [profile[0], profile[profile.length - 1]];
  const points = [[place[0], place[1], place[2] + low[1]]];
  for (const [radius, height] of profile)
    for (let s = 0; s < sides; s++) {
      const turn = (2 * Math.PI * s) / sides;
      points.push([place[0] + radius * Math.cos(turn), place[1] + radius * Math.sin(turn), place[2] + height]);
    }
  const top = points.push([place[0], place[1], place[2] + high[1]]) - 1;
  const faces = [];
  for (let s = 0; s < sides; s++) {
    const next = (s + 1) % sides;
    faces.push([0, 1 + next, 1 + s], [top, top - sides + s, top - sides + next]);
    for (let ring = 0; ring + 1 < profile.length; ring++) {
      const [p, q] = [1 + ring * sides, 1 + (ring + 1) * sides];
      faces.push([p + s, p + next, q + next, q + s]);
    }
  }
  return { name, points, faces };
}

/**
 * @param {string} name
 *
 * @param {readonly number[]} low
 * @param {readonly number[]} high
 * @returns {Solid}
 */
function boxOf(name, low, high) {
  const points = Array.from({ length: 8 }, (_, v) => [0, 1, 2].map((k) => ((v >> k) & 1 ? high[k] : low[k])));
  return { name, points, faces: FACES.map((face) => face.split(' ').map((v) => Number(v) - 1)) };
}

/** @param {readonly Solid[]} solids @param {number} first vertices before these, in the file */
function objOfSolids(solids, first) {
  const lines = [];
  let base = first + 1;
  for (const { name, points, faces } of solids) {
    lines.push(`o ${name}`);
    for (const point of points) lines.push(`v ${point.map((x) => x.toFixed(4)).join(' ')}`);
    for (const face of faces) lines.push(`f ${face.map((v) => base + v).join(' ')}`);
    base += points.length;
  }
  return `${lines.join('\n')}\n`;
}

/**
 * Rounded like a vase: so many rings.
 *
 * @param {number} rings
 * @param {number} radius
 * @param {number} height
 */
const vase = (rings, radius, height) =>
  Array.from({ length: rings }, (_, r) => {
    const t = r / (rings - 1);
    return /** @type {[number, number]} */ ([radius * (0.6 + 1.6 * t * (1 - t)), height * t]);
  });

/**
 * An apartment house as two OBJ files, in mm, of about 160 and 150 elements of 12 to 2,000
 * triangles
 * and about 1 MB each: its fabric with furniture; and boxes, lamps and tubes on its walls.
 */
export function apartments() {
  const random = seeded(46);
  const { obj, elements } = makeBuilding({ storeys: 1 });
  const walls = elements.filter(({ kind }) => kind === 'wall');
  /** A point on a wall, or up to 10 mm within or before it. */
  const onWall = () => {
    const { low, high } = walls[Math.floor(random() * walls.length)];
    const axis = high[0] - low[0] < high[1] - low[1] ? 0 : 1;
    const place = [0, 1, 2].map((k) => low[k] + random() * (high[k] - low[k]));
    place[axis] = (random() < 0.5 ? low : high)[axis] + Math.floor(3 * random() - 1) * 10;
    return place;
  };
  const furniture = Array.from({ length: 17 }, (_, i) => {
    const place = [2000 + 32000 * random(), 1000 + 10000 * random(), 200];
    return lathe(`furniture-${i}`, vase(24, 400, 800), 40, place);
  });
  const built = Array.from({ length: 150 }, (_, i) => {
    const place = onWall();
    const name = `fixture-${String(i).padStart(3, '0')}`;
    if (i % 5 < 2)
      return boxOf(
        name,
        place,
        place.map((x, k) => x + [80, 80, 120][k]),
      );
    if (i % 5 < 4) return lathe(name, vase(3, 60, 150), 16, place);
    return lathe(name, vase(12, 150, 300), 32, place);
  });
  const vertices = obj.split('\n').filter((line) => line.startsWith('v ')).length;
  return { a: obj + objOfSolids(furniture, vertices), e: objOfSolids(built, 0) };
}
