/**
 * Fills areas with holes, given only their borders. The stencil counts, modulo 2, how often a fan
 * of each border covers a pixel; odd counts are inside.
 */
import {
  AlwaysDepth,
  AlwaysStencilFunc,
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  Group,
  InvertStencilOp,
  LessEqualDepth,
  Mesh,
  NotEqualStencilFunc,
  ShaderMaterial,
  Vector3,
  ZeroStencilOp,
} from 'three';
import type { Paint } from '../../palette.ts';
import type { Look } from './surface-material.ts';

/** Only this many of the largest are filled: each takes three draws. */
const MOST = 100;

const VERTEX = `
uniform vec4 section;
varying float vBeyond;
void main() {
  vBeyond = dot(section.xyz, (modelMatrix * vec4(position, 1.0)).xyz) - section.w;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_Position.z -= 2e-5 * gl_Position.w;
}`;

const FRAGMENT = `
uniform vec3 paint;
uniform float opacity;
varying float vBeyond;
void main() {
  if (vBeyond > 0.0) discard;
  gl_FragColor = vec4(paint, opacity);
}`;

export function createAreas(look: Look) {
  const group = new Group();
  const paint = { value: new Vector3() };
  const material = (opacity: number): ShaderMaterial =>
    new ShaderMaterial({
      vertexShader: VERTEX,
      fragmentShader: FRAGMENT,
      uniforms: { section: look.section, paint, opacity: { value: opacity } },
      side: DoubleSide,
      transparent: true,
      depthWrite: false,
      stencilWrite: true,
    });
  const count = material(0);
  count.setValues({
    colorWrite: false,
    depthFunc: AlwaysDepth,
    stencilFunc: AlwaysStencilFunc,
    stencilZPass: InvertStencilOp,
  });
  const [seen, hidden] = [material(0.6), material(0.22)];
  const isInside = { stencilFunc: NotEqualStencilFunc, stencilRef: 0, stencilZPass: ZeroStencilOp };
  seen.setValues({ ...isInside, depthFunc: LessEqualDepth });
  // Only hidden parts, and pixels not painted before.
  hidden.setValues({ ...isInside, depthFunc: AlwaysDepth });

  const clear = (): void => {
    for (const mesh of group.children as Mesh[]) mesh.geometry.dispose();
    group.clear();
  };
  return {
    group,
    /** Borders of each area, x, y, z each, in the frame of the group. */
    set(areas: readonly (readonly Float32Array[])[]): void {
      clear();
      areas.slice(0, MOST).forEach((borders, number) => {
        const geometry = fansOf(borders);
        [count, seen, hidden].forEach((layer, k) => {
          const mesh = new Mesh(geometry, layer);
          mesh.frustumCulled = false;
          mesh.renderOrder = 8 + (number + k / 4) / MOST;
          group.add(mesh);
        });
      });
    },
    setPaint: ([red, green, blue]: Paint) => paint.value.set(red, green, blue),
    dispose() {
      clear();
      for (const layer of [count, seen, hidden]) layer.dispose();
    },
  };
}

function fansOf(borders: readonly Float32Array[]): BufferGeometry {
  const corners: number[] = [];
  const tip = borders[0].subarray(0, 3);
  for (const border of borders) {
    for (let i = 0; i + 6 <= border.length; i += 3) corners.push(...tip, ...border.subarray(i, i + 6));
  }
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.from(corners), 3));
  return geometry;
}
