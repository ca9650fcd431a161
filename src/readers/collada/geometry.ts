/**
 * Makes a mesh from a COLLADA geometry: its primitives one after the other, in the order of the
 * file.
 *
 * Each corner of a primitive has a number for each of its inputs (position, normal, ...), and only
 * those of positions are read. Vertices are the file's; none are joined.
 */
import { FormatError } from '../../base/errors.ts';
import { only, type XmlElement } from '../../base/xml.ts';
import type { Mesh } from '../../mesh/mesh.ts';
import { FaceGatherer, triangulate } from '../faces.ts';
import { cutWithHoles } from '../polygon.ts';
import { type ColladaDocument, childrenOf, numbersOf, requireCount, take, target, wholeOf } from './document.ts';

export interface Geometry {
  /** Null without triangles. */
  mesh: Mesh | null;
  /** The parts of it that are not read; null if there are none. */
  lost: string | null;
  /** Elements of lines, and faces of fewer than three corners. */
  linear: number;
}

const LINEAR = ['lines', 'linestrips'];
const AREAL = ['triangles', 'polylist', 'polygons', 'tristrips', 'trifans'];

/** @param meter multiplies all coordinates */
export function readGeometry(document: ColladaDocument, geometry: XmlElement, meter: number): Geometry {
  const body = geometry.children.find(({ name }) => ['mesh', 'convex_mesh', 'brep'].includes(name));
  const result: Geometry = { mesh: null, lost: null, linear: childrenOf(geometry, 'spline').length };
  if (!body) return result;
  if (body.name === 'brep') return { ...result, lost: 'a boundary representation (brep) is not read' };
  if (body.attributes.has('convex_hull_of')) return { ...result, lost: 'the convex hull of a mesh is not made' };
  const primitives = body.children.filter(({ name }) => AREAL.includes(name));
  result.linear += body.children.filter(({ name }) => LINEAR.includes(name)).length;
  const points = new Map<XmlElement, { first: number; coordinates: Float64Array }>();
  let vertices = 0;
  const layouts = primitives.map((primitive) => {
    const layout = layoutOf(document, primitive, body);
    if (layout && !points.has(layout.source)) {
      const coordinates = pointsOf(document, layout.source);
      points.set(layout.source, { first: vertices, coordinates });
      vertices += coordinates.length / 3;
    }
    return layout;
  });
  take(document, 24 * vertices, geometry);
  const positions = new Float64Array(3 * vertices);
  for (const { first, coordinates } of points.values())
    for (let k = 0; k < coordinates.length; k++) positions[3 * first + k] = coordinates[k] * meter;
  const faces = new FaceGatherer();
  for (const [k, primitive] of primitives.entries()) {
    const layout = layouts[k];
    if (!layout) continue;
    const { first, coordinates } = points.get(layout.source)!;
    const corners = { ...layout, first, count: coordinates.length / 3, positions };
    addFaces(document, primitive, corners, faces, result);
  }
  const list = faces.list();
  take(document, 12 * list.triangleCount, geometry);
  if (list.triangleCount === 0) return result;
  if (!positions.every(Number.isFinite))
    throw new FormatError({ line: geometry.line }, 'coordinates that are finite in meters', `${meter} as a unit`);
  return { ...result, mesh: { positions, triangles: triangulate(positions, list), groups: [] } };
}

interface Layout {
  source: XmlElement;
  offset: number;
  stride: number;
}

const MOST_INPUTS = 1024;

/** Null for a primitive without any corner. */
function layoutOf(document: ColladaDocument, primitive: XmlElement, body: XmlElement): Layout | null {
  const inputs = childrenOf(primitive, 'input');
  const isEmpty = !primitive.children.some(({ name, text }) => name === 'ph' || (name === 'p' && text?.trim()));
  if (isEmpty && wholeOf(primitive, 'count', 0) === 0) return null;
  const offsets = inputs.map((input) => wholeOf(input, 'offset', inputs.length === 1 ? 0 : null));
  const stride = offsets.reduce((most, offset) => Math.max(most, offset + 1), 1);
  const { line } = primitive;
  if (stride > MOST_INPUTS) throw new FormatError({ line }, `at most ${MOST_INPUTS} inputs`, `${stride}`);
  const at = inputs.findIndex(({ attributes }) => /^(VERTEX|POSITION)$/.test(attributes.get('semantic') ?? ''));
  if (at < 0) throw new FormatError({ line }, `<input semantic="VERTEX"> in <${primitive.name}>`, 'none');
  let source = target(document, inputs[at], 'source', ['vertices', 'source'], body);
  if (source.name === 'vertices') {
    const positions = childrenOf(source, 'input').find(({ attributes }) => attributes.get('semantic') === 'POSITION');
    if (!positions) throw new FormatError({ line: source.line }, '<input semantic="POSITION"> in <vertices>', 'none');
    source = target(document, positions, 'source', ['source'], body);
  }
  return { source, offset: offsets[at], stride };
}

/** x, y and z of each point of a source. */
function pointsOf(document: ColladaDocument, source: XmlElement): Float64Array {
  const { line } = source;
  const technique = only(source, 'technique_common');
  const accessor = technique && only(technique, 'accessor');
  if (!accessor) throw new FormatError({ line }, '<technique_common> with an <accessor> in <source>', 'none');
  const array = target(document, accessor, 'source', ['float_array', 'int_array'], source);
  const numbers = numbersOf(document, array);
  requireCount(document, array, numbers.length, 'numbers');
  const count = wholeOf(accessor, 'count', null);
  const stride = wholeOf(accessor, 'stride', 1);
  const offset = wholeOf(accessor, 'offset', 0);
  const [x, y, z] = columnsOf(accessor);
  if (Math.max(x, y, z) >= stride)
    throw new FormatError({ line: accessor.line }, 'a stride of three or more for x, y and z', `${stride}`);
  if (count > 0 && offset + stride * (count - 1) + Math.max(x, y, z) >= numbers.length) {
    const expected = `${offset + stride * count} numbers for ${count} points`;
    throw new FormatError({ line: accessor.line }, expected, `${numbers.length}`);
  }
  take(document, 24 * count, accessor);
  const points = new Float64Array(3 * count);
  for (let k = 0, from = offset; k < count; k++, from += stride) {
    points[3 * k] = numbers[from + x];
    points[3 * k + 1] = numbers[from + y];
    points[3 * k + 2] = numbers[from + z];
  }
  return points;
}

