/** The canvas and what draws on it: when something changed, and at no other time. */
import { type Camera, Color, type Scene, SRGBColorSpace, setConsoleFunction, WebGLRenderer } from 'three';
import type { Paint } from './palette.ts';

/** More pixels a pixel of the page cost time, and nobody sees them. */
const MOST_RATIO = 2;

export interface Canvas {
  readonly element: HTMLCanvasElement;
  /** Pixels of the page. */
  readonly size: { width: number; height: number };
  /** Has a frame drawn soon. */
  invalidate(): void;
  setBackground(paint: Paint): void;
  draw(scene: Scene, camera: Camera): { calls: number; triangles: number };
  dispose(): void;
}

/**
 * @param frame draws; @returns whether something moves, and the next frame is wanted
 * @throws where the browser has no WebGL
 */
export function createCanvas(
  parent: HTMLElement,
  frame: (now: number) => boolean,
  onSize: (width: number, height: number) => void,
  onLost: (isLost: boolean) => void,
): Canvas {
  // The page's console is silent: what three has to say of a lost context, the page shows.
  setConsoleFunction(() => {});
  const renderer = new WebGLRenderer({ antialias: true, stencil: true, powerPreference: 'high-performance' });
  const element = renderer.domElement;
  const size = { width: 1, height: 1 };
  let request = 0;
  let isLost = false;
  parent.append(element);

  const run = (now: number): void => {
    request = 0;
    if (!isLost && frame(now)) invalidate();
  };
  const invalidate = (): void => {
    if (request === 0) request = requestAnimationFrame(run);
  };
  const resize = (): void => {
    const { clientWidth, clientHeight } = parent;
    if (clientWidth === 0 || clientHeight === 0) return;
    size.width = clientWidth;
    size.height = clientHeight;
    renderer.setPixelRatio(Math.min(devicePixelRatio, MOST_RATIO));
    renderer.setSize(clientWidth, clientHeight);
    onSize(clientWidth, clientHeight);
    // A canvas that has changed its size is empty: it is drawn before anybody sees that.
    cancelAnimationFrame(request);
    run(performance.now());
  };
  const observer = new ResizeObserver(resize);
  const lose = (): void => {
    isLost = true;
    onLost(true);
  };
  const restore = (): void => {
    isLost = false;
    onLost(false);
    invalidate();
  };
  element.addEventListener('webglcontextlost', lose);
  element.addEventListener('webglcontextrestored', restore);
  observer.observe(parent);

  return {
    element,
    size,
    invalidate,
    setBackground: (paint) => renderer.setClearColor(new Color().setRGB(...paint, SRGBColorSpace)),
    draw(scene, camera) {
      renderer.render(scene, camera);
      const { calls, triangles } = renderer.info.render;
      return { calls, triangles };
    },
    dispose() {
      cancelAnimationFrame(request);
      observer.disconnect();
      element.removeEventListener('webglcontextlost', lose);
      element.removeEventListener('webglcontextrestored', restore);
      renderer.dispose();
      renderer.forceContextLoss();
      element.remove();
    },
  };
}
