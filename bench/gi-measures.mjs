// Measures how well the triangles and normals of a geometry image follow their source.
// three-mesh-bvh finds the source's nearest faces, so nothing here shares code with the measured
// builder.
import { selfContacts, toMesh } from 'gicollide';
import { Box3, Sphere, Triangle, Vector3 } from 'three';
import { seeded } from './inputs.mjs';
import { peerTree, round } from './race.mjs';

/** @typedef {import('gicollide').Surface} Mesh */
/** @typedef {import('gicollide').GeometryImage} GeometryImage */
/** @typedef {ReturnType<typeof sourceOf>} Source */

/** Faces this near to the nearest one, in parts of the diagonal, are as good as it. */
const AS_NEAR = 1e-5;
const NORMALS_TAKEN = 20_000;
/** A sample is on a flat face if all faces so many sample distances around lie in its plane. */
const FLAT_AROUND = 3;
const FLAT = Math.cos(Math.PI / 180);

/**
 * The source centered, with a diagonal of 1, since the peer keeps floats.
 *
 * @param {Mesh} mesh
 */
function sourceOf({ positions, triangles }) {
  const box = new Box3();
  const point = new Vector3();
  for (const v of triangles) box.expandByPoint(point.fromArray(positions, 3 * v));
  const center = box.getCenter(new Vector3());
  const scale = 1 / box.getSize(new Vector3()).length();
  /** @param {ArrayLike<number>} p */
  const placed = (p) => Float64Array.from(p, (x, i) => (x - center.getComponent(i % 3)) * scale);
  const geometry = peerTree({ positions: placed(positions), triangles });
  const index = /** @type {NonNullable<typeof geometry.index>} */ (geometry.index);
  const face = new Triangle();
  const normals = Array.from({ length: index.count / 3 }, (_, t) => {
    face.setFromAttributeAndIndices(
      geometry.attributes.position,
      index.getX(3 * t),
      index.getX(3 * t + 1),
      index.getX(3 * t + 2),
    );
    return face.getNormal(new Vector3());
  });
  return { tree: geometry.boundsTree, normals, placed };
}

/** @type {{ point: Vector3, distance: number, faceIndex: number }} */
const nearest = { point: new Vector3(), distance: 0, faceIndex: 0 };
const sphere = new Sphere();
const closest = new Vector3();

/**
 * Normals of the faces within `around` of a point, or as near as the nearest one.
 *
 * @param {Source} source
 * @param {Vector3} point
 */
function normalsNear({ tree, normals }, point, around = 0) {
  tree.closestPointToPoint(point, nearest);
  sphere.set(point, Math.max(around, nearest.distance + AS_NEAR));
  /** @type {Vector3[]} */
  const found = [];
  tree.shapecast({
    intersectsBounds: (box) => sphere.intersectsBox(box),
    intersectsTriangle: (triangle, t) => {
      triangle.closestPointToPoint(point, closest);
      if (closest.distanceTo(point) <= sphere.radius && normals[t].lengthSq() > 0) found.push(normals[t]);
      return false;
    },
  });
  return found;
}

/**
 * - `flipped %`: of the image's area, triangles that look away from all source faces nearest to
 *   their centers
 * - `aspect 99`: longest edge by the height on it, 1 for equilateral; the 99th percentile of the
 *   triangles with an area
 *
 * @param {Source} source
 * @param {Mesh} image
 */
function shapeOf(source, { positions, triangles }) {
  const p = source.placed(positions);
  const face = new Triangle();
  const center = new Vector3();
  const normal = new Vector3();
  let [whole, flipped, count] = [0, 0, 0];
  const aspects = [];
  for (let i = 0; i < triangles.length; i += 3) {
    face.a.fromArray(p, 3 * triangles[i]);
    face.b.fromArray(p, 3 * triangles[i + 1]);
    face.c.fromArray(p, 3 * triangles[i + 2]);
    const area = face.getArea();
    if (!(area > 1e-16)) continue;
    whole += area;
    const longest = Math.max(face.a.distanceTo(face.b), face.b.distanceTo(face.c), face.c.distanceTo(face.a));
    aspects.push((Math.sqrt(3) / 4) * (longest ** 2 / area));
    face.getNormal(normal);
    const near = normalsNear(source, face.getMidpoint(center));
    if (near.length === 0 || near.some((other) => other.dot(normal) >= 0)) continue;
    flipped += area;
    count++;
  }
  aspects.sort((a, b) => a - b);
  return {
    'flipped %': round((100 * flipped) / whole, 4),
    flips: count,
    'aspect 99': round(aspects[Math.floor(0.99 * aspects.length)] ?? 1),
  };
}

/**
 * Degrees between stored normals and the nearest face that fits best, over seeded samples: in the
 * mean; and the mean and most on flat faces away from rims.
 *
 * @param {Source} source
 * @param {GeometryImage} image
 */
function normalsOf(source, image) {
  const random = seeded(44);
  const [all, flat] = [[0], [0]].map(() => /** @type {number[]} */ ([]));
  const total = image.groups.reduce((sum, { geometry }) => sum + geometry.length / 3, 0);
  const point = new Vector3();
  const normal = new Vector3();
  const spacing = 1 / Math.sqrt(total);
  for (const { geometry, normals } of image.groups) {
    if (!normals) continue;
    const own = geometry.length / 3;
    for (let n = Math.ceil((NORMALS_TAKEN * own) / total); n > 0; n--) {
      const at = 3 * Math.floor(random() * own);
      point.fromArray(source.placed([0, 1, 2].map((k) => image.origin[k] + geometry[at + k] * image.step)));
      normal.set(normals[at] - 32768, normals[at + 1] - 32768, normals[at + 2] - 32768);
      if (normal.lengthSq() === 0) continue;
      normal.normalize();
      const near = normalsNear(source, point);
      if (near.length === 0) continue;
      const cosine = Math.max(...near.map((other) => other.dot(normal)));
      const degrees = (Math.acos(Math.min(1, Math.max(-1, cosine))) * 180) / Math.PI;
      all.push(degrees);
      const around = normalsNear(source, point, FLAT_AROUND * spacing);
      if (around.every((other) => other.dot(near[0]) > FLAT)) flat.push(degrees);
    }
  }
  const mean = (/** @type {number[]} */ list) =>
    list.length === 0 ? null : round(list.reduce((sum, x) => sum + x, 0) / list.length, 2);
  return {
    'normals off': mean(all),
    'on flat faces': mean(flat),
    'at most':
      flat.length === 0
        ? null
        : round(
            flat.reduce((most, x) => Math.max(most, x), 0),
            2,
          ),
  };
}

/**
 * Pairs of triangles that share points within both.
 *
 * @param {Mesh} mesh
 */
function crossingsOf(mesh) {
  let count = 0;
  selfContacts(mesh, (_t, _u, contact) => {
    if (contact !== 'touch') count++;
  });
  return count;
}

/**
 * @param {Mesh} mesh
 * @param {GeometryImage} image
 */
export function measuresOf(mesh, image) {
  const source = sourceOf(mesh);
  const stored = toMesh(image);
  return {
    ...shapeOf(source, stored),
    ...normalsOf(source, image),
    crossings: crossingsOf(stored) - crossingsOf(mesh),
  };
}