/** Numbers of params without a name are skipped, by the specification. */
function columnsOf(accessor: XmlElement): number[] {
  const names = childrenOf(accessor, 'param').map(({ attributes }) => attributes.get('name') ?? '');
  const axes = ['X', 'Y', 'Z'].map((axis) => names.indexOf(axis));
  if (!axes.includes(-1)) return axes;
  const named = names.flatMap((name, k) => (name === '' ? [] : [k]));
  return named.length >= 3 ? named.slice(0, 3) : [0, 1, 2];
}

interface Corners extends Layout {
  /** The number of the source's first vertex in the mesh, and the number of its vertices. */
  first: number;
  count: number;
  positions: Float64Array;
}

/** The vertices of a <p> or <h>. */
function verticesOf(document: ColladaDocument, element: XmlElement, corners: Corners): Uint32Array {
  const { stride, offset, first, count } = corners;
  const { line } = element;
  const numbers = numbersOf(document, element);
  if (numbers.length % stride > 0)
    throw new FormatError({ line }, `${stride} numbers a corner in <${element.name}>`, `${numbers.length} in all`);
  const vertices = new Uint32Array(numbers.length / stride);
  for (let c = 0; c < vertices.length; c++) {
    const vertex = numbers[c * stride + offset];
    if (!(vertex >= 0 && vertex < count && Number.isInteger(vertex)))
      throw new FormatError({ line }, `numbers of points from 0 to ${count - 1} in <${element.name}>`, `${vertex}`);
    vertices[c] = first + vertex;
  }
  document.numbers.delete(element);
  return vertices;
}

function addFaces(
  document: ColladaDocument,
  primitive: XmlElement,
  corners: Corners,
  faces: FaceGatherer,
  result: Geometry,
): void {
  const { name } = primitive;
  const add = (vertices: ArrayLike<number>, from: number, size: number): void => {
    if (size < 3) {
      result.linear++;
      return;
    }
    for (let k = from; k < from + size; k++) faces.add(vertices[k]);
    faces.endFace();
  };
  const lists = childrenOf(primitive, 'p').map((p) => verticesOf(document, p, corners));
  if (name === 'triangles' || name === 'polylist') {
    if (lists.length > 1) throw new FormatError({ line: primitive.line }, `one <p> in <${name}>`, `${lists.length}`);
    const vertices = lists[0] ?? new Uint32Array();
    const sizes = name === 'polylist' ? sizesOf(document, primitive, vertices) : null;
    requireCount(document, primitive, sizes ? sizes.length : Math.floor(vertices.length / 3), 'faces');
    if (!sizes && vertices.length % 3 > 0)
      throw new FormatError({ line: primitive.line }, 'three corners a triangle', `${vertices.length} in all`);
    for (let from = 0, k = 0; from < vertices.length; k++) {
      const size = sizes ? sizes[k] : 3;
      add(vertices, from, size);
      from += size;
    }
    return;
  }
  requireCount(document, primitive, lists.length + childrenOf(primitive, 'ph').length, 'faces');
  for (const vertices of lists) {
    const size = vertices.length;
    if (name === 'polygons' || size < 3) add(vertices, 0, size);
    else
      for (let k = 0; k < size - 2; k++) {
        // Every other triangle of a strip swaps two corners, so that all face one way.
        const turn = k % 2;
        const [first, second, third] = name === 'trifans' ? [0, k + 1, k + 2] : [k, k + 1 + turn, k + 2 - turn];
        add([vertices[first], vertices[second], vertices[third]], 0, 3);
      }
  }
  for (const holed of name === 'polygons' ? childrenOf(primitive, 'ph') : [])
    addHoled(document, holed, corners, result, add);
}

/** The numbers of corners of a polylist's faces; corners beyond them are an error. */
function sizesOf(document: ColladaDocument, primitive: XmlElement, vertices: Uint32Array): Float64Array {
  const element = only(primitive, 'vcount');
  const sizes = element ? numbersOf(document, element) : new Float64Array();
  let sum = 0;
  for (const size of sizes) sum += Number.isInteger(size) && size >= 0 ? size : Number.NaN;
  if (sum === vertices.length) return sizes;
  const { line } = element ?? primitive;
  const expected = `whole numbers with the sum ${vertices.length}, the number of corners, in <vcount>`;
  throw new FormatError({ line }, expected, Number.isNaN(sum) ? 'other numbers' : `${sum}`);
}

function addHoled(
  document: ColladaDocument,
  holed: XmlElement,
  corners: Corners,
  result: Geometry,
  add: (vertices: ArrayLike<number>, from: number, size: number) => void,
): void {
  const outline = only(holed, 'p');
  if (!outline) throw new FormatError({ line: holed.line }, 'a <p> in <ph>', 'none');
  const rings = [outline, ...childrenOf(holed, 'h')].map((ring) => verticesOf(document, ring, corners));
  const triangles = cutWithHoles(corners.positions, rings);
  if (!triangles) result.lost = 'a polygon with holes is not simple, and was not cut';
  else for (let t = 0; t < triangles.length; t += 3) add(triangles, t, 3);
}
