/**
 * Strokes of a width in pixels: segments with round ends, and dots, which are segments without
 * length. Each is a quad that the graphics card spreads around the segment on the screen.
 *
 * Hidden parts are drawn again, fainter, so that the whole stroke is visible.
 */
import {
  AlwaysDepth,
  BufferAttribute,
  Group,
  InstancedBufferGeometry,
  InstancedInterleavedBuffer,
  InterleavedBufferAttribute,
  type IUniform,
  LessEqualDepth,
  Mesh,
  ShaderMaterial,
  Vector3,
  Vector4,
} from 'three';
import type { Paint } from '../../palette.ts';
import type { Look } from './surface-material.ts';

const VERTEX = `
uniform vec2 size;
uniform float width;
uniform bool isOpen;
uniform vec4 section;
attribute vec3 from;
attribute vec3 to;
varying vec2 vPlace;
varying float vLength;
varying float vBeyond;
// Moves the depth nearer by the stroke's width; in a crease it would be half hidden.
float depthOf(float z) {
  float step = 2.0 * width / (size.y * projectionMatrix[1][1]);
  if (isOrthographic) return projectionMatrix[2][2] * (z + step) + projectionMatrix[3][2];
  float nearer = z * (1.0 - step);
  return -projectionMatrix[2][2] - projectionMatrix[3][2] / nearer;
}
void main() {
  vec4 first = modelViewMatrix * vec4(from, 1.0);
  vec4 last = modelViewMatrix * vec4(to, 1.0);
  // Clips segments behind the eye, which have no place on the screen.
  float front = projectionMatrix[3][2] / (projectionMatrix[2][2] - 1.0);
  if (isOrthographic) front = -1e9;
  if (first.z > -front && last.z < -front) first = mix(first, last, (-front - first.z) / (last.z - first.z));
  if (last.z > -front && first.z < -front) last = mix(last, first, (-front - last.z) / (first.z - last.z));
  vec4 start = projectionMatrix * first;
  vec4 end = projectionMatrix * last;
  if (start.w <= 0.0 || end.w <= 0.0) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0);
    return;
  }
  vec2 a = start.xy / start.w * 0.5 * size;
  vec2 b = end.xy / end.w * 0.5 * size;
  vec2 along = b - a;
  vLength = length(along);
  along = vLength > 1e-4 ? along / vLength : vec2(1.0, 0.0);
  float reach = 0.5 * width + 1.0;
  // Faint round ends would show where pieces of a curve overlap.
  float beyond = isOpen && vLength > 1e-4 ? 0.0 : reach;
  vPlace = vec2(position.x > 0.0 ? vLength + beyond : -beyond, position.y * reach);
  vec2 place = a + along * vPlace.x + vec2(-along.y, along.x) * vPlace.y;
  float part = vLength > 1e-4 ? clamp(vPlace.x / vLength, 0.0, 1.0) : 0.0;
  float depth = mix(depthOf(first.z), depthOf(last.z), part);
  vec3 world = (modelMatrix * vec4(mix(from, to, part), 1.0)).xyz;
  vBeyond = dot(section.xyz, world) - section.w;
  gl_Position = vec4(place / (0.5 * size), depth, 1.0);
}`;

const FRAGMENT = `
uniform vec3 paint;
uniform float width;
uniform float opacity;
varying vec2 vPlace;
varying float vLength;
varying float vBeyond;
void main() {
  if (vBeyond > 0.0) discard;
  float away = length(vec2(vPlace.x - clamp(vPlace.x, 0.0, vLength), vPlace.y));
  float alpha = clamp(0.5 * width - away + 0.5, 0.0, 1.0);
  if (alpha <= 0.0) discard;
  gl_FragColor = vec4(paint, alpha * opacity);
}`;

interface StrokeStyle {
  paint: Paint;
  width: number;
  halo?: number;
  hidden?: number;
  opacity?: number;
  isCut?: boolean;
  order?: number;
}

export interface Strokes {
  set(segments: Float32Array): void;
  setPaint(paint: Paint): void;
  readonly group: Group;
  dispose(): void;
}

const CORNERS = Float32Array.of(0, -1, 0, 1, -1, 0, 1, 1, 0, 0, 1, 0);
const NOTHING_IS_CUT = { value: new Vector4(0, 0, 0, 1) };

/** A path of places, joined in order, as segments. */
export const segmentsOf = (path: readonly (readonly number[])[]): number[] =>
  path.slice(1).flatMap((place, i) => [...path[i], ...place]);

export function createStrokes(look: Look, style: StrokeStyle): Strokes {
  const group = new Group();
  const tint = { value: new Vector3(...style.paint) };
  const meshes = layersOf(style).map((layer, k) => {
    const mesh = new Mesh(
      new InstancedBufferGeometry(),
      materialOf(look, style, layer, layer.isHalo ? look.halo : tint),
    );
    mesh.frustumCulled = false;
    mesh.renderOrder = (style.order ?? 10) + k / 4;
    group.add(mesh);
    return mesh;
  });
  group.visible = false;

  return {
    group,
    set(segments) {
      for (const mesh of meshes) mesh.geometry.dispose();
      group.visible = segments.length > 0;
      if (segments.length === 0) return;
      const geometry = geometryOf(segments);
      for (const mesh of meshes) mesh.geometry = geometry;
    },
    setPaint: ([red, green, blue]) => tint.value.set(red, green, blue),
    dispose() {
      for (const mesh of meshes) {
        mesh.geometry.dispose();
        mesh.material.dispose();
      }
      group.removeFromParent();
    },
  };
}

interface Layer {
  isHalo: boolean;
  isHidden: boolean;
  opacity: number;
}

/** From the lowest: all rims lie below all strokes, so that none crosses a joining stroke. */
function layersOf({ halo, hidden, opacity = 1 }: StrokeStyle): Layer[] {
  const layers: Layer[] = [];
  for (const isHidden of hidden ? [true, false] : [false]) {
    const seen = isHidden ? (hidden ?? 0) : opacity;
    // Faint strokes need no rim to stand out.
    for (const isHalo of halo && seen === 1 ? [true, false] : [false]) {
      layers.push({ isHalo, isHidden, opacity: seen });
    }
  }
  return layers;
}

function materialOf(look: Look, style: StrokeStyle, layer: Layer, paint: IUniform<Vector3>): ShaderMaterial {
  const { isHalo, isHidden, opacity } = layer;
  return new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      size: look.size,
      section: style.isCut === false ? NOTHING_IS_CUT : look.section,
      paint,
      width: { value: style.width + (isHalo ? 2 * (style.halo ?? 0) : 0) },
      isOpen: { value: opacity < 1 },
      opacity: { value: opacity },
    },
    transparent: true,
    depthWrite: false,
    depthFunc: isHidden ? AlwaysDepth : LessEqualDepth,
  });
}

function geometryOf(segments: Float32Array): InstancedBufferGeometry {
  const geometry = new InstancedBufferGeometry();
  const ends = new InstancedInterleavedBuffer(segments, 6);
  geometry.setAttribute('position', new BufferAttribute(CORNERS, 3));
  geometry.setAttribute('from', new InterleavedBufferAttribute(ends, 3, 0));
  geometry.setAttribute('to', new InterleavedBufferAttribute(ends, 3, 3));
  geometry.setIndex([0, 1, 2, 0, 2, 3]);
  geometry.instanceCount = segments.length / 6;
  return geometry;
}
