/**
 * Vertex normals of a triangle mesh.
 *
 * N. Max, "Weights for Computing Vertex Normals from Facet Normals", Journal of Graphics Tools
 * 4(2), 1999: each corner adds e1 x e2 / (|e1|^2 |e2|^2). Exact on a sphere, independent of the
 * triangulation of flat faces, and without arc cosines, so it is the same on every engine.
 */

/** Returns unit normals, x, y, z at 3v; zero for a vertex of no triangle with an area. */
export function vertexNormals(positions: Float64Array, triangles: ArrayLike<number>): Float64Array {
  const normals = new Float64Array(positions.length);
  for (let t = 0; t < triangles.length; t += 3) {
    for (let k = 0; k < 3; k++) {
      const v = 3 * triangles[t + k];
      const a = 3 * triangles[t + ((k + 1) % 3)];
      const b = 3 * triangles[t + ((k + 2) % 3)];
      const ax = positions[a] - positions[v];
      const ay = positions[a + 1] - positions[v + 1];
      const az = positions[a + 2] - positions[v + 2];
      const bx = positions[b] - positions[v];
      const by = positions[b + 1] - positions[v + 1];
      const bz = positions[b + 2] - positions[v + 2];
      const weight = (ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz);
      if (!(weight > 0)) continue;
      normals[v] += (ay * bz - az * by) / weight;
      normals[v + 1] += (az * bx - ax * bz) / weight;
      normals[v + 2] += (ax * by - ay * bx) / weight;
    }
  }
  for (let v = 0; v < normals.length; v += 3) {
    const length = Math.sqrt(
      normals[v] * normals[v] + normals[v + 1] * normals[v + 1] + normals[v + 2] * normals[v + 2],
    );
    if (!(length > 0)) continue;
    normals[v] /= length;
    normals[v + 1] /= length;
    normals[v + 2] /= length;
  }
  return normals;
}
