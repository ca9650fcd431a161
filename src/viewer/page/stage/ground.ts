/** A grid below the scene, with lines a round length apart. */
import { DoubleSide, type IUniform, Mesh, PlaneGeometry, ShaderMaterial, Vector2, Vector3 } from 'three';
import { roundLength } from '../../camera.ts';
import type { Paint } from '../../palette.ts';
import type { Space } from './space.ts';

const EXTENT = 12;
const LINES = 5;

const VERTEX = `
varying vec2 vPlace;
void main() {
  vPlace = (modelMatrix * vec4(position, 1.0)).xy;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

/** Every tenth line is stronger. Dense and distant lines fade. */
const FRAGMENT = `
uniform vec3 paint;
uniform vec2 phase;
uniform float lines;
uniform float reach;
varying vec2 vPlace;
float line(vec2 place) {
  vec2 wide = fwidth(place);
  vec2 away = abs(fract(place + 0.5) - 0.5) / wide;
  vec2 shown = (1.0 - clamp(away - 0.3, 0.0, 1.0)) * (1.0 - smoothstep(0.1, 0.4, wide));
  return max(shown.x, shown.y);
}
void main() {
  vec2 place = vPlace * lines + phase;
  float strength = max(0.22 * line(place), 0.42 * line(place / 10.0));
  strength *= 1.0 - smoothstep(0.15, 0.9, length(vPlace) / reach);
  if (strength < 0.004) discard;
  gl_FragColor = vec4(paint, strength);
}`;

export function createGround({ origin, scale, box }: Space) {
  const step = roundLength(1 / scale / LINES);
  const past = (x: number): number => (((x / step) % 10) + 10) % 10;
  const paint: IUniform<Vector3> = { value: new Vector3() };
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      paint,
      phase: { value: new Vector2(past(origin[0]), past(origin[1])) },
      lines: { value: 1 / (step * scale) },
      reach: { value: EXTENT / 2 },
    },
    transparent: true,
    depthWrite: false,
    side: DoubleSide,
  });
  const mesh = new Mesh(new PlaneGeometry(EXTENT, EXTENT), material);
  mesh.position.z = scale * (box.low[2] - origin[2]) - 1e-3;
  mesh.renderOrder = -1;
  return {
    mesh,
    setPaint: ([red, green, blue]: Paint) => paint.value.set(red, green, blue),
    dispose() {
      mesh.geometry.dispose();
      material.dispose();
    },
  };
}
