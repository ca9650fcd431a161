/**
 * A drawing with smooth edges: each pixel is sampled four times, in a texture that is then copied
 * to the canvas. A canvas that smooths by itself could not leave it where drawing is slow.
 */
import {
  BufferAttribute,
  BufferGeometry,
  Camera,
  Mesh,
  type PerspectiveCamera,
  Scene,
  ShaderMaterial,
  Vector2,
  type WebGLRenderer,
  WebGLRenderTarget,
} from 'three';

const SAMPLES = 4;

const VERTEX = `
void main() {
  gl_Position = vec4(position.xy, 0.0, 1.0);
}`;

const FRAGMENT = `
uniform sampler2D drawing;
void main() {
  gl_FragColor = vec4(texelFetch(drawing, ivec2(gl_FragCoord.xy), 0).rgb, 1.0);
}`;

export interface Smooth {
  draw(scene: Scene, camera: PerspectiveCamera): { calls: number; triangles: number };
  dispose(): void;
}

export function createSmooth(renderer: WebGLRenderer): Smooth {
  const target = new WebGLRenderTarget(1, 1, { samples: SAMPLES, stencilBuffer: true });
  const material = new ShaderMaterial({
    vertexShader: VERTEX,
    fragmentShader: FRAGMENT,
    uniforms: { drawing: { value: target.texture } },
    depthTest: false,
    depthWrite: false,
  });
  // One triangle that covers everything.
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(Float32Array.of(-1, -1, 0, 3, -1, 0, -1, 3, 0), 3));
  const mesh = new Mesh(geometry, material);
  mesh.frustumCulled = false;
  const copy = new Scene().add(mesh);
  const camera = new Camera();
  const pixels = new Vector2();
  return {
    draw(scene, eye) {
      renderer.getDrawingBufferSize(pixels);
      target.setSize(pixels.x, pixels.y);
      renderer.setRenderTarget(target);
      renderer.render(scene, eye);
      const { calls, triangles } = renderer.info.render;
      renderer.setRenderTarget(null);
      renderer.render(copy, camera);
      return { calls, triangles };
    },
    dispose() {
      target.dispose();
      geometry.dispose();
      material.dispose();
    },
  };
}
