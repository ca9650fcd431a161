/** Draws an F-rep: two views of its surface, its domain if cut off, and a level's cells. */
import { OptionError } from '../base/errors.ts';
import type { Surface } from '../mesh/topology.ts';
import { depthAt, timeOf } from '../representations/frep/tree/evaluate.ts';
import type { FrepObject } from '../representations/frep/tree/program.ts';
import type { Canvas } from './canvas.ts';
import { CLAY, FRONT, paintOfQuarter, Sheet } from './draw.ts';
import type { Vector } from './perspective.ts';
import { type Body, frame, type Paint } from './shade.ts';

/** Side of a panel, pixels. */
const PANEL = 480;
/** From behind, the left and higher. y is up. */
const BEHIND: Vector = [-1, 0.75, -0.6];
const DOMAIN: Paint = [196, 200, 208];
const CELLS_OPACITY = 0.75;

/** Normals that differ more, cos 15 degrees, near one corner belong to two faces. */
const SAME_FACE = 0.966;

/**
 * Draws a solid's surface from the front and from behind, with a level's cells over it. The frame
 * is that of the domain if the surface reaches it.
 *
 * @param cells as `boxesSurface` gives them; null without a level
 */
export function drawFrep(object: FrepObject, level: number | null, surface: Surface, cells: Surface | null): Canvas {
  if ((level === null) !== (cells === null)) throw new OptionError('level: it draws cells; add cells');
  const sheet = new Sheet(cells ? 3 : 2, PANEL);
  const solid = shaded(object, surface);
  const edges = isCutOff(object, surface) ? [domainEdges(object)] : [];
  const boxes = cells ? coloured(object, cells) : [];
  const drawn = { bodies: [solid, ...edges] };
  const framed = [...drawn.bodies, ...boxes];
  const front = frame(framed, FRONT, PANEL);

  sheet.draw(0, [drawn], front);
  sheet.caption(0, [
    surface.triangles.length > 0 ? 'surface' : 'no point found inside',
    counted(surface.triangles.length / 3, 'triangle'),
    edges.length > 0 ? 'from the front, grey: the domain' : 'from the front',
  ]);
  sheet.draw(1, [drawn], frame(framed, BEHIND, PANEL));
  const instructions = counted(object.program.ops.length, 'instruction');
  const sides = object.domain.map((d) => `${Number((2 * d * object.half).toPrecision(4))}`.replace('+', ''));
  sheet.caption(1, ['the same from behind and above', instructions, `domain ${sides.join(' by ')}`]);
  if (cells) {
    // The cells hold the surface, so no part of it is in front of them.
    sheet.draw(2, [drawn, { bodies: boxes, opacity: CELLS_OPACITY }], front);
    const count = counted(cells.positions.length / 24, 'cell');
    sheet.caption(2, [`cells of level ${level}`, count, 'those not proved to be outside']);
  }
  return sheet.canvas;
}

const counted = (count: number, thing: string): string => `${count} ${thing}${count === 1 ? '' : 's'}`;

/** Draws in the model cube, so that no center or size is too large or too small. */
const toCube = ({ center, half }: FrepObject, positions: Float64Array): Float64Array =>
  positions.map((x, i) => (x - center[i % 3]) / half);

/** Gives every triangle its own corners, with the function's normals of its own side. */
function shaded(object: FrepObject, { positions, triangles }: Surface): Body {
  const { program, domain } = object;
  const time = timeOf(object);
  const cube = toCube(object, positions);
  const point = new Float64Array(3);
  const normal = new Float64Array(3);
  const vertexNormals = new Float32Array(cube.length);
  for (let v = 0; v < cube.length; v += 3) {
    depthAt(program, domain, cube.subarray(v, v + 3), normal, time);
    vertexNormals.set(normal, v);
  }
  const corners = new Float64Array(3 * triangles.length);
  const normals = new Float32Array(3 * triangles.length);
  for (let c = 0; c < triangles.length; c++) {
    const v = 3 * triangles[c];
    const first = c - (c % 3);
    for (let k = 0; k < 3; k++) {
      corners[3 * c + k] = cube[v + k];
      const middle =
        (cube[3 * triangles[first] + k] + cube[3 * triangles[first + 1] + k] + cube[3 * triangles[first + 2] + k]) / 3;
      point[k] = cube[v + k] + (middle - cube[v + k]) / 4;
    }
    depthAt(program, domain, point, normal, time);
    let cosine = 0;
    for (let k = 0; k < 3; k++) cosine += normal[k] * vertexNormals[v + k];
    normals.set(cosine > SAME_FACE ? vertexNormals.subarray(v, v + 3) : normal, 3 * c);
  }
  return {
    surface: { positions: corners, triangles: Uint32Array.from(triangles, (_, c) => c) },
    normals,
    paint: CLAY,
  };
}

/** True if the surface reaches the domain's faces or is empty; otherwise no domain is drawn. */
const isCutOff = (object: FrepObject, { positions }: Surface): boolean =>
  positions.length === 0 ||
  toCube(object, positions).some((x, i) => Math.abs(x) > object.domain[i % 3] * (1 - 2 ** -30));

function domainEdges({ domain: [x, y, z] }: FrepObject): Body {
  const at = (c: number): number[] => [c & 1 ? x : -x, c & 2 ? y : -y, c & 4 ? z : -z];
  const corners = Array.from({ length: 8 }, (_, c) => c);
  const ends = corners.flatMap((c) => [1, 2, 4].flatMap((bit) => (c & bit ? [] : [c, c + bit])));
  return { points: corners.flatMap(at), ends, width: 1.2, paint: DOMAIN };
}

function coloured(object: FrepObject, cells: Surface): Body[] {
  const cube = toCube(object, cells.positions);
  const byPaint: number[][] = Array.from({ length: 8 }, () => []);
  for (let box = 0; box < cube.length / 24; box++) {
    let steps = 0;
    const middle = [0, 1, 2].map((k) => {
      const size = cube[24 * box + 21 + k] - cube[24 * box + k];
      steps += Math.round((cube[24 * box + k] + object.domain[k]) / size);
      return cube[24 * box + k] + size / 2;
    });
    const quarter = (middle[0] > 0 ? 1 : 0) + (middle[2] > 0 ? 2 : 0);
    // In a very flat domain, a cell has no size, and steps cannot be counted.
    const list = byPaint[2 * quarter + (steps & 1)];
    for (let c = 36 * box; c < 36 * (box + 1); c++) list.push(cells.triangles[c]);
  }
  return byPaint.map((list, i): Body => {
    const paint = paintOfQuarter(i >> 1, { isLighter: i % 2 === 1 });
    return { surface: { positions: cube, triangles: Uint32Array.from(list) }, paint };
  });
}
