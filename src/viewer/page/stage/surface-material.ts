/**
 * Paints triangles in facets, by a light at the viewer's shoulder and a sky, with darker rims.
 * Normals come from derivatives of places, so a surface needs none, and looks the same from both
 * sides. A section hatches its inside.
 */
import { DoubleSide, type IUniform, ShaderMaterial, Vector2, Vector3, Vector4 } from 'three';
import { laid } from '../../camera.ts';
import { GHOST, type Paint } from '../../palette.ts';
import type { Section } from '../../view-state.ts';
import { axisOf } from './section.ts';
import type { Space } from './space.ts';

/** Shared uniforms; all materials hold the same records. */
export interface Look {
  /** x, y, z, w: cuts away where x X + y Y + z Z > w; 0, 0, 0, 1 cuts nothing. */
  section: IUniform<Vector4>;
  /** True if there is a section: insides are hatched. */
  isCut: IUniform<boolean>;
  /** The way up, to the sky. */
  sky: IUniform<Vector3>;
  rim: IUniform<Vector3>;
  halo: IUniform<Vector3>;
  background: IUniform<Vector3>;
  /** Ghosts nearer than this, in the drawn frame, are cut away. */
  ghostsFrom: IUniform<number>;
  /** Size of the drawing in page pixels. */
  size: IUniform<Vector2>;
}

export const createLook = ({ up }: Space): Look => ({
  section: { value: new Vector4(0, 0, 0, 1) },
  isCut: { value: false },
  sky: { value: new Vector3(...laid([0, 0, 1], up)) },
  rim: { value: new Vector3() },
  halo: { value: new Vector3() },
  background: { value: new Vector3() },
  ghostsFrom: { value: 0 },
  size: { value: new Vector2(1, 1) },
});

export function lookThrough(look: Look, section: Section | null, { origin, scale }: Space): void {
  look.isCut.value = section !== null;
  look.section.value.set(0, 0, 0, 1);
  if (!section) return;
  const k = axisOf(section);
  const sign = section.isFlipped ? -1 : 1;
  look.section.value.setComponent(k, sign).setW(sign * scale * (section.at - origin[k]));
}

const VERTEX = `
uniform vec4 section;
varying vec3 vView;
varying float vBeyond;
varying vec3 vTint;
uniform vec3 tint;
void main() {
  vec4 place = vec4(position, 1.0);
  vTint = tint;
  #ifdef USE_INSTANCING
    place = instanceMatrix * place;
  #endif
  #ifdef USE_INSTANCING_COLOR
    vTint = instanceColor;
  #endif
  #ifdef USE_COLOR
    vTint = color;
  #endif
  vBeyond = dot(section.xyz, (modelMatrix * place).xyz) - section.w;
  vec4 view = modelViewMatrix * place;
  vView = view.xyz;
  gl_Position = projectionMatrix * view;
}`;

/** `style`: 0 solid, 1 lines, 2 glass, 3 a shell of bounds, 4 a ghost. */
const FRAGMENT = `
uniform int style;
uniform bool isCut;
uniform vec3 rim;
uniform vec3 background;
uniform float ghostsFrom;
uniform vec3 sky;
varying vec3 vView;
varying float vBeyond;
varying vec3 vTint;
void main() {
  if (vBeyond > 0.0 || (style == 4 && -vView.z < ghostsFrom)) discard;
  if (style == 1) {
    gl_FragColor = vec4(mix(vTint, rim, 0.25), 1.0);
    return;
  }
  vec3 normal = normalize(cross(dFdx(vView), dFdy(vView)));
  vec3 up = (viewMatrix * vec4(sky, 0.0)).xyz;
  float facing = clamp(dot(normal, isOrthographic ? vec3(0.0, 0.0, 1.0) : normalize(-vView)), 0.0, 1.0);
  float light = 0.5 + 0.14 * dot(normal, up) + 0.42 * max(0.0, dot(normal, normalize(vec3(-0.35, 0.55, 0.76))));
  vec3 paint = vTint * light + 0.06 * light * light;
  float grazing = 1.0 - facing;
  grazing *= grazing;
  if (style == 0) {
    paint = mix(paint, rim, 0.55 * grazing * grazing);
    if (isCut && !gl_FrontFacing) {
      float stripe = step(0.62, fract((gl_FragCoord.x + gl_FragCoord.y) / 9.0));
      paint = mix(vTint * (0.42 + 0.2 * light), vTint * 0.3, stripe);
    }
    gl_FragColor = vec4(paint, 1.0);
  } else if (style == 4) {
    gl_FragColor = vec4(mix(background, paint, ${GHOST}), 1.0);
  } else {
    float least = style == 2 ? 0.16 : 0.08;
    gl_FragColor = vec4(paint, least + (style == 2 ? 0.5 : 0.3) * grazing);
  }
}`;

export type Style = 'solid' | 'wire' | 'glass' | 'shell' | 'ghost';
const STYLES: readonly Style[] = ['solid', 'wire', 'glass', 'shell', 'ghost'];

export function surfaceMaterial(look: Look, paint: Paint = [1, 1, 1], style: Style = 'solid'): ShaderMaterial {
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: {
      section: look.section,
      isCut: look.isCut,
      sky: look.sky,
      rim: look.rim,
      background: look.background,
      ghostsFrom: look.ghostsFrom,
      tint: { value: new Vector3(...paint) },
      style: { value: -1 },
    },
    side: DoubleSide,
    // Surfaces lie slightly behind lines and contacts in the same plane.
    polygonOffset: true,
    polygonOffsetFactor: 1,
    polygonOffsetUnits: 1,
  });
  setStyle(material, style);
  return material;
}

export function setStyle(material: ShaderMaterial, style: Style): void {
  const isSolid = style !== 'glass' && style !== 'shell';
  const number = STYLES.indexOf(style);
  if (material.uniforms.style.value === number) return;
  material.uniforms.style.value = number;
  material.wireframe = style === 'wire';
  material.depthWrite = isSolid;
  material.transparent = !isSolid;
  material.needsUpdate = true;
}

export function setTint(material: ShaderMaterial, [red, green, blue]: Paint): void {
  (material.uniforms.tint.value as Vector3).set(red, green, blue);
}
